// SPDX-License-Identifier: MIT
// The whole spot tour of a client that behaves like the public TypeScript one, its responses decoded strictly.
// node node_tour.mjs BANNER — BANNER is the JSON line of `dojima dev --json --no-limits`. Run by node.py.
import assert from "node:assert/strict";
import { Client, KEY_TYPES, TransportError, Wallet, nonce, refused, rpc, viem } from "./gateway.mjs";
import * as is from "./records.mjs";

const banner = JSON.parse(process.argv[2]);
const [alice, bob, carol] = banner.accounts.map((account) => new Client(banner.url, account));
const onTestnet = new Client(banner.url, banner.accounts[3], { chainId: banner.chainIds[1] });
const STRANGER = `0x${"5e".repeat(20)}`;
const SPOT = "/api/v1/spot", PERPS = "/api/v1/perps", BTC = "vBTC_vUSDC", ETH = "vETH_vUSDC";
const [BUY, SELL] = [1, 2], [LIMIT, MARKET] = [1, 2], [GTC, FOK, IOC, GTX] = [1, 2, 3, 4];
const [EVM_WITHDRAW, PERPS_WITHDRAW, INTERNAL, SPOT_WITHDRAW] = [2, 3, 4, 5];

const limit = (clOrdID, side, price, quantity, timeInForce = GTC) => ({ symbolID: 1, clOrdID, side, type: LIMIT, timeInForce, price, quantity });
const results = (promise) => alice.data(is.list(is.result), promise);
const account = (client, what, type, query, base = SPOT) => client.get(type, `${base}/accounts/${client.user}/${what}`, query);

async function accepted(promise) {
  const items = await results(promise);
  for (const item of items) {
    assert.equal(item.code, 0, JSON.stringify(item));
    assert.ok(Number.isSafeInteger(item.orderID), JSON.stringify(item));
    assert.ok(!("error" in item), JSON.stringify(item));
  }
  return items;
}

async function rejected(promise, code, text) {
  const [item] = await results(promise);
  assert.equal(item.code, code, JSON.stringify(item));
  assert.ok(item.error && !("orderID" in item), JSON.stringify(item));
  if (text) assert.equal(item.error, text);
}

async function balance(client, coin) {
  const { balances } = await account(client, "balances", is.spotBalances);
  return balances.find((row) => row.coin === coin);
}

async function perpsBalance(client) {
  const { balances } = await account(client, "balances", is.perpsBalances, {}, PERPS);
  return balances.find((row) => row.coin === "vUSDC").total;
}

