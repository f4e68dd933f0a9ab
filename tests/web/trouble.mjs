// SPDX-License-Identifier: MIT
// What goes wrong between a terminal and its exchange, rehearsed with faults on demand: streams are cut, replies are lost,
// the exchange goes back to a snapshot, goes away and comes back.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before } from "node:test";
import { PERPS, SPOT } from "./exchange.mjs";
import { start, step } from "./terminal.mjs";

let stage, screen, exchange;
const data = mkdtempSync(path.join(tmpdir(), "dojima-web-"));
before(async () => {
  stage = await start({ market: "none", data });
  exchange = stage.exchange;
  await exchange.book(PERPS, 100000, 10);
  await exchange.book(SPOT, 100000, 10);
  screen = await stage.open(`/trade/${PERPS.symbol}`);
  await screen.live();
});
after(async () => {
  await screen?.context.close().catch(() => {});
  await stage?.end();
  rmSync(data, { recursive: true, force: true });
});

/** The book of the terminal, price and size of each level that it shows, is a part of what REST gives. */
async function bookEqualsRest() {
  const book = await exchange.get("perps", `/markets/${PERPS.symbol}/orderbook?limit=20`);
  const want = new Map([...book.bids, ...book.asks].map((level) => [Number(level[0]), Number(level[1])]));
  const number = (text) => Number(text.replaceAll(",", ""));
  const levels = (await screen.rows("Order book")).map((row) => row.filter((text) => /^[0-9.,]+$/.test(text)).map(number))
    .filter((row) => row.length >= 2);
  const same = levels.filter(([price, size]) => want.get(price) === size);
  return levels.length > 0 && same.length === levels.length && levels.length >= Math.min(want.size, 6);
}

step("a cut stream is told, resumed, and the book equals REST", async () => {
  const rule = await exchange.rpc("dojima_chaosAdd", { fault: "cut", path: "/ws/perps", count: 1 });
  const away = await exchange.rpc("dojima_chaosAdd", { fault: "503", path: "/ws/perps", count: 1 });
  screen.expect(/WebSocket|503|ERR_/);
  await screen.page.evaluate(() => {               // what the page says, so that a short sentence is not missed
    const heard = (globalThis.heard = []);
    const listen = () => heard.push(document.body.innerText.match(/connection[^\n]*|reconnect[^\n]*/i)?.[0] ?? "");
    new MutationObserver(listen).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await exchange.order(8, PERPS, "buy", "0.5", "99985");
  await screen.until(() => screen.page.evaluate(() => globalThis.heard.some((text) => text)), "it says that the connection is cut");
  await exchange.order(8, PERPS, "sell", "0.5", "100015");
  await screen.until(bookEqualsRest, "the book equals REST");
  const [cut] = (await exchange.rpc("dojima_chaosList")).filter((one) => one.id === rule.id);
  assert.equal(cut.acted, 1);
  await exchange.rpc("dojima_chaosClear");
  assert.ok(away.id);
});

step("a lost reply is found out, and the order is there once", async () => {
  screen.expect(/ERR_EMPTY_RESPONSE|ERR_CONNECTION|ERR_TIMED_OUT|ERR_FAILED/);
  const rule = await exchange.rpc("dojima_chaosAdd", { fault: "reset-after", path: "trade/orders", method: "POST", count: 1 });
  await screen.order("Buy", "0.1", "99000");
  await screen.openOrders(1);
  await screen.says(/placed|rests|open|executed/i);
  const orders = await exchange.openOrders(0, "perps");
  assert.equal(orders.length, 1);
  const [fault] = (await exchange.rpc("dojima_chaosList")).filter((one) => one.id === rule.id);
  assert.equal(fault.acted, 1);
  await exchange.rpc("dojima_chaosClear");
});

step("after a revert the terminal shows the state after the revert", async () => {
  await exchange.rpc("evm_snapshot", "before");
  await screen.order("Buy", "0.2", "98000");
  await screen.openOrders(2);
  screen.expect(/WebSocket/);
  assert.equal(await exchange.rpc("evm_revert", "before"), true);
  await screen.openOrders(1);
  await screen.until(bookEqualsRest, "the book equals REST");
  await screen.order("Buy", "0.3", "97000");
  await screen.openOrders(2);
});

step("an exchange that goes away is told, and shown again when it is back", async () => {
  const lost = async () => /connection is lost/i.test(await screen.page.evaluate(() => document.body.innerText));
  screen.expect(/ERR_CONNECTION|Failed to fetch|WebSocket/);
  await screen.until(async () => !(await lost()), "it is connected");
  await exchange.kill();
  await screen.until(lost, "it says that the connection is lost");
  await screen.picture("away");
  await exchange.again();
  await screen.until(async () => !(await lost()), "it says no more that the connection is lost");
  await screen.until(bookEqualsRest, "the book is back");
  await screen.openOrders(2);
  await screen.order("Buy", "0.4", "96000");
  await screen.openOrders(3);
});

step("nothing went wrong unseen", () => screen.close());

step("a symbol that does not exist is told", async () => {
  const other = await stage.open("/trade/NO-SUCH");
  await other.until(async () => /NO-SUCH/.test(await other.page.evaluate(() => document.body.innerText)), "it names the symbol");
  await other.picture("unknown-symbol");
  await other.close();
});

const GARBAGE = ["", "null", "7", "{}", "[]", '"<b>"', '{"BTC-USD":7,"vBTC_vUSDC":"x"}', '{"split":"row","parts":[null]}', "{"];
step("what is stored is garbage, or the storage is full", async () => {
  const names = ["layout", "book.steps", "chart.interval", "chart.asks", "chart.fits", "theme", "palette", "language", "account", "symbol"];
  for (const shift of [0, 4]) {
    const storage = Object.fromEntries(names.map((name, at) => [`dojima.${name}`, GARBAGE[(at + shift) % GARBAGE.length]]));
    const other = await stage.open(`/trade/${PERPS.symbol}`, { storage });
    await other.live();
    await other.close();
  }
  const full = await stage.open(`/trade/${PERPS.symbol}`, { before: () => {
    Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };
  } });
  await full.live();
  await full.click("button", "Settings");
  
  await full.page.keyboard.press("Escape");
  await full.close();
});

step("text of others is shown as text", async () => {
  const hostile = '<img src=x onerror="globalThis.hurt=1"><script>globalThis.hurt=1</script>';
  const other = await stage.open("about:blank");
  const { page } = other;
  other.origin = exchange.url;
  await page.setRequestInterception(true);
  page.on("request", async (request) => {
    if (!/\/accounts\/0x[0-9a-fA-F]+\/(orders|state)/.test(request.url())) return request.continue();
    const answer = await fetch(request.url());
    const body = (await answer.text()).replace(/"clOrdID":"[^"]*"/g, `"clOrdID":${JSON.stringify(hostile)}`);
    return request.respond({ status: 200, contentType: "application/json", body });
  });
  await page.goto(`${exchange.url}/trade/${encodeURIComponent(hostile)}`, { waitUntil: "domcontentloaded" });
  await other.until(async () => (await page.evaluate(() => document.body.innerText)).includes("onerror"), "the name is shown");
  await page.goto(`${exchange.url}/trade/${PERPS.symbol}`, { waitUntil: "domcontentloaded" });
  await other.openOrders(3);
  assert.equal(await page.evaluate(() => globalThis.hurt), undefined);
  assert.equal(await page.$("img[src=x]"), null);
  await other.close();
});
