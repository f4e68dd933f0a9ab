// SPDX-License-Identifier: MIT
// viem's test client in mode anvil drives a development exchange: each of its actions works, or says why it cannot.
// node viem_powers.mjs BANNER  — BANNER is the JSON line of `dojima dev --json`. Run by viem_tour.py.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const modules = createRequire(`${process.env.E2E_CLIENTS}/package.json`);
const { createTestClient, http, parseEther, publicActions, testActions } =
  await import(pathToFileURL(modules.resolve("viem")).href);

const banner = JSON.parse(process.argv[2]);
const client = createTestClient({ mode: "anvil", transport: http(banner.rpc, { retryCount: 0 }) }).extend(publicActions);
const who = "0x00000000000000000000000000000000000000A1";
const hash = `0x${"12".repeat(32)}`;

const time = async () => (await (await fetch(`${banner.url}/api/v1/time`)).json()).data.serverTime;
const seconds = async () => Math.floor((await time()) / 1000);

// ---- time ----

const began = await time();
assert.equal(Number(await client.increaseTime({ seconds: 600 })), 600);
assert.equal(await time(), began + 600_000);
await client.setNextBlockTimestamp({ timestamp: BigInt((await seconds()) + 100) });
assert.equal(await time(), began + 700_000);
await client.mine({ blocks: 1 });
await client.mine({ blocks: 11, interval: 60 });
assert.equal(await time(), began + 700_000 + 600_000);

// ---- money ----

for (const value of ["100", "2.5", "0"]) {
  await client.setBalance({ address: who, value: parseEther(value) });
  assert.equal(await client.getBalance({ address: who }), parseEther(value));
}

// ---- other people ----

const order = (clOrdID) => ({ symbolID: 1, clOrdID, side: 1, type: 1, timeInForce: 1, price: "99000", quantity: "0.001" });
const place = async (clOrdID) => {
  const reply = await fetch(`${banner.spot}/trade/orders/batch`, {
    method: "POST", body: JSON.stringify({ accountID: banner.accounts[2].accountID, orders: [order(clOrdID)] }),
    headers: { "Content-Type": "application/json", "X-Dojima-As": banner.accounts[2].address },
  });
  return (await reply.json()).code;
};
assert.equal(await place("v-0"), 40101);
await client.impersonateAccount({ address: banner.accounts[2].address });
assert.equal(await place("v-1"), 0);
await client.stopImpersonatingAccount({ address: banner.accounts[2].address });
assert.equal(await place("v-2"), 40101);

// ---- a pool that is always empty ----

assert.equal(await client.getAutomine(), true);
await client.setAutomine(true);
await assert.rejects(client.setAutomine(false), /enabled must be true/);
assert.deepEqual(await client.getTxpoolContent(), { pending: {}, queued: {} });
assert.deepEqual(await client.inspectTxpool(), { pending: {}, queued: {} });
assert.deepEqual(await client.getTxpoolStatus(), { pending: 0, queued: 0 });

// ---- what has no meaning here ----

const refused = {
  dropTransaction: [{ hash }, /no transaction waits/],
  removeBlockTimestampInterval: [undefined, /clock's time/],
  sendUnsignedTransaction: [{ from: who, to: who, value: 1n }, /X-Dojima-As/],
  setBlockGasLimit: [{ gasLimit: 1n }, /no gas/],
  setBlockTimestampInterval: [{ interval: 5 }, /dojima_step/],
  setCode: [{ address: who, bytecode: "0x00" }, /no EVM/],
  setCoinbase: [{ address: who }, /no miner/],
  setIntervalMining: [{ interval: 0 }, /dojima_setClock/],
  setLoggingEnabled: [true, /--quiet/],
  setMinGasPrice: [{ gasPrice: 1n }, /no gas/],
  setNextBlockBaseFeePerGas: [{ baseFeePerGas: 1n }, /no gas/],
  setNonce: [{ address: who, nonce: 1 }, /nonce/],
  setRpcUrl: ["http://127.0.0.1:1", /forked/],
  setStorageAt: [{ address: who, index: 0, value: hash }, /no EVM/],
};
const before = await client.getBlockNumber({ cacheTime: 0 });
for (const [action, [argument, text]] of Object.entries(refused))
  await assert.rejects(client[action](argument), (error) => {
    let cause = error;
    while (cause.code === undefined && cause.cause) cause = cause.cause;
    assert.equal(cause.code, -32601, `${action}: ${error}`);
    assert.match(error.message, text);
    return true;
  });
assert.equal(await client.getBlockNumber({ cacheTime: 0 }), before);

// ---- snapshots ----

const money = () => client.getBalance({ address: who });
await client.setBalance({ address: who, value: parseEther("7") });
const then = await time(), id = await client.snapshot();
for (const value of ["8", "9"]) {                       // to the same snapshot, again
  await client.setBalance({ address: who, value: parseEther(value) });
  await client.increaseTime({ seconds: 60 });
  await client.revert({ id });
  assert.equal(await money(), parseEther("7"));
  assert.ok((await time()) - then < 30_000);
}
const state = await client.dumpState();
await client.reset();
assert.equal(await money(), 0n);
assert.equal(await client.getBlockNumber({ cacheTime: 0 }), 0n);
await client.loadState({ state });
assert.equal(await money(), parseEther("7"));

// ---- none is forgotten ----

const works = ["increaseTime", "setNextBlockTimestamp", "mine", "setBalance", "impersonateAccount",
               "stopImpersonatingAccount", "getAutomine", "setAutomine", "getTxpoolContent", "inspectTxpool",
               "getTxpoolStatus"];
const snapshots = ["snapshot", "revert", "dumpState", "loadState", "reset"];
const known = new Set([...works, ...snapshots, ...Object.keys(refused)]);
const missing = Object.keys(testActions({ mode: "anvil" })(client)).filter((name) => !known.has(name));
assert.deepEqual(missing, []);
console.log(`viem's test client: ${works.length} actions work, ${Object.keys(refused).length} say why they cannot`);
