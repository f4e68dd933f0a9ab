// SPDX-License-Identifier: MIT
// What the account has: balances, open orders, positions and fills, from its streams and, at the start and after a cut,
// from reads. Everything is empty while nobody is signed in.
import { signal } from '@preact/signals-core';
import type { Decimal } from '../core/decimal';
import type {
  Engine,
  FeeRate,
  MarginMode,
  OrderStatus,
  OrderType,
  Side,
  StopType,
  TimeInForce,
  TriggerType,
  WsOrderUpdate,
  WsPerpsState,
  WsSpotState,
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
  readonly fee: Decimal;
  readonly feeCoin: string | undefined;
  readonly maker: boolean;
  readonly time: number;
}

/** `state` records of both engines: balances, margins and settings. Undefined until they were read. */
export const spotState = signal<WsSpotState | undefined>(undefined);
export const perpsState = signal<WsPerpsState | undefined>(undefined);

/** Newest first, both engines. */
export const orders = signal<readonly OpenOrder[]>([]);
export const positions = signal<readonly Position[]>([]);
/** The newest fills of this account, newest first, at most 200, both engines. */
export const fills = signal<readonly Fill[]>([]);

/** Fee rates of the account on a symbol; undefined before the first answer. */
export const feeRates = signal<ReadonlyMap<string, FeeRate>>(new Map());

/** True from a cut until everything was read again: what is shown may be old. */
export const stale = signal(false);

export interface OrderEvent {
  readonly engine: Engine;
  readonly update: WsOrderUpdate;
}

/** Calls for every change of an order of the account; returns the end. */
export function onOrder(_listener: (event: OrderEvent) => void): () => void {
  return () => {};
}
