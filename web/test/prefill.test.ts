// SPDX-License-Identifier: MIT
// A price that was clicked in the book goes into the ticket of its symbol, once; what is typed stays until another
// symbol comes.
import { effect } from '@preact/signals-core';
import { beforeEach, expect, test, vi } from 'vitest';
import { decimal } from '../src/core/decimal';
import { clearFor, kind, price, side, size } from '../src/panels/ticket/model';
import { takePrefill } from '../src/panels/ticket/prefill';
import { type Market, markets, select } from '../src/state/markets';
import { prefill } from '../src/state/prefill';

vi.mock('../src/panels/ticket/previews', () => ({ wake: () => Promise.resolve() }));
vi.stubGlobal('history', { pushState: () => {} });

const named = (name: string) => ({ name }) as Market;

/** What the ticket does when it appears for the present symbol; what it returns is called when it goes. */
function appear(name: string): () => void {
  clearFor(name);
  return effect(takePrefill);
}

beforeEach(() => {
  markets.value = [named('BTC-USD'), named('ETH-USD')];
  select('BTC-USD');
  prefill.value = undefined;
  clearFor('BTC-USD');
  for (const field of [price, size]) field.value = '';
  kind.value = 'LIMIT';
});

test('a price is taken once', () => {
  kind.value = 'MARKET';
  prefill.value = { symbol: 'BTC-USD', price: decimal('99500.5'), side: 'SELL' };
  appear('BTC-USD')();
  expect([kind.value, price.value, side.value]).toEqual(['LIMIT', '99500.5', 'SELL']);
  price.value = '90000';
  kind.value = 'MARKET';
  appear('BTC-USD')();
  expect([kind.value, price.value]).toEqual(['MARKET', '90000']);
});

test('each click is taken, also a second one of the same price', () => {
  const gone = appear('BTC-USD');
  for (const typed of ['', '7']) {
    price.value = typed;
    prefill.value = { symbol: 'BTC-USD', price: decimal('99500.5') };
    expect(price.value).toBe('99500.5');
  }
  gone();
});

test('a price of another symbol is not taken, now or later', () => {
  prefill.value = { symbol: 'BTC-USD', price: decimal('99500.5') };
  select('ETH-USD');
  appear('ETH-USD')();
  expect(price.value).toBe('');
  appear('ETH-USD')();
  select('BTC-USD');
  appear('BTC-USD')();
  expect(price.value).toBe('');
});

test('what is typed stays when the ticket goes and comes back, and goes with its symbol', () => {
  price.value = '90000';
  size.value = '2';
  side.value = 'BUY';
  appear('BTC-USD')();
  expect([price.value, size.value, side.value]).toEqual(['90000', '2', 'BUY']);
  clearFor(undefined); // the list of symbols has not come yet
  expect(price.value).toBe('90000');
  appear('ETH-USD')();
  expect([price.value, size.value, side.value]).toEqual(['', '', null]);
});
