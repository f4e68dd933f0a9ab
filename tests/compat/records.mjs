// SPDX-License-Identifier: MIT
// The records of wire 1 as a strict client decodes them: every field that has to be there, with its JSON type.
// Unknown keys are ignored, as every client does, unless one differs from a known key by its letters' case
// alone: Go's decoder would take it for that key.
import assert from "node:assert/strict";

const fail = (where, what, value) => assert.fail(`${where}: ${what}, got ${JSON.stringify(value)}`);
const check = (test, what) => (value, where) => (test(value) ? value : fail(where, what, value));

const DECIMAL = /^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/;

export const u64 = check((v) => Number.isSafeInteger(v) && v >= 0, "a JSON number that is an unsigned integer");
export const ms = check((v) => Number.isSafeInteger(v) && v > 1_500_000_000_000, "a time in milliseconds as a JSON number");
export const number = check((v) => typeof v === "number" && Number.isFinite(v), "a JSON number");
export const string = check((v) => typeof v === "string", "a string");
export const bool = check((v) => typeof v === "boolean", "true or false");
export const dec = check((v) => typeof v === "string" && DECIMAL.test(v) && v !== "-0", "a decimal as a string in canonical form");
export const address = check((v) => typeof v === "string" && /^0x[0-9a-fA-F]{40}$/.test(v), "an address of 20 bytes");
export const hash = check((v) => typeof v === "string" && /^0x[0-9a-f]{64}$/.test(v), "32 bytes in hex");
export const quantity = check((v) => typeof v === "string" && /^0x(0|[1-9a-f][0-9a-f]*)$/.test(v), "a hex quantity");
export const oneOf = (...names) => check((v) => names.includes(v), `one of ${names.join(", ")}`);
export const nullable = (type) => (v, where) => (v === null ? v : type(v, where));

export const list = (type) => (value, where) => {
  if (!Array.isArray(value)) fail(where, "a list, never null and never absent", value);
  value.forEach((one, i) => type(one, `${where}[${i}]`));
  return value;
};

export const record = (must, may = {}) => {
  const known = new Map([...Object.keys(must), ...Object.keys(may)].map((key) => [key, key.toLowerCase()]));
  const folded = new Set(known.values());
  return (value, where) => {
    if (value === null || typeof value !== "object" || Array.isArray(value)) fail(where, "an object", value);
    for (const [key, type] of Object.entries(must)) {
      if (!(key in value)) fail(`${where}.${key}`, "this field", Object.keys(value));
      type(value[key], `${where}.${key}`);
    }
    for (const [key, type] of Object.entries(may)) if (key in value) type(value[key], `${where}.${key}`);
    for (const key of Object.keys(value))
      if (!known.has(key) && folded.has(key.toLowerCase())) fail(`${where}.${key}`, "no key that folds onto a known one", value[key]);
    return value;
  };
};

/* ---- 1.1 markets ---- */

const side = oneOf("BUY", "SELL");
const decs = (...names) => Object.fromEntries(names.map((name) => [name, dec]));

const symbolMust = {
  id: u64, name: string, displayName: string, baseCoin: string, quoteCoin: string, pricePrecision: u64, quantityPrecision: u64,
  ...decs("tickSize", "minPrice", "maxPrice", "stepSize", "minQuantity", "maxQuantity", "marketMinQuantity", "marketMaxQuantity", "minNotional",
    "maxNotional", "buyLimitUpRatio", "sellLimitDownRatio", "marketDeviationRatio", "makerFee", "takerFee", "lastTradePrice"),
  status: oneOf("TRADING", "HALT"),
};
export const spotSymbol = record(symbolMust,
  { baseCoinID: u64, baseCoinPrecision: u64, quoteCoinID: u64, quoteCoinPrecision: u64, feeDiscount: dec });
export const spotCoin = record({ id: u64, name: string, precision: u64 });
export const perpsCoin = record({ id: u64, name: string, precision: u64, marginRatio: dec }, { price: dec });
const mini = { symbol: string, ...decs("lastPx", "openPx", "highPx", "lowPx", "volume", "quoteVolume"), openTime: ms, closeTime: ms };
export const miniTicker = record(mini);
export const spotTicker = record({ ...mini, ...decs("change", "bidPx", "bidSz", "askPx", "askSz"), changePct: number }, decs("lastSz", "vwap"));
export const bookTicker = record({ symbol: string, ...decs("bidPx", "bidSz", "askPx", "askSz") });
const level = (value, where) => {
  list(dec)(value, where);
  if (value.length !== 2) fail(where, "exactly price and size", value);
};
export const orderBook = record({ blockTime: ms, blockHeight: u64, updateID: u64, bids: list(level), asks: list(level) });
export const kline = record({ t: ms, ...decs("o", "h", "l", "c", "v", "q") }, { n: u64 });
export const trade = record({ t: u64, T: ms, s: string, S: side, p: dec, q: dec }, { bi: u64, si: u64 });

