// SPDX-License-Identifier: MIT
// A wallet of the browser (EIP-1193, EIP-6963) for tests. It signs with viem and, as real ones do, refuses typed data of
// another chain than its own.
import { packages } from "./browser.mjs";
import { PERPS } from "./exchange.mjs";

const { privateKeyToAccount } = packages("viem/accounts");
const CHAIN = 286623;

const refuse = (code, message) => ({ error: { code, message } });

/** Signs typed data with the account that the wallet has now. `onSign` is called first. */
async function signTyped(wallet, signers, refusal, [address, text]) {
  wallet.onSign?.();
  const data = JSON.parse(text);
  const signer = signers[wallet.account];
  if (refusal) return refuse(...refusal);
  if (address.toLowerCase() !== signer.address.toLowerCase()) return refuse(4100, "not this account");
  if (Number(data.domain.chainId) !== wallet.chainId) {
    return refuse(-32603, `Provided chainId "${data.domain.chainId}" must match the active chainId "${wallet.chainId}"`);
  }
  const { EIP712Domain, ...types } = data.types;
  return { result: await signer.signTypedData({ ...data, types }) };
}

/** In the page, before its scripts: the provider, which asks the test. `emit` is what the wallet itself does. */
function provide() {
  const request = async ({ method, params }) => {
    const answer = await globalThis.askWallet(method, params);
    if (answer.error) throw Object.assign(new Error(answer.error.message), answer.error);
    return answer.result;
  };
  const listeners = [];
  const provider = {
    request,
    on: (name, listener) => listeners.push([name, listener]),
    removeListener: (name, listener) => {
      const at = listeners.findIndex(([event, one]) => event === name && one === listener);
      if (at >= 0) listeners.splice(at, 1);
    },
    emit: (name, value) => {
      for (const [event, listener] of [...listeners]) if (event === name) listener(value);
    },
  };
  globalThis.ethereum = provider;
  const info = { uuid: "0b5a4d4e-0000-4000-8000-000000000001", name: "Test wallet", rdns: "test.wallet", icon: "" };
  const announce = () => dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
  addEventListener("eip6963:requestProvider", announce);
  announce();
}

/** A page with a wallet that has the key of a development account, and of `other`; `wallet.account` (0 or 1) and
    `wallet.chainId` may be changed at any time. `refusal`: code and message for what is to be signed. */
export async function withWallet(stage, { chainId = CHAIN, account = 1, other = account, refusal } = {}) {
  const { exchange } = stage;
  const signers = [account, other].map((number) => privateKeyToAccount(exchange.account(number).privateKey));
  const wallet = { account: 0, chainId, onSign: undefined };
  const asked = [];
  const own = () => ({ result: [signers[wallet.account].address] });
  const answers = {
    eth_chainId: () => ({ result: `0x${wallet.chainId.toString(16)}` }),
    eth_accounts: own,
    eth_requestAccounts: own,
    eth_signTypedData_v4: (params) => signTyped(wallet, signers, refusal, params),
  };
  const screen = await stage.open("about:blank");
  screen.origin = exchange.url;
  await screen.page.exposeFunction("askWallet", async (method, params) => {
    asked.push(method);
    return answers[method] ? answers[method](params ?? []) : refuse(4200, `unsupported: ${method}`);
  });
  await screen.page.evaluateOnNewDocument(provide);
  await screen.page.goto(`${exchange.url}/trade/${PERPS.symbol}`, { waitUntil: "domcontentloaded" });
  await screen.live();
  return { screen, asked, wallet, signers, signer: signers[0] };
}

export async function openAccounts(screen) {
  await screen.page.keyboard.press("a");
  return screen.page.waitForSelector("dialog[open]");
}
