// SPDX-License-Identifier: MIT
// The streams through `ws` of npm: the handshake, both kinds of ping, acknowledgements, snapshots, and the close.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { perpsPush, spotPush } from "./pushes.mjs";

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

// The messages that each channel of an engine must send, of the first symbol and the first account.
const user = banner.accounts[0].address;
const wishes = (symbol, perps) => [
  ...["ticker", "miniTicker", "bookTicker", "trade"].map((channel) => [{ channel, symbols: [symbol] }, "snapshot", "update"]),
  ...["allTicker", "allMiniTicker", "allBookTicker"].map((channel) => [{ channel }, "snapshot", "update"]),
  [{ channel: "l2Book", symbol, pushInterval: "500ms" }, "snapshot", "snapshot"], [{ channel: "l4Book", symbol, level: 20 }, "snapshot", "update"],
  [{ channel: "candle", symbol, interval: "1m" }, "update"], [{ channel: "accountState", user }, "snapshot", "snapshot"],
  ...["accountUpdate", "accountOrderUpdate", "accountTrade"].map((channel) => [{ channel, user }, "update"]),
  ...(perps ? [[{ channel: "markPrice", symbols: [symbol] }, "snapshot", "update"], [{ channel: "allMarkPrice" }, "snapshot", "update"],
    [{ channel: "coinPrice", coins: ["vUSDC"] }, "snapshot"], [{ channel: "allCoinPrice" }, "snapshot"], [{ channel: "accountEvent", user }, "update"]] : []),
];

const perps = await open("/perps");
const tours = [[spot, wishes("vBTC_vUSDC", false), spotPush], [perps, wishes("BTC-USD", true), perpsPush]];
let id = 0;
for (const [stream, list, record] of tours) {
  for (const [params, first] of list) {
    stream.say({ op: "subscribe", id: ++id, params });
    const own = id, ack = await stream.next((message) => message.op === "subscribe" && message.id === own);
    assert.equal(ack.success, true, JSON.stringify(ack));
    assert.equal(ack.result.channel, params.channel);
    assert.match(ack.connID, /^0x[0-9a-f]{32}$/);
    if (first !== "snapshot") continue;
    const push = await stream.next((message) => message.channel === params.channel);
    assert.equal(push.type, "snapshot");
    record(push);
  }
}
console.log("ready");
for (const [stream, list, record] of tours)
  for (const [params, ...types] of list)
    if (types.length === 2 || types[0] === "update") record(await stream.next((message) => message.channel === params.channel && message.type === types.at(-1)));

await assert.rejects(open("/other"), /status 404/);
const closed = new Promise((resolve) => spot.socket.once("close", (code) => resolve(code)));
spot.socket.send(Buffer.from([1, 2, 3]));                           // binary: 1003
assert.equal(await closed, 1003);
const goodbye = new Promise((resolve) => perps.socket.once("close", (code) => resolve(code)));
perps.socket.close(1000, "done");
assert.equal(await goodbye, 1000);
console.log(`ws: ${id} subscriptions, every channel of both engines, pings and ends are as they should be`);
process.exit(0);
