// SPDX-License-Identifier: MIT
// The page of the interface without a browser: node page_test.mjs URL. A small document replaces the real one; page.mjs runs
// unchanged, draws itself from the running exchange, and its buttons send.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const base = process.argv[2];
const all = new Map();

class Element {
  constructor(tag) { Object.assign(this, { tag, children: [], listeners: {}, attributes: {}, value: "", hidden: false, disabled: false, textContent: "" }); }
  classList = { add: () => {}, remove: () => {} };
  setAttribute(name, value) {
    this.attributes[name] = value;
    if (name === "value") this.value = value;
    if (name === "hidden") this.hidden = true;
    if (name === "id") all.set(value, this);
  }
  addEventListener(name, call) { (this.listeners[name] ??= []).push(call); }
  append(...children) {
    for (const child of children) { assert.ok(typeof child === "string" || child instanceof Element, `a ${typeof child} in <${this.tag}>`); this.children.push(child); }
  }
  replaceChildren(...children) { this.children = []; this.append(...children); }
  replaceWith(other) { all.set(this.attributes.id, other); }
  get childElementCount() { return this.children.filter((child) => child instanceof Element).length; }
  set selectedIndex(index) { this.value = this.children[index].attributes.value ?? this.children[index].children[0]; }
  async fire(name) { for (const call of this.listeners[name] ?? []) await call({ preventDefault: () => {} }); }
  *walk() { yield this; for (const child of this.children) if (child instanceof Element) yield* child.walk(); }
  text() { return this.textContent + this.children.map((child) => (typeof child === "string" ? child : child.text())).join(" "); }
}

const html = await (await fetch(`${base}/docs`)).text();
for (const [, tag, id] of html.matchAll(/<(\w+)[^>]* id="(\w+)"/g)) new Element(tag).setAttribute("id", id);
assert.ok(all.size >= 8);
globalThis.document = { createElement: (tag) => new Element(tag), getElementById: (id) => all.get(id) ?? assert.fail(`no #${id}`),
  querySelectorAll: () => all.get("operations").children.filter((child) => child.tag === "details") };
globalThis.location = { origin: base };
const sent = [];
const send = globalThis.fetch;
globalThis.fetch = async (target, options) => {
  assert.ok(target.startsWith("/"), `the page asks for ${target}`);
  sent.push([target, options]);
  return send(base + target, options);
};
const serve = async (path) => (await send(base + path)).text();

// The modules as they are served; only the import between them has another name on disk.
const folder = mkdtempSync(join(tmpdir(), "dojima-page-"));
try {
  writeFileSync(join(folder, "sign.mjs"), await serve("/docs/sign.mjs"));
  writeFileSync(join(folder, "page.mjs"), (await serve("/docs/page.mjs")).replace('"/docs/sign.mjs"', '"./sign.mjs"'));
  await import(pathToFileURL(join(folder, "page.mjs")).href);
} finally {
  rmSync(folder, { recursive: true });
}

const contract = JSON.parse(await serve("/openapi.json"));
const settings = JSON.parse(await serve("/docs/settings.json"));
all.get("chain").value = String(settings.chainIds[0]);
assert.equal(all.get("address").textContent, `signs as ${settings.accounts[0].address}`);
const drawn = all.get("operations").children.filter((child) => child.tag === "details");
let operations = 0, buttons = 0;
for (const methods of Object.values(contract.paths)) operations += Object.keys(methods).length;
assert.equal(drawn.length, operations);
for (const details of drawn) {
  await details.fire("toggle");
  const text = details.text(), [path, method] = Object.entries(contract.paths).flatMap(([path, methods]) => Object.entries(methods)
    .filter(([, operation]) => operation.operationId === details.attributes.id).map(([method]) => [path, method]))[0];
  const operation = contract.paths[path][method];
  assert.ok(text.includes(path) && text.includes(operation.summary), path);
  for (const parameter of operation.parameters) assert.ok(text.includes(parameter.name), `${path}: ${parameter.name}`);
}
const press = async (path, method, edit = () => {}) => {
  const id = contract.paths[path][method].operationId;
  const parts = [...drawn.find((details) => details.attributes.id === id).walk()];
  const result = parts.findLast((part) => part.tag === "pre");
  edit(parts.find((part) => part.tag === "textarea"));
  await parts.find((part) => part.tag === "button").fire("click");
  buttons++;
  return result.textContent;
};
assert.match(await press("/api/v1/spot/markets/{symbol}/orderbook", "get"), /curl[^]*\n200\n[^]*"code": 0/);
for (const [path, method] of [["/api/v1/spot/trade/orders/batch", "post"], ["/api/v1/spot/trade/orders/replace", "post"],
  ["/api/v1/spot/trade/orders/batch", "delete"], ["/api/v1/spot/trade/orders/schedule-cancel", "post"], ["/api/v1/spot/accounts/transfers", "post"],
  ["/api/v1/perps/accounts/transfers", "post"], ["/api/v1/spot/accounts/api-keys", "post"], ["/api/v1/user/{userAddress}/api-keys", "post"],
  ["/api/v1/spot/accounts/api-keys", "delete"], ["/api/v1/user/{userAddress}/api-keys", "delete"]]) {
  const shown = await press(path, method);
  assert.match(shown, /\n200\nX-Chain-Tx: 0x[0-9a-f]{64}\n/, `${method} ${path}: ${shown}`);
  assert.match(shown, /"code": 0/, shown);
}
assert.match(await press("/rpc", "post"), /"result"/);
assert.match(await press("/api/v1/spot/trade/orders/batch", "post", (body) => { body.value = "{"; }), /JSON/);
for (const [target] of sent) assert.ok(!target.includes("://"));
all.get("search").value = "klines";
await all.get("search").fire("input");
assert.equal(drawn.filter((details) => !details.hidden).length, Object.keys(contract.paths).filter((path) => path.includes("klines")).length);
console.log(`page: ${operations} operations drawn, ${buttons} requests sent`);
