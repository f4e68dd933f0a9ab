// SPDX-License-Identifier: MIT
// A liquidation on purpose: the terminal shows it coming, shows it happen, and says why.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { PERPS } from "./exchange.mjs";
import { numberIn, start, step } from "./terminal.mjs";

let stage, screen, exchange;
before(async () => {
  stage = await start({ market: "none" });
  exchange = stage.exchange;
  const symbolID = await exchange.symbolID(PERPS);
  await exchange.as(0, "perps", "POST", "/leverage", { symbolID, leverage: 20, marginMode: 2 });
  await exchange.fund(8);
  await exchange.book(PERPS, 100000, 10, 5, "40");
  await exchange.order(0, PERPS, "buy", "100");
  screen = await stage.open(`/trade/${PERPS.symbol}`);
  await screen.live();
});
after(async () => {
  await screen?.context.close().catch(() => {});
  await stage?.end();
});

step("the position shows where it is liquidated", async () => {
  const [row] = await screen.positions(1);
  const shown = await exchange.position(0, PERPS.symbol);
  assert.notEqual(shown.liquidationPrice, "0");
  const price = numberIn(String(Math.floor(Number(shown.liquidationPrice))));
  assert.ok(row.some((cell) => Math.abs(numberIn(cell) - price) <= 1), `${price} in ${row.join(" | ")}`);
  await screen.picture("liquidation-before");
});

step("it is liquidated, and the terminal says why", async () => {
  await exchange.order(8, PERPS, "buy", "300", "92000");
  for (let price = 99000; price >= 90000; price -= 1000) {
    await exchange.rpc("dojima_setIndexPrice", { symbol: PERPS.symbol, price: String(price) });
    await exchange.rpc("dojima_step", 3000);
  }
  await screen.until(async () => {
    const row = await exchange.position(0, PERPS.symbol);
    return Number(row?.size ?? 0) < 100;
  }, "a liquidation");
  // The explanation stays: the price, the margin, and what was taken.
  const told = await screen.region("Liquidation");
  await screen.until(async () => /sold [0-9.,]+ BTC-USD at [0-9.,]+ on average/i.test(await screen.text(told)), "it says what was taken");
  const text = await screen.text(told);
  assert.match(text, /mark price [0-9.,]+ reached the liquidation price [0-9.,]+/);
  assert.match(text, /worth [0-9.,\u2212]+, less than the maintenance margin of [0-9.,]+/);
  await screen.picture("liquidation-told");
  // The account's figures are those of the mark of this moment, not of the last change of the account.
  const { address } = exchange.account(0);
  await exchange.rpc("dojima_setIndexPrice", { symbol: PERPS.symbol, price: "90200" });
  await exchange.rpc("dojima_step", 3000);
  await screen.until(async () => {
    const { av } = await exchange.get("perps", `/accounts/${address}/state`);
    const value = (await screen.text(await screen.region("Positions"))).match(/Account value\s+([0-9.,]+)/)?.[1];
    return value !== undefined && Math.abs(numberIn(value) - Number(av)) < 0.02;
  }, "the account value is that of the exchange");
  // Why: the figures of the account's event, in the list of notifications as well as for some seconds on the screen.
  await screen.page.keyboard.press("n");
  const list = await screen.page.waitForSelector("dialog[open]");
  const why = /equity \S*[0-9]\S* is below the maintenance margin \S*[0-9]/i;
  await screen.until(async () => why.test(await screen.text(list)), "the notifications say why");
  const sold = /liquidation sold [0-9.,]+ BTC-USD at [0-9.,]+/i;
  await screen.until(async () => sold.test(await screen.text(list)), "they say at which price");
  await screen.picture("liquidation-why");
  await screen.page.keyboard.press("Escape");
  await screen.picture("liquidation-after");
  await screen.click("button", "Each step, in History", told);
  await screen.until(async () => (await screen.rows("History")).length > 0, "the stages of the liquidation");
  await screen.picture("liquidation-steps");
  await screen.click("button", "Close the explanation", told);
  assert.equal(await screen.look("region", "Liquidation"), null);
});

step("nothing went wrong unseen", () => screen.close());
