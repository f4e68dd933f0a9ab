// SPDX-License-Identifier: MIT
// Whose orders these are: a development account, a key that was pasted (in memory only), or a wallet of the browser
// that has approved a key of this page.
import { signal } from '@preact/signals-core';
import { type Signer, localSigner, warmUp } from '../core/sign';
import { messages } from '../ui/i18n';
import { remembered } from './prefs';
import { forgetKey } from './vault';
import { venue } from './venue';

export type AccountKind = 'development' | 'pasted' | 'wallet';

export interface Account {
  readonly kind: AccountKind;
  readonly accountID: number;
  /** The owner's address, lower case. */
  readonly address: string;
  readonly signer: Signer;
}

const say = messages({
  noAccount: { en: 'The address {address} has no account here', ja: 'アドレス {address} の口座はありません' },
});

/** Undefined: nobody is signed in, panels of the account say so. */
export const account = signal<Account | undefined>(undefined);

export type SignIn = { readonly ok: true } | { readonly ok: false; readonly error: string };

export const failed = (error: string): SignIn => ({ ok: false, error });

/** The development account that was used last; only its number is kept. */
const lastUsed = remembered<number>('account', 0, (value): value is number => typeof value === 'number');

/** The curve is loaded when the first screen stands, before the first order. */
const WARM_UP = 1_500;

/** Each choice makes the answers of earlier ones void. */
let choice = 0;
export const choose = (): number => ++choice;

/** Signs in, unless another choice was made since `mine`. */
export function enter(mine: number, next: Account): SignIn {
  if (mine === choice) account.value = next;
  setTimeout(() => void warmUp().catch(() => {}), WARM_UP);
  return { ok: true };
}

export async function signInDevelopment(accountID: number): Promise<SignIn> {
  const mine = choose();
  const found = venue.value?.accounts.find((one) => one.accountID === accountID);
  if (!found) return failed(say.noAccount({ address: accountID }));
  lastUsed.value = accountID;
  const address = found.address.toLowerCase();
  return enter(mine, { kind: 'development', accountID, address, signer: localSigner(found.privateKey, address) });
}

/** In development: the account of the last visit, or the first one. Who has chosen or signed out before stays so. */
export async function signInByDefault(): Promise<void> {
  if (choice !== 0) return;
  const accounts = venue.value?.accounts ?? [];
  const found = accounts.find((one) => one.accountID === lastUsed.value) ?? accounts[0];
  if (found) await signInDevelopment(found.accountID);
}

/** The page forgets every key of the account. */
export function signOut(): void {
  choice++;
  if (account.value?.kind === 'wallet') void forgetKey(account.value.address);
  account.value = undefined;
}
