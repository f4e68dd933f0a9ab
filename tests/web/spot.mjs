// SPDX-License-Identifier: MIT
// A trader's tour on spot: a limit order that rests, is amended and canceled, a market order, what the exchange refuses.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { SPOT } from "./exchange.mjs";
import { assertRow, start, step } from "./terminal.mjs";

let stage, screen;
before(async () => {
  stage = await start({ market: "none" });
  await stage.exchange.book(SPOT, 100000, 10);
  screen = await stage.open(`/trade/${SPOT.symbol}`);
});
after(async () => {
  await screen?.context.close().catch(() => {});
  await stage?.end();
});

step("the first screen shows chart and book", async () => {
  await screen.live();
  const rows = (await screen.rows("Order book")).map((row) => row.join(" ").replaceAll(",", ""));
  for (const price of ["100010", "99990"]) assert.ok(rows.some((row) => row.includes(price)), `${price} in ${rows.join("; ")}`);
  await screen.picture("spot");
});

step("a limit order rests and has its row", async () => {
  await screen.order("Buy", "0.01", "99000");
  const [row] = await screen.openOrders(1);
  assertRow(row, /99,000/, /0\.01/, /buy/i, /BTC\/USDC/);                // the header's name of it, and no other
  assert.ok(!(await screen.page.$eval("body", (node) => node.innerText)).includes(SPOT.symbol));
  const [order] = await stage.exchange.openOrders(0, "spot");
  assert.deepEqual([order.price, order.origQty, order.side], ["99000", "0.01", "BUY"]);
});

step("it is changed in its row", async () => {
  const orders = await screen.region("Open orders");
  await screen.click("button", "Edit", orders);
  await screen.fill("Price", "99100", orders);
  await screen.fill("Size", "0.02", orders);
  await screen.click("button", "Save", orders);
  const changed = await screen.until(async () => {
    const [order] = await stage.exchange.openOrders(0, "spot");
    return order?.price === "99100" ? order : null;
  }, "the order has another price");
  assert.equal(changed.origQty, "0.02");
  const [row] = await screen.openOrders(1);
  await screen.until(async () => /99,100/.test((await screen.rows("Open orders")).flat().join(" ")), "the row has it");
  assertRow(row, /buy/i);
});

step("it is canceled by its button", async () => {
  await screen.click("button", "Cancel", await screen.region("Open orders"));
  await screen.openOrders(0);
  assert.deepEqual(await stage.exchange.openOrders(0, "spot"), []);
  await screen.says(/cancel.*BTC\/USDC|BTC\/USDC.*cancel/i);
});

step("a market order is filled and told", async () => {
  const before = await balance("vBTC");
  await screen.order("Buy", "0.02");
  await screen.says(/(fill|bought).*BTC\/USDC/i);
  await screen.until(async () => (await balance("vBTC")) > before, "the coins are there");
  assert.deepEqual(await stage.exchange.openOrders(0, "spot"), []);
});

step("a refused order has its reason at its field", async () => {
  const ticket = await screen.region("Order ticket");
  await screen.pick("Limit", ticket);
  await screen.fill("Price", "99000.005", ticket);
  await screen.fill("Size", "0.01", ticket);
  await screen.click("button", "Buy", ticket).catch(() => {});      // a ticket that knows the rule may disable it
  const price = await screen.find("textbox", "Price", ticket);
  const reason = await screen.until(() => price.evaluate((node) => {
    const ids = [node.getAttribute("aria-errormessage"), node.getAttribute("aria-describedby")].filter(Boolean).join(" ");
    return node.getAttribute("aria-invalid") === "true"
      && ids.split(" ").map((id) => document.getElementById(id)?.innerText ?? "").join(" ");
  }), "the price says why");
  assert.match(reason, /0\.1|tick|multiple|decimal/i);
  assert.deepEqual(await stage.exchange.openOrders(0, "spot"), []);
  await screen.picture("refused");
});

/** Of each row: what stands beside a price under the pointer follows the sizes. */
const prices = async () => (await screen.rows("Order book")).map((row) => /^[0-9][0-9,.]*/.exec(row[0])?.[0]).filter(Boolean);

step("the book stands still under the pointer, and follows when it has gone", async () => {
  const book = await screen.region("Order book");
  const box = await book.boundingBox();
  await screen.page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
  const before = await prices();
  await stage.exchange.order(8, SPOT, "buy", "0.5", "99995");
  await stage.exchange.order(8, SPOT, "sell", "0.5", "100005");
  await screen.until(async () => /99,995/.test(await screen.text(book)), "the head says the best bid");
  assert.deepEqual(await prices(), before);
  await screen.page.mouse.move(5, 5);
  await screen.until(async () => (await prices()).some((text) => text.startsWith("99,995")), "the rows have the new price");
});

step("a line between panels is dragged, and stays so after a reload", async () => {
  const width = async () => Math.round((await (await screen.page.$("[data-group=chart]")).boundingBox()).width);
  const [before, line] = [await width(), await (await screen.page.$("[role=separator][aria-orientation=vertical]")).boundingBox()];
  const { mouse } = screen.page;
  await mouse.move(line.x + line.width / 2, line.y + 50);
  await mouse.down();
  await mouse.move(line.x - 100, line.y + 60, { steps: 4 });
  await mouse.up();
  const dragged = await width();
  assert.ok(before - dragged > 60, `${before} became ${dragged}`);
  await screen.page.reload();
  await screen.live();
  assert.ok(Math.abs(await width() - dragged) <= 2, `${dragged} became ${await width()}`);
});

step("nothing went wrong unseen", () => screen.close());

async function balance(coin) {
  const { balances } = await stage.exchange.get("spot", `/accounts/${stage.exchange.account(0).address}/balances`);
  return Number(balances.find((row) => row.coin === coin)?.total ?? 0);
}
