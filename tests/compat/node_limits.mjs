// SPDX-License-Identifier: MIT
// Default limits, as a client meets them: every row of the spot base once, then the rest of the minute's 1200 units,
// then the response to the 1201st. node node_limits.mjs BANNER — of `dojima dev --json`. Run by node.py.
import assert from "node:assert/strict";
import { Client, TransportError } from "./gateway.mjs";

const banner = JSON.parse(process.argv[2]);
const alice = new Client(banner.url, banner.accounts[0]);
const SPOT = "/api/v1/spot", MARKET = `${SPOT}/markets`, BTC = `${MARKET}/vBTC_vUSDC`, MINE = `${SPOT}/accounts/${alice.user}`;
const order = (i) => ({ symbolID: 1, clOrdID: `o-${i}`, side: 1, type: 1, timeInForce: 1, price: "99000", quantity: "0.001" });
const orders = (count) => Array.from({ length: count }, (_, i) => order(i));
const cancels = (count) => orders(count).map(({ clOrdID }) => ({ symbolID: 1, clOrdID }));

// Weights of wire 5.1; 20 where it lists none (service 8).
const rows = [
  ...["symbols", "coins", "tickers", "miniTickers", "bookTickers"].map((what) => [2, () => alice.envelope(`${MARKET}/${what}`)]),
  [5, () => alice.envelope(`${BTC}/orderbook`)], [5, () => alice.envelope(`${BTC}/orderbook?limit=100`)],
  [10, () => alice.envelope(`${BTC}/orderbook?limit=101`)], [20, () => alice.envelope(`${BTC}/orderbook?limit=501`)],
  [20, () => alice.envelope(`${BTC}/klines?interval=1m`)], [20, () => alice.envelope(`${BTC}/trades`)],
  ...["balances", "orders", "state", "api-keys"].map((what) => [5, () => alice.envelope(`${MINE}/${what}`)]),
  [2, () => alice.envelope(`${MINE}/fee-rate`)], [20, () => alice.envelope(`${MINE}/orders/history`)], [20, () => alice.envelope(`${MINE}/trades`)],
  [1, () => alice.place(...orders(39))], [1, () => alice.cancel(...cancels(39))],
  [2, () => alice.place(...orders(40))], [2, () => alice.cancel(...cancels(40))],
  [3, () => alice.place(...orders(80))], [3, () => alice.cancel(...cancels(80))],
  [24, () => alice.envelope(`${MINE}/orders/history?limit=80`)],                      // 20, and 1 for each 20 rows
  [1, () => alice.schedule()], [10, () => alice.transfer("spot", { amount: "1", type: 3 })],
  [20, () => alice.envelope("/api/v1/time")], [20, () => alice.envelope(`/api/v1/user/${alice.user}/ratelimit`)],
];

let spent = 0;
for (const [weight, ask] of rows) {
  assert.equal((await ask()).code, 0, ask.toString());
  spent += weight;
}
while (spent + 20 <= 1200) {
  await alice.envelope(`${BTC}/trades`);
  spent += 20;
}
for (; spent < 1200; spent++) await alice.schedule();                                  // 1 unit each

await assert.rejects(alice.envelope(`${MARKET}/symbols`), (error) => error instanceof TransportError && error.status === 429);
const refused = await fetch(`${banner.url}${MARKET}/symbols`, { headers: { "X-Forwarded-For": "203.0.113.7" } });
assert.equal(refused.status, 429);
const body = await refused.json();
assert.equal(body.code, 42901);
assert.equal(typeof body.message, "string");
assert.equal(body.error, body.message);
assert.ok(Number.isSafeInteger(body.timestamp));
assert.deepEqual([body.details.limit, body.details.window, typeof body.details.retry_after], [1200, "1m", "number"]);
assert.equal(refused.headers.get("retry-after"), String(body.details.retry_after));
assert.ok(body.details.retry_after >= 1 && body.details.retry_after <= 61);
console.log("ok each spot row has its documented weight, and the 1201st unit is refused as documented");
