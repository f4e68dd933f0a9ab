// SPDX-License-Identifier: MIT
// A trader's tour on perps: open, reverse and close a position, a bracket, an order that is amended by dragging its line,
// and a liquidation that is watched and explained.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { PERPS } from "./exchange.mjs";
import { assertRow, start, step } from "./terminal.mjs";

let stage, screen, exchange;
before(async () => {
  stage = await start({ market: "none" });
  exchange = stage.exchange;
  await exchange.fund(8);
  await exchange.book(PERPS, 100000, 10, 5, "20");
  screen = await stage.open(`/trade/${PERPS.symbol}`);
  await screen.live();
});
after(async () => {
  await screen?.context.close().catch(() => {});
  await stage?.end();
});

const size = async () => (await exchange.position(0, PERPS.symbol))?.size ?? "0";
const ticket = () => screen.region("Order ticket");

step("a market order opens a position", async () => {
  await screen.order("Buy", "0.1");
  const [row] = await screen.positions(1);
  assertRow(row, /BTC-USD/, /0\.1/);
  assert.equal(await size(), "0.1");
});

step("the position is reversed", async () => {
  await screen.click("button", "Reverse", await screen.region("Positions"));
  await screen.until(async () => (await size()) === "-0.1", "a position of -0.1");
  await screen.until(async () => /short/i.test((await screen.rows("Positions")).flat().join(" ")), "the row of the short position");
});

step("the position is closed", async () => {
  await screen.click("button", "Close", await screen.region("Positions"));
  await screen.positions(0);
  assert.equal(await size(), "0");
});

step("an order is amended by dragging its line", async () => {
  await screen.order("Buy", "0.1", "99995");
  await screen.openOrders(1);
  const line = await screen.find("slider", "Limit buy", await screen.region("Chart"));
  await line.evaluate((node) => node.scrollIntoView({ block: "nearest" }));
  const box = await line.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await screen.page.mouse.move(x, y);
  await screen.page.mouse.down();
  await screen.page.mouse.move(x, y + 10, { steps: 4 });
  await screen.page.mouse.move(x, y + 40, { steps: 8 });
  await screen.page.mouse.up();
  await screen.click("button", "Amend", await screen.region("Chart"));
  const price = await screen.until(async () => {
    const [order] = await exchange.openOrders(0, "perps");
    return order && order.price !== "99995" ? order.price : null;
  }, "the order has another price");
  assert.ok(Number(price) < 99995, `dragged down: ${price}`);
  const rows = await screen.openOrders(1);
  assertRow(rows[0], Number(price).toLocaleString("en-US"));
  await screen.picture("perps-drag");
  await screen.click("button", "Cancel", await screen.region("Open orders"));
  await screen.openOrders(0);
});

step("a stop of another client shows what it may trade at, and both are changed in its row", async () => {
  await screen.order("Buy", "0.1");
  await screen.positions(1);
  const stop = { modifier: 2, side: 2, stopType: 1, triggerType: 2, reduceOnly: true, positionSide: 1, quantity: "0.05" };
  await exchange.as(0, "perps", "POST", "/orders", { symbolID: await exchange.symbolID(PERPS), orders: [
    { ...stop, clOrdID: "worst", type: 2, timeInForce: 3, stopPrice: "99500", price: "99400" },
    { ...stop, clOrdID: "limited", type: 1, timeInForce: 1, stopPrice: "98500", price: "98400" }] });
  const rows = await screen.openOrders(2);
  assertRow(rows.find((row) => /99,500/.test(row)), /worst 99,400/);
  assertRow(rows.find((row) => /98,500/.test(row)), /limit 98,400/);
  const named = await screen.page.$$eval("[role=slider][aria-label='Stop loss']", (nodes) => nodes.map((node) => node.getAttribute("aria-valuetext")));
  assert.ok(named.some((text) => /worst 99,400/.test(text)), named.join("; "));

  // Both are out of the visible prices: the sign that says so makes a label wider, and none covers another.
  await new Promise((done) => setTimeout(done, 150));
  const boxes = await screen.page.$$eval(".line-label", (nodes) => nodes.map((node) => node.getBoundingClientRect().toJSON()));
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  assert.ok(boxes.length > 2 && boxes.every((a, i) => boxes.every((b, j) => i === j || apart(a, b))), JSON.stringify(boxes));

  const dialog = async () => {
    await (await screen.page.waitForSelector("td [aria-haspopup=dialog]")).click();
    const open = await screen.page.waitForSelector("dialog[open]");
    await screen.until(async () => /closes 0\.05/.test(await screen.text(open)), "the dialog says what the stop closes");
    assert.match(await screen.text(open), /worst 99,400|limit 98,400/);
    await screen.picture("perps-stop-of-another");
    await screen.page.keyboard.press("Escape");
  };
  await dialog();

  const orders = await screen.region("Open orders");
  const edit = await orders.waitForSelector("xpath/.//tr[contains(., 'worst')]//button[text()='Edit']");
  await edit.click();
  for (const name of ["Stop price", "Worst price", "Size"]) {
    const box = await screen.find("textbox", name, orders);
    const seen = await box.evaluate((node) => {
      const { left, right, top, bottom } = node.getBoundingClientRect();
      return [left + 2, right - 2].every((x) => document.elementFromPoint(x, (top + bottom) / 2) === node);
    });
    assert.ok(seen, `${name} is in sight while the row is changed`);
  }
  await screen.picture("perps-edit-stop");
  await screen.fill("Stop price", "99300", orders);
  await screen.fill("Worst price", "99200", orders);
  await screen.click("button", "Save", orders);
  await screen.until(async () => (await exchange.openOrders(0, "perps")).some((order) =>
    order.stopPrice === "99300" && order.price === "99200"), "both prices are changed");
  await screen.until(async () => (await screen.rows("Open orders")).some((row) => /99,300/.test(row) && /worst 99,200/.test(row)), "the row has them");
  await screen.click("button", "Close", await screen.region("Positions"));
  await screen.positions(0);
  await screen.openOrders(0);
});

step("a bracket has its take profit and stop loss", async () => {
  const place = await ticket();
  await screen.pick("Market", place);
  await screen.fill("Size", "0.1", place);
  const toggle = await screen.find("checkbox", "Take profit / stop loss", place);
  await toggle.click();
  await screen.fill("Take profit", "101000", place);
  await screen.fill("Stop loss", "99000", place);
  await screen.click("button", "Buy", place);
  await screen.positions(1);
  const orders = await screen.until(async () => {
    const rows = await exchange.openOrders(0, "perps");
    return rows.length === 2 ? rows : null;
  }, "two orders of the bracket");
  assert.deepEqual(orders.map((order) => order.stopPrice).sort(), ["101000", "99000"]);
  await screen.openOrders(2);
  await screen.picture("perps-bracket");
  await (await screen.find("checkbox", "Take profit / stop loss", place)).click();
  await exchange.rpc("dojima_setIndexPrice", { symbol: PERPS.symbol, price: "101500" });
  await exchange.order(8, PERPS, "buy", "200", "101500");         // someone for the take profit to sell to
  await screen.until(async () => (await size()) === "0", "the take profit closed the position");
  await screen.positions(0);
  await screen.openOrders(0);
});

step("nothing went wrong unseen", () => screen.close());
