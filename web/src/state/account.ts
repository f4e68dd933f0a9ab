// SPDX-License-Identifier: MIT
// Whose orders these are: a development account, a key that was pasted (in memory only), or a wallet of the browser
// that has approved a key of this page.
import { signal } from '@preact/signals-core';
import { get } from '../core/api';
import { exchangeClock } from '../core/clock';
import { type Signer, addressOf, localSigner, newPrivateKey, readPrivateKey, warmUp } from '../core/sign';
import { messages } from '../ui/i18n';
import { remembered } from './prefs';
import { findKey, forgetKey, keepKey } from './vault';
import { venue } from './venue';
import { type Provider, addressOfWallet, approveKey, registeredKey } from './wallet';

export type AccountKind = 'development' | 'pasted' | 'wallet';

export interface Account {
  readonly kind: AccountKind;
  readonly accountID: number;
  /** The owner's address, lower case. */
  readonly address: string;
  readonly signer: Signer;
}

const say = messages({
  notKey: { en: 'A private key has 64 hex digits', ja: '秘密鍵は16進数64桁です' },
  outside: { en: 'This number is not a key of the curve', ja: 'この数値は曲線の鍵ではありません' },
  noAccount: { en: 'The address {address} has no account here', ja: 'アドレス {address} の口座はありません' },
  noKey: { en: 'No API key of this name belongs to this key', ja: 'この名前のAPIキーはこの鍵と一致しません' },
  notAddress: { en: 'An address is 0x and 40 hex digits', ja: 'アドレスは0xと16進数40桁です' },
  unreachable: { en: 'The exchange did not answer: {error}', ja: '取引所から応答がありません: {error}' },
  declined: { en: 'The wallet declined', ja: 'ウォレットで拒否されました' },
  refused: { en: 'The key was not registered: {error}', ja: '鍵は登録されませんでした: {error}' },
});

/** Undefined: nobody is signed in, panels of the account say so. */
export const account = signal<Account | undefined>(undefined);

export type SignIn = { readonly ok: true } | { readonly ok: false; readonly error: string };

const failed = (error: string): SignIn => ({ ok: false, error });

/** The development account that was used last; only its number is kept. */
const lastUsed = remembered<number>('account', 0, (value): value is number => typeof value === 'number');

/** The curve is loaded when the first screen stands, before the first order. */
const WARM_UP = 1_500;

/** Each choice makes the answers of earlier ones void. */
let choice = 0;

function enter(mine: number, next: Account): SignIn {
  if (mine === choice) account.value = next;
  setTimeout(() => void warmUp().catch(() => {}), WARM_UP);
  return { ok: true };
}

export async function signInDevelopment(accountID: number): Promise<SignIn> {
  const mine = ++choice;
  const found = venue.value?.accounts.find((one) => one.accountID === accountID);
  if (!found) return failed(say.noAccount({ address: accountID }));
  lastUsed.value = accountID;
  const address = found.address.toLowerCase();
  return enter(mine, { kind: 'development', accountID, address, signer: localSigner(found.privateKey, address) });
}

/** In development: the account of the last visit, or the first one. */
export async function signInByDefault(): Promise<void> {
  const accounts = venue.value?.accounts ?? [];
  const found = accounts.find((one) => one.accountID === lastUsed.value) ?? accounts[0];
  if (found) await signInDevelopment(found.accountID);
}

interface Subaccounts {
  readonly userID: number;
  readonly primaryAccountID: number;
}

/** The primary account of an address, or why there is none. */
async function accountOf(address: string): Promise<number | string> {
  const reply = await get<Subaccounts>(`/api/v1/user/${address}/subaccounts`);
  if (!reply.ok) return reply.status === 0 ? say.unreachable({ error: reply.error }) : reply.error;
  return reply.data.primaryAccountID === 0 ? say.noAccount({ address }) : reply.data.primaryAccountID;
}

/** A main wallet's key, or with a name and the owner's address an API key's. It stays in memory. */
export async function signInKey(text: string, apiKeyName = '', ownerText = ''): Promise<SignIn> {
  const mine = ++choice;
  const privateKey = readPrivateKey(text);
  if (privateKey === undefined) return failed(say.notKey());
  let address: string;
  try {
    address = await addressOf(privateKey);
  } catch {
    return failed(say.outside());
  }
  const owner = apiKeyName === '' ? address : ownerText.trim().toLowerCase();
  if (!/^0x[0-9a-f]{40}$/.test(owner)) return failed(say.notAddress());
  const accountID = await accountOf(owner);
  if (typeof accountID === 'string') return failed(accountID);
  if (apiKeyName !== '' && !(await registeredKey(owner, apiKeyName, address))) return failed(say.noKey());
  const signer = localSigner(privateKey, owner, apiKeyName === '' ? undefined : apiKeyName);
  return enter(mine, { kind: 'pasted', accountID, address: owner, signer });
}

const KEY_DAYS = 30;
const MAY_NOT_WITHDRAW = 4;

/** A new key that the wallet approves, or why there is none. */
async function approvedKey(provider: Provider, owner: string, accountID: number) {
  const privateKey = await newPrivateKey();
  const publicKey = await addressOf(privateKey);
  const name = `terminal-${publicKey.slice(2, 10)}`;
  const expiresAt = exchangeClock.now() + KEY_DAYS * 86_400_000;
  const request = { accountID, name, type: 1, publicKey, expiresAt, permissions: MAY_NOT_WITHDRAW } as const;
  const refusal = await approveKey(provider, owner, request, venue.value?.chainIds[0] ?? 0);
  return refusal ?? { owner, accountID, name, privateKey, expiresAt };
}

/** Finds the key that this wallet approved before, or lets it approve one. */
export async function signInWallet(provider: Provider): Promise<SignIn> {
  const mine = ++choice;
  try {
    const owner = await addressOfWallet(provider);
    const accountID = await accountOf(owner);
    if (typeof accountID === 'string') return failed(accountID);
    let key = await findKey(owner);
    const usable =
      key &&
      key.expiresAt > exchangeClock.now() &&
      (await registeredKey(owner, key.name, await addressOf(key.privateKey)));
    if (!key || !usable) {
      const fresh = await approvedKey(provider, owner, accountID);
      if (typeof fresh === 'string') return failed(say.refused({ error: fresh }));
      await keepKey(fresh);
      key = fresh;
    }
    const signer = localSigner(key.privateKey, owner, key.name);
    return enter(mine, { kind: 'wallet', accountID, address: owner, signer });
  } catch (error) {
    const code = (error as { code?: number } | null)?.code;
    return failed(code === 4001 ? say.declined() : error instanceof Error ? error.message : say.declined());
  }
}

/** The page forgets every key of the account. */
export function signOut(): void {
  choice++;
  if (account.value?.kind === 'wallet') void forgetKey(account.value.address);
  account.value = undefined;
}
