// SPDX-License-Identifier: MIT
// Wallets of the browser (EIP-1193, found by EIP-6963): one approves an API key of this page once, then the page signs
// with that key. The key may trade, cancel and transfer between spot and perps, and may not withdraw.
import { get, readEnvelope } from '../core/api';
import { BAD_NONCE, exchangeClock } from '../core/clock';
import type { ApiKey } from '../core/types';

export interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
  /** Events of EIP-1193, of which this page hears `accountsChanged`. */
  on?(event: string, listener: (value: unknown) => void): unknown;
}

export interface Wallet {
  readonly name: string;
  readonly provider: Provider;
}

interface Announcement {
  readonly detail?: { readonly info?: { name?: string; uuid?: string }; readonly provider?: Provider };
}

/** The wallets that announce themselves within a moment, or the one that is simply there. */
export async function findWallets(): Promise<readonly Wallet[]> {
  const found = new Map<string, Wallet>();
  const hear = (event: Event) => {
    const { info, provider } = (event as unknown as Announcement).detail ?? {};
    if (provider) found.set(info?.uuid ?? String(found.size), { name: info?.name ?? 'Wallet', provider });
  };
  addEventListener('eip6963:announceProvider', hear);
  dispatchEvent(new Event('eip6963:requestProvider'));
  await new Promise((resolve) => setTimeout(resolve, 100));
  removeEventListener('eip6963:announceProvider', hear);
  const plain = (globalThis as { ethereum?: Provider }).ethereum;
  if (found.size === 0 && plain) return [{ name: 'Wallet', provider: plain }];
  return [...found.values()];
}

/** The wallet's address, lower case, after it agreed to tell it. */
export async function addressOfWallet(provider: Provider): Promise<string> {
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[];
  const [first] = accounts;
  if (!first || !/^0x[0-9a-f]{40}$/i.test(first)) throw new Error('the wallet gave no address');
  return first.toLowerCase();
}

/** A key to be approved; `permissions` are what it may not do: 4 withdraw. */
export interface KeyRequest {
  readonly accountID: number;
  readonly name: string;
  readonly type: 1;
  readonly publicKey: string;
  readonly expiresAt: number;
  readonly permissions: number;
}

const field = (name: string, type: string) => ({ name, type });

/** Typed data of UserSignedAddPermissionedAPIKeyAction (wire 3.5) for eth_signTypedData_v4. */
export function approvalOf(key: KeyRequest, nonce: number, exchangeChain: number, walletChain: number) {
  return {
    types: {
      EIP712Domain: [
        field('name', 'string'),
        field('version', 'string'),
        field('chainId', 'uint256'),
        field('verifyingContract', 'address'),
      ],
      UserSignedAddPermissionedAPIKeyAction: [
        field('chainID', 'uint64'),
        field('nonce', 'uint64'),
        field('accountID', 'uint64'),
        field('name', 'string'),
        field('keyType', 'uint8'),
        field('publicKey', 'bytes'),
        field('expiresAt', 'uint64'),
        field('permissions', 'uint64'),
      ],
    },
    primaryType: 'UserSignedAddPermissionedAPIKeyAction',
    domain: {
      name: 'universal',
      version: '1',
      chainId: walletChain,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    message: {
      chainID: exchangeChain,
      nonce,
      accountID: key.accountID,
      name: key.name,
      keyType: key.type,
      publicKey: key.publicKey,
      expiresAt: key.expiresAt,
      permissions: key.permissions,
    },
  };
}

/** The registered key of this name, if it is this key; used to find out what became of a lost reply too. */
export async function registeredKey(owner: string, name: string, publicKey: string): Promise<ApiKey | undefined> {
  const keys = await get<{ spot: ApiKey[] }>(`/api/v1/user/${owner}/api-keys`, { name });
  if (!keys.ok) return undefined;
  return keys.data.spot.find((one) => one.name === name && one.publicKey.toLowerCase() === publicKey.toLowerCase());
}

/**
 * Lets the wallet approve a key. The domain has the wallet's own chain, because wallets refuse to sign for another one
 * (wire 3.6). Gives undefined when it is registered, else why not; throws what the wallet throws.
 */
export async function approveKey(provider: Provider, owner: string, key: KeyRequest, exchangeChain: number) {
  const walletChain = Number(await provider.request({ method: 'eth_chainId' }));
  const nonce = exchangeClock.nonce();
  const typed = JSON.stringify(approvalOf(key, nonce, exchangeChain, walletChain));
  const signature = String(await provider.request({ method: 'eth_signTypedData_v4', params: [owner, typed] }));
  if (!/^0x[0-9a-f]{130}$/i.test(signature)) throw new Error('the wallet gave no signature');
  let refusal = 'no answer';
  try {
    const answer = await fetch(`/api/v1/user/${owner}/api-keys`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Chain': String(walletChain),
        'X-API-Nonce': String(nonce),
        'X-API-Sign': `0x02${signature.slice(2)}`,
      },
      body: JSON.stringify(key),
    });
    const reply = readEnvelope(answer.status, await answer.text());
    if (reply.ok) return undefined;
    refusal = reply.error;
    if (reply.code === BAD_NONCE) exchangeClock.refused(nonce, reply.details, reply.time, 0); // for the next approval
  } catch {
    // What became of it is read below.
  }
  return (await registeredKey(owner, key.name, key.publicKey)) ? undefined : refusal;
}
