// SPDX-License-Identifier: MIT
// Written by tools/generate.mjs from /openapi.json.
import { Endpoints, type Executed, type WriteChoices } from '../endpoints.js';
import type {
  APIKey,
  AddAPIKeyRequestBody,
  BatchCancelOrderRequestBody,
  BatchNewOrderRequestBody,
  BookTicker,
  FeeRate,
  MiniTicker,
  OrderBook,
  OrderResult,
  RPCKline,
  ReplaceOrderRequestBody,
  RevokeAPIKeyRequestBody,
  ScheduleCancelRequestBody,
  SpotAccountBalances,
  SpotAccountOpenOrder,
  SpotCoin,
  SpotOrder,
  SpotSymbol,
  SpotTicker,
  Trade,
  TransferAssetRequestBody,
  TransferResult,
  UserTrade,
  WsSpotState,
} from './types.js';

export class SpotEndpoints extends Endpoints {
  /** Listed symbols, all or one by name. `GET /api/v1/spot/markets/symbols` */
  symbols(query: { symbol?: string } = {}): Promise<SpotSymbol[]> {
    return this.read('/api/v1/spot/markets/symbols', query);
  }

  /** Listed coins, all or one by name. `GET /api/v1/spot/markets/coins` */
  coins(query: { coin?: string } = {}): Promise<SpotCoin[]> {
    return this.read('/api/v1/spot/markets/coins', query);
  }

  /** The best levels of a symbol's book. `GET /api/v1/spot/markets/{symbol}/orderbook` */
  orderBook(symbol: string, query: { limit?: number } = {}): Promise<OrderBook> {
    return this.read(`/api/v1/spot/markets/${encodeURIComponent(symbol)}/orderbook`, query);
  }

  /**
   * Statistics of the last 24 hours and the best prices, of all symbols or one. `GET
   * /api/v1/spot/markets/tickers`
   */
  tickers(query: { symbol?: string } = {}): Promise<SpotTicker[]> {
    return this.read('/api/v1/spot/markets/tickers', query);
  }

  /** Statistics of the last 24 hours in few keys, of all symbols or one. `GET /api/v1/spot/markets/miniTickers` */
  miniTickers(query: { symbol?: string } = {}): Promise<MiniTicker[]> {
    return this.read('/api/v1/spot/markets/miniTickers', query);
  }

  /** The best level of each side, of all symbols or one. `GET /api/v1/spot/markets/bookTickers` */
  bookTickers(query: { symbol?: string } = {}): Promise<BookTicker[]> {
    return this.read('/api/v1/spot/markets/bookTickers', query);
  }

  /**
   * Bars of a symbol, oldest first, the open one included; they begin with the first trade, and gaps repeat the
   * close. `GET /api/v1/spot/markets/{symbol}/klines`
   */
  klines(
    symbol: string,
    query: { interval: string; startTime?: number; endTime?: number; limit?: number },
  ): Promise<RPCKline[]> {
    return this.read(`/api/v1/spot/markets/${encodeURIComponent(symbol)}/klines`, query);
  }

  /** The newest trades of a symbol, newest first. `GET /api/v1/spot/markets/{symbol}/trades` */
  trades(symbol: string, query: { limit?: number } = {}): Promise<Trade[]> {
    return this.read(`/api/v1/spot/markets/${encodeURIComponent(symbol)}/trades`, query);
  }

  /** Balances of every coin the account ever held. `GET /api/v1/spot/accounts/{userAddress}/balances` */
  balances(userAddress: string, query: { accountID?: number } = {}): Promise<SpotAccountBalances> {
    return this.read(`/api/v1/spot/accounts/${encodeURIComponent(userAddress)}/balances`, query);
  }

  /** Open orders, newest first. `GET /api/v1/spot/accounts/{userAddress}/orders` */
  openOrders(
    userAddress: string,
    query: { accountID?: number; symbol?: string; limit?: number } = {},
  ): Promise<SpotAccountOpenOrder> {
    return this.read(`/api/v1/spot/accounts/${encodeURIComponent(userAddress)}/orders`, query);
  }

  /** Ids, balances and open orders of one instant. `GET /api/v1/spot/accounts/{userAddress}/state` */
  state(userAddress: string, query: { accountID?: number } = {}): Promise<WsSpotState> {
    return this.read(`/api/v1/spot/accounts/${encodeURIComponent(userAddress)}/state`, query);
  }

