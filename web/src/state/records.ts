// SPDX-License-Identifier: MIT
// Orders, positions and fills as the page knows them, made from the records of reads and streams.
import { type Decimal, decimal, isZero, signOf } from '../core/decimal';
import type {
  Engine,
  MarginMode,
  OrderRecord,
  OrderStatus,
  OrderType,
  Side,
  StopType,
  TimeInForce,
  TriggerType,
  UserTrade,
  WsAccountTrade,
  WsPerpsStatePosition,
  WsStateOrder,
} from '../core/types';

export interface OpenOrder {
  readonly engine: Engine;
  readonly symbol: string;
  readonly id: number;
  readonly clientID: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly status: OrderStatus;
  /** Undefined for a market order without one. */
  readonly price: Decimal | undefined;
  /** Undefined for an order by funds, or a stop that closes the whole position. */
  readonly quantity: Decimal | undefined;
  readonly funds: Decimal | undefined;
  readonly executed: Decimal;
  readonly executedValue: Decimal;
  readonly reduceOnly: boolean;
  readonly stopPrice: Decimal | undefined;
  readonly stopType: StopType | undefined;
  readonly triggerType: TriggerType | undefined;
  /** The parent of a stop of a bracket, and the children of a bracket. */
  readonly parentID: number | undefined;
  readonly childIDs: readonly number[];
  readonly positionID: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Position {
  readonly id: number;
  readonly symbol: string;
  /** Above 0 long, below 0 short; never 0 in this list. */
  readonly size: Decimal;
  readonly entry: Decimal;
  readonly marginMode: MarginMode;
  readonly leverage: number;
  /** The mark price at which liquidation begins; undefined when there is none. */
  readonly liquidation: Decimal | undefined;
  /** At the mark price of the record; markOf() has a newer one. */
  readonly unrealized: Decimal;
  readonly realized: Decimal;
  /** Margin of an isolated position. */
  readonly isolatedMargin: Decimal | undefined;
  /** Rank of auto-deleveraging, 1 (first) to 6. */
  readonly adl: number;
  readonly createdAt: number;
}

export interface Fill {
  readonly engine: Engine;
  readonly symbol: string;
  readonly tradeID: number;
  readonly orderID: number;
  readonly clientID: string;
  readonly side: Side;
  readonly price: Decimal;
  readonly quantity: Decimal;
  /** Below 0: paid to the account. */
  readonly fee: Decimal;
  /** Streams do not say it; undefined until a read does. */
  readonly feeCoin: string | undefined;
  readonly maker: boolean;
  /** A fill that a liquidation made. */
  readonly liquidationID: number | undefined;
  readonly time: number;
}

type Maybe<T> = T | null | undefined;

const decimalIf = (text: Maybe<string>): Decimal | undefined =>
  text === null || text === undefined ? undefined : decimal(text);

/** Streams say "0" where there is none. */
function decimalUnlessZero(text: Maybe<string>): Decimal | undefined {
  const value = decimalIf(text);
  return value === undefined || isZero(value) ? undefined : value;
}

const ENDED: readonly OrderStatus[] = ['FILLED', 'CANCELED', 'REJECTED', 'EXPIRED'];
export const isOpen = (order: OpenOrder): boolean => !ENDED.includes(order.status);

/** From accountState and accountOrderUpdate. */
export function orderOfStream(engine: Engine, one: WsStateOrder): OpenOrder {
  return {
    engine,
    symbol: one.s,
    id: one.i,
    clientID: one.c,
    side: one.S,
    type: one.o,
    timeInForce: one.f,
    status: one.X,
    price: decimalUnlessZero(one.p),
    quantity: decimalUnlessZero(one.q),
    funds: decimalUnlessZero(one.F),
    executed: decimal(one.z),
    executedValue: decimal(one.v),
    reduceOnly: one.R ?? false,
    stopPrice: decimalUnlessZero(one.sp),
    stopType: one.st ?? undefined,
    triggerType: one.tt ?? undefined,
    parentID: one.poid ?? undefined,
    childIDs: one.aoids ?? [],
    positionID: one.pid ?? undefined,
    createdAt: one.ct ?? 0,
    updatedAt: one.ut ?? 0,
  };
}

/** From the read of open orders. */
export function orderOfRead(engine: Engine, one: OrderRecord): OpenOrder {
  return {
    engine,
    symbol: one.symbol,
    id: one.orderID,
    clientID: one.clOrdID,
    side: one.side,
    type: one.type,
    timeInForce: one.timeInForce ?? 'GTC',
    status: one.status,
    price: decimalUnlessZero(one.price),
    quantity: decimalUnlessZero(one.origQty),
    funds: decimalUnlessZero(one.funds),
    executed: decimal(one.executedQty),
    executedValue: decimal(one.executedValue),
    reduceOnly: one.reduceOnly ?? false,
    stopPrice: decimalUnlessZero(one.stopPrice),
    stopType: one.stopType,
    triggerType: one.triggerType,
    parentID: one.primaryOrderID,
    childIDs: one.attachedOrderIDs ?? [],
    positionID: one.positionID,
    createdAt: one.createdAt,
    updatedAt: one.updatedAt,
  };
}

export function positionOf(one: WsPerpsStatePosition): Position {
  return {
    id: one.i,
    symbol: one.s,
    size: decimal(one.sz),
    entry: decimal(one.ep),
    marginMode: one.m,
    leverage: one.l,
    liquidation: decimalUnlessZero(one.lp),
    unrealized: decimal(one.ur),
    realized: decimal(one.cr),
    isolatedMargin: decimalIf(one.iw),
    adl: one.adl,
    createdAt: one.ct ?? 0,
  };
}

export const isPosition = (one: Position): boolean => signOf(one.size) !== 0;

export function fillOfStream(engine: Engine, one: WsAccountTrade): Fill {
  return {
    engine,
    symbol: one.s,
    tradeID: one.t,
    orderID: one.i,
    clientID: one.c,
    side: one.S,
    price: decimal(one.p),
    quantity: decimal(one.q),
    fee: decimal(one.f),
    feeCoin: undefined,
    maker: one.m,
    liquidationID: one.liquidationID,
    time: one.T,
  };
}

export function fillOfRead(engine: Engine, one: UserTrade): Fill {
  return {
    engine,
    symbol: one.symbol,
    tradeID: one.tradeID,
    orderID: one.orderID,
    clientID: one.clOrdID,
    side: one.side,
    price: decimal(one.price),
    quantity: decimal(one.quantity),
    fee: decimal(one.fee ?? '0'),
    feeCoin: one.feeCoin,
    maker: one.isMaker ?? false,
    liquidationID: one.liquidationID,
    time: one.time,
  };
}
