// SPDX-License-Identifier: MIT
// A wallet approves a key once against a running exchange; the page then signs with that key, which may not withdraw.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiKey, OrderResult } from '../src/core/types';
import { ACTIONS } from '../src/core/write';
import { account, signOut } from '../src/state/account';
import { notices } from '../src/state/notices';
import { signInWallet } from '../src/state/sign-in';
import { refreshMarkets } from '../src/state/markets';
import type { ApprovedKey } from '../src/state/vault';
import { venue } from '../src/state/venue';
import { write } from '../src/state/write';
import { Exchange, binary } from './exchange';
import { useOrigin } from './origin';
import { testWallet } from './typed-wallet';

/** In place of the browser's database. */
const kept = new Map<string, ApprovedKey>();
vi.mock('../src/state/vault', () => ({
  findKey: (owner: string) => Promise.resolve(kept.get(owner)),
  keepKey: (key: ApprovedKey) => Promise.resolve(void kept.set(key.owner, key)),
  forgetKey: (owner: string) => Promise.resolve(void kept.delete(owner)),
}));

const keyName = (): string | undefined => account.value?.signer.keyName;
const ORDER = { symbolID: 1, clOrdID: 'w1', side: 1, type: 1, timeInForce: 1, price: '99000', quantity: '0.01' };

describe.skipIf(!binary)('a wallet', { timeout: 30_000 }, () => {
  let exchange: Exchange;
  const walletOf = (who: number, chainId: number) =>
    testWallet(exchange.banner.accounts[who]?.privateKey ?? '', chainId);
  const keysOf = (who: number) => exchange.get<ApiKey[]>(`/spot/accounts/${exchange.address(who)}/api-keys`);

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'none');
    useOrigin(exchange.banner.url);
    venue.value = exchange.banner;
    await refreshMarkets();
  }, 60_000);
  afterAll(() => exchange?.stop());
  beforeEach(() => {
    kept.clear();
    account.value = undefined;
  });

  test.each([
    ['the chain of the exchange', 0, 286623],
    ['another chain', 1, 1],
  ])('on %s approves once, and orders are signed without it', async (_name, who, chainId) => {
    const wallet = walletOf(who, chainId);
    expect(await signInWallet(wallet)).toEqual({ ok: true });
    expect(account.value).toMatchObject({ kind: 'wallet', accountID: 1001 + who });
    const outcome = await write<OrderResult[]>(ACTIONS.placeSpot, { accountID: 1001 + who, orders: [ORDER] });
    expect(outcome).toMatchObject({ kind: 'done', data: [{ code: 0 }] });
    account.value = undefined;
    expect(await signInWallet(wallet)).toEqual({ ok: true });
    expect(wallet.signed).toBe(1);
    expect(await keysOf(who)).toMatchObject([{ name: keyName(), permissions: 4 }]);
  });

  test('the key may not withdraw', async () => {
    expect(await signInWallet(walletOf(2, 286623))).toEqual({ ok: true });
    const body = { id: 1, fromAccountID: 1003, toAccountID: 999, coinID: 0, amount: '1', type: 2 };
    expect(await write(ACTIONS.transferSpot, body)).toMatchObject({ kind: 'refused', code: 40105 });
    expect(await write(ACTIONS.transferSpot, { ...body, id: 2, type: 3 })).toMatchObject({ kind: 'done' });
  });

  test('that declines changes nothing', async () => {
    const wallet = walletOf(3, 286623);
    wallet.declines = true;
    expect(await signInWallet(wallet)).toEqual({ ok: false, error: 'The wallet declined' });
    expect(await keysOf(3)).toEqual([]);
    expect(account.value).toBeUndefined();
  });

  test('that changes its account is told, and the page signs on for the one that approved', async () => {
    const wallet = walletOf(5, 286623);
    const listeners: ((value: unknown) => void)[] = [];
    const changed = (value: unknown) => listeners.forEach((listener) => listener(value));
    wallet.on = (event, listener) => event === 'accountsChanged' && listeners.push(listener);
    for (let times = 0; times < 2; times++) await signInWallet(wallet);
    notices.value = [];
    changed([exchange.address(5)]);
    expect(notices.value).toEqual([]);
    changed([exchange.address(6)]);
    changed([]);
    expect(notices.value.map((one) => one.text)).toEqual([
      expect.stringMatching(/locked or disconnected/),
      expect.stringContaining(exchange.address(5).toLowerCase()),
    ]);
    expect(account.value?.accountID).toBe(1006);
    account.value = undefined;
    changed([exchange.address(6)]);
    expect(notices.value.length).toBe(2);
  });

  test('whose key was revoked elsewhere approves a new one', async () => {
    const wallet = walletOf(4, 286623);
    await signInWallet(wallet);
    const name = keyName();
    await exchange.write(4, 'DELETE', '/spot/accounts/api-keys', 'revokeAPIKey', { accountID: 1005, name });
    expect(await signInWallet(wallet)).toEqual({ ok: true });
    expect(wallet.signed).toBe(2);
    expect(keyName()).not.toBe(name);
    signOut();
    expect(kept.size).toBe(0);
  });
});
