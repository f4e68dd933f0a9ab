// SPDX-License-Identifier: MIT
// How a line is named and described.
import { absolute, show } from '../../core/decimal';
import type { Market } from '../../state/markets';
import { priceOf } from '../market/units';
import { boundText } from '../shared/bound';
import type { Drag } from './drag';
import type { Line } from './lines';
import { say } from './messages';

/** What the line is; with `order.side` where that matters. */
export function nameOf(line: Line): string {
  if (line.kind === 'liquidation') return say.liquidation();
  if (line.kind === 'stop-loss') return say.stop();
  if (line.kind === 'take-profit') return say.profit();
  if (line.kind === 'entry') return line.side === 'BUY' ? say.long() : say.short();
  return line.side === 'BUY' ? say.buy() : say.sell();
}

export const sizeText = (line: Line): string => (line.size ? show(absolute(line.size)) : say.whole());

export const priceText = (market: Market, price: bigint): string =>
  show(priceOf(market, price), { places: market.pricePlaces });

/** What a stop may trade at when it has fired, where that is limited. */
export function limitText(market: Market, { order }: Line): string | undefined {
  if (order?.stopPrice === undefined || order.price === undefined) return undefined;
  return boundText(order.type, show(order.price, { places: market.pricePlaces }));
}

/** What a screen reader says of the value: size and price, and where a drag is. */
export function valueText(market: Market, line: Line, drag: Drag): string {
  const limit = limitText(market, line);
  const place = say.at({ size: sizeText(line), price: priceText(market, line.price) });
  const at = limit === undefined ? place : `${place}, ${limit}`;
  if (drag.phase === 'still') return at;
  if (drag.phase === 'refused') return `${at}, ${drag.reason}`;
  const to = say.moves({ from: at, to: priceText(market, drag.at) });
  return drag.phase === 'pending' ? `${to}, ${say.pending()}` : to;
}
