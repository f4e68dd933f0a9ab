// SPDX-License-Identifier: MIT
// An account that trades: orders by names, each with its own outcome, also when a reply was lost.
import type { Amount } from './amount.js';
import type { Client } from './client.js';
import type { Executed, WriteChoices } from './endpoints.js';
import { OutcomeUnknown, RefusedInLostReply, errorOf } from './errors.js';
import type { ExchangeError } from './errors.js';
import { type OrderReads, canceledAgain, placedAgain, replacedAgain } from './lost.js';
import { bracketItems, newClientOrderID, perpsItem, spotItem } from './orders.js';
import type { BracketStops, NewOrder, NewPerpsOrder } from './orders.js';
import type { OrderResult } from './spec/types.js';
import { BRIDGE_ACCOUNT, MARGIN_MODE, TRANSFER } from './types.js';
import type { Engine, MarginMode, OrderStatus } from './types.js';
import type { Place } from './write.js';

/** An order that the exchange accepted. */
export interface Placed {
  readonly orderID: number;
  readonly clOrdID: string;
  readonly status: OrderStatus | undefined;
  readonly place: Place | undefined;
  /** The reply was lost, and the order was read. */
  readonly lost: boolean;
}

/** Why an item failed; OutcomeUnknown when it was executed and cannot be read. */
export type ItemError = ExchangeError | RefusedInLostReply | OutcomeUnknown;

/** An order by its number or by its client order id. */
export type OrderName = { readonly symbol: string } & (
  | { readonly orderID: number; readonly clOrdID?: undefined }
  | { readonly clOrdID: string; readonly orderID?: undefined }
);

export interface Changes {
  readonly price?: Amount;
  readonly quantity?: Amount;
}

const MOST_ITEMS = 100;

const only = <T>(items: readonly (T | ItemError)[]): T => {
  const [first] = items;
  if (first === undefined) throw new TypeError('the exchange answered without an item');
  if (first instanceof Error) throw first;
  return first;
};

const refusalOf = ({ code, error, details }: OrderResult): ExchangeError =>
  errorOf({ code, error: error ?? '', details: { ...details } });

/** The orders of an answer. */
const placed = ({ data, place }: Extract<Executed<OrderResult[]>, { lost: false }>): (Placed | ItemError)[] =>
  data.map((item) =>
    item.code === 0
      ? { orderID: item.orderID ?? 0, clOrdID: item.clOrdID, status: item.status, place, lost: false }
      : refusalOf(item),
  );

/** What both engines have. */
abstract class Trading {
  constructor(
    protected readonly client: Client,
    protected readonly engine: Engine,
    readonly address: string,
    readonly accountID: number,
  ) {}

  /** Quantity and price are text, bigint or Decimal; `price` makes it a limit order. */
  buy(order: Omit<NewPerpsOrder, 'side'>, choices?: WriteChoices): Promise<Placed> {
    return this.place({ ...order, side: 'BUY' }, choices);
  }

  sell(order: Omit<NewPerpsOrder, 'side'>, choices?: WriteChoices): Promise<Placed> {
    return this.place({ ...order, side: 'SELL' }, choices);
  }

  /** Places one order; throws why it was refused. */
  async place(order: NewOrder | NewPerpsOrder, choices?: WriteChoices): Promise<Placed> {
    return only(await this.placeAll([order], choices));
  }

  /** Places up to 100 orders as one unit; each succeeds or fails alone. On perps they are of one symbol. */
  abstract placeAll(
    orders: readonly (NewOrder | NewPerpsOrder)[],
    choices?: WriteChoices,
  ): Promise<(Placed | ItemError)[]>;

  abstract cancelAll(orders: readonly OrderName[], choices?: WriteChoices): Promise<(OrderResult | ItemError)[]>;

  /** Cancels one open order; throws why it was refused. */
  async cancel(order: OrderName, choices?: WriteChoices): Promise<OrderResult> {
    return only(await this.cancelAll([order], choices));
  }

  /** Cancels all open orders, those of one symbol or all; gives how many. */
  async cancelOpen(symbol?: string, choices?: WriteChoices): Promise<number> {
    const open = (await this.openOrders(symbol)).map((each) => ({ symbol: each.symbol, orderID: each.orderID }));
    let done = 0;
    for (let at = 0; at < open.length; at += MOST_ITEMS) {
      const items = await this.cancelAll(open.slice(at, at + MOST_ITEMS), choices);
      done += items.filter((item) => !(item instanceof Error)).length;
    }
    return done;
  }

