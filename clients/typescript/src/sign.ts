// SPDX-License-Identifier: MIT
// Who signs a write. The curve and the hash are published libraries behind this interface: viem's (account.ts) in the
// package, smaller ones in the terminal.

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
