// SPDX-License-Identifier: MIT
// The streams through `ws` of npm: the handshake, both kinds of ping, acknowledgements, snapshots, and how it ends.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const WebSocket = createRequire(join(process.env.COMPAT_CLIENTS, "x.js"))("ws");
const banner = JSON.parse(process.argv[2]);

function open(path, options = {}) {
  const socket = new WebSocket(banner.ws + path, options), waiting = [], messages = [];
  socket.on("message", (data, isBinary) => {
    assert.equal(isBinary, false);
    const message = JSON.parse(data);
    const at = waiting.findIndex(({ wanted }) => wanted(message));
    if (at >= 0) waiting.splice(at, 1)[0].resolve(message);
    else messages.push(message);
  });
  const next = (wanted) => new Promise((resolve, reject) => {
    const at = messages.findIndex(wanted);
    if (at >= 0) return resolve(messages.splice(at, 1)[0]);
    waiting.push({ wanted, resolve });
    setTimeout(() => reject(new Error(`nothing like ${wanted} came`)), 10000).unref();
  });
  const say = (message) => socket.send(JSON.stringify(message));
  return new Promise((resolve, reject) => {
    socket.on("open", () => resolve({ socket, next, say }));
    socket.on("unexpected-response", (_, response) => reject(new Error(`status ${response.statusCode}`)));
    socket.on("error", reject);
  });
}

const spot = await open("/spot", { perMessageDeflate: true });      // offered, and not taken
assert.equal(spot.socket.extensions, "");
assert.equal(spot.socket.protocol, "");
const pong = new Promise((resolve) => spot.socket.once("pong", resolve));
spot.socket.ping("dojima");
assert.equal((await pong).toString(), "dojima");
spot.say({ op: "ping" });
await spot.next((message) => message.op === "pong");

let id = 0;
for (const params of [
  ...["ticker", "miniTicker", "bookTicker", "trade"].map((channel) => ({ channel, symbols: ["vBTC_vUSDC"] })),
  ...["allTicker", "allMiniTicker", "allBookTicker"].map((channel) => ({ channel })),
  { channel: "l2Book", symbol: "vBTC_vUSDC", pushInterval: "500ms" }, { channel: "l4Book", symbol: "vBTC_vUSDC", level: 20 },
  ...["accountState", "accountUpdate", "accountOrderUpdate", "accountTrade"].map((channel) => ({ channel, user: banner.accounts[0].address })),
]) {
  spot.say({ op: "subscribe", id: ++id, params });
  const own = id, ack = await spot.next((message) => message.op === "subscribe" && message.id === own);
  assert.equal(ack.success, true, JSON.stringify(ack));
  assert.equal(ack.result.channel, params.channel);
  assert.match(ack.connID, /^0x[0-9a-f]{32}$/);
  if (["accountUpdate", "accountOrderUpdate", "accountTrade"].includes(params.channel)) continue;
  const first = await spot.next((message) => message.channel === params.channel);
  assert.equal(first.type, "snapshot");
  assert.equal(Array.isArray(first.data), !["l2Book", "l4Book", "accountState"].includes(params.channel));
}

const perps = await open("/perps");
for (const channel of ["allMarkPrice", "allCoinPrice", "allTicker"]) {
  perps.say({ op: "subscribe", id: channel, params: { channel } });
  assert.equal((await perps.next((message) => message.op === "subscribe")).success, true);
  assert.equal((await perps.next((message) => message.channel === channel)).type, "snapshot");
}
perps.say({ op: "subscribe", id: 1, params: { channel: "accountState", user: banner.accounts[0].address } });
assert.equal((await perps.next((message) => message.channel === "accountState")).data.aid, banner.accounts[0].accountID);

await assert.rejects(open("/other"), /status 404/);
const closed = new Promise((resolve) => spot.socket.once("close", (code) => resolve(code)));
spot.socket.send(Buffer.from([1, 2, 3]));                           // binary: 1003
assert.equal(await closed, 1003);
const goodbye = new Promise((resolve) => perps.socket.once("close", (code) => resolve(code)));
perps.socket.close(1000, "done");
assert.equal(await goodbye, 1000);
console.log(`ws: ${id} spot subscriptions, pings, perps and ends are as they should be`);
process.exit(0);
