// SPDX-License-Identifier: MIT
// Measures of the terminal in chromium: what the first screen transfers, how soon chart and book are live, Lighthouse,
// frames while the book changes 200 times a second, and an order from the click to its row.
//
//     benches/terminal/run [size] [live] [lighthouse] [frames] [order]      all of them without an argument
import { createRequire } from "node:module";
import path from "node:path";
import { PERPS, ROOT } from "../../tests/web/exchange.mjs";
import { start } from "../../tests/web/terminal.mjs";

const HERE = `/trade/${PERPS.symbol}`;
const STARTED = { market: "calm" };

const sorted = (values) => [...values].sort((a, b) => a - b);
/** The smallest value that so many per cent of all are not above. */
const percentile = (values, part) => sorted(values)[Math.max(0, Math.ceil((values.length * part) / 100) - 1)];

function figure(name, value) {
  if (process.env.DOJIMA_FIGURES) console.log(`@ ${name} ${value} 0`);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** In the page, before its scripts: notes when the chart shows a candle's prices and the book has ten levels. */
function noteLive() {
  const look = () => {
    const chart = document.querySelector('[aria-label="Chart"]');
    const rows = document.querySelectorAll('[aria-label="Order book"] [role=row]').length;
    if (rows >= 10 && chart?.querySelector("canvas") && /O\s*[0-9,.]+\s*H\s*[0-9]/.test(chart.textContent)) {
      globalThis.liveAt = performance.now();
    } else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

async function warm(stage) {
  await pause(2500);                          // the market fills its books
  const screen = await stage.open(HERE);
  await screen.live();
  await screen.context.close();
}

// ---- size ----------------------------------------------------------------------------------------

async function size() {
  const stage = await start(STARTED);
  await warm(stage);
  const screen = await stage.open("about:blank", { before: noteLive });
  const session = await screen.page.createCDPSession();
  await session.send("Network.enable");
  const files = new Map();
  session.on("Network.responseReceived", ({ requestId, response }) => files.set(requestId, { url: response.url }));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const file = files.get(requestId);
    if (file) file.bytes = encodedDataLength;
  });
  await screen.page.goto(stage.exchange.url + HERE);
  await screen.page.waitForFunction("globalThis.liveAt", { timeout: 20000 });
  const requested = [...files.values()];           // what is loaded later, for the first order, is no part of it
  await pause(1000);
  const loaded = requested.filter((file) => file.bytes);
  const isRead = (file) => /^\/(api|docs\/settings|rpc)/.test(new URL(file.url).pathname);
  const own = loaded.filter((file) => !isRead(file));
  const sum = (rows) => rows.reduce((total, file) => total + file.bytes, 0) / 1000;
  for (const file of own) console.log(`  ${(file.bytes / 1000).toFixed(1).padStart(7)} kB  ${new URL(file.url).pathname}`);
  console.log(`first screen: ${sum(own).toFixed(1)} kB of files as transferred, headers included; `
    + `reads of the interface beside ${sum(loaded.filter(isRead)).toFixed(1)} kB`);
  figure("terminal-size", sum(own));
  await screen.context.close();
  await stage.end();
}

// ---- live ----------------------------------------------------------------------------------------

async function live() {
  const stage = await start(STARTED);
  await warm(stage);
  const took = [];
  for (let i = 0; i < 20; i++) {
    const screen = await stage.open("about:blank", { before: noteLive });
    await pause(500);                       // the process of the tab has started, that of the last one has ended
    await screen.page.goto(stage.exchange.url + HERE, { waitUntil: "domcontentloaded" });
    took.push(await (await screen.page.waitForFunction("globalThis.liveAt", { timeout: 20000 })).jsonValue());
    await screen.context.close();
  }
  console.log(`navigation to live chart and book: p95 ${percentile(took, 95).toFixed(0)} ms, median ${percentile(took, 50).toFixed(0)}, `
    + `all ${sorted(took).map((ms) => ms.toFixed(0)).join(" ")}`);
  figure("terminal-live", percentile(took, 95));
  figure("terminal-live-median", percentile(took, 50));
  await stage.end();
}

// ---- lighthouse ----------------------------------------------------------------------------------

async function lighthouse() {
  const { default: audit, desktopConfig } = await import(createRequire(path.join(ROOT, "build/clients/lighthouse/package.json")).resolve("lighthouse"));
  const stage = await start(STARTED, ["--remote-debugging-port=0"]);
  await warm(stage);
  const port = Number(new URL(stage.browser.wsEndpoint()).port);
  const worst = { performance: 100, accessibility: 100 };
  for (const [name, config] of [["desktop", desktopConfig], ["mobile", undefined]]) {
    const { lhr } = await audit(stage.exchange.url + HERE,
      { port, output: "json", logLevel: "error", onlyCategories: ["performance", "accessibility"] }, config);
    const scores = Object.fromEntries(Object.entries(lhr.categories).map(([key, row]) => [key, Math.round(row.score * 100)]));
    const weak = Object.values(lhr.audits).filter((row) => row.score !== null && row.score < 0.9
      && !["informative", "manual", "notApplicable"].includes(row.scoreDisplayMode));
    console.log(`lighthouse ${lhr.lighthouseVersion}, ${name}: performance ${scores.performance}, accessibility ${scores.accessibility}`);
    for (const row of weak) console.log(`    ${row.id}: ${row.title} ${row.displayValue ?? ""}`);
    if (name === "desktop") worst.performance = scores.performance;
    else figure("terminal-lighthouse-mobile", scores.performance);
    worst.accessibility = Math.min(worst.accessibility, scores.accessibility);
  }
  figure("terminal-lighthouse", worst.performance);
  figure("terminal-accessibility", worst.accessibility);
  await stage.end();
}

// ---- frames --------------------------------------------------------------------------------------

const CHANGES = 200;                    // of the book in a second
const SECONDS = 10;
const FRAME = 1000 / 60;

/** Changes the book so many times a second until the promise is resolved: an order is placed, the next time canceled. */
async function changing(exchange, ended) {
  const symbolID = await exchange.symbolID(PERPS);
  const open = [];
  let changes = 0, begun = performance.now();
  while (!ended.done) {
    const due = Math.floor(((performance.now() - begun) / 1000) * CHANGES) - changes;
    const work = [];
    for (let i = 0; i < Math.min(due, 20); i++, changes++) {
      const level = changes % 40;
      if (open.length > 100) {
        const { clOrdID } = open.shift();
        work.push(exchange.as(8, "perps", "DELETE", "/orders", { cancels: [{ symbolID, clOrdID }] }));
      } else {
        const buy = level % 2 === 0;
        const price = String(buy ? 99990 - level : 100010 + level);
        const clOrdID = `f-${changes}`;
        work.push(exchange.order(8, PERPS, buy ? "buy" : "sell", "0.1", price, { clOrdID }).then(() => open.push({ clOrdID })));
      }
    }
    await Promise.all(work);
    await pause(5);
  }
  return changes / ((performance.now() - begun) / 1000);
}

async function frames() {
  const stage = await start({ market: "none" });
  await stage.exchange.book(PERPS, 100000, 10, 10);
  const screen = await stage.open(HERE);
  await screen.live();
  const ended = { done: false };
  const load = changing(stage.exchange, ended);
  await pause(1000);
  const times = await screen.page.evaluate((seconds) => new Promise((done) => {
    const stamps = [];
    const tick = (now) => {
      stamps.push(now);
      if (now - stamps[0] < seconds * 1000) requestAnimationFrame(tick);
      else done(stamps);
    };
    requestAnimationFrame(tick);
  }), SECONDS);
  ended.done = true;
  const rate = await load;
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  const missed = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / FRAME) - 1), 0);
  const share = (100 * gaps.length) / (gaps.length + missed);
  console.log(`frames at ${rate.toFixed(0)} changes of the book a second: ${share.toFixed(2)} % of ${gaps.length + missed} in time `
    + `(16.7 ms), the longest took ${Math.max(...gaps).toFixed(0)} ms`);
  figure("terminal-frames", share);
  await screen.context.close();
  await stage.end();
}

