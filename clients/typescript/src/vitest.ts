// SPDX-License-Identifier: MIT
// Fixtures for vitest: `exchange`, as fresh as at its beginning in every test, and `account`, a funded one. A worker
// has one process, which goes back between tests.
import { afterAll, test as base } from 'vitest';
import type { Account } from './account.js';
import type { Exchange, ExchangeOptions } from './exchange.js';
import { Pool } from './pool.js';

export interface Fixtures {
  /** A fresh exchange. */
  exchange: Exchange;
  /** The first of its funded accounts. */
  account: Account;
}

/** `test` with the fixtures, on an exchange of these options. Call it where tests are declared. */
export function exchangeTest(options: ExchangeOptions = {}) {
  const pool = new Pool(options);
  afterAll(() => pool.close());
  return base.extend<Fixtures>({
    exchange: async ({}, use) => {
      const { exchange, release } = await pool.take();
      await use(exchange);
      release();
    },
    account: async ({ exchange }, use) => {
      await use(exchange.account(0));
    },
  });
}

/** `test` with the fixtures, on an exchange where nobody else trades. */
export const test = exchangeTest();
