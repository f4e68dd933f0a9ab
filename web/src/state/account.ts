// SPDX-License-Identifier: MIT
// Whose orders these are: a development account, a key that was pasted (in memory only), or a wallet of the browser
// that has approved a key of this page.
import { signal } from '@preact/signals-core';
import type { Signer } from '../core/sign';

export type AccountKind = 'development' | 'pasted' | 'wallet';

export interface Account {
  readonly kind: AccountKind;
  readonly accountID: number;
  /** The owner's address, lower case. */
  readonly address: string;
  readonly signer: Signer;
}

/** Undefined: nobody is signed in, panels of the account say so. */
export const account = signal<Account | undefined>(undefined);

export type SignIn = { readonly ok: true } | { readonly ok: false; readonly error: string };

export async function signInDevelopment(_accountID: number): Promise<SignIn> {
  return { ok: false, error: 'not loaded' };
}

export async function signInKey(_privateKey: string, _apiKeyName?: string, _owner?: string): Promise<SignIn> {
  return { ok: false, error: 'not loaded' };
}

export async function signInWallet(): Promise<SignIn> {
  return { ok: false, error: 'not loaded' };
}

export function signOut(): void {
  account.value = undefined;
}
