// SPDX-License-Identifier: MIT
// Reads at the start that fail once, and what the page does as long as it lacks what they would have said.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ACTIONS } from '../src/core/write';
import { amount, refusal, send } from '../src/panels/transfer/send';
import { type Account, account, signInByDefault, signInDevelopment, signOut } from '../src/state/account';
import { coins, loadCoins } from '../src/state/markets';
import { signInWallet } from '../src/state/sign-in';
import { loadVenue, venue } from '../src/state/venue';
import { write } from '../src/state/write';
import { testWallet } from './typed-wallet';

vi.mock('../src/state/vault', () => ({
  findKey: () => Promise.resolve(undefined),
  keepKey: () => Promise.resolve(),
  forgetKey: () => Promise.resolve(),
}));

const KEY = `0x${'11'.repeat(32)}`;
const SETTINGS = { chainIds: [286623], accounts: [{ accountID: 1001, address: '0xAB', privateKey: KEY }] };
const PASTED: Account = {
  kind: 'pasted',
  accountID: 7,
  address: '0xcd',
  signer: { owner: '0xcd', keyName: 'k', sign: () => Promise.reject(new Error('signed')) },
};
const json = (data: unknown, status = 200) => new Response(JSON.stringify(data), { status });
const limited = () => json({ code: 42901, timestamp: 1, error: 'rate limit exceeded', details: {} }, 429);

/** Answers each path with its first answers, then with the last one again and again. */
function serve(paths: Readonly<Record<string, readonly (() => Response | Error)[]>>): Map<string, number> {
  const asked = new Map<string, number>();
  vi.stubGlobal('fetch', (input: string) => {
    const path = input.replace(/\?.*/, '');
    const count = asked.get(path) ?? 0;
    asked.set(path, count + 1);
    const answers = paths[path] ?? [];
    const answer = answers[Math.min(count, answers.length - 1)]?.() ?? new Error(`nothing at ${path}`);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  });
  return asked;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  venue.value = undefined;
  account.value = undefined;
  coins.value = { spot: [], perps: [] };
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the settings are read again until they come', async () => {
  const asked = serve({
    '/docs/settings.json': [
      limited,
      () => new TypeError('Failed to fetch'),
      () => new Response('<h1>', { status: 200 }),
      () => json(SETTINGS),
    ],
  });
  const loaded = loadVenue();
  await vi.advanceTimersByTimeAsync(60_000);
  await loaded;
  expect(venue.value).toEqual(SETTINGS);
  expect(asked.get('/docs/settings.json')).toBe(4);
});

test('the coins of a side are read again until they come', async () => {
  const coin = { id: 1, name: 'vUSDC', precision: 6 };
  const asked = serve({
    '/api/v1/perps/markets/coins': [() => json({ code: 0, timestamp: 1, data: [coin] })],
    '/api/v1/spot/markets/coins': [limited, () => json({ code: 0, timestamp: 1, data: [coin] })],
  });
  const loaded = loadCoins();
  await vi.advanceTimersByTimeAsync(60_000);
  await loaded;
  expect(coins.value).toEqual({ spot: [coin], perps: [coin] });
  expect(asked.get('/api/v1/perps/markets/coins')).toBe(1);
});

test('without the settings an order says what is missing', async () => {
  account.value = PASTED;
  const outcome = await write(ACTIONS.placeSpot, {});
  expect(outcome).toMatchObject({ kind: 'refused', error: expect.stringContaining('chain id') as string });
  account.value = undefined;
  expect(await write(ACTIONS.placeSpot, {})).toMatchObject({ kind: 'refused', error: 'Choose an account first' });
});

test('without the settings a wallet is asked for no signature', async () => {
  serve({});
  const wallet = testWallet(KEY, 1);
  const subaccounts = () => json({ code: 0, timestamp: 1, data: { userID: 1, primaryAccountID: 1001 } });
  vi.stubGlobal('fetch', () => Promise.resolve(subaccounts()));
  expect(await signInWallet(wallet)).toMatchObject({ error: expect.stringContaining('chain id') as string });
  expect(wallet.signed).toBe(0);
  expect(account.value).toBeUndefined();
});

test('settings that come late leave the account that was chosen meanwhile', async () => {
  venue.value = SETTINGS;
  await signInDevelopment(1001);
  signOut();
  await signInByDefault();
  expect(account.value).toBeUndefined();
});

test('without the coins a transfer says what is missing', async () => {
  account.value = PASTED;
  amount.value = '5';
  await send();
  expect(refusal.value).toContain('list of coins');
});
