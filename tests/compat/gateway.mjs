// SPDX-License-Identifier: MIT
// A client of this interface as the public TypeScript one behaves (wire 0.2 to 0.5, 7.3): a status other than 2xx is a
// transport error and its body is not read; `code` has to be in every body; failures are the text of `error`;
// `X-API-Key: default` for the main wallet; wallet-level actions have type byte 02 in domain `universal`; the server's
// time is the envelope's timestamp of /api/v1/time.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const modules = createRequire(`${process.env.COMPAT_CLIENTS}/package.json`);
export const viem = await import(pathToFileURL(modules.resolve("viem")).href);
const { privateKeyToAccount } = await import(pathToFileURL(modules.resolve("viem/accounts")).href);

export class TransportError extends Error {
  constructor(response) {
    super(`HTTP ${response.status}`);
    this.status = response.status;
  }
}

export class ApiError extends Error {
  constructor(body) {
    super(body.error);
    Object.assign(this, body);
  }
}

let lastNonce = 0;
export const nonce = () => (lastNonce = Math.max(lastNonce + 1, Date.now()));

async function answer(response) {
  if (!response.ok) throw new TransportError(response);
  assert.equal(response.headers.get("content-type")?.split(";")[0], "application/json");
  const body = await response.json();
  assert.ok(body !== null && typeof body === "object" && Number.isInteger(body.code), `no code in ${JSON.stringify(body)}`);
  assert.ok(Number.isSafeInteger(body.timestamp), `no timestamp in ${JSON.stringify(body)}`);
  if (body.code !== 0) {
    assert.ok(typeof body.error === "string" && body.error, `no error in ${JSON.stringify(body)}`);
    assert.ok(!("data" in body), `data in the failure ${JSON.stringify(body)}`);
    throw new ApiError(body);
  }
  assert.ok(!("error" in body));
  return body;
}

const EXCHANGE_ACTION = { ExchangeAction: [{ name: "payloadHash", type: "bytes32" }, { name: "nonce", type: "uint64" }] };
const uint64s = (...names) => names.map((name) => ({ name, type: "uint64" }));
const KEY = [{ name: "name", type: "string" }, { name: "keyType", type: "uint8" }, { name: "publicKey", type: "bytes" }];
const SEVEN = [...uint64s("chainID", "nonce", "accountID"), ...KEY, ...uint64s("expiresAt")];
export const KEY_TYPES = {
  AddAPIKey: [...uint64s("accountID"), ...KEY, ...uint64s("expiresAt", "nonce")],
  UserSignedAddAPIKeyAction: SEVEN,
  UserSignedAddPermissionedAPIKeyAction: [...SEVEN, ...uint64s("permissions")],
  AddAPIKeyWithBuilder: [...SEVEN, ...uint64s("builderID", "maxFeeRate")],
};

export class Wallet {
  constructor(privateKey) {
    this.account = privateKeyToAccount(privateKey);
    this.address = this.account.address.toLowerCase();
  }

  /* r, s and v of viem's 65 bytes behind the type byte; v as 0 or 1, as the public clients send it. */
  async typed(byte, name, chainId, types, primaryType, message) {
    const domain = { name, version: "1", chainId, verifyingContract: viem.zeroAddress };
    const signature = await this.account.signTypedData({ domain, types, primaryType, message });
    const v = parseInt(signature.slice(-2), 16);
    return `0x${byte}${signature.slice(2, -2)}0${v >= 27 ? v - 27 : v}`;
  }

  action(byte, domain, chainId, type, body, at) {
    const message = { payloadHash: viem.keccak256(viem.toBytes(`{"type":"${type}","params":${body}}`)), nonce: BigInt(at) };
    return this.typed(byte, domain, chainId, EXCHANGE_ACTION, "ExchangeAction", message);
  }
}

export class Client {
  constructor(root, { accountID, privateKey, address }, { key = null, owner = null, chainId = 286623 } = {}) {
    this.root = root;
    this.accountID = accountID;
    this.wallet = new Wallet(privateKey);
    this.user = (owner ?? address).toLowerCase();
    this.keyName = key;
    this.chainId = chainId;
  }

  /* The same account, signed for by one of its keys. */
  withKey(name, privateKey) {
    return new Client(this.root, { accountID: this.accountID, privateKey, address: this.user }, { key: name, owner: this.user, chainId: this.chainId });
  }

  url(path, query = {}) {
    const set = Object.entries(query).filter(([, value]) => value !== undefined);
    return this.root + path + (set.length ? `?${new URLSearchParams(set.map(([k, v]) => [k, String(v)]))}` : "");
  }