  /**
   * API keys of the account, oldest first, all or one by name; they sign on both bases. `GET
   * /api/v1/spot/accounts/{userAddress}/api-keys`
   */
  apiKeys(userAddress: string, query: { accountID?: number; name?: string } = {}): Promise<APIKey[]> {
    return this.read(`/api/v1/spot/accounts/${encodeURIComponent(userAddress)}/api-keys`, query);
  }

  /**
   * Fee rates of the user; with a symbol, those that hold there. `GET
   * /api/v1/spot/accounts/{userAddress}/fee-rate`
   */
  feeRate(userAddress: string, query: { accountID?: number; symbol?: string } = {}): Promise<FeeRate> {
    return this.read(`/api/v1/spot/accounts/${encodeURIComponent(userAddress)}/fee-rate`, query);
  }

  /**
   * Orders that ended, by the time of their end, newest first. `GET
   * /api/v1/spot/accounts/{userAddress}/orders/history`
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
  ): Promise<SpotOrder[]> {
    return this.read(`/api/v1/spot/accounts/${encodeURIComponent(userAddress)}/orders/history`, query);
  }

  /** Trades of the account, newest first. `GET /api/v1/spot/accounts/{userAddress}/trades` */
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
    return this.read(`/api/v1/spot/accounts/${encodeURIComponent(userAddress)}/trades`, query);
  }

  /**
   * Places 1 to 100 orders as one uninterrupted unit; each succeeds or fails alone. `POST
   * /api/v1/spot/trade/orders/batch`
   */
  batchNewOrder(body: BatchNewOrderRequestBody, options?: WriteChoices): Promise<Executed<OrderResult[]>> {
    const action = { engine: 'spot', method: 'POST', path: '/trade/orders/batch', type: 'batchNewOrder' } as const;
    return this.write(action, body, options);
  }

  /** Cancels 1 to 100 open orders. `DELETE /api/v1/spot/trade/orders/batch` */
  batchCancelOrder(body: BatchCancelOrderRequestBody, options?: WriteChoices): Promise<Executed<OrderResult[]>> {
    const action = {
      engine: 'spot',
      method: 'DELETE',
      path: '/trade/orders/batch',
      type: 'batchCancelOrder',
    } as const;
    return this.write(action, body, options);
  }

  /**
   * Changes price or quantity of 1 to 100 open limit orders; they keep their orderID. `POST
   * /api/v1/spot/trade/orders/replace`
   */
  replaceOrder(body: ReplaceOrderRequestBody, options?: WriteChoices): Promise<Executed<OrderResult[]>> {
    const action = { engine: 'spot', method: 'POST', path: '/trade/orders/replace', type: 'replaceOrder' } as const;
    return this.write(action, body, options);
  }

  /**
   * Cancels all open orders of the base at a time to come, or, without scheduledTimestamp, takes that back. `POST
   * /api/v1/spot/trade/orders/schedule-cancel`
   */
  scheduleCancel(body: ScheduleCancelRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = {
      engine: 'spot',
      method: 'POST',
      path: '/trade/orders/schedule-cancel',
      type: 'scheduleCancel',
    } as const;
    return this.write(action, body, options);
  }

  /**
   * Moves money of an account: from spot to perps or to the EVM ledger of its owner, from perps to spot. `POST
   * /api/v1/spot/accounts/transfers`
   */
  transferAsset(body: TransferAssetRequestBody, options?: WriteChoices): Promise<Executed<TransferResult>> {
    const action = { engine: 'spot', method: 'POST', path: '/accounts/transfers', type: 'transferAsset' } as const;
    return this.write(action, body, options);
  }

  /** Registers an API key for both bases. `POST /api/v1/spot/accounts/api-keys` */
  addAPIKey(body: AddAPIKeyRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = {
      engine: 'spot',
      method: 'POST',
      path: '/accounts/api-keys',
      type: 'addAPIKey',
      domain: 'universal',
    } as const;
    return this.write(action, body, options);
  }

  /** Revokes an API key on both bases; its resting orders stay. `DELETE /api/v1/spot/accounts/api-keys` */
  revokeAPIKey(body: RevokeAPIKeyRequestBody, options?: WriteChoices): Promise<Executed<undefined>> {
    const action = {
      engine: 'spot',
      method: 'DELETE',
      path: '/accounts/api-keys',
      type: 'revokeAPIKey',
      domain: 'universal',
    } as const;
    return this.write(action, body, options);
  }
}
