// SPDX-License-Identifier: MIT
// Signatures bit for bit against the published vectors of docs/spec, and what is no key.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { actionDigest, addKeyDigest, addressOf, signAction, signDigest } from '../src/core/curve';
import { type Domain, localSigner, readPrivateKey } from '../src/core/sign';

const KEY = '0x0123456789012345678901234567890123456789012345678901234567890123';
const ADDRESS = '0x14791697260e4c9a71f18484c9f997b308e59325';

interface Vector {
  label: string;
  domain?: Domain;
  primaryType?: string;
  chainId: number;
  nonce: string;
  json: string;
  body: string;
  digest: string;
  xApiSign?: string;
  message?: Record<string, string | number>;
}

const read = (name: string): Vector[] =>
  JSON.parse(readFileSync(new URL(`../../docs/spec/${name}`, import.meta.url), 'utf8')) as Vector[];

const all = [...read('wire_vectors.json'), ...read('wire_golden.json')];
const actions = all.filter((one) => one.domain !== undefined && one.json);
const hex = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

/** The type in the hashed text. */
const typeOf = (one: Vector): string => (JSON.parse(one.json) as { type: string }).type;

describe('actions', () => {
  test('there are as many as the files have', () => expect(actions.length).toBeGreaterThanOrEqual(24));
  test.each(actions.map((one): [string, Vector] => [one.label, one]))('%s', async (_label, one) => {
    const request = {
      domain: one.domain as Domain,
      type: typeOf(one),
      body: one.body,
      nonce: Number(one.nonce),
      chainId: one.chainId,
    };
    expect(hex(actionDigest(request))).toBe(one.digest);
    if (!one.xApiSign) return;
    expect(signAction(request, KEY)).toBe(one.xApiSign);
    expect(await localSigner(KEY, ADDRESS).sign(request)).toBe(one.xApiSign);
  });
});

test('AddAPIKey (V13)', () => {
  const one = all.find((vector) => vector.primaryType === 'AddAPIKey');
  const { accountID, name, keyType, publicKey, expiresAt, nonce } = one?.message ?? {};
  const key = {
    accountID: Number(accountID),
    name: String(name),
    type: Number(keyType),
    publicKey: String(publicKey),
    expiresAt: Number(expiresAt),
  };
  const digest = addKeyDigest(key, Number(nonce), one?.chainId ?? 0);
  expect(hex(digest)).toBe(one?.digest);
  expect(signDigest(digest, KEY, 2)).toBe(one?.xApiSign);
});

test('addresses', () => {
  expect(addressOf(KEY)).toBe(ADDRESS);
  expect(addressOf('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')).toBe(
    '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  );
});

test('private keys as people paste them', () => {
  expect(readPrivateKey(` ${KEY}\n`)).toBe(KEY);
  expect(readPrivateKey(KEY.slice(2).toUpperCase())).toBe(KEY);
  for (const wrong of ['', '0x', KEY.slice(0, -1), `${KEY}0`, KEY.replace('1', 'g'), ADDRESS])
    expect(readPrivateKey(wrong)).toBeUndefined();
});

test.each([`0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`])('%s is outside of the curve', (key) => {
  expect(() => addressOf(key)).toThrow();
});