  async envelope(path, query) {
    return answer(await fetch(this.url(path, query), { headers: { Accept: "application/json" } }));
  }

  /* A read, decoded; `type` is of records.mjs. */
  async get(type, path, query) {
    const body = await this.envelope(path, query);
    assert.ok("data" in body, `no data for ${path}`);
    return type(body.data, path);
  }

  async time() {
    return (await this.envelope("/api/v1/time")).timestamp;
  }

  async send(method, path, body, headers) {
    const response = await fetch(this.root + path, {
      method, body, headers: { "Content-Type": "application/json", Accept: "application/json", "X-API-Key": this.keyName ?? "default", ...headers },
    });
    this.chain = Object.fromEntries(["tx", "block", "index"].map((name) => [name, response.headers.get(`x-chain-${name}`)]));
    return answer(response);
  }

  async write(engine, method, path, type, params, more = {}) {
    const body = JSON.stringify(params), at = more.nonce ?? nonce();
    const sign = await this.wallet.action("01", engine === "spot" ? "spot" : "futures", this.chainId, type, body, at);
    return this.send(method, `/api/v1/${engine}${path}`, body, { "X-API-Nonce": String(at), "X-API-Sign": sign });
  }

  data(type, promise) {
    return promise.then((body) => type(body.data, "data"));
  }

  place(...orders) {
    return this.write("spot", "POST", "/trade/orders/batch", "batchNewOrder", { accountID: this.accountID, orders });
  }

  cancel(...cancels) {
    return this.write("spot", "DELETE", "/trade/orders/batch", "batchCancelOrder", { accountID: this.accountID, cancels });
  }

  replace(...orders) {
    return this.write("spot", "POST", "/trade/orders/replace", "replaceOrder", { accountID: this.accountID, orders });
  }

  schedule(scheduledTimestamp) {
    return this.write("spot", "POST", "/trade/orders/schedule-cancel", "scheduleCancel", { accountID: this.accountID, scheduledTimestamp });
  }

  transfer(engine, params) {
    return this.write(engine, "POST", "/accounts/transfers", "transferAsset",
      { id: nonce(), fromAccountID: this.accountID, toAccountID: 999, coinID: 0, ...params });
  }

  /* Registration in one of the four spellings of wire 3.5, on one of the three paths. */
  async addKey(path, spelling, params, more = {}) {
    const body = { accountID: this.accountID, name: params.name, type: 1, publicKey: params.publicKey, expiresAt: params.expiresAt ?? 0, ...more };
    const at = nonce();
    const message = {
      accountID: body.accountID, name: body.name, keyType: 1, publicKey: body.publicKey, expiresAt: body.expiresAt, nonce: at, chainID: this.chainId,
      permissions: more.permissions, builderID: more.builder?.id, maxFeeRate: more.builder?.fee,
    };
    const sign = await this.wallet.typed("02", "universal", this.chainId, { [spelling]: KEY_TYPES[spelling] }, spelling,
      Object.fromEntries(KEY_TYPES[spelling].map(({ name }) => [name, message[name]])));
    return this.send("POST", path, JSON.stringify(body), { "X-API-Nonce": String(at), "X-API-Chain": String(this.chainId), "X-API-Sign": sign });
  }

  async revokeKey(path, name, domain) {
    const body = JSON.stringify({ accountID: this.accountID, name }), at = nonce();
    const sign = await this.wallet.action(domain === "universal" ? "02" : "01", domain, this.chainId, "revokeAPIKey", body, at);
    return this.send("DELETE", path, body, { "X-API-Nonce": String(at), "X-API-Chain": String(this.chainId), "X-API-Sign": sign });
  }
}

export async function rpc(url, method, params) {
  const response = await fetch(url, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
  });
  assert.equal(response.status, 200);
  const body = await response.json();
  assert.equal(body.jsonrpc, "2.0");
  assert.equal(body.id, 7);
  assert.ok("result" in body !== "error" in body, JSON.stringify(body));
  return body;
}

/* The error of a rejected promise: the code, and the error for further checks. */
export async function refused(promise, code, text) {
  const error = await promise.then((body) => assert.fail(`was accepted: ${JSON.stringify(body)}`), (reason) => reason);
  assert.ok(error instanceof ApiError, `${error.stack}`);
  assert.equal(error.code, code, JSON.stringify(error));
  if (text) assert.equal(error.error, text);
  return error;
}