  /** Changes price or quantity of an open limit order, which keeps its orderID; throws why it was refused. */
  async replace(order: OrderName, changes: Changes, choices?: WriteChoices): Promise<Placed> {
    const symbolID = await this.client.symbolID(this.engine, order.symbol);
    const clOrdID = newClientOrderID();
    const target = order.orderID === undefined ? { origClOrdID: order.clOrdID } : { origOrderID: order.orderID };
    const body = { accountID: this.accountID, orders: [{ symbolID, clOrdID, ...target, ...changes }] };
    const executed = await this.client[this.engine].replaceOrder(body, choices);
    if (executed.lost) return replacedAgain(executed, this.reads(order.symbol), order, changes, clOrdID);
    return only(placed(executed));
  }

  /** Cancels all open orders at this time (Unix ms); undefined takes it back. */
  async scheduleCancel(scheduledTimestamp?: number, choices?: WriteChoices): Promise<void> {
    const time = scheduledTimestamp === undefined ? {} : { scheduledTimestamp };
    const body = { accountID: this.accountID, ...time };
    done(await this.client[this.engine].scheduleCancel(body, choices), 'the schedule');
  }

  /** Open orders, of one symbol or all. */
  async openOrders(symbol?: string) {
    const query = { accountID: this.accountID, limit: 1000, ...(symbol === undefined ? {} : { symbol }) };
    return (await this.client[this.engine].openOrders(this.address, query)).orders;
  }

  /** Of one symbol, or of all. */
  private reads(symbol: string | undefined): OrderReads {
    const query = { accountID: this.accountID, limit: 1000, ...(symbol === undefined ? {} : { symbol }) };
    return {
      open: () => this.openOrders(symbol),
      ended: () => this.client[this.engine].orderHistory(this.address, query),
    };
  }

  /** The outcome of each order of a batch; after a lost reply it is read by the client order ids. */
  protected async placedOf(
    executed: Executed<OrderResult[]>,
    symbol: string | undefined,
    ids: readonly string[],
  ): Promise<(Placed | ItemError)[]> {
    if (executed.lost) return placedAgain(executed, this.reads(symbol), ids);
    return placed(executed);
  }

  /** The outcome of cancels. */
  protected async canceledOf(
    executed: Executed<OrderResult[]>,
    orders: readonly OrderName[],
  ): Promise<(OrderResult | ItemError)[]> {
    if (executed.lost) return canceledAgain(executed, this.reads(undefined), orders);
    return executed.data.map((item) => (item.code === 0 ? item : refusalOf(item)));
  }
}

/** A write that is no batch: after a lost reply the receipt says whether it was done. */
function done<T>(executed: Executed<T>, what: string): void {
  if (!executed.lost || executed.succeeded === true) return;
  if (executed.succeeded === false) throw new RefusedInLostReply(what, executed.place);
  throw new OutcomeUnknown(`${what} was executed, and its receipt cannot be read`, undefined, executed.place);
}

export class SpotTrading extends Trading {
  async placeAll(orders: readonly NewOrder[], choices?: WriteChoices): Promise<(Placed | ItemError)[]> {
    const items = [];
    for (const order of orders) items.push(spotItem(order, await this.client.symbolID('spot', order.symbol)));
    const executed = await this.client.spot.batchNewOrder({ accountID: this.accountID, orders: items }, choices);
    const ids = items.map(({ clOrdID }) => clOrdID);
    return this.placedOf(executed, undefined, ids);
  }

  async cancelAll(orders: readonly OrderName[], choices?: WriteChoices): Promise<(OrderResult | ItemError)[]> {
    const cancels = [];
    for (const { symbol, orderID, clOrdID } of orders) {
      const target = orderID === undefined ? { origClOrdID: clOrdID } : { orderID };
      cancels.push({ symbolID: await this.client.symbolID('spot', symbol), clOrdID: newClientOrderID(), ...target });
    }
    const executed = await this.client.spot.batchCancelOrder({ accountID: this.accountID, cancels }, choices);
    return this.canceledOf(executed, orders);
  }

  async balances() {
    return (await this.client.spot.balances(this.address, { accountID: this.accountID })).balances;
  }

  trades(query: { symbol?: string; limit?: number } = {}) {
    return this.client.spot.userTrades(this.address, { accountID: this.accountID, ...query });
  }

  /** Moves a coin to perps (vUSDC alone) or to the owner's EVM ledger. */
  async transfer(coin: string, amount: Amount, to: 'perps' | 'evm', choices?: WriteChoices): Promise<void> {
    const [found] = await this.client.spot.coins({ coin });
    const type = to === 'perps' ? TRANSFER.PERPS_WITHDRAW : TRANSFER.EVM_WITHDRAW;
    const body = { fromAccountID: this.accountID, toAccountID: BRIDGE_ACCOUNT, coinID: found?.id ?? 0, amount, type };
    done(await this.client.spot.transferAsset({ id: this.client.clock.nonce(), ...body }, choices), 'the transfer');
  }
}

