// SPDX-License-Identifier: MIT
// The selected market as one object for as long as nothing that panels draw by has changed: the list is read again each
// minute, and a chart or a book is not made anew for that.
import { useRef } from 'preact/hooks';
import { type Market, market } from '../../state/markets';

const keyOf = (of: Market): string =>
  JSON.stringify([of.engine, of.name, of.record.tickSize, of.record.stepSize, of.record.minPrice, of.record.maxPrice]);

export function useSameMarket(): Market | undefined {
  const kept = useRef<Market | undefined>(undefined);
  const now = market.value;
  if (!now || !kept.current || keyOf(now) !== keyOf(kept.current)) kept.current = now;
  return kept.current;
}
