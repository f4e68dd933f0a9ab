// SPDX-License-Identifier: MIT
// The API page: every operation is drawn from the contract, sends, signs, and keeps its last answer; hostile text stays
// text; no violation of axe's rules at desktop and phone width.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PHONE, assertFits } from "./browser.mjs";
import { start } from "./terminal.mjs";

const BATCH = "spot-POST-trade-orders-batch";

let stage;
before(async () => { stage = await start({ market: "none" }); });
after(() => stage?.end());

/** The operation with this anchor, opened. */
async function opened(screen, anchor) {
  const element = await screen.page.waitForSelector(`#${anchor}`, { timeout: 20_000 });
  if (!await element.evaluate((node) => node.open)) await (await element.$("summary")).click();
  await element.waitForSelector(".docs-content", { timeout: 20_000 });
  return element;
}

/** Presses the button of the form and waits for an answer that has this in it. */
async function send(screen, operation, pattern) {
  await (await operation.waitForSelector("button[type=submit]")).click();
  return screen.until(async () => {
    const texts = await operation.$$eval(".docs-answer pre", (all) => all.map((one) => one.textContent));
    return texts.find((text) => pattern.test(text));
  }, `an answer with ${pattern}`);
}

async function type(operation, text) {
  const body = await operation.$("textarea");
  await body.evaluate((node, value) => {
    node.value = value;
    node.dispatchEvent(new Event("input", { bubbles: true }));
  }, text);
}

test("every operation of the contract is drawn, and opens", async () => {
  const contract = await (await fetch(`${stage.exchange.url}/openapi.json`)).json();
  const count = Object.values(contract.paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
  const screen = await stage.open("/docs");
  await screen.page.waitForSelector("details", { timeout: 20_000 });
  assert.equal((await screen.page.$$("details")).length, count);
  await screen.page.$$eval("details", (all) => { for (const one of all) one.open = true; });
  await screen.until(async () => (await screen.page.$$("details .docs-content")).length === count, "all are opened");
  await screen.close();
});

test("a read and a signed write are answered, and the last answer is there after a reload", async () => {
  const screen = await stage.open("/docs");
  const book = await opened(screen, "spot-GET-markets-symbol-orderbook");
  await send(screen, book, /"code": 0/);
  const place = await opened(screen, BATCH);
  await screen.until(async () => (await screen.statusText()).includes("signs as 0xf39fd6e5"), "the address of the key");
  const text = await send(screen, place, /"orderID"/);
  assert.match(text, /^X-Chain-Tx: 0x[0-9a-f]{64}\nX-Chain-Block: 0x[0-9a-f]+\n/);
  await screen.picture("docs-answer");
  await screen.page.goto(`${stage.exchange.url}/docs#${BATCH}`);
  await screen.page.reload();
  const again = await opened(screen, BATCH);
  await screen.until(async () => (await again.$$eval(".docs-answer pre", (all) => all.map((one) => one.textContent)))
    .includes(text), "the kept answer");
  await screen.close();
});

test("a key is registered and revoked, and a wrong private key says so at its field", async () => {
  const screen = await stage.open("/docs");
  await send(screen, await opened(screen, "spot-POST-accounts-api-keys"), /"code": 0/);
  await send(screen, await opened(screen, "spot-DELETE-accounts-api-keys"), /"code": 0/);
  const key = await screen.page.$("input[type=password]");
  await key.evaluate((node) => {
    node.value = "0x1234";
    node.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await screen.until(() => key.evaluate((node) => node.getAttribute("aria-invalid") === "true"), "the field is marked");
  const place = await opened(screen, BATCH);
  await (await place.$("button[type=submit]")).click();
  await screen.says(/a private key is needed/);
  await screen.close();
});

test("examples follow what is filled in, in four languages; a body that is none is told", async () => {
  const screen = await stage.open("/docs");
  const place = await opened(screen, BATCH);
  await type(place, '{"accountID":1001,"orders":[{"clOrdID":"<img src=x onerror=alert(1)>"}]}');
  for (const [name, word] of [["curl", "dojima sign"], ["Python", "eth_account"], ["TypeScript", "viem"], ["Go", "crypto.Sign"]]) {
    await (await place.$(`[data-tab="${name}"]`)).click();
    await screen.until(async () => (await place.$eval(".docs-sample pre", (node) => node.textContent)).includes(word), name);
    assert.ok((await place.$eval(".docs-sample pre", (node) => node.textContent)).includes("<img src=x onerror=alert(1)>"));
  }
  assert.equal((await place.$$("img")).length, 0);
  await send(screen, place, /"code": 4\d+/);
  assert.equal((await place.$$("img")).length, 0);
  await type(place, "{");
  await screen.until(async () => await place.$("button[type=submit]") === null, "nothing can be sent");
  await screen.close();
});

test("a search leaves what it finds", async () => {
  const screen = await stage.open("/docs");
  const box = await screen.find("searchbox", "Find a path, a field, a word");
  await box.type("klines");
  await screen.until(async () => (await screen.page.$$("details")).length === 2, "both lists of bars");
  await screen.says(/2 of \d+/);
  await screen.close();
});

for (const [name, viewport] of [["desktop", undefined], ["phone", PHONE]])
  for (const scheme of ["dark", "light"])
    test(`axe finds nothing: ${name}, ${scheme}`, async () => {
      const media = [{ name: "prefers-color-scheme", value: scheme }];
      const screen = await stage.open("/docs", { media, ...(viewport && { viewport }) });
      const place = await opened(screen, BATCH);
      await send(screen, place, /"code"/);
      await opened(screen, "process-POST-rpc");
      await assertFits(screen);
      assert.deepEqual(await screen.page.$$eval(".docs-table", (all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel)), [], "no table scrolls sideways");
      assert.deepEqual(await screen.violations(), []);
      await screen.picture(`docs-${name}-${scheme}`);
      await place.evaluate((node) => node.scrollIntoView());
      await screen.picture(`docs-${name}-${scheme}-operation`);
      await screen.close();
    });
