// SPDX-License-Identifier: MIT
// Texts of requests as literals of each language, and the typed data that is signed.
import type { Asked, SignedAs } from '../request';

/** A word of a shell in single quotes. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A string of Python or TypeScript: in single quotes where these need no escape, else as JSON writes it. */
export const quoted = (text: string): string => (/['\\\n\r]/.test(text) ? JSON.stringify(text) : `'${text}'`);

/** A string of Go: raw where that is possible. */
export const goText = (text: string): string => (/[`\r]/.test(text) ? JSON.stringify(text) : `\`${text}\``);

export const webSocketOf = (asked: Asked, origin: string): string => origin.replace(/^http/, 'ws') + asked.target;

/** A subscription that each stream has. */
export const subscriptionOf = (asked: Asked): string =>
  JSON.stringify({
    op: 'subscribe',
    id: 1,
    params: { channel: 'ticker', symbols: [asked.target.includes('perps') ? 'BTC-USD' : 'vBTC_vUSDC'] },
  });

export interface TypedForm {
  readonly primaryType: string;
  readonly members: readonly (readonly [name: string, type: string])[];
  /** The first byte of X-API-Sign. */
  readonly typeByte: '01' | '02';
}

const KEY_MEMBERS = [
  ['accountID', 'uint64'],
  ['name', 'string'],
  ['keyType', 'uint8'],
  ['publicKey', 'bytes'],
  ['expiresAt', 'uint64'],
] as const;

const forms: Readonly<Record<SignedAs, Omit<TypedForm, 'typeByte'>>> = {
  action: {
    primaryType: 'ExchangeAction',
    members: [
      ['payloadHash', 'bytes32'],
      ['nonce', 'uint64'],
    ],
  },
  key: { primaryType: 'AddAPIKey', members: [...KEY_MEMBERS, ['nonce', 'uint64']] },
  permissioned: {
    primaryType: 'UserSignedAddPermissionedAPIKeyAction',
    members: [['chainID', 'uint64'], ['nonce', 'uint64'], ...KEY_MEMBERS, ['permissions', 'uint64']],
  },
};

export const formOf = (as: SignedAs, domain: string): TypedForm => ({
  ...forms[as],
  typeByte: domain === 'universal' ? '02' : '01',
});

/** The key of the body that gives a member of a key's typed form. */
export const keyOfMember = (member: string): string => (member === 'keyType' ? 'type' : member);
