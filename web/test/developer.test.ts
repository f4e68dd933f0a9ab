// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest';
import { covered, linked, solvent, uncrossed } from '../src/panels/developer/checks';
import { measuredRate } from '../src/panels/developer/clock';
import { EMPTY, FAULTS, ruleOf, scopeOf } from '../src/panels/developer/faults';
import { requestOf, rowsOf, textOf } from '../src/panels/developer/inspect';
import { partsOf, rowsOf as commandsOf } from '../src/panels/developer/log';
import { moved } from '../src/panels/developer/prices';
import { eventsOf, type Run, span, sumOf } from '../src/panels/developer/plays';
import { tradersOf } from '../src/panels/developer/traders';

describe('an index price that the slider moves', () => {
  it('is exact and keeps the decimals of the price', () => {
    expect(moved('100000', 5)).toBe('100500');
    expect(moved('100000', -250)).toBe('75000');
    expect(moved('3950.25', 1)).toBe('3954.2');
    expect(moved('0.07', 100)).toBe('0.08');
  });
});

describe('what a form of faults says', () => {
  it('has the keys of its fault, numbers as numbers, empty ones left out', () => {
    const form = { ...EMPTY, fault: '429', path: ' orders ', probability: '0.2', ms: '5' };
    expect(ruleOf(form)).toEqual({ fault: '429', path: 'orders', probability: 0.2 });
    expect(ruleOf({ ...EMPTY, fault: 'cut', channel: 'l4Book', path: 'x' })).toEqual({
      fault: 'cut',
      channel: 'l4Book',
    });
  });
  it('leaves a text that is no number to the exchange', () => {
    expect(ruleOf({ ...EMPTY, fault: 'skew', ms: '1e3' })).toEqual({ fault: 'skew', ms: '1e3' });
  });
  it('offers every fault of docs/chaos.md but latency, which dojima chaos sets', () => {
    expect(Object.keys(FAULTS).sort()).toEqual([
      '429',
      '500',
      '503',
      'cut',
      'delay',
      'drop-reply',
      'repeat',
      'reset-after',
      'reset-before',
      'skew',
      'skip',
      'slow-fsync',
      'stale-index',
      'stall',
    ]);
  });
  it('is told again in words', () => {
    expect(scopeOf({ id: 1, fault: '429', matched: 2, acted: 1, seed: 1, path: 'orders', count: 3 })).toBe(
      'path orders, count 3',
    );
  });
});

describe('the checks', () => {
  const book = (bidPx: string, askPx: string) => ({ symbol: 'BTC-USD', bidPx, askPx });
  it('find a crossed book, not one with an empty side', () => {
    expect(uncrossed([book('99.9', '100'), book('0', '100')])).toMatchObject({ holds: true, found: '1' });
    expect(uncrossed([book('100', '100')]).holds).toBe(false);
    expect(uncrossed([book('100.1', '100')]).holds).toBe(false);
  });
  it('find a balance below zero and one with too much locked', () => {
    const rows = (total: string, locked: string) => [{ balances: [{ coin: 'vBTC', total, locked }] }];
    expect(covered(rows('1', '1')).holds).toBe(true);
    expect(covered(rows('1', '1.00000001')).holds).toBe(false);
    expect(covered(rows('-0.1', '0')).holds).toBe(false);
    expect(covered(rows('1', '-1')).holds).toBe(false);
  });
  it('find an insolvent fund and another chain', () => {
    expect(solvent({ equity: '-1', insolvent: true, blockHeight: 1 }).holds).toBe(false);
    expect(linked({ number: 7, hash: '0xaa' }, { hash: '0xbb' }).holds).toBe(false);
    expect(linked({ number: 7, hash: '0xaa' }, null).holds).toBe(false);
    expect(linked({ number: 7, hash: '0xaa' }, { hash: '0xaa' }).holds).toBe(true);
    expect(linked(null, null).holds).toBe(true);
  });
});

describe('the log', () => {
  const transaction = { hash: '0x1', domain: '0x1', owner: '0xab', from: '0xab', accountID: '0x3e9' };
  it('reads the type and the params of a signed text', () => {
    const input = `0x${Buffer.from('{"type":"newOrder","params":{"symbolID":1}}').toString('hex')}`;
    const [row] = commandsOf({ number: '0x2', timestampMs: '0x10', transactions: [{ ...transaction, input }] });
    expect(row).toMatchObject({
      block: 2,
      time: 16,
      accountID: 1001,
      kind: 'newOrder',
      domain: 'perps',
      params: '{"symbolID":1}',
    });
  });
  it('names a command without a text a trader of the market', () => {
    expect(partsOf('')).toEqual({ kind: 'trader', params: '' });
  });
});

describe('the rest of the drawer', () => {
  it('measures the rate of the clock', () => {
    const before = { engine: 1000, wall: 0, rate: '' };
    expect(measuredRate(null, 1, 1)).toBe('');
    expect(measuredRate(before, 2000, 1000)).toBe('1');
    expect(measuredRate(before, 1000, 1000)).toBe('0');
    expect(measuredRate(before, 21_020, 1001)).toBe('20');
    expect(measuredRate(before, 0, 1000)).toBe('');
  });
  it('sends what traders are given as numbers', () => {
    expect(tradersOf('thin', { pulled: '80', takers: '', drift: '-5' })).toEqual({
      preset: 'thin',
      pulled: 80,
      drift: -5,
    });
  });
  it('shows the lines of a scenario as they are printed', () => {
    const lines = [
      { ms: 8040, step: 'order', note: 'a long', outcome: 'done' },
      { ms: 92460, expect: 'liquidated', note: '', outcome: 'holds' },
      { ms: 3600000, expect: 'read', note: '', outcome: 'did not come true by 180 s: found nothing' },
      { ms: 3600000, failed: 'code 42012 instead of 0' },
      { expected: 2, held: 1 },
    ];
    const run: Run = { id: 1, name: 'x', own: false, state: 'failed', ms: 0, cut: false, lines };
    expect(eventsOf(run).map((row) => [row.at, row.kind, row.what, row.bad])).toEqual([
      ['0:08', 'step', 'order: a long', false],
      ['1:32', 'expect', 'liquidated', false],
      ['1:00:00', 'expect', 'read', true],
      ['1:00:00', 'end', '', true],
    ]);
    expect(sumOf(run)).toEqual({ held: 1, expected: 2 });
    expect(sumOf({ ...run, lines: lines.slice(0, 2) })).toBeUndefined();
    expect(span(93600000)).toBe('26:00:00');
  });
  it('reads a pasted request and tells the form of one that is none', () => {
    const request = {
      method: 'POST',
      path: '/api/v1/spot/trade/orders/batch',
      headers: { 'X-API-Nonce': '1' },
      body: '{}',
    };
    expect(requestOf(textOf(request))).toEqual(request);
    expect(() => requestOf('curl …')).toThrow(/method/);
    expect(rowsOf({ accepted: true, causes: [], type: 'newOrder', nonce: 5 })).toEqual([
      ['type', 'newOrder'],
      ['nonce', '5'],
    ]);
  });
});
