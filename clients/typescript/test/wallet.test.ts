// SPDX-License-Identifier: MIT
// Signatures by viem against the published vectors (wire 3.8), and keys of the API against a running exchange.
import { readFileSync } from 'node:fs';
import { describe, expect, test as plain } from 'vitest';
import { Account, InvalidSignature, addressOf, newPrivateKey, privateKeySigner } from '../src/index.js';
import { test } from '../src/vitest.js';
import { binary } from './binary.js';

interface Vector {
  label: string;
  domain: 'spot' | 'futures' | 'universal';
  chainId: number;
  nonce: string;
  body?: string;
  json?: string;
  signature?: string;
  [key: string]: unknown;
}

const KEY = '0x0123456789012345678901234567890123456789012345678901234567890123';
const vectors = JSON.parse(
  readFileSync(new URL('../../../docs/spec/wire_vectors.json', import.meta.url), 'utf8'),
) as Vector[];

plain('signatures equal the vectors', async () => {
  const signer = privateKeySigner(KEY);
  expect(signer.owner).toBe('0x14791697260e4c9a71f18484c9f997b308e59325');
  let compared = 0;
  for (const vector of vectors) {
    const wire = Object.values(vector).find((value) => /^0x0[12][0-9a-f]{130}$/.test(String(value)));
    const type = /^\{"type":"(\w+)"/.exec(vector.json ?? '')?.[1];
    if (!wire || !type || !vector.body) continue;
    const { domain, chainId, body, nonce } = vector;
    const signed = await signer.sign({ domain, type, body, nonce: Number(nonce), chainId });
    expect(signed, vector.label).toBe(wire);
    compared++;
  }
  expect(compared).toBeGreaterThanOrEqual(18);
});

plain('what is no key is refused', () => {
  expect(() => privateKeySigner('0x12')).toThrow(TypeError);
});

describe.skipIf(!binary)('an API key', () => {
  test('is added by the wallet, signs, and is revoked', async ({ exchange, account }) => {
    const { client, address, accountID } = account;
    const secret = newPrivateKey();
    const key = { accountID, name: 'robot', type: 1 as const, publicKey: addressOf(secret), expiresAt: 0 };
    await client.gateway.addAPIKey(address, key);
    const limited = { ...key, name: 'limited', publicKey: addressOf(newPrivateKey()), permissions: 4 };
    await client.spot.addAPIKey(limited);
    expect((await client.spot.apiKeys(address)).map(({ name }) => name)).toEqual(['robot', 'limited']);
    const signer = privateKeySigner(secret, { owner: address, keyName: 'robot' });
    const robot = new Account(exchange.client({ signer }), accountID);
    const order = await robot.spot.buy({ symbol: 'vBTC_vUSDC', price: '99000', quantity: '0.1' });
    expect(order.status).toBe('NEW');
    await client.perps.revokeAPIKey({ accountID, name: 'robot' });
    await client.gateway.revokeAPIKey(address, { accountID, name: 'limited' });
    const late = robot.spot.cancel({ symbol: 'vBTC_vUSDC', orderID: order.orderID });
    await expect(late).rejects.toMatchObject({ code: 40103 });
    const stranger = new Account(exchange.client({ privateKey: newPrivateKey(), chainId: 1 }), accountID);
    const foreign = stranger.spot.cancel({ symbol: 'vBTC_vUSDC', orderID: order.orderID });
    await expect(foreign).rejects.toBeInstanceOf(InvalidSignature);
  });
});
