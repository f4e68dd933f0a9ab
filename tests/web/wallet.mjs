// SPDX-License-Identifier: MIT
// Keys: a wrong one that is pasted, and a wallet of the browser (EIP-1193) that approves a key of the page once. The wallet
// signs with viem and, as real ones do, refuses typed data of another chain than its own.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PERPS } from "./exchange.mjs";
import { openAccounts, withWallet } from "./signers.mjs";
import { start } from "./terminal.mjs";

let stage, exchange;
before(async () => {
  stage = await start({ market: "none" });
  exchange = stage.exchange;
  await exchange.book(PERPS, 100000, 10);
});
after(() => stage?.end());

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
  const { screen, asked, signer } = await withWallet(stage);
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
  const { screen, asked, signer } = await withWallet(stage, { chainId: 1, account: 2 });
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
    const { screen, signer } = await withWallet(stage, { account: 3, refusal });
    const dialog = await openAccounts(screen);
    await screen.click("button", "Connect a wallet", dialog);
    await screen.until(async () => told.test(await screen.text(dialog)), `it says ${told}`);
    const { spot } = await exchange.get("", `/user/${signer.address}/api-keys`);
    assert.deepEqual(spot.filter((key) => key.name !== "dev"), []);
    await screen.picture("wallet-refuses");
    await screen.close();
  }
});
