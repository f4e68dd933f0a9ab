// SPDX-License-Identifier: MIT
// An outside client: viem signs with its own EIP-712 function (account.signTypedData), fetch sends.
// node viem_tour.mjs BANNER  — BANNER is the JSON line of `dojima dev --json`. Run by viem_tour.py.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// viem is in the folder that viem_tour.py installed it into, not beside this file.
const modules = createRequire(`${process.env.E2E_CLIENTS}/package.json`);
const { keccak256, toBytes, zeroAddress } = await import(pathToFileURL(modules.resolve("viem")).href);
const { privateKeyToAccount } = await import(pathToFileURL(modules.resolve("viem/accounts")).href);

const banner = JSON.parse(process.argv[2]);
let lastNonce = 0;

const types = { ExchangeAction: [{ name: "payloadHash", type: "bytes32" }, { name: "nonce", type: "uint64" }] };

class Trader {
  constructor({ accountID, privateKey, address }, chainId = banner.chainIds[0]) {
    this.id = accountID;
    this.wallet = privateKeyToAccount(privateKey);
    this.chainId = chainId;
    assert.equal(this.wallet.address.toLowerCase(), address.toLowerCase());
  }

  async write(method, path, type, params) {
    const nonce = (lastNonce = Math.max(lastNonce + 1, Date.now()));
    const body = JSON.stringify(params);
    const signature = await this.wallet.signTypedData({
      domain: { name: "spot", version: "1", chainId: this.chainId, verifyingContract: zeroAddress },
      types,
      primaryType: "ExchangeAction",
      message: { payloadHash: keccak256(toBytes(`{"type":"${type}","params":${body}}`)), nonce: BigInt(nonce) },
    });
    const reply = await fetch(banner.spot + path, {
      method,
      body,
      headers: {
        "Content-Type": "application/json", Accept: "application/json", "X-API-Key": "default",
        "X-API-Nonce": String(nonce), "X-API-Sign": "0x01" + signature.slice(2),    // viem's v is 27 or 28
        "X-API-Chain": String(this.chainId),
      },
    });
    assert.equal(reply.status, 200);
    const answer = await reply.json();
    assert.equal(answer.code, 0, JSON.stringify(answer));
    assert.match(reply.headers.get("x-chain-tx"), /^0x[0-9a-f]{64}$/);
    return answer.data;
  }

  async read(what) {
    const answer = await (await fetch(`${banner.spot}/accounts/${this.wallet.address}/${what}`)).json();
    assert.equal(answer.code, 0, JSON.stringify(answer));
    return answer.data;
  }

  place = (...orders) => this.write("POST", "/trade/orders/batch", "batchNewOrder", { accountID: this.id, orders });
  cancel = (...cancels) => this.write("DELETE", "/trade/orders/batch", "batchCancelOrder", { accountID: this.id, cancels });
  replace = (...orders) => this.write("POST", "/trade/orders/replace", "replaceOrder", { accountID: this.id, orders });
}

const limit = (clOrdID, side, price, quantity) => ({ symbolID: 1, clOrdID, side, type: 1, timeInForce: 1, price, quantity });

const alice = new Trader(banner.accounts[0]);
const bob = new Trader(banner.accounts[1], banner.chainIds[1]);         // the other chain id of development mode

const [placed] = await alice.place(limit("viem-1", 1, "99000", "0.5"));
assert.equal(placed.code, 0, JSON.stringify(placed));
const [hit] = await bob.place(limit("viem-2", 2, "99000", "0.2"));
assert.equal(hit.code, 0, JSON.stringify(hit));
let { orders } = await alice.read("orders");
assert.deepEqual(orders.map((o) => [o.orderID, o.status, o.executedQty]), [[placed.orderID, "PARTIALLY_FILLED", "0.2"]]);
assert.equal((await bob.read("orders/history"))[0].status, "FILLED");
assert.equal((await alice.read("trades"))[0].fee, "0.00007");

const [replaced] = await alice.replace({ symbolID: 1, clOrdID: "viem-3", origOrderID: placed.orderID, price: "98000" });
assert.equal(replaced.orderID, placed.orderID);
const [canceled] = await alice.cancel({ symbolID: 1, clOrdID: "viem-4", origClOrdID: "viem-1" });
assert.deepEqual([canceled.code, canceled.origClOrdID], [0, "viem-1"]);
({ orders } = await alice.read("orders"));
assert.deepEqual(orders, []);
console.log("viem: placed, matched, replaced and canceled");
