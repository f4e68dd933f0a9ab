// SPDX-License-Identifier: MIT
// An exchange of development for one test file: `dojima dev` on a free port of 127.0.0.1, which ends with the test.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const BINARY = process.env.DOJIMA ?? path.join(ROOT, "build/release/dojima");

export const SPOT = { base: "spot", symbol: "vBTC_vUSDC" };
export const PERPS = { base: "perps", symbol: "BTC-USD" };
const SIDE = { buy: 1, sell: 2 };
const LIMIT = 1, MARKET = 2, GTC = 1, IOC = 3, NORMAL = 1, BOTH = 1;

const running = new Set();
process.on("exit", () => { for (const child of running) child.kill("SIGKILL"); });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit(143));

export class Exchange {
  /** Starts one. `market`: as --market; `port` and `data` (a folder) let it start again in its place. */
  static async start({ market = "none", port = 0, data, args = [] } = {}) {
    const exchange = new Exchange();
    Object.assign(exchange, { market, data, args });
    await exchange.#spawn(port);
    return exchange;
  }

  async #spawn(port) {
    const line = ["dev", "--port", String(port), "--json", "--no-limits", "--market", this.market, ...this.args];
    if (process.env.TERMINAL_DIST) line.push("--terminal", process.env.TERMINAL_DIST);
    if (this.data) line.push("--data", this.data);
    this.child = spawn(BINARY, line, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"], env: process.env });
    running.add(this.child);
    let errors = "";
    this.child.stderr.on("data", (text) => { errors = (errors + text).slice(-4000); });
    this.ended = once(this.child, "exit").then(() => running.delete(this.child));
    const lines = createInterface({ input: this.child.stdout });
    const first = await Promise.race([once(lines, "line"), this.ended.then(() => null)]);
    if (!first) throw new Error(`the exchange did not start: ${line.join(" ")}\n${errors}`);
    lines.resume();
    this.banner = JSON.parse(first[0]);
    this.url = this.banner.url.replace(/\/$/, "");
    this.port = Number(new URL(this.url).port);
  }

  /** SIGKILL: the exchange goes away. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async stop() {
    this.child.kill("SIGTERM");
    await Promise.race([this.ended, new Promise((done) => setTimeout(done, 5000).unref())]);
    if (running.has(this.child)) await this.kill();
  }

  /** The same exchange again, on the same port; its state only when it has a `data` folder. */
  async again() {
    await this.#spawn(this.port);
  }

  async get(base, rest) {
    const answer = await fetch(`${this.url}/api/v1${base && `/${base}`}${rest}`);
    const body = await answer.json();
    if (body.code !== 0) throw new Error(`${rest}: ${JSON.stringify(body)}`);
    return body.data;
  }

  async rpc(method, ...params) {
    const answer = await fetch(`${this.url}/rpc`, {
      method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const body = await answer.json();
    if (body.error) throw new Error(`${method}: ${JSON.stringify(body.error)}`);
    return body.result;
  }

  /** One of the ten accounts of development: {id, address, privateKey …} as the banner has it. */
  account(number = 0) {
    return this.banner.accounts[number];
  }

  /** A write of that account without a signature (anvil_autoImpersonateAccount). The answer's data. */
  async as(number, base, method, rest, body) {
    if (!this.impersonates) {
      await this.rpc("anvil_autoImpersonateAccount", true);
      this.impersonates = true;
    }
    const account = this.account(number);
    const answer = await fetch(`${this.url}/api/v1/${base}/trade${rest}`, {
      method, headers: { "Content-Type": "application/json", "X-Dojima-As": account.address },
      body: JSON.stringify({ accountID: account.id, ...body }),
    });
    const reply = await answer.json();
    if (reply.code !== 0) throw new Error(`${rest}: ${JSON.stringify(reply)}`);
    return reply.data;
  }

  async symbolID(place) {
    this.ids ??= new Map();
    if (!this.ids.has(place.symbol)) {
      const rows = await this.get(place.base, `/markets/symbols?symbol=${place.symbol}`);
      this.ids.set(place.symbol, rows[0].id);
    }
    return this.ids.get(place.symbol);
  }

  #names = 0;
  /** Another trader's limit order, a market order without a price. Throws when it is refused. */
  async order(number, place, side, quantity, price, more = {}) {
    const symbolID = await this.symbolID(place);
    const clOrdID = more.clOrdID ?? `other-${++this.#names}`;
    const common = { clOrdID, side: SIDE[side], type: price ? LIMIT : MARKET, timeInForce: price ? GTC : IOC };
    const amounts = price ? { price, quantity } : { quantity };
    const body = place.base === "spot"
      ? { orders: [{ symbolID, ...common, ...amounts }] }
      : { symbolID, orders: [{ clOrdID, modifier: NORMAL, side: SIDE[side], type: common.type, timeInForce: common.timeInForce,
                               ...amounts, reduceOnly: false, positionSide: BOTH }] };
    const rows = await this.as(number, place.base, "POST", place.base === "spot" ? "/orders/batch" : "/orders", body);
    const [row] = rows;
    if (row.code) throw new Error(`order refused: ${JSON.stringify(row)}`);
    return row;
  }

  /** Open orders of a development account. */
  async openOrders(number, base) {
    return (await this.get(base, `/accounts/${this.account(number).address}/orders`)).orders;
  }

  async position(number, symbol) {
    const { positions } = await this.get("perps", `/accounts/${this.account(number).address}/positions`);
    return (positions ?? []).find((row) => row.symbol === symbol);
  }

  /** Money for an account to make the market of a test with. */
  async fund(number) {
    const { address } = this.account(number);
    await this.rpc("dojima_setBalance", { address, coin: "vUSDC", amount: "900000000", engine: "perps" });
  }

  /** Waits until the program that makes the market has put orders on both sides of that book. */
  async filled(place, wait = 30_000) {
    const end = Date.now() + wait;
    for (;;) {
      const { bids, asks } = await this.get(place.base, `/markets/${place.symbol}/orderbook`);
      if (bids.length > 0 && asks.length > 0) return;
      if (Date.now() > end) throw new Error(`${place.symbol} has no orders on both sides after ${wait} ms`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  /** A book around `middle` by account 9: `levels` on each side, `step` apart. */
  async book(place, middle, step, levels = 5, quantity = "1") {
    if (place.base === "perps") await this.fund(9);
    for (let level = 1; level <= levels; level++) {
      await this.order(9, place, "buy", quantity, String(middle - level * step));
      await this.order(9, place, "sell", quantity, String(middle + level * step));
    }
  }
}