/* ---- 1.2 accounts ---- */

const block = { blockTime: ms, blockHeight: u64 };
export const spotBalances = record({ ...block, balances: list(record({ id: u64, coin: string, total: dec, locked: dec })) });
export const perpsBalances = record({
  ...block, balances: list(record({ id: u64, coin: string, total: dec, marginRatio: dec, locked: dec }, { collateral: dec, price: dec })),
});
const orderStatus = oneOf("NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "EXPIRED", "TRIGGERED");
const type = oneOf("LIMIT", "MARKET"), tif = oneOf("GTC", "IOC", "GTX");
export const spotOrder = record(
  { symbol: string, orderID: u64, clOrdID: string, side, type, status: orderStatus, ...decs("executedQty", "executedValue", "marginFrozen"), createdAt: ms, updatedAt: ms },
  { timeInForce: tif, ...decs("price", "origQty", "funds") });
export const spotOpenOrders = record({ ...block, orders: list(spotOrder) });
export const apiKey = record({ name: string, type: oneOf("EVM"), publicKey: address, expiresAt: u64 }, { permissions: u64 });
export const feeRate = record({ makerFeeRate: dec, takerFeeRate: dec, feeTier: u64, stakingTier: u64, makerRebateTier: u64 }, { feeDiscount: dec });
export const userTrade = record({ symbol: string, tradeID: u64, orderID: u64, clOrdID: string, side, price: dec, quantity: dec, time: ms },
  { fee: dec, feeCoin: string, builderFee: dec, isMaker: bool });
export const result = record({ code: u64, clOrdID: string }, { error: string, orderID: u64, origClOrdID: string, status: string, message: string });
export const transferred = record({ id: u64 });

/* ---- 1.3 state ---- */

const stateOrder = record(
  { s: string, c: string, i: u64, S: side, o: type, f: tif, X: orderStatus, z: dec, v: dec, M: dec, p: dec, q: dec },
  { F: nullable(dec), ct: ms, ut: ms });
export const spotState = record({
  user: address, aid: u64, uid: u64, B: list(record({ i: u64, a: string, t: dec, l: dec })), O: list(stateOrder), TO: list(record({})),
}, block);
export const perpsState = record({
  user: address, aid: u64, uid: u64, ...decs("av", "mm", "mmr", "am", "ami", "amw", "im", "cm", "oim", "ocm"),
  B: list(record({ i: u64, a: string, ...decs("wb", "co", "mr", "px", "aw", "at", "ww", "wm", "am"), iw: nullable(dec) })),
  O: list(stateOrder), P: list(record({})), S: list(record({ s: string, l: u64, m: oneOf("ISOLATED", "CROSS") })), TO: list(record({})),
}, block);

/* ---- 1.5 gateway ---- */

export const userStatus = record({ status: oneOf("Active", "UserNotFound"), userID: u64 });
export const subaccounts = record({ userID: u64, primaryAccountID: u64, subaccounts: list(record({ id: u64, evmAddress: address })) });
export const quota = record({
  userID: u64, cumulativeTxNum: u64, cumulativeCancelNum: u64, cumulativeVolume: dec, transactionQuota: u64, transactionQuotaUsed: u64,
  transactionQuotaRemaining: u64, transactionQuotaOverridden: bool, cancelQuota: u64, cancelQuotaUsed: u64, cancelQuotaRemaining: u64,
});
export const keysOfBoth = record({ spot: list(apiKey), perps: list(apiKey) });

/* ---- chain node ---- */

export const transaction = record({
  hash, blockHash: hash, blockNumber: quantity, transactionIndex: quantity, from: address, to: address, nonce: quantity, gas: quantity, gasPrice: quantity,
  value: quantity, type: quantity, chainId: quantity, v: quantity, yParity: quantity, r: quantity, s: quantity,
  input: check((v) => /^0x([0-9a-f]{2})*$/.test(v), "bytes in hex"),
});
