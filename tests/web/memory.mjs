// SPDX-License-Identifier: MIT
// The memory of the page stays as it is while the market `calm` trades. MINUTES of engine time (1; tests/web/run memory
// with MINUTES=60 is the long run) pass RATE times as fast as the wall clock.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PERPS } from "./exchange.mjs";
import { start } from "./terminal.mjs";

const MINUTES = Number(process.env.MINUTES ?? 1), RATE = Number(process.env.RATE ?? 15);
const PARTS = 6;
const MIB = 1024 * 1024;
const MOST = 2 * MIB;                // between the second part and the last; the first fills caches and tables

let stage, screen;
before(async () => {
  stage = await start({ market: "calm", args: ["--clock", String(RATE)] });
  await stage.exchange.order(0, PERPS, "buy", "0.5");
  screen = await stage.open(`/trade/${PERPS.symbol}`);
  await screen.live();
});
after(() => stage?.end());

test(`heap and nodes after ${MINUTES} minutes of the market`, { timeout: 20 * 60 * 1000 }, async () => {
  const session = await screen.page.createCDPSession();
  const part = (MINUTES * 60 * 1000) / RATE / PARTS;
  const heaps = [], nodes = [];
  for (let i = 0; i < PARTS; i++) {
    await new Promise((done) => setTimeout(done, part));
    await session.send("HeapProfiler.collectGarbage");
    const metrics = await screen.page.metrics();
    heaps.push(metrics.JSHeapUsedSize);
    nodes.push(metrics.Nodes);
  }
  const text = `heap ${heaps.map((size) => (size / MIB).toFixed(1)).join(", ")} MiB; nodes ${nodes.join(", ")}`;
  console.log(text);
  assert.ok(heaps.at(-1) - heaps[1] < MOST, text);
  assert.ok(nodes.at(-1) < nodes[1] * 1.5 + 500, text);
  await screen.close();
});
