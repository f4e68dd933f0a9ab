// SPDX-License-Identifier: MIT
// The arrangement of the panels: moved by their tabs, resized by their lines, by mouse and by keys, and remembered.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { start, step } from "./terminal.mjs";

let stage, screen;
before(async () => {
  stage = await start({ market: "none" });
  screen = await stage.open("/trade/BTC-USD");
  await screen.page.waitForSelector("[data-tab=trades]");
});
after(async () => {
  await screen?.close();
  await stage?.end();
});

const groupOf = (panel) => screen.page.$eval(`[data-tab=${panel}]`, (tab) =>
  [...tab.closest("[data-group]").querySelectorAll("[data-tab]")].map((one) => one.dataset.tab));
const boxOf = async (selector) => (await screen.page.$(selector)).boundingBox();

async function drag(from, x, y) {
  const { mouse } = screen.page;
  await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await mouse.down();
  await mouse.move(from.x + 30, from.y + 40, { steps: 4 });
  await mouse.move(x, y, { steps: 8 });
}

const stored = () => screen.page.evaluate(() => localStorage.getItem("dojima.layout"));

step("a panel is dragged among the tabs of another", async () => {
  const chart = await boxOf("[data-group=chart]");
  await drag(await boxOf("[data-tab=trades]"), chart.x + chart.width / 2, chart.y + chart.height / 2);
  await screen.page.waitForSelector(".landing.whole");
  await screen.picture("layout-dragged");
  await screen.page.mouse.up();
  await screen.until(async () => (await groupOf("trades")).includes("chart"), "trades beside chart");
  await screen.region("Trades");
});

step("a panel is dragged to the edge of another, and Escape gives up", async () => {
  const book = await boxOf("[data-group=book]");
  const lower = [book.x + book.width / 2, book.y + book.height - 12];
  await drag(await boxOf("[data-tab=trades]"), ...lower);
  await screen.page.waitForSelector(".landing.bottom");
  await screen.page.keyboard.press("Escape");
  await screen.page.mouse.up();
  assert.deepEqual(await groupOf("trades"), ["chart", "trades"]);
  await drag(await boxOf("[data-tab=trades]"), ...lower);
  await screen.page.mouse.up();
  await screen.until(async () => (await groupOf("trades")).length === 1, "trades alone");
  const [upper, under] = [await boxOf("[data-group=book]"), await boxOf("[data-group=trades]")];
  assert.ok(under.y > upper.y + upper.height - 1 && Math.abs(under.x - upper.x) < 2);
});

step("a line is dragged, and moved by arrows", async () => {
  const before = await boxOf("[data-group=chart]");
  const line = await boxOf("[role=separator][aria-orientation=vertical]");
  await drag(line, line.x - 120, line.y + 60);
  await screen.page.mouse.up();
  const dragged = await boxOf("[data-group=chart]");
  assert.ok(before.width - dragged.width > 80, `${before.width} became ${dragged.width}`);
  await (await screen.page.$("[role=separator][aria-orientation=vertical]")).focus();
  for (let i = 0; i < 3; i++) await screen.page.keyboard.press("ArrowRight");
  await screen.until(async () => (await boxOf("[data-group=chart]")).width > dragged.width + 10, "a wider chart");
});

step("a panel is moved by keys, and keeps the focus", async () => {
  await (await screen.page.$("[data-tab=orders]")).focus();
  for (const key of ["Control", "Shift"]) await screen.page.keyboard.down(key);
  await screen.page.keyboard.press("ArrowLeft");
  for (const key of ["Shift", "Control"]) await screen.page.keyboard.up(key);
  await screen.until(async () => (await groupOf("orders")).includes("positions"), "open orders beside positions");
  await screen.until(() => screen.page.evaluate(() => document.activeElement.dataset.tab === "orders"), "the focus");
});

step("the arrangement is there after a reload", async () => {
  const kept = await stored();
  await screen.page.reload();
  await screen.page.waitForSelector("[data-tab=orders]");
  assert.equal(await stored(), kept);
  assert.ok((await groupOf("orders")).includes("positions"));
  assert.deepEqual(await groupOf("trades"), ["trades"]);
});

step("the standard arrangement comes back, also in place of what is none", async () => {
  await screen.click("button", "Settings");
  await screen.click("button", "Standard arrangement of the panels");
  await screen.page.keyboard.press("Escape");
  await screen.until(async () => (await groupOf("orders")).join() === "orders,history", "the standard arrangement");
  await screen.page.evaluate(() => localStorage.setItem("dojima.layout", '{"panels":["chart"],"active":"chart"}'));
  await screen.page.reload();
  await screen.page.waitForSelector("[data-tab=ticket]");
  assert.deepEqual(await groupOf("orders"), ["orders", "history"]);
});
