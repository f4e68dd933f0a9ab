// SPDX-License-Identifier: MIT
// An order as the ticket means it, in units of its symbol, and what refuses it.

export type Side = 'BUY' | 'SELL';
export type Kind = 'LIMIT' | 'MARKET';
export type TimeInForce = 'GTC' | 'IOC' | 'GTX';
export type TriggerType = 'LAST_PRICE' | 'MARK_PRICE' | 'INDEX_PRICE';

export interface Draft {
  side: Side;
  kind: Kind;
  timeInForce: TimeInForce;
  /** Of a MARKET order a bound; null when there is none. */
  price: bigint | null;
  quantity: bigint | null;
  /** Spot and perps market buys by value, in the quote coin. */
  funds: bigint | null;
  reduceOnly: boolean;
  takeProfit: bigint | null;
  stopLoss: bigint | null;
  /** What fires takeProfit and stopLoss. */
  trigger: TriggerType;
}

export type Field =
  | 'price'
  | 'quantity'
  | 'funds'
  | 'reduceOnly'
  | 'takeProfit'
  | 'stopLoss'
  | 'stopPrice'
  | 'leverage'
  | 'amount'
  | 'symbol'
  | 'order';

/** The row of the exchange's table of refusals; a code alone does not tell which bound it was. */
export type Rule =
  | 'PRICE_REQUIRED'
  | 'QUANTITY_REQUIRED'
  | 'SYNTAX'
  | 'PRICE_DECIMALS'
  | 'PRICE_TICK'
  | 'PRICE_MIN'
  | 'PRICE_MAX'
  | 'QUANTITY_DECIMALS'
  | 'QUANTITY_STEP'
  | 'QUANTITY_MIN'
  | 'QUANTITY_MAX'
  | 'MARKET_QUANTITY_MIN'
  | 'MARKET_QUANTITY_MAX'
  | 'NOTIONAL_MIN'
  | 'NOTIONAL_MAX'
  | 'FUNDS_DECIMALS'
  | 'BUY_LIMIT'
  | 'SELL_LIMIT'
  | 'NO_REFERENCE_PRICE'
  | 'SYMBOL_HALTED'
  | 'POST_ONLY_CROSS'
  | 'INSUFFICIENT_BALANCE'
  | 'INSUFFICIENT_MARGIN'
  | 'REDUCE_ONLY'
  | 'REDUCE_ONLY_FULL'
  | 'LEVERAGE_TIER'
  | 'OPEN_INTEREST_CAP'
  | 'ORACLE_STALE'
  | 'TAKE_PROFIT_ABOVE'
  | 'TAKE_PROFIT_BELOW'
  | 'STOP_LOSS_ABOVE'
  | 'STOP_LOSS_BELOW'
  | 'BRACKET_SHAPE'
  | 'LEVERAGE_LOCKED'
  | 'LEVERAGE_RANGE'
  | 'AMOUNT_DECIMALS'
  | 'AMOUNT_ZERO';

export interface Refusal {
  code: number;
  rule: Rule;
  field: Field;
  /** What came and what was needed, as the exchange writes them in `details`; texts of decimals. */
  got?: string;
  need?: string;
}
