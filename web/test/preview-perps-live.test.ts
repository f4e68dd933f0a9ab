// SPDX-License-Identifier: MIT
// The preview against the exchange itself: what it says of margin, fees, liquidation price and refusals is what the
// exchange then does, to the unit. Skipped where no exchange is built.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { availableOf, crossHealth } from '../src/rules/account';
import type { Draft } from '../src/rules/draft';
import { type Market, type SymbolRecord, marketOf } from '../src/rules/market';
import type { Preview } from '../src/rules/preview';
import { previewPerps } from '../src/rules/preview-perps';
import { type RateRecord, accountOf, pricedMap, pricedOf } from '../src/rules/records';
import { textOf, unitsOf } from '../src/rules/units';
import { Exchange, type ItemResult, binary } from './exchange';
import {
  type Asked,
  type BookRow,
  MAKER,
  type OrderRow,
  type PositionRow,
  type State,
  TAKER,
  type TradeRow,
  draft,
  levels,
  unitsDraft,
  wireItem,
} from './preview-rig';

describe.skipIf(binary === undefined)('the preview of perps orders', () => {
  let exchange: Exchange;
  let records: Map<string, SymbolRecord>;
  let markets: Map<string, Market>;

  beforeAll(async () => {
    exchange = await Exchange.start('--market', 'none', '--clock', '0');
    const symbols = await exchange.get<SymbolRecord[]>('/perps/markets/symbols');
    records = new Map(symbols.map((record) => [record.name, record]));
    markets = new Map(symbols.map((record) => [record.name, marketOf(record, true)]));
  });
  afterAll(() => exchange.stop());

  const account = (who: number, path: string) => `/perps/accounts/${exchange.address(who)}/${path}`;
  const state = (who: number) => exchange.get<State>(account(who, 'state'));
  const market = (name: string) => markets.get(name) as Market;

  /** The account and every symbol as reads tell them; the rates are those of `name`. */
  async function situation(who: number, name: string) {
    const now = await state(who);
    const open = (await exchange.get<{ orders: OrderRow[] }>(account(who, 'orders'))).orders;
    const marks =
      await exchange.get<{ symbol: string; markPrice: string; indexPrice: string; openInterest: string }[]>(
        '/perps/markets/mark-prices',
      );
    const made = await exchange.get<{ symbol: string; state: string; candidatePrice?: string }[]>(
      '/perps/markets/index-composition',
    );
    const rates = await exchange.get<RateRecord>(account(who, `fee-rate?symbol=${name}`));
    const priced = pricedMap(
      [...markets.values()].map((one) => {
        const mark = marks.find((row) => row.symbol === one.name);
        const index = made.find((row) => row.symbol === one.name);
        const prices = mark && {
          mark: mark.markPrice,
          index: mark.indexPrice,
          openInterest: mark.openInterest,
          state: index?.state,
          held: index?.candidatePrice,
        };
        return pricedOf(one, prices, now, rates, records.get(one.name) as SymbolRecord);
      }),
    );
    const resting = open.map((row) => ({
      id: row.orderID,
      symbol: row.symbol,
      side: row.side,
      price: row.stopPrice === undefined ? row.price : undefined,
      open: textOf(unitsOf(row.origQty, 8) - unitsOf(row.executedQty, 8), 8),
      reduceOnly: row.reduceOnly ?? false,
    }));
    return { account: accountOf(now, resting, markets), markets: priced };
  }

  async function preview(who: number, name: string, order: Draft): Promise<Preview> {
    const now = await situation(who, name);
    const book = await exchange.get<BookRow>(`/perps/markets/${name}/orderbook?limit=1000`);
    const own = now.markets.get(name);
    if (own === undefined) throw new Error(name);
    return previewPerps(
      {
        ...now,
        priced: own,
        references: {
          last: unitsOf(records.get(name)?.lastTradePrice, own.market.priceScale),
          mark: own.mark,
          index: own.index,
        },
        book: { bids: levels(own.market, book.bids), asks: levels(own.market, book.asks) },
      },
      order,
    );
  }

  async function place(who: number, name: string, order: Draft): Promise<ItemResult> {
    const answer = await exchange.perps(who, market(name).id, wireItem(exchange, market(name), order));
    expect(answer.code, answer.error).toBe(0);
    return answer.data[0] as ItemResult;
  }

  const held = (now: State) => ['cm', 'ocm', 'im', 'oim'].reduce((sum, key) => sum + unitsOf(now[key as 'cm'], 6), 0n);
  const feesOf = async (who: number, orderID: number) =>
    (await exchange.get<TradeRow[]>(account(who, `trades?orderID=${orderID}`))).reduce(
      (sum, trade) => sum + unitsOf(trade.fee, 6),
      0n,
    );
  const positionOf = async (who: number, name: string) =>
    (await exchange.get<{ positions: PositionRow[] }>(account(who, `positions?symbol=${name}`))).positions[0];

  /** Places the order and compares what the preview said with what then is. */
  async function compare(who: number, name: string, order: Draft): Promise<Preview> {
    const said = await preview(who, name, order);
    const before = held(await state(who));
    const result = await place(who, name, order);
    if (result.code !== 0) {
      const named = result.details?.field === 'notional' ? 'quantity' : result.details?.field; // where it is typed
      expect(said.refusals[0]).toMatchObject({ code: result.code, field: named });
      if (result.details?.need !== undefined && said.refusals[0]?.rule !== 'POST_ONLY_CROSS')
        expect(said.refusals[0]?.need).toBe(result.details.need);
      return said;
    }
    expect(said.refusals).toEqual([]);
    expect(await feesOf(who, result.orderID as number)).toBe(said.takerFee);
    if (said.filled === 0n) expect(held(await state(who)) - before).toBe(said.needs);
    if (said.rests === 0n && said.expires === 0n) {
      const position = await positionOf(who, name);
      expect(position?.size ?? '0').toBe(textOf(said.sizeAfter ?? 0n, market(name).quantityScale));
      expect(position?.liquidationPrice ?? '0').toBe(textOf(said.liquidation ?? 0n, market(name).priceScale));
    }
    return said;
  }
  const compareAsked = (who: number, name: string, asked: Asked) => compare(who, name, unitsDraft(market(name), asked));

  it('says what a resting order freezes', async () => {
    const bought = await compareAsked(TAKER, 'BTC-USD', draft('BUY', '99000.1', '0.12345'));
    expect(bought.rests).toBe(12345n);
    await compareAsked(TAKER, 'BTC-USD', draft('SELL', '100500.3', '0.5'));
    await compareAsked(TAKER, 'BTC-USD', draft('SELL', '101000', '0.00013'));
    await compareAsked(TAKER, 'ETH-USD', draft('BUY', '3999.99', '3.1234', { timeInForce: 'GTX' }));
  });

  /**
   * Equity, maintenance and available margin, as computed at the marks and as the exchange says them. An entry price is
   * rounded to millionths, so what a position is worth is known to as many millionths as it has of the base coin.
   */
  async function expectHealth(who: number, held = 0n): Promise<void> {
    const { account: own, markets: priced } = await situation(who, 'BTC-USD');
    const { equity, maintenance } = crossHealth(own, priced);
    const said = await state(who);
    const of = (key: 'av' | 'mm' | 'am') => unitsOf(said[key], 6);
    expect(maintenance).toBe(of('mm'));
    for (const difference of [equity - of('av'), availableOf(own, priced) - of('am')])
      expect(difference <= held && -difference <= held, `${difference} of ${held}`).toBe(true);
  }

  it('says what the account is worth, keeps and has free', async () => {
    await expectHealth(TAKER);
    await expectHealth(MAKER);
  });

  it('says fees, size and liquidation price of what trades', async () => {
    for (const [price, size] of [
      ['100001.3', '0.07'],
      ['100002.9', '0.11111'],
      ['100010', '30'],
    ] as const)
      await place(MAKER, 'BTC-USD', unitsDraft(market('BTC-USD'), draft('SELL', price, size)));
    for (const [price, size] of [
      ['99990.7', '0.2'],
      ['99980.1', '25'],
    ] as const)
      await place(MAKER, 'BTC-USD', unitsDraft(market('BTC-USD'), draft('BUY', price, size)));
    const first = await compareAsked(TAKER, 'BTC-USD', draft('BUY', '100002.9', '0.15'));
    expect(first.fills.length).toBe(2);
    await compareAsked(TAKER, 'BTC-USD', draft('BUY', null, '24.5', { kind: 'MARKET', timeInForce: 'IOC' }));
    await compareAsked(TAKER, 'BTC-USD', draft('SELL', '99000', '0.31', { timeInForce: 'IOC' }));
    await compareAsked(
      TAKER,
      'BTC-USD',
      draft('SELL', null, '0.777', { kind: 'MARKET', timeInForce: 'IOC', reduceOnly: true }),
    );
    await expectHealth(TAKER, 25n);
    await expectHealth(MAKER, 25n);
  });

  it('says them of an isolated position, its increase, its part and its flip', async () => {
    const id = market('SOL-USD').id;
    const accountID = exchange.banner.accounts[2]?.accountID;
    const set = { accountID, symbolID: id, leverage: 7, marginMode: 1 };
    expect((await exchange.write(2, 'POST', '/perps/trade/leverage', 'updateLeverage', set)).code).toBe(0);
    for (const [side, price, size] of [
      ['SELL', '200.5', '40'],
      ['SELL', '201', '500'],
      ['BUY', '199.51', '700'],
    ] as const)
      await place(MAKER, 'SOL-USD', unitsDraft(market('SOL-USD'), draft(side, price, size)));
    await compareAsked(2, 'SOL-USD', draft('BUY', '201', '33.33', { timeInForce: 'IOC' }));
    await compareAsked(2, 'SOL-USD', draft('BUY', '201', '77.7', { timeInForce: 'IOC' }));
    await compareAsked(2, 'SOL-USD', draft('SELL', '199', '11.11', { timeInForce: 'IOC' }));
    await compareAsked(2, 'SOL-USD', draft('SELL', '199', '200', { timeInForce: 'IOC' }));
  });

  it('refuses orders that close one by one and open together beyond the tier', async () => {
    const [who, size, price] = [3, '30', '105000'];
    const { id } = market('BTC-USD');
    const set = { accountID: exchange.banner.accounts[who]?.accountID, symbolID: id, leverage: 25, marginMode: 2 };
    expect((await exchange.write(who, 'POST', '/perps/trade/leverage', 'updateLeverage', set)).code).toBe(0);
    await place(MAKER, 'BTC-USD', unitsDraft(market('BTC-USD'), draft('SELL', '100010', size)));
    await place(who, 'BTC-USD', unitsDraft(market('BTC-USD'), draft('BUY', '100010', size, { timeInForce: 'IOC' })));
    const said: Preview[] = [];
    while (said.length < 40 && said.every((one) => one.refusals.length === 0))
      said.push(await compareAsked(who, 'BTC-USD', draft('SELL', price, size)));
    expect(said.length).toBeGreaterThan(1);
    expect(said.at(-1)?.refusals.map(({ rule }) => rule)).toContain('LEVERAGE_TIER');
  });

  it('says them while the mark and the index are apart', async () => {
    for (const index of ['103000', '98000']) {
      await exchange.rpc('dojima_setIndexPrice', { symbol: 'BTC-USD', price: index });
      await exchange.rpc('dojima_step', 1000);
      await compareAsked(TAKER, 'BTC-USD', draft('BUY', '99500', '1'));
      await compareAsked(TAKER, 'BTC-USD', draft('SELL', '100700', '40'));
      await compareAsked(TAKER, 'ETH-USD', draft('SELL', '4004', '5.5'));
    }
  });

  it('says them while a jump of the index is held back', async () => {
    const made = () =>
      exchange.get<{ heldBack: boolean; candidatePrice?: string }[]>(
        '/perps/markets/index-composition?symbol=SOL-USD',
      );
    await exchange.rpc('dojima_setIndexPrice', { symbol: 'SOL-USD', price: '250' });
    await exchange.rpc('dojima_step', 1000);
    expect((await made())[0]).toMatchObject({ heldBack: true, candidatePrice: '250' });
    await compareAsked(4, 'SOL-USD', draft('BUY', '198.5', '100'));
    await compareAsked(4, 'SOL-USD', draft('SELL', '202', '250'));
    await compareAsked(4, 'BTC-USD', draft('SELL', '101000', '1'));
    await exchange.rpc('dojima_setIndexPrice', { symbol: 'SOL-USD', price: '200' });
    await exchange.rpc('dojima_step', 1000);
    expect((await made())[0]).toMatchObject({ heldBack: false });
  });

  it('says first what the exchange refuses first', async () => {
    const refused: Asked[] = [
      draft('BUY', '120000', '0.1'),
      draft('SELL', '80000', '0.1'),
      draft('BUY', '100000', '1001'),
      draft('BUY', null, '101', { kind: 'MARKET', timeInForce: 'IOC' }),
      draft('BUY', '99000', '0.00001'),
      draft('BUY', '99000', '990'),
      draft('BUY', '99000', '480'),
      draft('BUY', '104000', '0.1', { timeInForce: 'GTX' }),
      draft('BUY', '99000', '1', { reduceOnly: true }),
      draft('BUY', '99000', '90'),
    ];
    for (const asked of refused) {
      const said = await compareAsked(TAKER, 'BTC-USD', asked);
      expect(said.refusals, JSON.stringify(asked)).not.toEqual([]);
    }
  });

  it('refuses an order that the margin just does not cover, and takes the one unit smaller', async () => {
    const name = 'ETH-USD';
    const who = 3;
    let low = 1n;
    let high = 10_000_0000n;
    while (high - low > 1n) {
      const middle = (low + high) / 2n;
      const order = { ...unitsDraft(market(name), draft('BUY', '3900', null)), quantity: middle };
      const said = await preview(who, name, order);
      if (said.refusals.length === 0) low = middle;
      else high = middle;
    }
    const order = unitsDraft(market(name), draft('BUY', '3900', null));
    const over = await compare(who, name, { ...order, quantity: high });
    expect(over.refusals.length).toBeGreaterThan(0);
    await compare(who, name, { ...order, quantity: low });
  });
});
