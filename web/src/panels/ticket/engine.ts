// SPDX-License-Identifier: MIT
// The part of the ticket that is loaded when it is used first: the rules of the exchange and the words of refusals.
import { untracked } from '@preact/signals-core';
import type { Draft, Field, Refusal, Side } from '../../rules/draft';
import { rateOf } from '../../rules/market';
import type { Preview } from '../../rules/preview';
import { previewPerps } from '../../rules/preview-perps';
import { previewSpot } from '../../rules/preview-spot';
import { feeRates, spotState } from '../../state/portfolio';
import { freeOf, ownSpot, perpsNow, rules } from '../../state/risk';
import { kind } from './model';
import type { SidePreview, Situation } from './previews';
import { typedOrder } from './typed';

export { followIndexStates, indexStates } from '../../state/oracle';
export { refusalText } from '../../rules/refusal-texts';
export { placeOrder } from '../../state/place';
export { rules } from '../../state/risk';
export { partSize } from './most';
export { PreviewRows } from './preview-rows';
export { situationOf } from './situation';

function preview(at: Situation, draft: Draft): Preview | undefined {
  const own = rules(at.now);
  const { book, references } = at;
  if (at.now.engine === 'perps') {
    const { account, markets } = perpsNow();
    const priced = markets.get(own.name);
    return priced && previewPerps({ account, markets, priced, references, book }, draft);
  }
  const balances = spotState.value?.B ?? [];
  const rates = feeRates.value.get(own.name);
  return previewSpot(
    {
      market: own,
      references,
      book,
      own: ownSpot(at.now, draft.side === 'BUY' ? 'SELL' : 'BUY'),
      quote: freeOf(balances, own.quoteCoin, own.quoteScale),
      base: freeOf(balances, own.baseCoin, own.baseScale),
      takerRate: rateOf(rates?.takerFeeRate ?? at.now.record.takerFee),
      makerRate: rateOf(rates?.makerFeeRate ?? at.now.record.makerFee),
    },
    draft,
  );
}

export function sideNow(chosen: Side, at: Situation): SidePreview {
  const own = rules(at.now);
  const best = (chosen === 'BUY' ? at.book.asks : at.book.bids)[0]?.price ?? null;
  const reference = best ?? at.references.index ?? at.references.last;
  const typed = typedOrder(own, !own.perps && chosen === 'BUY' && kind.value === 'MARKET', reference);
  const draft: Draft = { side: chosen, ...typed.draft };
  const seen = untracked(() => preview(at, draft));
  const broken = new Set<Field>(typed.faults.map((fault) => fault.field));
  const rest = (seen?.refusals ?? []).filter((refusal) => !broken.has(refusal.field) && !isCovered(refusal, broken));
  return { draft, typed, preview: seen, refusals: [...typed.faults, ...rest] };
}

/** A size in the quote coin that cannot be read is no missing quantity as well. */
const isCovered = (refusal: Refusal, broken: ReadonlySet<Field>): boolean =>
  refusal.rule === 'QUANTITY_REQUIRED' && (broken.has('funds') || broken.has('quantity') || broken.has('price'));
