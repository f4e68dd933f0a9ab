// SPDX-License-Identifier: MIT
// Circumstances that a trader does not arrange: two tabs that sign with one key in the same millisecond, a computer whose
// clock is wrong by an hour, a wallet that changes its account or its chain while the page asks it, and a revert while a form
// is half filled and a dialog is open.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PERPS } from "./exchange.mjs";
import { openAccounts, withWallet } from "./signers.mjs";
import { start } from "./terminal.mjs";

const HERE = `/trade/${PERPS.symbol}`;
let stage, exchange;
before(async () => {
  stage = await start({ market: "none" });
  exchange = stage.exchange;
  await exchange.book(PERPS, 100000, 10);
});
after(() => stage?.end());

/** Fills the ticket without sending it. */
async function prepare(screen, size, price) {
  const ticket = await screen.region("Order ticket");
  await screen.pick("Limit", ticket);
  await screen.fill("Price", price, ticket);
  await screen.fill("Size", size, ticket);
  return ticket;
}

const buys = async (number, price) =>
  (await exchange.openOrders(number, "perps")).filter((order) => order.price === price).length;

test("two tabs that sign with one key place an order each", async () => {
  const screens = [await stage.open(HERE), await stage.open(HERE)];
  for (const screen of screens) {
    await screen.live();
    await prepare(screen, "0.01", "99000");
  }
  // Both computers say the same millisecond.
  const time = Date.now();
  for (const screen of screens) {
    await screen.page.evaluate((now) => { Date.now = () => now; }, time);
  }
  for (let round = 1; round <= 3; round++) {
    await Promise.all(screens.map((screen) => screen.page.evaluate(() =>
      [...document.querySelectorAll("form.ticket button.buy")].at(0).click())));
    await screens[0].until(async () => (await buys(0, "99000")) === 2 * round, `${2 * round} orders`);
    for (const screen of screens) await prepare(screen, `0.0${round + 1}`, "99000");
  }
  for (const screen of screens) {
    await screen.openOrders(6);
    assert.doesNotMatch(await screen.statusText(), /refused/i);
    await screen.close();
  }
});

for (const hours of [-1, 1]) {
  test(`a clock that is wrong by ${hours} h neither refuses an order nor hides what it did`, async () => {
    const screen = await stage.open(HERE, { argument: hours * 3600e3, before: (by) => {
      const real = Date.now.bind(Date);
      globalThis.Date = class extends Date {
        constructor(...parts) { super(...(parts.length ? parts : [real() + by])); }
        static now() { return real() + by; }
      };
    } });
    await screen.live();
    const price = String(98000 + hours);
    await screen.order("Buy", "0.01", price);
    await screen.until(async () => (await buys(0, price)) === 1, "the order is placed");
    await screen.says(/placed/i);
    await screen.order("Buy", "0.02");
    await screen.says(/bought/i);
    const [, text] = (await screen.page.$eval(".top", (node) => node.innerText)).match(/%\s+([0-9:]+)/) ?? [];
    const shown = (text ?? "").split(":").reduce((sum, part) => sum * 60 + Number(part), 0);
    const marks = await exchange.get("perps", "/markets/mark-prices");
    const left = (marks.find((row) => row.symbol === PERPS.symbol).nextFundingTime - Date.now()) / 1000;
    assert.ok(Math.abs(shown - left) < 60, `${text} until funding, ${left} s by the exchange`);
    await screen.picture(`clock-${hours}`);
    await screen.close();
  });
}

test("a wallet that changes its account while it is asked signs nobody else in", async () => {
  const { screen, wallet, signers } = await withWallet(stage, { account: 4, other: 5 });
  const dialog = await openAccounts(screen);
  wallet.onSign = () => { wallet.account = 1; };
  await screen.click("button", "Connect a wallet", dialog);
  const [first, second] = signers.map((one) => one.address.toLowerCase());
  await screen.until(async () => !(await screen.page.$("dialog[open]")) || /account|refused|wallet/i.test(await screen.text(dialog)),
    "an answer");
  await new Promise((done) => setTimeout(done, 500));
  for (const [address, number] of [[first, 4], [second, 5]]) {
    const { spot } = await exchange.get("", `/user/${address}/api-keys`);
    assert.ok(spot.filter((key) => key.name !== "dev").length <= 1, `${number} approved at most one key`);
  }
  await screen.picture("wallet-changes");
  await screen.close();
});

test("a wallet that changes its account after it signed in is told, and no order goes out for the wrong one", async () => {
  const { screen, wallet, signers } = await withWallet(stage, { account: 6, other: 7 });
  const dialog = await openAccounts(screen);
  await screen.click("button", "Connect a wallet", dialog);
  await screen.until(async () => !(await screen.page.$("dialog[open]")), "signed in");
  await prepare(screen, "0.01", "97000");
  wallet.account = 1;
  await screen.page.evaluate((list) => globalThis.ethereum.emit("accountsChanged", list), [signers[1].address]);
  await screen.says(/wallet/i);
  await screen.picture("wallet-changed");
  await screen.close();
});

test("a wallet that changes its chain while it is asked says so, and asking again works", async () => {
  const { screen, wallet } = await withWallet(stage, { account: 8 });
  const dialog = await openAccounts(screen);
  wallet.onSign = () => { wallet.chainId = 10; wallet.onSign = undefined; };
  await screen.click("button", "Connect a wallet", dialog);
  await screen.until(async () => /must match the active chain/i.test(await screen.text(dialog)), "it says why");
  await screen.click("button", "Connect a wallet", dialog);
  await screen.until(async () => !(await screen.page.$("dialog[open]")), "signed in on the other chain");
  await screen.order("Buy", "0.01", "96000");
  await screen.until(async () => (await buys(8, "96000")) === 1, "the order is placed");
  await screen.close();
});

test("a revert leaves what is typed, and a dialog of a position that is gone closes", async () => {
  const screen = await stage.open(HERE);
  await screen.live();
  screen.expect(/WebSocket/);
  const size = async () => (await exchange.position(0, PERPS.symbol))?.size ?? "0";
  if ((await size()) !== "0") await exchange.order(0, PERPS, "sell", await size());
  await screen.positions(0);
  await exchange.rpc("evm_snapshot", "flat");
  await exchange.order(0, PERPS, "buy", "0.1");
  await screen.positions(1);
  const ticket = await prepare(screen, "0.123", "95000");
  await (await screen.page.waitForSelector("section[data-panel=positions] button.quiet.second")).click();
  const dialog = await screen.page.waitForSelector("dialog[open]");
  await screen.fill("Take profit", "120000", dialog);
  assert.equal(await exchange.rpc("evm_revert", "flat"), true);
  await screen.positions(0);
  await screen.until(async () => !(await screen.page.$("dialog[open]")), "the dialog of the position is closed");
  assert.equal(await screen.value(await screen.find("textbox", "Price", ticket)), "95000");
  assert.equal(await screen.value(await screen.find("textbox", "Size", ticket)), "0.123");
  await screen.click("button", "Buy", ticket);
  await screen.until(async () => (await buys(0, "95000")) === 1, "the form still places its order");
  await screen.picture("revert-form");
  await screen.close();
});
