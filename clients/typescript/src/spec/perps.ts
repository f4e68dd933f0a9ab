// SPDX-License-Identifier: MIT
// Written by tools/generate.mjs from /openapi.json.
import { Endpoints, type Executed, type WriteChoices } from '../endpoints.js';
import type {
  APIKey,
  AccountLiquidation,
  AddAPIKeyRequestBody,
  BookTicker,
  FeeRate,
  IndexComposition,
  InsuranceFund,
  LeverageResult,
  Liquidation,
  LiquidationRank,
  MarkPriceTicker,
  MiniTicker,
  ModifyOrderRequestBody,
  OrderBook,
  OrderResult,
  PerpsAccountBalance,
  PerpsAccountOpenOrder,
  PerpsAccountOpenPosition,
  PerpsCancelOrderRequestBody,
  PerpsCoin,
  PerpsNewOrderRequestBody,
  PerpsOrder,
  PerpsSymbol,
  PerpsTicker,
  PerpsUserFunding,
  Position,
  RPCKline,
  ReplaceOrderRequestBody,
  RevokeAPIKeyRequestBody,
  ScheduleCancelRequestBody,
  Trade,
  TransferAssetRequestBody,
  TransferResult,
  UpdateLeverageRequestBody,
  UpdateMarginRequestBody,
  UserTrade,
  WsPerpsState,
} from './types.js';

export class PerpsEndpoints extends Endpoints {
  /** The best levels of a symbol's book. `GET /api/v1/perps/markets/{symbol}/orderbook` */
  orderBook(symbol: string, query: { limit?: number } = {}): Promise<OrderBook> {
    return this.read(`/api/v1/perps/markets/${encodeURIComponent(symbol)}/orderbook`, query);
  }

  /** Statistics of the last 24 hours in few keys, of all symbols or one. `GET /api/v1/perps/markets/miniTickers` */
  miniTickers(query: { symbol?: string } = {}): Promise<MiniTicker[]> {
    return this.read('/api/v1/perps/markets/miniTickers', query);
  }

  /** The best level of each side, of all symbols or one. `GET /api/v1/perps/markets/bookTickers` */
  bookTickers(query: { symbol?: string } = {}): Promise<BookTicker[]> {
    return this.read('/api/v1/perps/markets/bookTickers', query);
  }

  /** The newest trades of a symbol, newest first. `GET /api/v1/perps/markets/{symbol}/trades` */
  trades(symbol: string, query: { limit?: number } = {}): Promise<Trade[]> {
    return this.read(`/api/v1/perps/markets/${encodeURIComponent(symbol)}/trades`, query);
  }

  /** Listed contracts, all or one by name. `GET /api/v1/perps/markets/symbols` */
  symbols(query: { symbol?: string } = {}): Promise<PerpsSymbol[]> {
    return this.read('/api/v1/perps/markets/symbols', query);
  }

  /**
   * Statistics of the last 24 hours, the best prices, index, mark and funding, of all symbols or one. `GET
   * /api/v1/perps/markets/tickers`
   */
  tickers(query: { symbol?: string } = {}): Promise<PerpsTicker[]> {
    return this.read('/api/v1/perps/markets/tickers', query);
  }

  /**
   * Index and mark price, funding and open interest, of all symbols or one. `GET
   * /api/v1/perps/markets/mark-prices`
   */
  markPrices(query: { symbol?: string } = {}): Promise<MarkPriceTicker[]> {
    return this.read('/api/v1/perps/markets/mark-prices', query);
  }

  /**
   * The composition of index and mark: sources, weights, ages, states and prices held back, of all symbols or
   * one. `GET /api/v1/perps/markets/index-composition`
   */
  indexComposition(query: { symbol?: string } = {}): Promise<IndexComposition[]> {
    return this.read('/api/v1/perps/markets/index-composition', query);
  }

  /**
   * Receipts of liquidations, newest first: every stage with everything it was decided by. `GET
   * /api/v1/perps/liquidations`
   */
  liquidations(
    query: {
      symbol?: string;
      liquidationID?: number;
      startTime?: number;
      endTime?: number;
      limit?: number;
      fromID?: number;
    } = {},
  ): Promise<Liquidation[]> {
    return this.read('/api/v1/perps/liquidations', query);
  }

  /**
   * The whole ranking that an ADL used, best first: accounts in order, their groups, and the shares. `GET
   * /api/v1/perps/liquidations/ranking`
   */
  liquidationRanking(query: { receiptID: number; fromRank?: number; limit?: number }): Promise<LiquidationRank[]> {
    return this.read('/api/v1/perps/liquidations/ranking', query);
  }

