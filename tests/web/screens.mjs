// SPDX-License-Identifier: MIT
// Each screen by the rules of axe-core, at desktop and phone width, in each theme, and by keyboard alone. Pictures of all
// of them are in build/pictures.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertFits, PHONE } from "./browser.mjs";
import { PERPS, SPOT } from "./exchange.mjs";
import { start } from "./terminal.mjs";

// SCREENS=few: those that ./test has time for.
const also = process.env.SCREENS === "few" ? test.skip : test;

let stage, exchange;
before(async () => {
  stage = await start({ market: "calm", args: ["--history", "2d"] });
  exchange = stage.exchange;
  for (const place of [PERPS, SPOT]) await exchange.filled(place);
  await exchange.order(0, PERPS, "buy", "0.5");
  assert.ok(await exchange.position(0, PERPS.symbol), "a position to look at");
  await exchange.order(0, PERPS, "buy", "0.1", "90000");
  await exchange.order(0, SPOT, "buy", "0.1", "90000");
  await new Promise((done) => setTimeout(done, 2500));         // the market fills its books
});
after(() => stage?.end());

async function judged(screen, name) {
  await screen.live();
  await screen.positions(1);
  await assertFits(screen);
  await screen.picture(name);
  assert.deepEqual(await screen.violations(), [], name);
  await screen.close();
}

const stored = (rows) => Object.fromEntries(Object.entries(rows).map(([key, value]) => [`dojima.${key}`, JSON.stringify(value)]));

test("desktop, dark", async () => judged(await stage.open(`/trade/${PERPS.symbol}`, { storage: stored({ theme: "dark" }) }), "desktop-dark"));

also("desktop, light", async () => judged(await stage.open(`/trade/${PERPS.symbol}`, { storage: stored({ theme: "light" }) }), "desktop-light"));

also("a small laptop cuts no figure and covers none", async () => {
  const screen = await stage.open(`/trade/${PERPS.symbol}`, { viewport: { width: 1024, height: 640 }, storage: stored({ theme: "dark" }) });
  await screen.live();
  const wide = (selector) => screen.page.$eval(selector, (node) => node.scrollWidth - node.clientWidth);
  assert.ok(await wide(".tape-scroll") <= 0, "the times of the trades are cut");
  const lines = await screen.page.$eval(".book-spread strong", (node) => node.getClientRects().length === 1 && node.offsetHeight <= 30);
  assert.ok(lines, "the price between the sides has one line");
  const ticket = await screen.region("Order ticket");
  await (await screen.find("checkbox", "Take profit / stop loss", ticket)).click();
  await screen.fill("Price", "500000", ticket);
  await screen.fill("Size", "100000", ticket);
  await screen.fill("Take profit", "98000", ticket);
  await screen.fill("Stop loss", "90000", ticket);
  await screen.click("button", "Sell", ticket);
  const heights = await screen.until(async () => {
    const boxes = await ticket.$$eval(".bracket-fields input", (nodes) => nodes.map((node) => node.offsetHeight));
    return (await ticket.$(".bracket-fields .field-error")) && boxes;
  }, "a refusal at one of the stops");
  assert.equal(heights[0], heights[1], "the box beside it keeps its height");
  await screen.says(/size is at most 1,000/);
  const over = await ticket.$$eval(".preview td", (cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerText));
  assert.deepEqual(over, [], "figures of the preview that reach into the next");
  await screen.picture("small-laptop");
  await screen.close();
});

also("colours for colour-blind eyes", async () => {
  const screen = await stage.open(`/trade/${PERPS.symbol}`, { storage: stored({ theme: "dark", palette: "safe" }) });
  await judged(screen, "desktop-safe");
});

also("Japanese", async () => {
  const screen = await stage.open(`/trade/${SPOT.symbol}`, { storage: stored({ language: "ja", theme: "dark" }) });
  await screen.until(() => screen.page.evaluate(() => /[\u3040-\u30ff]/.test(document.body.innerText)), "Japanese text");
  assert.equal(await screen.page.evaluate(() => document.documentElement.lang), "ja");
  await screen.picture("desktop-japanese");
  assert.deepEqual(await screen.violations(), []);
  await screen.close();
});

for (const [place, theme] of [[PERPS, "dark"], [SPOT, "light"]]) {
  (place === PERPS ? test : also)(`phone, ${place.base}`, async () => {
    const screen = await stage.open(`/trade/${place.symbol}`, { viewport: PHONE, storage: stored({ theme }) });
    for (const name of ["Chart", "Order book", "Order ticket", "Positions", "Open orders", "Trades", "History", "Balances", "Transfer"]) {
      await screen.click("tab", name);
      const region = await screen.region(name);
      if (name === "Order book") await screen.until(async () => (await screen.rows(name)).length > 9, "a live book");
      await new Promise((done) => setTimeout(done, 300));
      const box = await region.boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width, `${name} is ${box.width} pixels wide at ${box.x}`);
      const cut = await region.$$eval("canvas, button, input, select", (nodes, width) => nodes.filter((node) => {
        const { left, right } = node.getBoundingClientRect();
        return right > left && (left < -1 || right > width + 1) && !node.closest(".table-scroll, [role=tablist], [role=group][tabindex='0']");
      }).map((node) => node.outerHTML.slice(0, 80)), PHONE.width);
      assert.deepEqual(cut, [], `${name} has controls beyond the edge`);
      await assertFits(screen);
      await screen.picture(`phone-${theme}-${name.toLowerCase().replace(" ", "-")}`);
      assert.deepEqual(await screen.violations(), [], name);
    }
    await screen.close();
  });
}

test("by keyboard alone", async () => {
  const screen = await stage.open(`/trade/${PERPS.symbol}`);
  await screen.live();
  await screen.page.keyboard.press("?");
  const help = await screen.page.waitForSelector("dialog[open]");
  assert.match(await screen.text(help), /\?/);
  await screen.picture("shortcuts");
  assert.deepEqual(await screen.violations(), []);
  await screen.page.keyboard.press("Escape");
  await screen.until(async () => !(await screen.page.$("dialog[open]")), "the list of shortcuts is closed");

  const seen = new Set();
  for (let presses = 0; presses < 150 && !seen.has("Sell"); presses++) {
    await screen.page.keyboard.press("Tab");
    seen.add(await screen.page.evaluate(() => {
      const node = document.activeElement;
      return node?.getAttribute("aria-label") ?? node?.labels?.[0]?.innerText ?? node?.innerText?.split("\n")[0] ?? "";
    }));
  }
  for (const name of ["Price", "Size", "Buy", "Sell"]) assert.ok([...seen].some((text) => text.startsWith(name)), `${name} in ${[...seen].join(", ")}`);

  const ticket = await screen.region("Order ticket");
  await screen.pick("Limit", ticket);
  await (await screen.find("textbox", "Price", ticket)).focus();
  await screen.page.keyboard.down("Control");
  await screen.page.keyboard.press("a");
  await screen.page.keyboard.up("Control");
  await screen.page.keyboard.type("91000");
  await (await screen.find("textbox", "Size", ticket)).focus();
  await screen.page.keyboard.type("0.01");
  await (await screen.find("button", "Buy", ticket)).focus();
  await screen.page.keyboard.press("Enter");
  await screen.until(async () => (await exchange.openOrders(0, "perps")).some((order) => order.price === "91000"), "an order by keyboard");
  await screen.close();
});
