// SPDX-License-Identifier: MIT
// The developer drawer: the clock, a snapshot and the way back to it, an index price, a fault, the signature inspector.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { PERPS } from "./exchange.mjs";
import { start, step } from "./terminal.mjs";

let stage, screen, exchange;
before(async () => {
  stage = await start({ market: "none" });
  exchange = stage.exchange;
  await exchange.book(PERPS, 100000, 10);
  screen = await stage.open(`/trade/${PERPS.symbol}`);
  await screen.live();
  await screen.click("button", "Developer");
  await screen.find("tab", "Clock");
});
after(async () => {
  await screen?.context.close().catch(() => {});
  await stage?.end();
});

const drawer = () => screen.find("complementary", "Developer");
async function tab(name) {
  await screen.click("tab", name, await drawer());
  return screen.region(name === "Prices" ? "Index prices" : name);
}

step("the clock runs faster and advances", async () => {
  const panel = await tab("Clock");
  await screen.picture("developer-clock");
  const before = await exchange.get("", "/time");
  await screen.click("button", "+1 h", panel);
  await screen.says(/It is/);
  const later = await exchange.get("", "/time");
  assert.ok(later.serverTime - before.serverTime >= 3600 * 1000);
  await screen.click("button", "×10", panel);
  await screen.says(/×10/);
  await screen.click("button", "×1", panel);
  await screen.says(/×1\./);
});

step("a snapshot is taken, and the terminal is as it was after the way back", async () => {
  const panel = await tab("Snapshots");
  await screen.fill("Name (optional)", "quiet", panel);
  await screen.click("button", "Take a snapshot", panel);
  await screen.says(/quiet was taken/);
  await exchange.order(0, PERPS, "buy", "0.1", "99000");
  await screen.openOrders(1);
  await screen.click("button", "Revert to quiet", panel);
  await screen.says(/as it was at quiet/);
  await screen.openOrders(0);
  screen.expect(/WebSocket/);
  await screen.picture("developer-snapshots");
});

step("a name that the exchange refuses has its reason", async () => {
  const panel = await tab("Snapshots");
  await screen.fill("Name (optional)", "<b>", panel);
  await screen.click("button", "Take a snapshot", panel);
  await screen.says(/a name has 1 to 31/);
});

step("the slider moves the index", async () => {
  const panel = await tab("Prices");
  const slider = await panel.waitForSelector("input[type=range]");
  await slider.focus();
  for (let i = 0; i < 3; i++) await screen.page.keyboard.press("PageUp");
  await screen.until(async () => {
    const [row] = await exchange.get("perps", `/markets/mark-prices?symbol=${PERPS.symbol}`);
    return Number(row.indexPrice) > 100000;
  }, "the index is higher");
  await screen.picture("developer-prices");
});

step("a fault is set and removed", async () => {
  const panel = await tab("Faults");
  await screen.click("button", "Refuse three writes (429)", panel);
  await screen.says(/Rule \d+ is at work/);
  assert.equal((await exchange.rpc("dojima_chaosList"))[0].fault, "429");
  await screen.picture("developer-faults");
  await screen.click("button", "Remove all", panel);
  await screen.says(/Rules removed: 1/);
  assert.deepEqual(await exchange.rpc("dojima_chaosList"), []);
});

step("the inspector explains the last signed request", async () => {
  await screen.page.keyboard.press("Escape");
  await screen.order("Buy", "0.1", "99000");
  await screen.openOrders(1);
  await screen.click("button", "Developer");
  const panel = await tab("Signature");
  await screen.click("button", "Take the last one of this page", panel);
  await screen.click("button", "Explain the signature", panel);
  await screen.until(async () => (await screen.text(panel)).includes(exchange.account(0).address.toLowerCase()), "the signer");
  assert.match(await screen.text(panel), /newOrder/);
  await screen.picture("developer-signature");
});

step("a scenario plays here, and another one is stopped", async () => {
  await exchange.rpc("dojima_setClock", "100");
  const panel = await tab("Scenarios");
  await screen.click("button", "Play reconnect-storm here", panel);
  await screen.until(async () => /reconnect-storm plays/.test(await screen.text(panel)), "it plays");
  assert.equal(await screen.look("button", "Play flash-crash here", panel).then((found) => found.evaluate((node) => node.disabled)), true);
  await screen.until(async () => /reconnect-storm: everything came true/.test(await screen.text(panel)), "it has passed");
  assert.match(await screen.text(panel), /expectations hold/);
  await screen.picture("developer-scenarios");
  await exchange.rpc("dojima_setClock", "0");                      // the next one waits until it is stopped
  await screen.click("button", "Play flash-crash here", panel);
  await screen.until(async () => /flash-crash plays/.test(await screen.text(panel)), "another one plays");
  await screen.click("button", "Stop", panel);
  await screen.until(async () => /flash-crash was stopped/.test(await screen.text(panel)), "it is stopped");
  await exchange.rpc("dojima_setClock", "1");
});

step("invariants and log", async () => {
  await tab("Invariants");
  await screen.says(/All hold/);
  const log = await tab("Log");
  await screen.until(async () => /newOrder/.test(await screen.text(log)), "the order is in the log");
  await screen.picture("developer-log");
  assert.deepEqual(await screen.violations(), []);
});

step("nothing went wrong unseen", () => screen.close());
