// SPDX-License-Identifier: MIT
// The page of the interface, drawn from /openapi.json: every operation with its parameters, bodies and answers, and a form
// that sends it. Text reaches the page as text nodes alone, so nothing that is shown can become markup.
import { addressOf, signWrite } from "/docs/sign.mjs";

const $ = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}

const [contract, settings] = await Promise.all(["/openapi.json", "/docs/settings.json"].map(async (path) => (await fetch(path)).json()));

/* ---- schemas ---- */

const follow = (schema) => (schema?.$ref ? contract.components.schemas[schema.$ref.split("/").pop()] : schema) ?? {};
const nameOf = (schema) => schema?.$ref?.split("/").pop();

function typeOf(schema) {
  if (schema.$ref) return nameOf(schema);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" or ");
  if (schema.type === "array") return schema.prefixItems ? `[${schema.prefixItems.map(typeOf).join(", ")}]` : `array of ${typeOf(schema.items ?? {})}`;
  if (schema.enum) return schema.enum.map((value, i) => (schema["x-enum-names"] ? `${value} = ${schema["x-enum-names"][i]}` : value)).join(", ");
  return [schema.format ?? schema.type ?? "any", schema.default === undefined ? "" : `, ${schema.default} when absent`].join("");
}

function table(head, rows) {
  return make("table", {}, make("tr", {}, ...head.map((text) => make("th", {}, text))),
    ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell)))));
}

/** The fields of a record, and of those in it. */
function fields(schema, seen = new Set()) {
  const record = follow(schema);
  const name = nameOf(schema);
  if (name) { if (seen.has(name)) return []; seen.add(name); }
  if (record.type === "array" && !record.prefixItems) return fields(record.items, seen);
  if (!record.properties) return [];
  const inner = Object.values(record.properties).flatMap((field) => [field, ...(field.anyOf ?? [])]).map((field) => field.items ?? field).filter((field) => field.$ref);
  return [name ? make("h4", {}, name) : undefined, record.description ? make("p", {}, record.description) : undefined,
    table(["key", "type", "", "meaning"], Object.entries(record.properties).map(([key, field]) =>
      [make("code", {}, key), typeOf(field), record.required?.includes(key) ? "always" : "", field.description ?? ""])),
    ...inner.flatMap((field) => fields(field, seen))].filter((part) => part !== undefined);
}

/* ---- sending ---- */

let lastNonce = 0;
/** Milliseconds, each once: X-API-Nonce. */
const nextNonce = () => (lastNonce = Math.max(lastNonce + 1, Date.now()));