// ---- order ---------------------------------------------------------------------------------------

async function order() {
  const stage = await start(STARTED);
  await warm(stage);
  const screen = await stage.open(HERE);
  await screen.live();
  const ticket = await screen.region("Order ticket");
  await screen.pick("Limit", ticket);
  await screen.fill("Price", "90000", ticket);
  const button = await screen.find("button", "Buy", ticket);
  const took = [];
  for (let i = 0; i < 21; i++) {
    await screen.fill("Size", `0.0${10 + i}`, ticket);
    const want = (await screen.rows("Open orders")).length + 1;
    await screen.page.evaluate((rows) => {
      const region = document.querySelector('[aria-label="Open orders"]');
      globalThis.rowAt = undefined;
      addEventListener("click", (event) => { globalThis.clickAt = event.timeStamp; }, { capture: true, once: true });
      const look = () => {
        if (region.querySelectorAll("tbody tr").length >= rows) globalThis.rowAt = performance.now();
        else requestAnimationFrame(look);
      };
      look();
    }, want);
    await button.click();
    await screen.page.waitForFunction("globalThis.rowAt", { timeout: 20000 });
    if (i > 0) took.push(await screen.page.evaluate(() => globalThis.rowAt - globalThis.clickAt));  // the first loads code
  }
  console.log(`order from click to its row: median ${percentile(took, 50).toFixed(0)} ms, p95 ${percentile(took, 95).toFixed(0)}, `
    + `all ${sorted(took).map((ms) => ms.toFixed(0)).join(" ")}`);
  figure("terminal-order", percentile(took, 95));
  figure("terminal-order-median", percentile(took, 50));
  await screen.context.close();
  await stage.end();
}

const PARTS = { size, live, lighthouse, frames, order };
const wanted = process.argv.slice(2);
const possible = Object.keys(PARTS).filter((name) => name !== "lighthouse" || !process.env.NO_LIGHTHOUSE);
for (const name of wanted.length ? wanted : possible) {
  if (!PARTS[name]) throw new Error(`no part ${name}; there are ${Object.keys(PARTS).join(" ")}`);
  await PARTS[name]();
}
process.exit(0);
