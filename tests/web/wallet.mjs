// SPDX-License-Identifier: MIT
// Keys: a wrong one that is pasted, and a wallet of the browser (EIP-1193) that approves a key of the page once. The wallet
// signs with viem and, as real ones do, refuses typed data of another chain than its own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { packages } from "./browser.mjs";
import { PERPS } from "./exchange.mjs";
import { start } from "./terminal.mjs";

const { privateKeyToAccount } = packages("viem/accounts");

const CHAIN = 286623;
let stage, exchange;
before(async () => {
  stage = await start({ market: "none" });
  exchange = stage.exchange;
  await exchange.book(PERPS, 100000, 10);
});
after(() => stage?.end());

/** A wallet with the key of a development account, on chain `chainId`. `refusal`: code and message for what is to be
    signed. */
async function withWallet({ chainId = CHAIN, account = 1, refusal } = {}) {
  const signer = privateKeyToAccount(exchange.account(account).privateKey);
  const asked = [];
  const refuse = (code, message) => ({ error: { code, message } });
  const answers = {
    eth_chainId: () => ({ result: `0x${chainId.toString(16)}` }),
    eth_accounts: () => ({ result: [signer.address] }),
    eth_requestAccounts: () => ({ result: [signer.address] }),
    eth_signTypedData_v4: async ([address, text]) => {
      const data = JSON.parse(text);
      if (refusal) return refuse(...refusal);
      if (address.toLowerCase() !== signer.address.toLowerCase()) return refuse(4100, "not this account");
      if (Number(data.domain.chainId) !== chainId) {
        return refuse(-32603, `Provided chainId "${data.domain.chainId}" must match the active chainId "${chainId}"`);
      }
      const { EIP712Domain, ...types } = data.types;
      return { result: await signer.signTypedData({ ...data, types }) };
    },
  };
  const screen = await stage.open("about:blank");
  screen.origin = exchange.url;
  await screen.page.exposeFunction("askWallet", async (method, params) => {
    asked.push(method);
    return answers[method] ? answers[method](params ?? []) : refuse(4200, `unsupported: ${method}`);
  });
  await screen.page.evaluateOnNewDocument(() => {
    const request = async ({ method, params }) => {
      const answer = await globalThis.askWallet(method, params);
      if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
      return answer.result;
    };
    const provider = { request, on() {}, removeListener() {} };
    globalThis.ethereum = provider;
    const info = { uuid: "0b5a4d4e-0000-4000-8000-000000000001", name: "Test wallet", rdns: "test.wallet", icon: "" };
    const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
    addEventListener("eip6963:requestProvider", announce);
    announce();
  });
  await screen.page.goto(`${exchange.url}/trade/${PERPS.symbol}`, { waitUntil: "domcontentloaded" });
  await screen.live();
  return { screen, asked, signer };
}

async function openAccounts(screen) {
  await screen.page.keyboard.press("a");
  return screen.page.waitForSelector("dialog[open]");
}

test("a wrong key is refused at its field", async () => {
  const screen = await stage.open(`/trade/${PERPS.symbol}`);
  await screen.live();
  const dialog = await openAccounts(screen);
  for (const wrong of ["0x1234", "0x" + "0".repeat(64), "0x" + "f".repeat(64), "my secret words"]) {
    await screen.fill("Private key", wrong, dialog);
    await screen.click("button", "Use this key", dialog);
    await screen.until(async () => /key/i.test(await screen.page.$eval("dialog [aria-invalid=true]", (node) =>
      document.getElementById(node.getAttribute("aria-describedby") ?? "")?.innerText ?? "").catch(() => "")), `a reason for ${wrong.slice(0, 10)}`);
  }
  await screen.picture("wrong-key");
  await screen.close();
});

test("a wallet approves a key once, then the page signs", async () => {
  const { screen, asked, signer } = await withWallet();
  const dialog = await openAccounts(screen);
  await screen.click("button", "Connect a wallet", dialog);
  await screen.until(() => asked.includes("eth_signTypedData_v4"), "the wallet is asked to sign");
  await screen.until(async () => !(await screen.page.$("dialog[open]")), "signed in");
  const signed = asked.filter((method) => method === "eth_signTypedData_v4").length;
  await screen.order("Buy", "0.01", "99000");
  await screen.openOrders(1);
  const { orders } = await exchange.get("perps", `/accounts/${signer.address}/orders`);
  assert.equal(orders.length, 1);
  assert.equal(asked.filter((method) => method === "eth_signTypedData_v4").length, signed, "no question to the wallet for an order");
  await screen.close();
});

test("a wallet on another chain approves with its own, and is not asked to change it", async () => {
  const { screen, asked, signer } = await withWallet({ chainId: 1, account: 2 });
  const dialog = await openAccounts(screen);
  await screen.click("button", "Connect a wallet", dialog);
  await screen.until(async () => !(await screen.page.$("dialog[open]")), "signed in");
  await screen.order("Buy", "0.02", "99000");
  await screen.openOrders(1);
  const { orders } = await exchange.get("perps", `/accounts/${signer.address}/orders`);
  assert.deepEqual(orders.map((order) => order.origQty), ["0.02"]);
  assert.ok(!asked.includes("wallet_switchEthereumChain"));
  await screen.close();
});

test("what a wallet refuses is told plainly, and nobody is signed in", async () => {
  for (const [refusal, told] of [[[4001, "User rejected the request."], /declin|reject|refus/i],
                                 [[-32603, "Provided chainId must match the active chainId"], /must match the active chainId/]]) {
    const { screen, signer } = await withWallet({ account: 3, refusal });
    const dialog = await openAccounts(screen);
    await screen.click("button", "Connect a wallet", dialog);
    await screen.until(async () => told.test(await screen.text(dialog)), `it says ${told}`);
    const { spot } = await exchange.get("", `/user/${signer.address}/api-keys`);
    assert.deepEqual(spot.filter((key) => key.name !== "dev"), []);
    await screen.picture("wallet-refuses");
    await screen.close();
  }
});