export class PerpsTrading extends Trading {
  async placeAll(orders: readonly NewPerpsOrder[], choices?: WriteChoices): Promise<(Placed | ItemError)[]> {
    const [first] = orders;
    if (!first) return [];
    if (orders.some(({ symbol }) => symbol !== first.symbol))
      throw new TypeError('orders of perps that are placed together are of one symbol');
    return this.placeItems(first.symbol, orders.map((order) => perpsItem(order)), choices);
  }

  /** An order with a take-profit and perhaps a stop-loss, all or nothing; throws why it was refused. */
  async bracket(order: NewPerpsOrder, stops: BracketStops, choices?: WriteChoices): Promise<Placed[]> {
    const items = await this.placeItems(order.symbol, bracketItems(order, stops), choices);
    return items.map((item) => only([item]));
  }

  private async placeItems(symbol: string, items: ReturnType<typeof perpsItem>[], choices?: WriteChoices) {
    const symbolID = await this.client.symbolID('perps', symbol);
    const body = { accountID: this.accountID, symbolID, orders: items };
    const executed = await this.client.perps.newOrder(body, choices);
    const ids = items.map(({ clOrdID }) => clOrdID);
    return this.placedOf(executed, symbol, ids);
  }

  async cancelAll(orders: readonly OrderName[], choices?: WriteChoices): Promise<(OrderResult | ItemError)[]> {
    const cancels = [];
    for (const { symbol, orderID, clOrdID } of orders) {
      const target = orderID === undefined ? { clOrdID } : { orderID };
      cancels.push({ symbolID: await this.client.symbolID('perps', symbol), ...target });
    }
    const executed = await this.client.perps.cancelOrder({ accountID: this.accountID, cancels }, choices);
    return this.canceledOf(executed, orders);
  }

  /** Changes a take-profit or stop-loss. */
  async modify(order: OrderName, changes: Changes & { readonly stopPrice?: Amount }, choices?: WriteChoices) {
    const symbolID = await this.client.symbolID('perps', order.symbol);
    const target = order.orderID === undefined ? { clOrdID: order.clOrdID } : { orderID: order.orderID };
    const body = { accountID: this.accountID, symbolID, ...target, ...changes };
    done(await this.client.perps.modifyOrder(body, choices), 'the change of a stop');
  }

  async setLeverage(symbol: string, leverage: number, mode: MarginMode = 'CROSS', choices?: WriteChoices) {
    const symbolID = await this.client.symbolID('perps', symbol);
    const body = { accountID: this.accountID, symbolID, leverage, marginMode: MARGIN_MODE[mode] };
    done(await this.client.perps.updateLeverage(body, choices), 'the leverage');
  }

  /** Puts vUSDC into an isolated position; below zero takes it out. */
  async addMargin(symbol: string, amount: Amount, choices?: WriteChoices): Promise<void> {
    const symbolID = await this.client.symbolID('perps', symbol);
    done(await this.client.perps.updateMargin({ accountID: this.accountID, symbolID, amount }, choices), 'the margin');
  }

  async balances() {
    return (await this.client.perps.balances(this.address, { accountID: this.accountID })).balances;
  }

  async positions(symbol?: string) {
    const query = { accountID: this.accountID, ...(symbol === undefined ? {} : { symbol }) };
    return (await this.client.perps.positions(this.address, query)).positions;
  }

  trades(query: { symbol?: string; limit?: number } = {}) {
    return this.client.perps.userTrades(this.address, { accountID: this.accountID, ...query });
  }

  /** Moves vUSDC to spot. */
  async transfer(coin: string, amount: Amount, choices?: WriteChoices): Promise<void> {
    const [found] = await this.client.perps.coins({ coin });
    const type = TRANSFER.SPOT_WITHDRAW;
    const body = { fromAccountID: this.accountID, toAccountID: BRIDGE_ACCOUNT, coinID: found?.id ?? 0, amount, type };
    done(await this.client.perps.transferAsset({ id: this.client.clock.nonce(), ...body }, choices), 'the transfer');
  }
}

/** One account of a client's signer, on both engines. */
export class Account {
  readonly spot: SpotTrading;
  readonly perps: PerpsTrading;

  /** 0 is the signer's primary account. */
  constructor(
    readonly client: Client,
    readonly accountID = 0,
  ) {
    const owner = client.signer?.owner;
    if (owner === undefined) throw new TypeError('an account needs a client with a signer');
    this.spot = new SpotTrading(client, 'spot', owner, accountID);
    this.perps = new PerpsTrading(client, 'perps', owner, accountID);
  }

  /** The wallet's address, lower case. */
  get address(): string {
    return this.spot.address;
  }
}
