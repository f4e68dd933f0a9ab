// SPDX-License-Identifier: MIT
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askEarly, firstPage } from '../src/panels/chart/early';

function countReads(): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (path: string) => {
    asked.push(path);
    return Promise.resolve(new Response('{"code":0,"timestamp":1,"data":[]}'));
  });
  return asked;
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the early read of candles', () => {
  it('is used once, for the symbol and interval it was made for', async () => {
    const asked = countReads();
    askEarly('/trade/BTC-USD', () => '1m');
    expect(asked).toEqual(['/api/v1/perps/markets/BTC-USD/klines?interval=1m&limit=500']);
    expect((await firstPage('perps', 'BTC-USD', '1m')).ok).toBe(true);
    expect(asked).toHaveLength(1);
    await firstPage('perps', 'BTC-USD', '1m');
    expect(asked).toHaveLength(2);
  });

  it('is not used for another interval, nor when it is old', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const asked = countReads();
    askEarly('/trade/vBTC_vUSDC', () => '1m');
    expect(asked[0]).toContain('/spot/');
    await firstPage('spot', 'vBTC_vUSDC', '5m');
    expect(asked).toHaveLength(2);
    askEarly('/trade/vBTC_vUSDC', () => '1m');
    vi.advanceTimersByTime(3001);
    await firstPage('spot', 'vBTC_vUSDC', '1m');
    expect(asked).toHaveLength(4);
  });

  it('is not made without a symbol in the address', () => {
    const asked = countReads();
    askEarly('/', () => '1m');
    askEarly('/trade/%E0%A4%A', () => '1m');
    expect(asked).toEqual([]);
  });
});
