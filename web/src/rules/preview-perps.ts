// SPDX-License-Identifier: MIT
// The preview of a perps order (mechanics 3.2, 3.4, 3.6 and 4.3).
import { type Account, type Extra, type Markets, type Position, type Priced, marginCheck, worstOf } from './account';
import type { Draft, Refusal } from './draft';
import { filled, liquidationPrice } from './fill';
import { type References, filterRefusals, priceRefusals } from './filters';
import { feeOf, initialOf, tierOf, valueFloor } from './market';
import { type Preview, canRest, crossingRefusal, emptyPreview, missingOf } from './preview';
import { abs, floorDiv, max, min, textOf } from './units';
import { type Book, type Walk, averagePrice, feeOfWalk, marketBound, walkBook, withoutOwn } from './walk';

export interface PerpsInput {
  account: Account;
  markets: Markets;
  priced: Priced;
  references: References;
  book: Book;
}

function positionIn(input: PerpsInput): Position {
  const symbol = input.priced.market.name;
  return input.account.positions.find((one) => one.symbol === symbol) ?? { symbol, size: 0n, cost: 0n, bucket: 0n };
}

/** How much of a quantity would close a position of the other side. */
function closingPart(position: Position, draft: Draft, quantity: bigint): bigint {
  const closes = position.size !== 0n && position.size > 0n === (draft.side === 'SELL');
  return closes ? min(quantity, abs(position.size)) : 0n;
}

/** What the account's orders wait with on a side; reduce-only ones open nothing. */
function waitingOn(input: PerpsInput, side: Draft['side']): bigint {
  return input.account.orders
    .filter((order) => order.symbol === input.priced.market.name && order.side === side && !order.reduceOnly)
    .reduce((sum, order) => sum + order.open, 0n);
}

/** An order that rests closes what those before it leave of the position; one that cannot is executed before them. */
function openingPart(input: PerpsInput, draft: Draft, quantity: bigint): bigint {
  if (draft.reduceOnly) return 0n;
  const waiting = canRest(draft) ? waitingOn(input, draft.side) : 0n;
  const { size } = positionIn(input);
  const against = size > 0n === (draft.side === 'SELL') ? abs(size) : 0n;
  return quantity - min(quantity, max(0n, against - waiting));
}

/** The largest notional the side could come to has to lie in a tier that allows the leverage (mechanics 3.2). */
function tierRefusal(input: PerpsInput, draft: Draft, quantity: bigint): Refusal[] {
  const { priced } = input;
  const { market } = priced;
  const sign = draft.side === 'BUY' ? 1n : -1n;
  const worst = positionIn(input).size * sign + waitingOn(input, draft.side) + quantity;
  if (worst <= 0n) return [];
  const value = valueFloor(market, priced.mark, worst);
  const tier = tierOf(market, value);
  if (value <= tier.maxNotional && priced.leverage <= tier.maxLeverage) return [];
  const allowed = [...market.tiers].reverse().find((one) => one.maxLeverage >= priced.leverage) ?? tier;
  const shown = (units: bigint) => textOf(units, market.quoteScale);
  return [
    {
      code: 42003,
      rule: 'LEVERAGE_TIER',
      field: 'quantity',
      got: shown(value),
      need: shown(min(allowed.maxNotional, tier.maxNotional)),
    },
  ];
}

/** What opens has to fit under the caps of the symbol's open interest (mechanics 3.7). */
function interestRefusal({ priced }: PerpsInput, opening: bigint): Refusal[] {
  const { market, mark, interest, capParts } = priced;
  if (interest === null) return [];
  const after = interest + opening;
  const fits =
    (market.interestCap === 0n || after <= market.interestCap / capParts) &&
    (market.interestCapValue === 0n || valueFloor(market, mark, after) <= market.interestCapValue / capParts);
  return fits ? [] : [{ code: 42004, rule: 'OPEN_INTEREST_CAP', field: 'quantity' }];
}

/** What refuses an order that opens, before its margin is looked at. */
function openingRefusals(input: PerpsInput, draft: Draft, quantity: bigint): Refusal[] {
  const opening = openingPart(input, draft, quantity);
  if (opening <= 0n) return [];
  const stale: Refusal[] = input.priced.stale ? [{ code: 42015, rule: 'ORACLE_STALE', field: 'symbol' }] : [];
  return [...stale, ...tierRefusal(input, draft, quantity), ...interestRefusal(input, opening)];
}

function reduceRefusals(input: PerpsInput, draft: Draft): Refusal[] {
  if (!draft.reduceOnly) return [];
  const position = positionIn(input);
  const closes = position.size !== 0n && position.size > 0n === (draft.side === 'SELL');
  if (!closes) return [{ code: 42005, rule: 'REDUCE_ONLY', field: 'reduceOnly' }];
  if (!canRest(draft) || draft.price === null) return [];
  const price = draft.price;
  const ahead = input.account.orders
    .filter((order) => order.symbol === position.symbol && order.side === draft.side && order.reduceOnly)
    .filter((order) => (draft.side === 'BUY' ? order.price >= price : order.price <= price))
    .reduce((sum, order) => sum + order.open, 0n);
  if (ahead < abs(position.size)) return [];
  return [{ code: 42006, rule: 'REDUCE_ONLY_FULL', field: 'quantity' }];
}

