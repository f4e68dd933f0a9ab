// SPDX-License-Identifier: MIT
// The preview against the exchange itself: what it says of margin, fees, liquidation price and refusals is what the
// exchange then does, to the unit. Skipped where no exchange is built.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Draft } from '../src/rules/draft';
import { type Market, type SymbolRecord, marketOf } from '../src/rules/market';
import type { Preview } from '../src/rules/preview';
import { previewSpot } from '../src/rules/preview-spot';
import type { RateRecord } from '../src/rules/records';
import { unitsOf } from '../src/rules/units';
import { Exchange, type ItemResult, binary } from './exchange';
import {
  type Asked,
  type BookRow,
  MAKER,
  TAKER,
  type TradeRow,
  draft,
  levels,
  unitsDraft,
  wireItem,
} from './preview-rig';

describe.skipIf(binary === undefined)('the preview of spot orders', () => {
  let exchange: Exchange;
  let record: SymbolRecord;
  let market: Market;

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'none', '--clock', '0');
    record = (await exchange.get<SymbolRecord[]>('/spot/markets/symbols?symbol=vETH_vUSDC'))[0] as SymbolRecord;
    market = marketOf(record, false);
  });
  afterAll(() => exchange.stop());

  const account = (who: number, path: string) => `/spot/accounts/${exchange.address(who)}/${path}`;
  const balances = async (who: number) => {
    const rows = (
      await exchange.get<{ balances: { coin: string; total: string; locked: string }[] }>(account(who, 'balances'))
    ).balances;
    const of = (coin: string, scale: number) => {
      const row = rows.find((one) => one.coin === coin);
      return { total: unitsOf(row?.total, scale), free: unitsOf(row?.total, scale) - unitsOf(row?.locked, scale) };
    };
    return { quote: of(market.quoteCoin, market.quoteScale), base: of(market.baseCoin, market.baseScale) };
  };

  async function preview(who: number, order: Draft): Promise<Preview> {
    const book = await exchange.get<BookRow>(`/spot/markets/${market.name}/orderbook?limit=1000`);
    const rates = await exchange.get<RateRecord>(account(who, `fee-rate?symbol=${market.name}`));
    const last = (await exchange.get<SymbolRecord[]>(`/spot/markets/symbols?symbol=${market.name}`))[0]?.lastTradePrice;
    const free = await balances(who);
    return previewSpot(
      {
        market,
        references: { last: unitsOf(last, market.priceScale), mark: null, index: null },
        book: { bids: levels(market, book.bids), asks: levels(market, book.asks) },
        own: [],
        quote: free.quote.free,
        base: free.base.free,
        takerRate: unitsOf(rates.takerFeeRate, 8),
        makerRate: unitsOf(rates.makerFeeRate, 8),
      },
      order,
    );
  }

  async function compare(who: number, order: Draft): Promise<Preview> {
    const said = await preview(who, order);
    const before = await balances(who);
    const item = { symbolID: market.id, ...wireItem(exchange, market, order) };
    const answer = await exchange.spot(who, item);
    expect(answer.code, answer.error).toBe(0);
    const result = answer.data[0] as ItemResult;
    if (result.code !== 0) {
      const named = result.details?.field === 'notional' ? 'quantity' : result.details?.field; // where it is typed
      expect(said.refusals[0]).toMatchObject({ code: result.code, field: named });
      if (result.details?.need !== undefined) expect(said.refusals[0]?.need).toBe(result.details.need);
      return said;
    }
    expect(said.refusals).toEqual([]);
    const trades = await exchange.get<TradeRow[]>(account(who, `trades?orderID=${result.orderID}`));
    const fee = trades.reduce((sum, trade) => sum + unitsOf(trade.fee, said.feeScale), 0n);
    expect(fee).toBe(said.takerFee);
    const after = await balances(who);
    const spent = order.side === 'BUY' ? before.quote.free - after.quote.free : before.base.free - after.base.free;
    if (said.filled === 0n) expect(spent).toBe(said.needs);
    const quantity = trades.reduce((sum, trade) => sum + unitsOf(trade.quantity, market.quantityScale), 0n);
    expect(quantity).toBe(said.filled);
    return said;
  }
  const compareAsked = (who: number, asked: Asked) => compare(who, unitsDraft(market, asked));

  it('says holds, fills, fees in the coin that is received, and refusals', async () => {
    for (const [side, price, size] of [
      ['SELL', '4000.01', '1.2345'],
      ['SELL', '4001.77', '9'],
      ['BUY', '3999.5', '20'],
    ] as const)
      await compareAsked(MAKER, draft(side, price, size));
    await compareAsked(TAKER, draft('BUY', '4000.01', '0.3333'));
    await compareAsked(TAKER, draft('BUY', '4001.77', '2', { timeInForce: 'IOC' }));
    await compareAsked(TAKER, draft('BUY', null, null, { kind: 'MARKET', timeInForce: 'IOC', funds: 5_000_123_457n }));
    await compareAsked(TAKER, draft('SELL', null, '3.3', { kind: 'MARKET', timeInForce: 'IOC' }));
    await compareAsked(TAKER, draft('SELL', '4100', '7.7777'));
    await compareAsked(TAKER, draft('BUY', '4500', '1'));
    await compareAsked(TAKER, draft('BUY', '3990', '500'));
    await compareAsked(TAKER, draft('SELL', '4100', '500'));
    await compareAsked(TAKER, draft('BUY', '3990', '0.0001'));
    await compareAsked(TAKER, draft('BUY', '4001.77', '1', { timeInForce: 'GTX' }));
  });
});
