// SPDX-License-Identifier: MIT
// What a trader does in the terminal, by the names that a person sees.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Exchange } from "./exchange.mjs";
import { openBrowser, Screen, SECONDS } from "./browser.mjs";

/** An exchange and a browser for the tests of one file; both end with it. */
export async function start(options = {}, browserArguments = []) {
  const [exchange, browser] = await Promise.all([Exchange.start(options), openBrowser(browserArguments)]);
  const open = (where = "/", more = {}) => Terminal.open(browser, exchange, where, more);
  const end = async () => {
    await browser.close();
    await exchange.stop();
  };
  return { exchange, browser, open, end };
}

export class Terminal extends Screen {
  static async open(browser, exchange, where, more) {
    const screen = await super.open(browser, where.startsWith("/") ? exchange.url + where : where, more);
    screen.exchange = exchange;
    return screen;
  }

  /** The ticket as it is to be sent, then the button "Buy" or "Sell". Without a price it is a market order. */
  async order(side, size, price) {
    const ticket = await this.region("Order ticket");
    await this.pick(price === undefined ? "Market" : "Limit", ticket);
    if (price !== undefined) await this.fill("Price", price, ticket);
    await this.fill("Size", size, ticket);
    await this.click("button", side, ticket);
  }

  /** A radio button or a tab. */
  async pick(name, within) {
    const found = await this.until(async () => await this.look("radio", name, within) ?? await this.look("tab", name, within),
      `a radio button or tab "${name}"`);
    await found.click();
  }

  /** The rows of "Open orders", when there are as many as `count`. */
  async openOrders(count) {
    return this.until(async () => {
      const rows = await this.rows("Open orders");
      return rows.length === count ? rows : null;
    }, `${count} open orders`);
  }

  async positions(count) {
    return this.until(async () => {
      const rows = await this.rows("Positions");
      return rows.length === count ? rows : null;
    }, `${count} positions`);
  }

  /** Waits until chart and book show what the exchange sent. */
  async live() {
    await this.until(async () => (await this.rows("Order book")).length > 0, "a live book");
    const chart = await this.region("Chart");
    await chart.waitForSelector("canvas");
  }
}

/** A number as the terminal shows it: thousands apart, real minus. */
export const numberIn = (text) => Number(text.replaceAll(",", "").replace("\u2212", "-").match(/-?[0-9.]+/)?.[0] ?? NaN);

export function assertRow(row, ...texts) {
  const all = row.join(" | ");
  for (const text of texts) assert.match(all, text instanceof RegExp ? text : new RegExp(text));
}

let failed = false;
/** A test that continues from where the one before it ended: left out when that failed. */
export function step(name, work) {
  test(name, { timeout: 120 * SECONDS }, async (context) => {
    if (failed) return context.skip("an earlier step failed");
    failed = true;
    await work(context);
    failed = false;
  });
}
