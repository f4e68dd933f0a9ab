// SPDX-License-Identifier: MIT
// Who signs a write. The curve and the hash are published libraries (curve.ts), loaded when a key is used first.

export type Domain = 'spot' | 'futures' | 'universal';

export interface ToSign {
  readonly domain: Domain;
  /** `type` of the signed payload, such as `newOrder`. */
  readonly type: string;
  /** The exact text that is sent as the body. */
  readonly body: string;
  readonly nonce: number;
  readonly chainId: number;
}

export interface Signer {
  /** The wallet that owns the account, lower case. */
  readonly owner: string;
  /** X-API-Key: the name of an API key; undefined when the main wallet signs. */
  readonly keyName: string | undefined;
  /** X-API-Sign: 66 bytes in hex. */
  sign(request: ToSign): Promise<string>;
}

/** A private key as a person pastes it: 64 hex digits, 0x or not. Undefined when it is none. */
export function readPrivateKey(text: string): string | undefined {
  const digits = text.trim().replace(/^0x/i, '').toLowerCase();
  return /^[0-9a-f]{64}$/.test(digits) ? `0x${digits}` : undefined;
}

const curve = () => import('./curve');

/** Loads the curve before it is needed, so that the first order does not wait for it. */
export const warmUp = (): Promise<void> => curve().then((module) => module.warmUp());

/** The address of a private key, lower case. Throws when the key is outside of the curve's order. */
export const addressOf = (privateKey: string): Promise<string> =>
  curve().then((module) => module.addressOf(privateKey));

/** A new key from the browser's random source. */
export const newPrivateKey = (): Promise<string> => curve().then((module) => module.newPrivateKey());

/** A signer with a key that this page has: the main wallet's, or with a name an API key's of this owner. */
export function localSigner(privateKey: string, owner: string, keyName?: string): Signer {
  return {
    owner: owner.toLowerCase(),
    keyName,
    sign: (request) => curve().then((module) => module.signAction(request, privateKey)),
  };
}
