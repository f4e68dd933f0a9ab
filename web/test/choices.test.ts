// SPDX-License-Identifier: MIT
// Choices that are remembered, texts in two languages, shortcuts, and what is told of fills and liquidations.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { decimal } from '../src/core/decimal';
import { liquidated } from '../src/state/liquidated';
import { tellFill, tellLiquidation } from '../src/state/news';
import { notices, tell } from '../src/state/notices';
import { remembered } from '../src/state/prefs';
import type { Fill } from '../src/state/records';
import { language, messages } from '../src/ui/i18n';
import { addShortcut, shortcuts } from '../src/ui/keys';

class Storage {
  readonly kept = new Map<string, string>();
  getItem = (name: string): string | null => this.kept.get(name) ?? null;
  setItem = (name: string, text: string): void => void this.kept.set(name, text);
}

const isText = (value: unknown): value is string => typeof value === 'string';

describe('a remembered choice', () => {
  let storage: Storage;
  beforeEach(() => {
    storage = new Storage();
    vi.stubGlobal('localStorage', storage);
  });
  afterEach(() => void vi.unstubAllGlobals());

  test('is written when it changes, and read by the next page', () => {
    const first = remembered('one', 'a', isText);
    expect(storage.kept.size).toBe(0);
    first.value = 'b';
    expect(remembered('one', 'a', isText).value).toBe('b');
  });

  test.each(['5', 'null', '{"a":', ''])('that is stored as %j is dropped', (text) => {
    storage.kept.set('dojima.two', text);
    expect(remembered('two', 'a', isText).value).toBe('a');
  });

  test('holds without a storage', () => {
    vi.stubGlobal('localStorage', undefined);
    const choice = remembered('three', 'a', isText);
    choice.value = 'b';
    expect(choice.value).toBe('b');
  });
});

test('a text has its values in both languages, and values are never texts to fill', () => {
  const say = messages({ left: { en: '{n} left of {name}', ja: '{name} 残り {n}' } });
  expect(say.left({ n: 3, name: '{n}<b>' })).toBe('3 left of {n}<b>');
  language.value = 'ja';
  expect(say.left({ n: 3 })).toBe('{name} 残り 3');
  language.value = 'en';
});

test('a shortcut is there until it is ended', () => {
  const shortcut = { key: 'x', title: () => 'X', run: () => {} };
  const end = addShortcut(shortcut);
  expect(shortcuts.value).toContain(shortcut);
  end();
  expect(shortcuts.value).not.toContain(shortcut);
});

describe('notices', () => {
  beforeEach(() => {
    notices.value = [];
    vi.useFakeTimers();
    vi.stubGlobal('requestAnimationFrame', (work: () => void) => setTimeout(work, 16));
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const fill = (tradeID: number, price: string, quantity: string, more: Partial<Fill> = {}): Fill => ({
    engine: 'perps',
    symbol: 'BTC-USD',
    tradeID,
    orderID: 7,
    clientID: 'c',
    side: 'BUY',
    price: decimal(price),
    quantity: decimal(quantity),
    fee: decimal('0'),
    feeCoin: undefined,
    maker: false,
    liquidationID: undefined,
    time: 1,
    ...more,
  });
  const texts = () => notices.value.map((one) => `${one.tone}: ${one.text}`);

  test('fills of an order within a frame are one, at their average', () => {
    tellFill(fill(1, '100.0', '1'));
    tellFill(fill(2, '101.0', '3'));
    tellFill(fill(3, '100.5', '2', { orderID: 8, side: 'SELL' }));
    vi.advanceTimersByTime(250);
    expect(texts()).toEqual(['good: Sold 2 BTC-USD at 100.5', 'good: Bought 4 BTC-USD at 100.8']);
  });

  test('a forced fill is called one', () => {
    tellFill(fill(1, '100', '1', { liquidationID: 3, side: 'SELL' }));
    vi.advanceTimersByTime(250);
    expect(texts()).toEqual(['bad: Liquidation sold 1 BTC-USD at 100']);
  });

  test('a liquidation is kept with the figures of its first stage', () => {
    const event = { type: 'liquidation', E: 1, lid: 1, aid: 1001, mm: 'ISOLATED', B: [], P: [] } as const;
    const equity = () => liquidated.value?.av;
    liquidated.value = undefined;
    tellLiquidation({ ...event, B: [], P: [], av: '9', maintenanceMargin: '10', liquidationID: 4 });
    tellLiquidation({ ...event, B: [], P: [], av: '7', maintenanceMargin: '8', liquidationID: 4 });
    expect(equity()).toBe('9');
    tellLiquidation({ ...event, B: [], P: [], av: '5', maintenanceMargin: '6', liquidationID: 5 });
    expect(equity()).toBe('5');
  });

  test('a liquidation says why', () => {
    tellLiquidation({
      type: 'liquidation',
      E: 1,
      lid: 1,
      aid: 1001,
      av: '950.129',
      mm: 'CROSS',
      B: [],
      P: [{ s: 'BTC-USD', ps: 'BOTH', sz: '-0.5', mp: '61000', lp: '60000' }],
      maintenanceMargin: '1000',
    });
    expect(texts()).toEqual([
      'bad: Liquidation (cross): equity 950.12 is below the maintenance margin 1,000.00. ' +
        'BTC-USD \u22120.5 at mark 61,000',
    ]);
  });

  test('are at most a hundred', () => {
    for (let i = 0; i < 150; i++) tell(`n${i}`);
    expect(notices.value.length).toBe(100);
    expect(notices.value[0]?.text).toBe('n149');
  });
});
