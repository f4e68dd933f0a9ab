// SPDX-License-Identifier: MIT
// Take profit and stop loss of a position: two stops that close all of it.
import { useState } from 'preact/hooks';
import { type Decimal, equal, format, parseDecimal, show, signOf } from '../../core/decimal';
import { ACTIONS } from '../../core/write';
import type { OrderResult } from '../../core/types';
import { type StopPart, stopItem } from '../../rules/requests';
import { account } from '../../state/account';
import { amendOrder, cancelOrder } from '../../state/amend';
import { marketOf, shownName } from '../../state/markets';
import { tell } from '../../state/notices';
import { outcomesOf } from '../../state/outcomes';
import type { OpenOrder, Position } from '../../state/portfolio';
import { rules, unitsAt } from '../../state/risk';
import { newClientID, write } from '../../state/write';
import { Dialog } from '../../ui/dialog';
import { NumberField } from '../../ui/number-field';
import { boundText } from '../shared/bound';
import { say as words } from './dialog-texts';
import type { Row } from './model';
import { say } from './texts';

type Kind = StopPart['kind'];

/** Undefined when the exchange took it, else why not. */
async function place(position: Position, kind: Kind, stopPrice: Decimal): Promise<string | undefined> {
  const market = marketOf(position.symbol);
  const owner = account.value;
  if (market === undefined || owner === undefined) return say.signIn();
  const own = rules(market);
  const clientID = newClientID();
  const side = signOf(position.size) > 0 ? 'SELL' : 'BUY';
  const units = unitsAt(stopPrice, own.priceScale);
  const stop: StopPart = { side, kind, stopPrice: units, trigger: 'MARK_PRICE', clientID, modifier: 'STOP' };
  const body = { accountID: owner.accountID, symbolID: market.id, orders: [stopItem(own, stop)] };
  const outcome = await write<OrderResult[]>(ACTIONS.placePerps, body);
  const [result] = await outcomesOf(owner, outcome, 'perps', position.symbol, [clientID]);
  if (result === undefined || result.kind === 'accepted') {
    const name = kind === 'TAKE_PROFIT' ? words.takeProfit() : words.stopLoss();
    tell(words.stopPlaced({ kind: name, symbol: shownName(position.symbol), price: show(stopPrice) }), 'good');
    return undefined;
  }
  tell(words.refused({ why: result.text }), 'bad');
  return result.text;
}

/** Makes the stop what is typed: places, moves or cancels it, or leaves it. */
async function settle(
  position: Position,
  kind: Kind,
  old: OpenOrder | undefined,
  typed: string,
): Promise<string | undefined> {
  if (typed.trim() === '') {
    if (old === undefined) return undefined;
    const outcome = await cancelOrder(old);
    return outcome.done ? undefined : outcome.reason;
  }
  const stopPrice = parseDecimal(typed.trim());
  if (stopPrice === undefined) return words.notDecimal();
  if (old === undefined) return place(position, kind, stopPrice);
  if (old.stopPrice !== undefined && equal(old.stopPrice, stopPrice)) return undefined;
  const outcome = await amendOrder(old, { stopPrice });
  return outcome.done ? undefined : outcome.reason;
}

const textIn = (order: OpenOrder | undefined): string =>
  order?.stopPrice === undefined ? '' : format(order.stopPrice);

/** What a stop does that another client placed: one of this dialog has no size and no price. */
function Note({ of }: { of: OpenOrder | undefined }) {
  if (of === undefined) return null;
  const places = marketOf(of.symbol)?.pricePlaces ?? 0;
  const price = of.price && boundText(of.type, show(of.price, { places }));
  const texts = [
    of.quantity === undefined ? '' : words.partly({ size: show(of.quantity) }),
    price === undefined ? '' : words.bounded({ bound: price }),
    of.triggerType === undefined || of.triggerType === 'MARK_PRICE' ? '' : words[of.triggerType](),
  ];
  const text = texts.filter((one) => one !== '').join(' ');
  return text === '' ? null : <p class="muted">{text}</p>;
}

export function StopsDialog({ row, onClose }: { row: Row; onClose: () => void }) {
  const { position } = row;
  const [typed, type] = useState({ takeProfit: textIn(row.takeProfit), stopLoss: textIn(row.stopLoss) });
  const [why, tellWhy] = useState<{ takeProfit?: string | undefined; stopLoss?: string | undefined }>({});
  const [busy, setBusy] = useState(false);
  const onSubmit = async () => {
    if (busy) return;
    setBusy(true);
    const takeProfit = await settle(position, 'TAKE_PROFIT', row.takeProfit, typed.takeProfit);
    const stopLoss = await settle(position, 'STOP_LOSS', row.stopLoss, typed.stopLoss);
    setBusy(false);
    tellWhy({ takeProfit, stopLoss });
    if (takeProfit === undefined && stopLoss === undefined) onClose();
  };
  const field = (name: 'takeProfit' | 'stopLoss') => (
    <NumberField
      label={words[name]()}
      value={typed[name]}
      onInput={(text) => type({ ...typed, [name]: text })}
      step={marketOf(position.symbol)?.tick}
      error={why[name]}
      onEnter={() => void onSubmit()}
    />
  );
  return (
    <Dialog title={words.stopsTitle({ symbol: shownName(position.symbol) })} open onClose={onClose}>
      <form class="dialog-form" onSubmit={(event) => (event.preventDefault(), void onSubmit())}>
        <p class="muted">{words.stopsHelp()}</p>
        {field('takeProfit')}
        <Note of={row.takeProfit} />
        {field('stopLoss')}
        <Note of={row.stopLoss} />
        <button type="submit" class="primary" disabled={busy}>
          {words.apply()}
        </button>
      </form>
    </Dialog>
  );
}
