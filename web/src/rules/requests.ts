// SPDX-License-Identifier: MIT
// Bodies of signed writes (wire 2): keys in the order of the interface, what is not set left out.
import { MODIFIER, POSITION_SIDE, SIDE, STOP, TIF, TRIGGER, TYPE } from '../core/types';
import type { Draft, Side, TriggerType } from './draft';
import type { Market } from './market';
import { textOf } from './units';

type Body = Readonly<Record<string, unknown>>;

/** Leaves out what is undefined, so that the text that is signed has no such key. */
export function present(body: Record<string, unknown>): Body {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}

function texts(market: Market, draft: Draft) {
  const text = (units: bigint | null, scale: number) => (units === null ? undefined : textOf(units, scale));
  return {
    price: text(draft.price, market.priceScale),
    quantity: text(draft.quantity, market.quantityScale),
    funds: text(draft.funds, market.quoteScale),
  };
}

export function spotOrder(market: Market, accountID: number, draft: Draft, clientID: string): Body {
  const order = present({
    symbolID: market.id,
    clOrdID: clientID,
    side: SIDE[draft.side],
    type: TYPE[draft.kind],
    timeInForce: TIF[draft.timeInForce],
    ...texts(market, draft),
  });
  return { accountID, orders: [order] };
}

export interface StopPart {
  side: Side;
  kind: 'TAKE_PROFIT' | 'STOP_LOSS';
  stopPrice: bigint;
  trigger: TriggerType;
  clientID: string;
  /** ATTACHED_STOP in a bracket, STOP on a position. */
  modifier: 'ATTACHED_STOP' | 'STOP';
}

/** A stop that closes by a market order; of a position, without a quantity, all of it. */
export function stopItem(market: Market, stop: StopPart): Body {
  return {
    clOrdID: stop.clientID,
    modifier: MODIFIER[stop.modifier],
    side: SIDE[stop.side],
    type: TYPE.MARKET,
    timeInForce: TIF.IOC,
    stopPrice: textOf(stop.stopPrice, market.priceScale),
    stopType: STOP[stop.kind],
    triggerType: TRIGGER[stop.trigger],
    reduceOnly: true,
    positionSide: POSITION_SIDE.BOTH,
  };
}

/** The order, and behind it the stops of a bracket; `clientIDs` has one id for each. */
export function perpsOrder(market: Market, accountID: number, draft: Draft, clientIDs: readonly string[]): Body {
  const [own = '', ...more] = clientIDs;
  const other: Side = draft.side === 'BUY' ? 'SELL' : 'BUY';
  const stops: StopPart[] = [];
  const add = (kind: StopPart['kind'], stopPrice: bigint | null) => {
    if (stopPrice === null) return;
    const clientID = more[stops.length] ?? '';
    stops.push({ side: other, kind, stopPrice, trigger: draft.trigger, clientID, modifier: 'ATTACHED_STOP' });
  };
  add('TAKE_PROFIT', draft.takeProfit);
  add('STOP_LOSS', draft.stopLoss);
  const order = present({
    clOrdID: own,
    modifier: stops.length > 0 ? MODIFIER.BRACKET : MODIFIER.NORMAL,
    side: SIDE[draft.side],
    type: TYPE[draft.kind],
    timeInForce: TIF[draft.timeInForce],
    ...texts(market, draft),
    reduceOnly: draft.reduceOnly,
    positionSide: POSITION_SIDE.BOTH,
  });
  return { accountID, symbolID: market.id, orders: [order, ...stops.map((stop) => stopItem(market, stop))] };
}

/** How many client order ids the order needs. */
export function itemsOf(draft: Draft): number {
  return 1 + (draft.takeProfit === null ? 0 : 1) + (draft.stopLoss === null ? 0 : 1);
}