/** What the margin check counts: a limit order at its price, a market order at its bound (mechanics 3.4). */
function extraOf(input: PerpsInput, draft: Draft, bound: bigint): Extra {
  if (draft.funds === null) return { side: draft.side, price: bound, open: draft.quantity ?? 0n };
  const { priced } = input;
  const atWorst = floorDiv(draft.funds * worstOf(priced, 'BUY'), bound);
  const need =
    initialOf(draft.funds, priced.leverage) +
    max(0n, draft.funds - atWorst) +
    feeOf(draft.funds, max(0n, priced.takerRate));
  return { side: draft.side, price: bound, open: 0n, extraNeed: need };
}

function marginRefusal(input: PerpsInput, draft: Draft, bound: bigint | null, preview: Preview): Refusal[] {
  if (draft.reduceOnly || bound === null) return [];
  const check = marginCheck(input.account, input.markets, input.priced, extraOf(input, draft, bound));
  preview.needs = max(0n, check.adds);
  preview.available = check.available;
  if (check.passes) return [];
  const shown = (units: bigint) => textOf(units, input.priced.market.quoteScale);
  return [
    {
      code: 42002,
      rule: 'INSUFFICIENT_MARGIN',
      field: draft.funds !== null ? 'funds' : 'quantity',
      got: shown(check.available),
      need: shown(check.adds),
    },
  ];
}

/** The stops stand on their sides of the order's price, of a market order of the mark (mechanics 4.3). */
export function bracketRefusals(input: PerpsInput, draft: Draft): Refusal[] {
  const { market, mark } = input.priced;
  const refusals: Refusal[] = [];
  const reference = draft.kind === 'LIMIT' ? draft.price : mark;
  if (draft.stopLoss !== null && draft.takeProfit === null) {
    refusals.push({ code: 40002, rule: 'BRACKET_SHAPE', field: 'takeProfit' });
  }
  const test = (price: bigint | null, field: 'takeProfit' | 'stopLoss', above: boolean) => {
    if (price === null) return;
    const filters = priceRefusals(market, price, field);
    refusals.push(...filters);
    if (filters.length > 0 || reference === null || (above ? price > reference : price < reference)) return;
    const shown = (units: bigint) => textOf(units, market.priceScale);
    const name = field === 'takeProfit' ? 'TAKE_PROFIT' : 'STOP_LOSS';
    const rule = `${name}_${above ? 'ABOVE' : 'BELOW'}` as const;
    refusals.push({ code: 42009, rule, field, got: shown(price), need: shown(reference) });
  };
  test(draft.takeProfit, 'takeProfit', draft.side === 'BUY');
  test(draft.stopLoss, 'stopLoss', draft.side === 'SELL');
  return refusals;
}

/** The position when the order has traded completely: what trades now at its prices, the rest at the order's. */
function addOutcome(input: PerpsInput, draft: Draft, walk: Walk, preview: Preview): void {
  const { priced, account, markets } = input;
  const restValue = valueFloor(priced.market, draft.price ?? 0n, preview.rests);
  const after = filled(priced, positionIn(input), draft.side, walk.quantity + preview.rests, walk.value + restValue);
  const wallet = account.wallet + after.cash - preview.takerFee - preview.makerFee;
  const others = account.positions.filter((one) => one.symbol !== after.position.symbol);
  preview.sizeAfter = after.position.size;
  preview.liquidation = liquidationPrice(
    { ...account, wallet, positions: [...others, after.position] },
    markets,
    priced,
    after.position,
  );
}

/** A reduce-only order trades at most the position (mechanics 3.6). */
function cutToPosition(input: PerpsInput, draft: Draft): Draft {
  if (!draft.reduceOnly || draft.quantity === null) return draft;
  return { ...draft, quantity: closingPart(positionIn(input), draft, draft.quantity) };
}

export function previewPerps(input: PerpsInput, draft: Draft): Preview {
  const { market } = input.priced;
  const preview = emptyPreview(market.quoteCoin, market.quoteScale);
  preview.refusals = [...missingOf(draft), ...filterRefusals(market, draft, input.references)];
  if (draft.quantity === null && draft.funds === null) return preview;

  const opposite = draft.side === 'BUY' ? input.book.asks : input.book.bids;
  const own = input.account.orders
    .filter((order) => order.symbol === market.name && order.side !== draft.side)
    .map((order) => ({ price: order.price, quantity: order.open }));
  const bound = draft.kind === 'MARKET' ? marketBound(market, draft.side, draft.price, input.references) : draft.price;
  const crossing = crossingRefusal(draft, opposite[0]?.price ?? null, (units) => textOf(units, market.priceScale));
  const cut = cutToPosition(input, draft);
  const walk = walkBook(market, cut, crossing.length > 0 ? [] : withoutOwn(opposite, own), bound);
  const left = cut.quantity === null ? 0n : cut.quantity - walk.quantity;
  preview.fills = walk.fills;
  preview.filled = walk.quantity;
  preview.average = averagePrice(market, walk);
  preview.rests = canRest(draft) ? left : 0n;
  preview.expires = canRest(draft) ? 0n : left;
  preview.value = walk.value + valueFloor(market, draft.price ?? 0n, preview.rests);
  preview.takerFee = feeOfWalk(walk, input.priced.takerRate);
  preview.makerFee =
    preview.rests > 0n ? feeOf(valueFloor(market, draft.price ?? 0n, preview.rests), input.priced.makerRate) : 0n;
  const quantity = draft.quantity ?? walk.quantity;
  preview.refusals.push(
    ...crossing,
    ...reduceRefusals(input, draft),
    ...bracketRefusals(input, draft),
    ...openingRefusals(input, draft, quantity),
  );
  preview.refusals.push(...marginRefusal(input, draft, bound, preview));
  addOutcome(input, draft, walk, preview);
  return preview;
}
