// SPDX-License-Identifier: MIT
// The messages of the streams (wire 6.5, 6.6), decoded as strictly as the records of REST: every key with its type, and none that
// equals another except for its letters' case. Where a record has both cases of a letter, both are named.
import assert from "node:assert/strict";
import { address, bool, dec, list, ms, nullable, number, oneOf, record, string, u64 } from "./records.mjs";

const decs = (...names) => Object.fromEntries(names.map((name) => [name, dec]));
const side = oneOf("BUY", "SELL"), BOTH = oneOf("BOTH");
const level = (value, where) => list(dec)(value, where).length === 2 || assert.fail(`${where}: two elements`);

const ticker = record({ E: ms, s: string, P: number, O: ms, C: ms, ...decs("c", "Q", "w", "a", "A", "b", "B", "p", "o", "h", "l", "v", "q") });
const mini = record({ E: ms, s: string, ...decs("c", "o", "h", "l", "v", "q") });
const best = record({ E: ms, s: string, u: u64, ...decs("a", "A", "b", "B") });
const mark = record({ E: ms, s: string, T: ms, ...decs("oi", "p", "i", "r") });
const coin = record({ i: u64, a: string, E: ms, ...decs("p", "mr") });
const trade = record({ E: ms, T: ms, t: u64, s: string, S: side, bi: u64, si: u64, ...decs("p", "q") });
const candle = record({ t: ms, T: ms, s: string, i: string, n: u64, x: bool, ...decs("o", "h", "l", "c", "v", "q") });
const book = record({ s: string, u: u64, E: ms, a: list(level), b: list(level) });
const update = record({ s: string, U: u64, u: u64, E: ms, a: list(level), b: list(level) });

const balance = record({ i: u64, a: string, ...decs("t", "l") });
const wallet = record({ i: u64, a: string, ...decs("wb", "co") });
const position = record({ i: u64, s: string, ps: BOTH, iw: nullable(dec), ct: u64, ut: ms, ...decs("sz", "ep") });
const unitPosition = record({ s: string, ps: BOTH, ...decs("sz", "mp", "lp") });

const state = {
  s: string, c: string, i: u64, S: side, o: oneOf("LIMIT", "MARKET"), f: oneOf("GTC", "IOC", "GTX"), p: dec, q: dec, F: nullable(dec),
  X: oneOf("NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "EXPIRED", "TRIGGERED", "REJECTED"), ct: ms, ut: ms, ...decs("z", "v", "M"),
};
const execution = { E: ms, T: ms, m: bool, x: oneOf("NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED", "MODIFIED", "EXPIRED", "REPLACED"), ...decs("l", "L", "n") };
const often = { t: u64, r: string };
const perpsOnly = { ps: BOTH, R: bool };
const perpsOften = { sp: dec, st: string, tt: string, pid: u64, poid: u64, aoids: list(u64) };
const fill = { E: ms, T: ms, t: u64, s: string, i: u64, c: string, S: side, m: bool, ...decs("p", "q", "f") };
const changes = { E: ms, T: ms, h: u64, TO: list(record({})) };
const account = { user: address, aid: u64, uid: u64, TO: list(record({})) };

const both = {
  ticker: list(ticker), allTicker: list(ticker), miniTicker: list(mini), allMiniTicker: list(mini), bookTicker: list(best), allBookTicker: list(best),
  trade: list(trade), l2Book: book, l4Book: book, candle,
};
const spot = {
  ...both, accountState: record({ ...account, B: list(balance), O: list(record(state)) }), accountUpdate: record({ ...changes, B: list(balance) }),
  accountOrderUpdate: record({ ...state, ...execution }, often), accountTrade: record(fill),
};
const perps = {
  ...both, markPrice: list(mark), allMarkPrice: list(mark), coinPrice: list(coin), allCoinPrice: list(coin),
  accountState: record({ ...account, ...decs("av", "mm", "mmr", "am", "ami", "amw", "im", "cm", "oim", "ocm"),
    B: list(record({ i: u64, a: string, ...decs("wb", "co", "mr", "px", "iw", "aw", "at", "ww", "wm", "am") })),
    O: list(record({ ...state, ...perpsOnly }, perpsOften)),
    P: list(record({ i: u64, s: string, m: string, ps: BOTH, iw: nullable(dec), l: u64, ct: ms, ut: ms,
      ...decs("sz", "ep", "co", "cf", "cc", "cp", "ms", "cr", "ur", "lp") })),
    S: list(record({ s: string, l: u64, m: string })) }),
  accountUpdate: record({ ...changes, B: list(wallet), P: list(position) }),
  accountOrderUpdate: record({ ...state, ...execution, ...perpsOnly }, { ...often, ...perpsOften }),
  accountTrade: record({ ...fill, d: oneOf("LONG", "SHORT") }),
  accountEvent: record({ type: oneOf("liquidation"), E: ms, lid: u64, aid: u64, mm: oneOf("CROSS", "ISOLATED"), liquidationID: u64, ...decs("av", "maintenanceMargin"),
    B: list(wallet), P: list(unitPosition) }),
};

const push = (records) => (message) => {
  assert.deepEqual(Object.keys(message), ["channel", "type", "data"]);
  if (message.channel === "l4Book" && message.type === "update") {
    update(message.data, "l4Book");
    assert.ok(Object.keys(message.data).indexOf("U") < Object.keys(message.data).indexOf("u"));
    return;
  }
  records[message.channel](message.data, message.channel);
};

export const spotPush = push(spot);
export const perpsPush = push(perps);
