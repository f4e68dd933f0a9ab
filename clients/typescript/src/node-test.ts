// SPDX-License-Identifier: MIT
// Fixtures for node:test: a test that gets an exchange, as fresh as at its beginning, and a funded account.
import { type TestContext, after, test as base } from 'node:test';
import type { Account } from './account.js';
import type { Exchange, ExchangeOptions } from './exchange.js';
import { Pool } from './pool.js';

export interface Fixtures {
  /** A fresh exchange. */
  readonly exchange: Exchange;
  /** The first of its funded accounts. */
  readonly account: Account;
  readonly t: TestContext;
}

export type TestFunction = (name: string, body: (fixtures: Fixtures) => void | Promise<void>) => Promise<void>;

/** A `test` on an exchange of these options; its processes end with the tests of the file. */
export function exchangeTest(options: ExchangeOptions = {}): TestFunction {
  const pool = new Pool(options);
  let closes = false;
  return (name, body) => {
    if (!closes) after(() => pool.close());
    closes = true;
    return base(name, async (t) => {
      const { exchange, release } = await pool.take();
      try {
        await body({ exchange, account: exchange.account(0), t });
      } finally {
        release();
      }
    });
  };
}

/** `test` with the fixtures, on an exchange where nobody else trades. */
export const test = exchangeTest();