  /**
   * The insurance fund: balance, inventory, limits, what of the day's budget is used, and the last 30 days. `GET
   * /api/v1/perps/insurance-fund`
   */
  insuranceFund(): Promise<InsuranceFund> {
    return this.read('/api/v1/perps/insurance-fund');
  }

  /**
   * Bars of a symbol, oldest first, the open one included; they begin with the first trade, and gaps repeat the
   * close. `GET /api/v1/perps/markets/{symbol}/klines`
   */
  klines(
    symbol: string,
    query: { interval: string; startTime?: number; endTime?: number; limit?: number },
  ): Promise<RPCKline[]> {
    return this.read(`/api/v1/perps/markets/${encodeURIComponent(symbol)}/klines`, query);
  }

  /** Listed coins as collateral, all or one by name. `GET /api/v1/perps/markets/coins` */
  coins(query: { coin?: string } = {}): Promise<PerpsCoin[]> {
    return this.read('/api/v1/perps/markets/coins', query);
  }

  /** Balances of every coin the perps wallet ever held. `GET /api/v1/perps/accounts/{userAddress}/balances` */
  balances(userAddress: string, query: { accountID?: number } = {}): Promise<PerpsAccountBalance> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/balances`, query);
  }

  /** Open orders and stops that wait, newest first. `GET /api/v1/perps/accounts/{userAddress}/orders` */
  openOrders(
    userAddress: string,
    query: { accountID?: number; symbol?: string; limit?: number } = {},
  ): Promise<PerpsAccountOpenOrder> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/orders`, query);
  }

  /** Open positions, newest first, of all symbols or one. `GET /api/v1/perps/accounts/{userAddress}/positions` */
  positions(
    userAddress: string,
    query: { accountID?: number; symbol?: string; limit?: number } = {},
  ): Promise<PerpsAccountOpenPosition> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/positions`, query);
  }

  /**
   * Ids, margins, balances, open orders and positions of one instant. `GET
   * /api/v1/perps/accounts/{userAddress}/state`
   */
  state(userAddress: string, query: { accountID?: number } = {}): Promise<WsPerpsState> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/state`, query);
  }

  /**
   * API keys of the account, oldest first, all or one by name; they sign on both bases. `GET
   * /api/v1/perps/accounts/{userAddress}/api-keys`
   */
  apiKeys(userAddress: string, query: { accountID?: number; name?: string } = {}): Promise<APIKey[]> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/api-keys`, query);
  }

  /**
   * Fee rates of the user; with a symbol, those that hold there. `GET
   * /api/v1/perps/accounts/{userAddress}/fee-rate`
   */
  feeRate(userAddress: string, query: { accountID?: number; symbol?: string } = {}): Promise<FeeRate> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/fee-rate`, query);
  }

  /**
   * Orders that ended, by the time of their end, newest first. `GET
   * /api/v1/perps/accounts/{userAddress}/orders/history`
   */
  orderHistory(
    userAddress: string,
    query: {
      accountID?: number;
      symbol?: string;
      startTime?: number;
      endTime?: number;
      limit?: number;
      fromID?: number;
    } = {},
  ): Promise<PerpsOrder[]> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/orders/history`, query);
  }

  /**
   * Positions that were closed, by the time of their end, newest first. `GET
   * /api/v1/perps/accounts/{userAddress}/positions/history`
   */
  positionHistory(
    userAddress: string,
    query: {
      accountID?: number;
      symbol?: string;
      startTime?: number;
      endTime?: number;
      limit?: number;
      fromID?: number;
    } = {},
  ): Promise<Position[]> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/positions/history`, query);
  }

  /**
   * What positions paid (above 0) or got (below 0) at each hour, newest first. `GET
   * /api/v1/perps/accounts/{userAddress}/fundings`
   */
  fundings(
    userAddress: string,
    query: {
      accountID?: number;
      symbol?: string;
      positionID?: number;
      startTime?: number;
      endTime?: number;
      limit?: number;
    } = {},
  ): Promise<PerpsUserFunding[]> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/fundings`, query);
  }

  /**
   * Receipts of liquidations that the account was in, newest first: its own, and those in which it was
   * deleveraged. `GET /api/v1/perps/accounts/{userAddress}/liquidations`
   */
  accountLiquidations(
    userAddress: string,
    query: {
      accountID?: number;
      symbol?: string;
      liquidationID?: number;
      startTime?: number;
      endTime?: number;
      limit?: number;
      fromID?: number;
    } = {},
  ): Promise<AccountLiquidation[]> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/liquidations`, query);
  }

  /** Trades of the account, newest first. `GET /api/v1/perps/accounts/{userAddress}/trades` */
  userTrades(
    userAddress: string,
    query: {
      accountID?: number;
      symbol?: string;
      orderID?: number;
      startTime?: number;
      endTime?: number;
      limit?: number;
      fromID?: number;
    } = {},
  ): Promise<UserTrade[]> {
    return this.read(`/api/v1/perps/accounts/${encodeURIComponent(userAddress)}/trades`, query);
  }

  /**
   * Places 1 to 100 orders in one symbol as one uninterrupted unit, each of which succeeds or fails alone; or an
   * order with TP/SL, all or nothing. `POST /api/v1/perps/trade/orders`
   */
  newOrder(body: PerpsNewOrderRequestBody, options?: WriteChoices): Promise<Executed<OrderResult[]>> {
    const action = { engine: 'perps', method: 'POST', path: '/trade/orders', type: 'newOrder' } as const;
    return this.write(action, body, options);
  }

  /** Cancels 1 to 100 open orders, TP/SL orders included. `DELETE /api/v1/perps/trade/orders` */
  cancelOrder(body: PerpsCancelOrderRequestBody, options?: WriteChoices): Promise<Executed<OrderResult[]>> {
    const action = { engine: 'perps', method: 'DELETE', path: '/trade/orders', type: 'cancelOrder' } as const;
    return this.write(action, body, options);
  }

  /**
   * Changes price or quantity of 1 to 100 open limit orders; they keep their orderID. `POST
   * /api/v1/perps/trade/orders/replace`
   */
  replaceOrder(body: ReplaceOrderRequestBody, options?: WriteChoices): Promise<Executed<OrderResult[]>> {
    const action = { engine: 'perps', method: 'POST', path: '/trade/orders/replace', type: 'replaceOrder' } as const;
    return this.write(action, body, options);
  }

  /**
   * Changes price, quantity or stop price of a TP/SL order that has not triggered. `POST
   * /api/v1/perps/trade/orders/modify`
   */
  modifyOrder(body: ModifyOrderRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = { engine: 'perps', method: 'POST', path: '/trade/orders/modify', type: 'modifyOrder' } as const;
    return this.write(action, body, options);
  }

  /**
   * Cancels all open orders of the base at a time to come, or, without scheduledTimestamp, takes that back. `POST
   * /api/v1/perps/trade/orders/schedule-cancel`
   */
  scheduleCancel(body: ScheduleCancelRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = {
      engine: 'perps',
      method: 'POST',
      path: '/trade/orders/schedule-cancel',
      type: 'scheduleCancel',
    } as const;
    return this.write(action, body, options);
  }

  /**
   * Sets leverage and margin mode of a symbol in which the account has neither orders nor a position. `POST
   * /api/v1/perps/trade/leverage`
   */
  updateLeverage(body: UpdateLeverageRequestBody, options?: WriteChoices): Promise<Executed<LeverageResult>> {
    const action = { engine: 'perps', method: 'POST', path: '/trade/leverage', type: 'updateLeverage' } as const;
    return this.write(action, body, options);
  }

  /** Adds margin to an isolated position, or takes some out. `POST /api/v1/perps/trade/margin` */
  updateMargin(body: UpdateMarginRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = { engine: 'perps', method: 'POST', path: '/trade/margin', type: 'updateMargin' } as const;
    return this.write(action, body, options);
  }

  /**
   * Moves money of an account: from spot to perps or to the EVM ledger of its owner, from perps to spot. `POST
   * /api/v1/perps/accounts/transfers`
   */
  transferAsset(body: TransferAssetRequestBody, options?: WriteChoices): Promise<Executed<TransferResult>> {
    const action = { engine: 'perps', method: 'POST', path: '/accounts/transfers', type: 'transferAsset' } as const;
    return this.write(action, body, options);
  }

  /** Registers an API key for both bases. `POST /api/v1/perps/accounts/api-keys` */
  addAPIKey(body: AddAPIKeyRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = {
      engine: 'perps',
      method: 'POST',
      path: '/accounts/api-keys',
      type: 'addAPIKey',
      domain: 'universal',
    } as const;
    return this.write(action, body, options);
  }

  /** Revokes an API key on both bases; its resting orders stay. `DELETE /api/v1/perps/accounts/api-keys` */
  revokeAPIKey(body: RevokeAPIKeyRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = {
      engine: 'perps',
      method: 'DELETE',
      path: '/accounts/api-keys',
      type: 'revokeAPIKey',
      domain: 'universal',
    } as const;
    return this.write(action, body, options);
  }
}
