// SPDX-License-Identifier: MIT
// The fixtures of dojima/node-test; run by test/fixtures.test.ts under node:test.
import assert from 'node:assert/strict';
import { exchangeTest, test } from '../../dist/node-test.js';

for (const turn of [1, 2])
  test(`turn ${turn} begins with nothing`, async ({ exchange, account }) => {
    assert.deepEqual(await account.spot.openOrders(), []);
    await exchange.account(1).spot.sell({ symbol: 'vBTC_vUSDC', price: '100000', quantity: '0.1' });
    const bought = await account.spot.buy({ symbol: 'vBTC_vUSDC', price: '100000', quantity: '0.1' });
    assert.equal(bought.status, 'FILLED');
  });

exchangeTest({ clock: 0, timestamp: 1767571200 })('time stands', async ({ account }) => {
  assert.equal((await account.client.gateway.time()).serverTime, 1767571200000);
});