async function send(method, path, operation, inputs, body, show) {
  const query = new URLSearchParams();
  const headers = { Accept: "application/json" };
  let target = path;
  for (const { parameter, input } of inputs) {
    if (input.value === "") continue;
    if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
    if (parameter.in === "query") query.set(parameter.name, input.value);
  }
  if ([...query].length) target += `?${query}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (operation["x-signed-type"]) {
    const nonce = nextNonce(), chain = $("chain").value;
    body = JSON.stringify(JSON.parse(body));
    headers["X-API-Nonce"] = String(nonce);
    headers["X-API-Chain"] = chain;
    headers["X-API-Sign"] = signWrite(operation, chain, body, nonce, $("key").value);
    if ($("name").value) headers["X-API-Key"] = $("name").value;
  }
  const answer = await fetch(target, { method: method.toUpperCase(), headers, body });
  const text = await answer.text();
  const chain = ["X-Chain-Tx", "X-Chain-Block", "X-Chain-Index"].map((name) => [name, answer.headers.get(name)]).filter(([, value]) => value);
  let shown = text;
  try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* shown as it came */ }
  const sent = Object.entries(headers).map(([name, value]) => ` \\\n  -H '${name}: ${value}'`).join("");
  const curl = `curl${method === "get" ? "" : ` -X ${method.toUpperCase()}`} '${location.origin}${target}'${sent}${body === undefined ? "" : ` \\\n  -d '${body}'`}`;
  show(`${curl}\n\n${answer.status}\n${chain.map(([name, value]) => `${name}: ${value}\n`).join("")}\n${shown}`);
}

function tryIt(method, path, operation) {
  const inputs = (operation.parameters ?? []).filter((parameter) => parameter.in !== "header").map((parameter) => ({
    parameter, input: make("input", { value: parameter.required || parameter.in === "path" ? String(parameter.example ?? "") : "", placeholder: String(parameter.example ?? ""), spellcheck: "false", "aria-label": parameter.name }),
  }));
  const media = operation.requestBody?.content["application/json"];
  const body = media ? make("textarea", { rows: 6, spellcheck: "false", "aria-label": "body" }) : undefined;
  if (body) body.value = JSON.stringify(media.example ?? {}, null, 2);
  const result = make("pre", { hidden: true });
  const button = make("button", { type: "button", onclick: async () => {
    button.disabled = true;
    result.hidden = false;
    result.classList.remove("wrong");
    try {
      await send(method, path, operation, inputs, body?.value, (text) => { result.textContent = text; });
    } catch (error) {
      result.textContent = String(error.message ?? error);
      result.classList.add("wrong");
    }
    button.disabled = false;
  } }, operation["x-signed-type"] ? "Sign and send" : "Send");
  return make("form", { onsubmit: (event) => event.preventDefault() },
    ...inputs.map(({ parameter, input }) => make("label", {}, make("code", {}, parameter.name), " ", input)), body, make("p", {}, button), result);
}

/* ---- the page ---- */

function draw(path, method, operation) {
  const weight = operation["x-weight"];
  const media = operation.requestBody?.content["application/json"];
  const answer = Object.values(operation.responses["200"]?.content ?? {})[0]?.schema ?? {};      // a WebSocket answers nothing
  const data = answer.oneOf?.[0]?.properties?.data;
  const parameters = operation.parameters ?? [];
  const details = make("details", { id: operation.operationId },
    make("summary", {}, make("span", { class: "method" }, method.toUpperCase()), make("code", {}, path), " ", make("span", { class: "soft" }, operation.summary)));
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;          // drawn once, when it is opened first
    details.append(make("p", {}, `Weight ${weight.weight}${weight.more ? `, ${weight.more}` : ""}.`,
      operation["x-signed-type"] ? ` Signed: type ${operation["x-signed-type"]}, domain ${operation["x-signed-domain"]}, as ${operation["x-signed-as"]}.` : ""));
    if (parameters.length) details.append(table(["parameter", "in", "type", "", "meaning"], parameters.map((parameter) =>
      [make("code", {}, parameter.name), parameter.in, typeOf(parameter.schema), parameter.required ? "required" : "", parameter.description])));
    if (media) details.append(make("h3", {}, "Body"), ...fields(media.schema.oneOf?.[0] ?? media.schema));
    if (operation["x-methods"]) details.append(make("h3", {}, "Methods"), table(["method", "params", "result", "meaning"], operation["x-methods"].map((one) =>
      [make("code", {}, one.name), one.params.map((param) => `${param.name}${param.required ? "" : "?"}: ${param.kind}`).join(", "), one.result, one.description])));
    if (data) details.append(make("h3", {}, `data: ${typeOf(data)}`), ...fields(data));
    if (operation["x-signed-as"] !== "OraclePrices") details.append(make("h3", {}, "Try it"), tryIt(method, path, operation));     /* a program's, see dojima oracle */
  });
  details.words = `${method} ${path} ${operation.summary} ${JSON.stringify(parameters.map((one) => one.name))} ${typeOf(data ?? {})}`.toLowerCase();
  return details;
}

function drawAll() {
  const groups = new Map(contract.tags.map(({ name }) => [name, []]));
  for (const [path, methods] of Object.entries(contract.paths))
    for (const [method, operation] of Object.entries(methods)) groups.get(operation.tags[0]).push(draw(path, method, operation));
  $("operations").replaceChildren(...[...groups].flatMap(([name, all]) => [make("h2", {}, name), ...all]));
  $("about").textContent = `${contract.info.version} — ${contract.info.description}`;
  $("errors").replaceWith(table(["code", "HTTP", "error", "field", "rule"], contract["x-errors"].map((row) => [row.code, row.http, row.error, row.field, row.rule].map(String))));
}

function showAddress() {
  try { $("address").textContent = $("key").value ? `signs as ${addressOf($("key").value)}` : ""; }
  catch (error) { $("address").textContent = error.message; }
}

for (const id of settings.chainIds) $("chain").append(make("option", {}, String(id)));
$("account").append(make("option", { value: "" }, settings.accounts.length ? "none" : "none in production"),
  ...settings.accounts.map((account) => make("option", { value: account.privateKey }, `${account.accountID} ${account.address}`)));
$("account").addEventListener("change", () => { $("key").value = $("account").value; showAddress(); });
$("key").addEventListener("input", showAddress);
if (settings.accounts.length) { $("account").selectedIndex = 1; $("key").value = settings.accounts[0].privateKey; showAddress(); }
$("search").addEventListener("input", () => {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const details of document.querySelectorAll("#operations > details")) details.hidden = !words.every((one) => details.words.includes(one));
});
drawAll();
