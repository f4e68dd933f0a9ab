// SPDX-License-Identifier: MIT
// Orders as people write them, and as the interface takes them: names in place of integers, a client order id each.
import { type Amount, amountText } from './amount.js';
import type { BatchNewOrderItemBody, PerpsOrderItemBody } from './spec/types.js';
import { newPrivateKey } from './wallet.js';
import { MODIFIER, POSITION_SIDE, SIDE, STOP, TIF, TRIGGER, TYPE } from './types.js';
import type { OrderType, Side, StopType, TimeInForce, TriggerType } from './types.js';

export interface NewOrder {
  readonly symbol: string;
  readonly side: Side;
  /** Default: LIMIT with a price, else MARKET. */
  readonly type?: OrderType;
  readonly price?: Amount;
  readonly quantity?: Amount;
  /** Of a market buy in place of `quantity`: what is spent. */
  readonly funds?: Amount;
  /** Default: GTC of a limit order, IOC of a market order. GTX is post-only. */
  readonly timeInForce?: TimeInForce;
  /** 1 to 36 of 0-9 a-z A-Z _ -; a random one, when not given. */
  readonly clOrdID?: string;
}

export interface NewPerpsOrder extends NewOrder {
  readonly reduceOnly?: boolean;
  /** With it the order waits until the price is reached: a take-profit or stop-loss. */
  readonly stopPrice?: Amount;
  readonly stopType?: StopType;
  readonly triggerType?: TriggerType;
}

/** Take-profit and stop-loss of a bracket; a stop-loss alone is an order with `stopPrice`. */
export interface BracketStops {
  readonly takeProfit: Amount;
  readonly stopLoss?: Amount;
  readonly triggerType?: TriggerType;
}

/** A client order id that no other client makes. */
export function newClientOrderID(): string {
  return `d${newPrivateKey().slice(2, 26)}`; // viem's random source; Node.js 18 has no global one
}

const text = (value: Amount | undefined, field: string): { [key: string]: string } =>
  value === undefined ? {} : { [field]: amountText(value, field) };

function common(order: NewOrder) {
  const type = order.type ?? (order.price === undefined ? 'MARKET' : 'LIMIT');
  return {
    clOrdID: order.clOrdID ?? newClientOrderID(),
    side: SIDE[order.side],
    type: TYPE[type],
    timeInForce: TIF[order.timeInForce ?? (type === 'LIMIT' ? 'GTC' : 'IOC')],
    ...text(order.price, 'price'),
    ...text(order.quantity, 'quantity'),
    ...text(order.funds, 'funds'),
  };
}

export function spotItem(order: NewOrder, symbolID: number): BatchNewOrderItemBody {
  return { symbolID, ...common(order) };
}

export function perpsItem(order: NewPerpsOrder, modifier?: keyof typeof MODIFIER): PerpsOrderItemBody {
  const { clOrdID, ...rest } = common(order);
  const stop =
    order.stopPrice === undefined
      ? {}
      : {
          ...text(order.stopPrice, 'stopPrice'),
          stopType: STOP[order.stopType ?? 'STOP_LOSS'],
          triggerType: TRIGGER[order.triggerType ?? 'MARK_PRICE'],
        };
  return {
    clOrdID,
    modifier: MODIFIER[modifier ?? (order.stopPrice === undefined ? 'NORMAL' : 'STOP')],
    ...rest,
    ...stop,
    reduceOnly: order.reduceOnly ?? false,
    positionSide: POSITION_SIDE.BOTH,
  };
}

/** The items of a bracket: the order itself, then what closes it. */
export function bracketItems(order: NewPerpsOrder, stops: BracketStops): PerpsOrderItemBody[] {
  const side = order.side === 'BUY' ? 'SELL' : 'BUY';
  const attached = (stopPrice: Amount | undefined, stopType: StopType) => {
    if (stopPrice === undefined) return [];
    const { symbol, quantity } = order;
    const amount = quantity === undefined ? {} : { quantity };
    const trigger = stops.triggerType === undefined ? {} : { triggerType: stops.triggerType };
    const child: NewPerpsOrder = { symbol, side, type: 'MARKET', ...amount, stopPrice, stopType, ...trigger };
    return [perpsItem({ ...child, reduceOnly: true }, 'ATTACHED_STOP')];
  };
  return [
    perpsItem(order, 'BRACKET'),
    ...attached(stops.takeProfit, 'TAKE_PROFIT'),
    ...attached(stops.stopLoss, 'STOP_LOSS'),
  ];
}