const tour = {
  async "a gateway is found and asked who one is"() {
    const before = Date.now();
    const time = await alice.time();
    assert.ok(time >= before - 1000 && time <= Date.now() + 1000, `${time}`);
    await alice.get(is.string, "/api/v1/status");
    assert.equal((await alice.get(is.userStatus, `/api/v1/user/${alice.user}/status`)).status, "Active");
    assert.deepEqual(await alice.get(is.userStatus, `/api/v1/user/${STRANGER}/status`), { status: "UserNotFound", userID: 0 });
    const mine = await alice.get(is.subaccounts, `/api/v1/user/${alice.user}/subaccounts`);
    assert.equal(mine.primaryAccountID, alice.accountID);
    assert.equal(mine.subaccounts[0].evmAddress.toLowerCase(), alice.user);
    assert.deepEqual(await alice.get(is.subaccounts, `/api/v1/user/${STRANGER}/subaccounts`), { userID: 0, primaryAccountID: 0, subaccounts: [] });
    assert.equal((await account(alice, "state", is.spotState)).aid, alice.accountID);
    const quota = await alice.get(is.quota, `/api/v1/user/${alice.user}/ratelimit`);
    assert.equal(quota.transactionQuotaUsed + quota.transactionQuotaRemaining, quota.transactionQuota);
    for (const market of ["spot", "perps"]) await alice.get(is.feeRate, `/api/v1/user/${alice.user}/fee-rate`, { market });
    await alice.get(is.keysOfBoth, `/api/v1/user/${alice.user}/api-keys`);
  },

  async "markets that nobody has traded in"() {
    const symbols = await alice.get(is.list(is.spotSymbol), `${SPOT}/markets/symbols`);
    assert.deepEqual(symbols.map((one) => [one.id, one.name, one.displayName]), [[1, BTC, "BTC/USDC"], [2, ETH, "ETH/USDC"]]);
    assert.deepEqual((await alice.get(is.list(is.spotCoin), `${SPOT}/markets/coins`)).map((one) => one.name), ["vUSDC", "vBTC", "vETH"]);
    for (const [path, type] of [["symbols", is.spotSymbol], ["tickers", is.spotTicker], ["miniTickers", is.miniTicker], ["bookTickers", is.bookTicker]]) {
      assert.equal((await alice.get(is.list(type), `${SPOT}/markets/${path}`)).length, 2);
      const [one, ...more] = await alice.get(is.list(type), `${SPOT}/markets/${path}`, { symbol: ETH });
      assert.equal(one.symbol ?? one.name, ETH);
      assert.equal(more.length, 0);
      await refused(alice.envelope(`${SPOT}/markets/${path}`, { symbol: "none" }), 40401, "symbol not found");
    }
    assert.equal((await alice.get(is.list(is.spotCoin), `${SPOT}/markets/coins`, { coin: "vETH" }))[0].id, 2);
    await refused(alice.envelope(`${SPOT}/markets/coins`, { coin: "none" }), 40404);
    assert.deepEqual((await alice.get(is.orderBook, `${SPOT}/markets/${BTC}/orderbook`)).bids, []);
    for (const interval of ["1m", "5m", "15m", "30m", "1h", "4h", "8h", "12h", "1D", "3D", "1W", "1M", "1d", "3d", "1w"])
      await alice.get(is.list(is.kline), `${SPOT}/markets/${BTC}/klines`, { interval });
    await alice.get(is.list(is.trade), `${SPOT}/markets/${BTC}/trades`);
  },

  async "orders are placed, trade and rest"() {
    const [rest] = await accepted(alice.place(limit("rest-1", BUY, "99000", "0.5"), limit("rest-2", BUY, "98000.10", "0.0100")));
    for (const [name, kind] of [["tx", is.hash], ["block", is.quantity], ["index", is.quantity]]) kind(alice.chain[name], `x-chain-${name}`);
    const [hit] = await accepted(bob.place(limit("hit-1", SELL, "99000", "0.2")));
    const [funds] = await accepted(onTestnet.place({ symbolID: 1, clOrdID: "funds-1", side: BUY, type: MARKET, timeInForce: IOC, funds: "1000" }));
    await accepted(carol.place(limit("offer-1", SELL, "99500", "0.3"), limit("offer-2", SELL, "99600", "0.3", GTX)));
    const [market] = await accepted(onTestnet.place({ symbolID: 1, clOrdID: "market-1", side: BUY, type: MARKET, timeInForce: IOC, quantity: "0.01", price: "99550" }));

    const open = (await account(alice, "orders", is.spotOpenOrders)).orders;
    assert.deepEqual(open.map((o) => [o.clOrdID, o.status, o.executedQty, o.marginFrozen]),
      [["rest-2", "NEW", "0", "980.001"], ["rest-1", "PARTIALLY_FILLED", "0.2", "29700"]]);
    assert.deepEqual((await account(alice, "orders", is.spotOpenOrders, { symbol: ETH })).orders, []);
    const state = await account(alice, "state", is.spotState);
    assert.deepEqual(state.O.map((o) => o.i), open.map((o) => o.orderID));
    const history = await account(bob, "orders/history", is.list(is.spotOrder));
    assert.deepEqual([history[0].orderID, history[0].status, history[0].executedValue], [hit.orderID, "FILLED", "19800"]);
    const [empty] = await account(onTestnet, "orders/history", is.list(is.spotOrder), { limit: 1, symbol: BTC });
    assert.deepEqual([empty.orderID, empty.status], [market.orderID, "FILLED"]);
    const ended = await account(onTestnet, "orders/history", is.list(is.spotOrder));
    assert.deepEqual([ended[1].orderID, ended[1].status, ended[1].funds, "origQty" in ended[1]], [funds.orderID, "EXPIRED", "1000", false]);

    const [mine] = await account(alice, "trades", is.list(is.userTrade), { orderID: rest.orderID });
    assert.deepEqual([mine.side, mine.price, mine.quantity, mine.fee, mine.feeCoin, mine.isMaker], ["BUY", "99000", "0.2", "0.00007", "vBTC", true]);
    const [his] = await account(bob, "trades", is.list(is.userTrade));
    assert.deepEqual([his.side, his.fee, his.feeCoin, his.tradeID], ["SELL", "12.87", "vUSDC", mine.tradeID]);
    assert.deepEqual(await balance(alice, "vUSDC"), { id: 0, coin: "vUSDC", total: "980200", locked: "30680.001" });
    assert.equal((await balance(alice, "vBTC")).total, "10.19993");
  },

  async "markets tell what was traded"() {
    const book = await alice.get(is.orderBook, `${SPOT}/markets/${BTC}/orderbook`, { limit: 1 });
    assert.deepEqual([book.bids, book.asks], [[["99000", "0.3"]], [["99500", "0.29"]]]);
    assert.equal((await alice.get(is.orderBook, `${SPOT}/markets/${BTC}/orderbook`, { depth: 2 })).asks.length, 2);
    const trades = await alice.get(is.list(is.trade), `${SPOT}/markets/${BTC}/trades`);
    assert.deepEqual(trades.map((one) => [one.S, one.p, one.q]), [["BUY", "99500", "0.01"], ["SELL", "99000", "0.2"]]);
    const [ticker] = await alice.get(is.list(is.spotTicker), `${SPOT}/markets/tickers`, { symbol: BTC });
    assert.deepEqual([ticker.lastPx, ticker.openPx, ticker.highPx, ticker.lowPx, ticker.change, ticker.changePct, ticker.volume, ticker.quoteVolume],
      ["99500", "99000", "99500", "99000", "500", 0.5051, "0.21", "20795"]);
    assert.deepEqual([ticker.bidPx, ticker.askSz], ["99000", "0.29"]);
    assert.equal((await alice.get(is.list(is.miniTicker), `${SPOT}/markets/miniTickers`, { symbol: BTC }))[0].volume, "0.21");
    assert.deepEqual((await alice.get(is.list(is.bookTicker), `${SPOT}/markets/bookTickers`, { symbol: BTC }))[0],
      { symbol: BTC, bidPx: "99000", bidSz: "0.3", askPx: "99500", askSz: "0.29" });
    const days = await alice.get(is.list(is.kline), `${SPOT}/markets/${BTC}/klines`, { interval: "1M" });
    assert.deepEqual([days[0].o, days.at(-1).c, days.reduce((sum, bar) => sum + bar.n, 0)], ["99000", "99500", 2]);
    const date = new Date(days[0].t);
    assert.deepEqual([date.getUTCDate(), date.getUTCHours()], [1, 0]);
  },

  async "orders are replaced and canceled in every way clients name them"() {
    const [{ orderID }] = (await account(alice, "orders", is.spotOpenOrders)).orders.filter((o) => o.clOrdID === "rest-1");
    let [item] = await accepted(alice.replace({ symbolID: 1, clOrdID: "change-1", origOrderID: orderID, price: "98500" }));
    assert.deepEqual([item.orderID, item.clOrdID], [orderID, "change-1"]);
    [item] = await accepted(alice.replace({ symbolID: 1, clOrdID: "change-2", origClOrdID: "rest-1", quantity: "0.4" }));
    assert.equal(item.orderID, orderID);
    const open = (await account(alice, "orders", is.spotOpenOrders)).orders;
    assert.deepEqual(open.find((o) => o.orderID === orderID).origQty, "0.4");
    [item] = await accepted(alice.cancel({ symbolID: 1, clOrdID: "", orderID }));                   // the command line's habit
    assert.deepEqual([item.clOrdID, item.origClOrdID], ["", "rest-1"]);
    [item] = await accepted(alice.cancel({ symbolID: 1, clOrdID: "rest-2" }));                      // and its other one
    assert.equal(item.origClOrdID, "rest-2");
    await accepted(alice.place(limit("rest-1", BUY, "97000", "0.1")));                              // the id is free again
    [item] = await accepted(alice.cancel({ symbolID: 1, clOrdID: "bye", origClOrdID: "rest-1" }));
    assert.deepEqual([item.clOrdID, item.origClOrdID], ["bye", "rest-1"]);
    await rejected(alice.cancel({ symbolID: 1, clOrdID: "again", origClOrdID: "rest-1" }), 40402, "order not found");
    assert.equal((await balance(alice, "vUSDC")).locked, "0");
  },

  async "rules refuse, each with its code and in its place"() {
    await rejected(alice.place(limit("bad", BUY, "99000.01", "0.1")), 42201, "price is invalid");
    await rejected(alice.place(limit("bad", BUY, "99000", "0.000001")), 42202);
    await rejected(alice.place({ symbolID: 1, clOrdID: "bad", side: BUY, type: MARKET, timeInForce: IOC, quantity: "100.00001" }), 42203);
    await rejected(alice.place(limit("bad", BUY, "99000", "0.00005")), 42204);
    await rejected(alice.place(limit("bad", BUY, "104475.1", "0.1")), 42205);
    await rejected(alice.place({ ...limit("bad", BUY, "99000", "0.1"), symbolID: 9 }), 40401);
    await rejected(alice.place(limit("bad", BUY, "99000", "11")), 42001, "insufficient balance");
    await rejected(alice.place(limit("bad", BUY, "99500", "0.1", GTX)), 42007);
    await refused(alice.place({ ...limit("bad", BUY, "99000", "0.1"), timeInForce: FOK }), 42018);
    await refused(alice.place({ symbolID: 1, clOrdID: "bad", side: BUY, type: MARKET, timeInForce: GTC, quantity: "0.1" }), 40002);
    await refused(alice.place({ ...limit("bad", BUY, "99000", "0.1"), funds: "1" }), 40002);
    await refused(alice.place(limit("no such/id", BUY, "99000", "0.1")), 40004);
    await refused(alice.place({ ...limit("bad", BUY, "99000", "0.1"), price: 99000 }), 40001);
    await refused(alice.place(), 40003);
    await refused(alice.cancel(), 40003);
    await refused(alice.replace(), 40003);
    await refused(alice.place(...Array.from({ length: 101 }, (_, i) => limit(`n-${i}`, BUY, "99000", "0.1"))), 40003);
    const mixed = await results(alice.place(limit("one", BUY, "97000", "0.1"), limit("two", BUY, "0.05", "0.1"), limit("one", BUY, "97000", "0.1")));
    assert.deepEqual(mixed.map((item) => item.code), [0, 42201, 40901]);
    await accepted(alice.cancel({ symbolID: 1, clOrdID: "one" }));
    const at = nonce();
    await alice.write("spot", "POST", "/trade/orders/schedule-cancel", "scheduleCancel", { accountID: alice.accountID }, { nonce: at });
    await refused(alice.write("spot", "POST", "/trade/orders/schedule-cancel", "scheduleCancel", { accountID: alice.accountID }, { nonce: at }), 40102, "nonce is invalid");
    await refused(new Client(banner.url, { ...banner.accounts[0], accountID: bob.accountID }).schedule(), 40101, "X-API-Sign is invalid");
    await assert.rejects(alice.envelope("/api/v1/nothing"), (error) => error instanceof TransportError && error.status === 404);
    await assert.rejects(alice.send("PUT", `${SPOT}/trade/orders/batch`, "{}"), (error) => error.status === 405);
  },

  async "reads of strangers are empty, of malformed ones refused"() {
    for (const [what, type, key] of [["balances", is.spotBalances, "balances"], ["orders", is.spotOpenOrders, "orders"],
      ["orders/history", is.list(is.spotOrder)], ["trades", is.list(is.userTrade)], ["api-keys", is.list(is.apiKey)]]) {
      const data = await alice.get(type, `${SPOT}/accounts/${STRANGER}/${what}`);
      assert.deepEqual(key ? data[key] : data, [], what);
      await refused(alice.envelope(`${SPOT}/accounts/0x12/${what}`), 40001);
      await refused(alice.envelope(`${SPOT}/accounts/${alice.user}/${what}`, { accountID: bob.accountID }), 40403);
      await account(alice, what, type, { accountID: alice.accountID, nobody: "knows this" });
    }
    assert.deepEqual((({ aid, uid }) => [aid, uid])(await alice.get(is.spotState, `${SPOT}/accounts/${STRANGER}/state`)), [0, 0]);
    await account(alice, "fee-rate", is.feeRate, { symbol: BTC });
    await refused(alice.envelope(`${SPOT}/markets/${BTC}/klines`, { interval: "2m" }), 40006);
    await refused(alice.envelope(`${SPOT}/markets/${BTC}/klines`), 40001);
    await refused(alice.envelope(`${SPOT}/markets/${BTC}/klines`, { interval: "1m", startTime: 2, endTime: 1 }), 40007);
    for (const value of ["0", "-1", "x", "4294967296", "1.5", ""])
      for (const path of [`markets/${BTC}/trades`, `markets/${BTC}/orderbook`, `accounts/${alice.user}/trades`])
        await refused(alice.envelope(`${SPOT}/${path}`, { limit: value }), 40001);
  },

  async "a schedule is set, cleared and fires"() {
    const now = await alice.time();
    await refused(alice.schedule(now + 4000), 42023);
    await refused(alice.schedule(0), 42023);
    assert.ok(!("data" in (await alice.schedule(now + 60000))));
    assert.equal((await alice.schedule()).code, 0);
    await accepted(alice.place(limit("soon-gone", BUY, "97000", "0.1"), { ...limit("gone-too", BUY, "3900", "0.1"), symbolID: 2 }));
    await alice.schedule((await alice.time()) + 6000);
    await rpc(banner.rpc, "evm_increaseTime", [7]);
    assert.deepEqual((await account(alice, "orders", is.spotOpenOrders)).orders, []);
    const gone = await account(alice, "orders/history", is.list(is.spotOrder), { limit: 2 });
    assert.deepEqual(gone.map((o) => o.status), ["CANCELED", "CANCELED"]);
  },

  async "money moves, once per id, and none is lost"() {
    const [spot, perps] = [(await balance(alice, "vUSDC")).total, await perpsBalance(alice)];
    const id = nonce(), there = { id, amount: "250.5", type: PERPS_WITHDRAW };
    for (let i = 0; i < 2; i++) assert.deepEqual(await alice.data(is.transferred, alice.transfer("spot", there)), { id });
    assert.equal(Number((await balance(alice, "vUSDC")).total), Number(spot) - 250.5);
    assert.equal(Number(await perpsBalance(alice)), Number(perps) + 250.5);
    await refused(alice.transfer("spot", { ...there, amount: "1" }), 40904);
    await refused(alice.transfer("spot", { amount: "0", type: PERPS_WITHDRAW }), 40001);
    await refused(alice.transfer("spot", { amount: "-1", type: PERPS_WITHDRAW }), 40001);
    await refused(alice.transfer("spot", { amount: "0.0000001", type: PERPS_WITHDRAW }), 42202);
    await refused(alice.transfer("spot", { amount: "99999999", type: PERPS_WITHDRAW }), 42001);
    await refused(alice.transfer("spot", { amount: "1", coinID: 1, type: PERPS_WITHDRAW }), 40005);
    await refused(alice.transfer("spot", { amount: "1", coinID: 9, type: EVM_WITHDRAW }), 40404);
    await refused(alice.transfer("spot", { amount: "1", toAccountID: bob.accountID, type: INTERNAL }), 40005);
    await refused(alice.transfer("spot", { amount: "1", type: SPOT_WITHDRAW }), 40005);
    await refused(alice.transfer("perps", { amount: "1", type: EVM_WITHDRAW }), 40005);
    await refused(alice.transfer("perps", { amount: "99999999", type: SPOT_WITHDRAW }), 42002, "insufficient margin");
    await alice.data(is.transferred, alice.transfer("perps", { amount: "250.5", type: SPOT_WITHDRAW }));
    assert.deepEqual([(await balance(alice, "vUSDC")).total, await perpsBalance(alice)], [spot, perps]);
    await alice.data(is.transferred, alice.transfer("spot", { amount: "0.5", coinID: 2, type: EVM_WITHDRAW }));
    assert.equal((await balance(alice, "vETH")).total, "99.5");
    await alice.data(is.transferred, alice.transfer("spot", { amount: "3", type: EVM_WITHDRAW }));
    assert.equal((await rpc(banner.rpc, "eth_getBalance", [alice.user, "latest"])).result, `0x${(3n * 10n ** 18n).toString(16)}`);
  },

  async "keys are registered in each spelling, trade and are revoked"() {
    const families = { spot: `${SPOT}/accounts/api-keys`, perps: `${PERPS}/accounts/api-keys`, universal: `/api/v1/user/${bob.user}/api-keys` };
    let number = 0;
    for (const [family, path] of Object.entries(families)) {
      for (const spelling of Object.keys(KEY_TYPES).filter((one) => one !== "AddAPIKeyWithBuilder")) {
        const privateKey = viem.keccak256(viem.toBytes(`key ${++number}`)), name = `key-${number}`, { address } = new Wallet(privateKey);
        const more = spelling.includes("Permissioned") ? { permissions: 1 } : {};
        const done = await bob.addKey(path, spelling, { name, publicKey: address }, more);
        assert.ok(!("data" in done), JSON.stringify(done));
        const listed = await account(bob, "api-keys", is.list(is.apiKey), { name });
        assert.deepEqual(listed.map((one) => [one.name, one.publicKey.toLowerCase(), one.expiresAt, one.permissions ?? 0]), [[name, address, 0, more.permissions ?? 0]]);
        assert.deepEqual(await account(bob, "api-keys", is.list(is.apiKey), { name }, PERPS), listed);
        const both = await bob.get(is.keysOfBoth, `/api/v1/user/${bob.user}/api-keys`, { name });
        assert.deepEqual([both.spot, both.perps], [listed, listed]);

        const trader = bob.withKey(name, privateKey);
        if (more.permissions) await refused(trader.place(limit(name, BUY, "97000", "0.1")), 40105);
        else await accepted(trader.place(limit(name, BUY, "97000", "0.1")));
        await accepted(bob.place(limit(`for-${name}`, BUY, "97000", "0.1")));
        await accepted(trader.cancel({ symbolID: 1, clOrdID: `for-${name}` }));
        await refused(bob.withKey("another", privateKey).schedule(), 40103);
        await refused(bob.withKey(address, privateKey).schedule(), 40103);              // a known error: the address for the name
        await refused(new Client(banner.url, { ...banner.accounts[1], privateKey }).schedule(), 40101);     // no name
        await bob.revokeKey(path, name, family === "universal" ? "universal" : family === "spot" ? "spot" : "futures");
        assert.deepEqual(await account(bob, "api-keys", is.list(is.apiKey), { name }), []);
        await refused(trader.schedule(), 40103);
        await refused(bob.revokeKey(path, name, "universal"), 40405);
      }
    }
    const { address } = new Wallet(viem.keccak256(viem.toBytes("key builder")));
    await refused(bob.addKey(families.spot, "AddAPIKeyWithBuilder", { name: "builder", publicKey: address }, { builder: { id: 202, fee: 10 } }), 40005);
    await refused(bob.addKey(families.spot, "AddAPIKey", { name: "default", publicKey: address }), 40001);
    const thief = new Client(banner.url, { ...banner.accounts[2], accountID: bob.accountID });
    for (const path of Object.values(families)) await refused(thief.addKey(path, "AddAPIKey", { name: "foreign", publicKey: address }), 40101, "X-API-Sign is invalid");
    await refused(carol.addKey(families.universal, "AddAPIKey", { name: "foreign", publicKey: address }), 40403);     // the path names bob
    assert.deepEqual(await account(bob, "api-keys", is.list(is.apiKey)), []);
  },

  async "the perps base answers what it has from now on"() {
    await alice.get(is.list(is.perpsCoin), `${PERPS}/markets/coins`);
    await account(alice, "balances", is.perpsBalances, {}, PERPS);
    await account(alice, "state", is.perpsState, {}, PERPS);
    await account(alice, "fee-rate", is.feeRate, {}, PERPS);
    await account(alice, "api-keys", is.list(is.apiKey), {}, PERPS);
    assert.equal((await alice.get(is.perpsState, `${PERPS}/accounts/${STRANGER}/state`)).aid, 0);
  },

  async "the chain node shows what the headers said"() {
    await accepted(alice.place(limit("on-chain", BUY, "97000", "0.1")));
    const { tx, block, index } = alice.chain;
    const found = (await rpc(banner.rpc, "eth_getTransactionByBlockNumberAndIndex", [block, index])).result;
    is.transaction(found, "transaction");
    assert.deepEqual([found.hash, found.blockNumber, found.transactionIndex, found.from, found.chainId], [tx, block, index, alice.user, "0x45f9f"]);
    assert.deepEqual(JSON.parse(viem.hexToString(found.input)),
      { type: "batchNewOrder", params: { accountID: alice.accountID, orders: [limit("on-chain", BUY, "97000", "0.1")] } });
    const ask = async (...params) => (await rpc(banner.rpc, "eth_getTransactionByBlockNumberAndIndex", params));
    for (const tag of ["latest", "safe", "finalized", "pending"]) assert.equal((await ask(tag, "0x0")).result.hash, tx, tag);
    for (const params of [["earliest", "0x0"], [block, "0x1"], ["0xffffffff", "0x0"]]) assert.equal((await ask(...params)).result, null);
    for (const params of [[], [block], [block, 0], ["newest", "0x0"], [1, "0x0"], ["0x01", "0x0"], [block, "0x00"], [block, "0x"], [block, "0x0", 1], [null, "0x0"]])
      assert.equal((await ask(...params)).error?.code, -32602, JSON.stringify(params));
    assert.equal((await rpc(banner.rpc, "eth_sendRawTransaction", ["0x"])).error.code, -32601);
    const client = viem.createPublicClient({ transport: viem.http(banner.rpc) });
    const seen = await client.getTransaction({ blockNumber: BigInt(block), index: Number(index) });
    assert.deepEqual([seen.hash, seen.typeHex, seen.from.toLowerCase()], [tx, "0x53", alice.user]);
    await accepted(alice.cancel({ symbolID: 1, clOrdID: "on-chain" }));
  },
};

for (const [name, part] of Object.entries(tour)) {
  try {
    await part();
  } catch (error) {
    console.log(`FAILED ${name}`);
    throw error;
  }
  console.log(`ok ${name}`);
}
