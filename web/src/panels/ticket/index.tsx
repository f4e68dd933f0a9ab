// SPDX-License-Identifier: MIT
// The order ticket: what is typed, what it would do, and the two buttons.
import { effect } from '@preact/signals-core';
import { useEffect } from 'preact/hooks';
import type { Field } from '../../rules/draft';
import { account } from '../../state/account';
import { useBook } from '../../state/book';
import { market } from '../../state/markets';
import { useShortcut } from '../../ui/keys';
import { Tabs } from '../../ui/tabs';
import { BracketFields, PriceField, SizeField } from './fields';
import { LeverageButton } from './leverage-button';
import { answered, busy, clearFor, edit, ioc, kind, postOnly, reduceOnly, side } from './model';
import './panel.css';
import { takePrefill } from './prefill';
import { PreviewTable } from './preview-table';
import { bookView, followMarket, wake } from './previews';
import { submit } from './submit';
import { say } from './texts';

const KINDS = ['LIMIT', 'MARKET'] as const;

/** Moves to the first box of the ticket. */
function focusTicket(): void {
  document.querySelector<HTMLInputElement>('form.ticket .field input')?.focus();
}

function choose(chosen: 'BUY' | 'SELL'): void {
  side.value = chosen;
  focusTicket();
}

function Checkbox({ label, checked, onChange }: { label: string; checked: boolean; onChange: (on: boolean) => void }) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function Conditions({ perps }: { perps: boolean }) {
  const limit = kind.value === 'LIMIT';
  const turn = (own: typeof ioc, other: typeof ioc) => (on: boolean) => {
    edit(own, on);
    if (on) other.value = false;
  };
  return (
    <div class="checks">
      {limit ? <Checkbox label={say.postOnly()} checked={postOnly.value} onChange={turn(postOnly, ioc)} /> : null}
      {limit ? <Checkbox label={say.ioc()} checked={ioc.value} onChange={turn(ioc, postOnly)} /> : null}
      {perps ? (
        <Checkbox label={say.reduceOnly()} checked={reduceOnly.value} onChange={(on) => edit(reduceOnly, on)} />
      ) : null}
    </div>
  );
}

function SideButton({ chosen }: { chosen: 'BUY' | 'SELL' }) {
  const buys = chosen === 'BUY';
  return (
    <button
      type="button"
      class={`${buys ? 'buy' : 'sell'}${side.value === chosen ? ' chosen' : ''}`}
      aria-keyshortcuts={buys ? 'b' : 's'}
      disabled={busy.value || account.value === undefined}
      onClick={(event) => {
        if (event.detail <= 1) void submit(chosen); // the second click of a double click is no order
      }}
    >
      {buys ? say.buy() : say.sell()}
    </button>
  );
}

/** Refusals that belong to none of the boxes. */
function OtherAnswer() {
  const own: readonly Field[] = ['price', 'quantity', 'funds', 'takeProfit', 'stopLoss'];
  const told = answered.value;
  if (told === null || own.includes(told.field)) return null;
  return <p class="field-error">{told.text}</p>;
}

function useMarketChange(): void {
  const name = market.value?.name;
  useEffect(() => clearFor(name), [name]);
  useEffect(followMarket, []);
  useEffect(() => effect(takePrefill), []);
}

/** Enter in a box sends the chosen side; before one is chosen it says how to choose. */
function onEnter(): void {
  if (side.value !== null) void submit(side.value);
  else answered.value = { field: 'order', text: say.chooseSide() };
}

/** B and S choose the side inside of the boxes as well: no decimal has such letters. */
function onKeyDown(event: KeyboardEvent): void {
  const chosen = { b: 'BUY', s: 'SELL' }[event.key.toLowerCase()] as 'BUY' | 'SELL' | undefined;
  const box = event.target instanceof HTMLInputElement && event.target.type === 'text';
  if (chosen === undefined || !box || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  side.value = chosen;
}

export function Panel() {
  const now = market.value;
  const view = useBook(now);
  useEffect(() => {
    bookView.value = view;
  }, [view]);
  useMarketChange();
  useShortcut('b', say.keyBuy, () => choose('BUY'));
  useShortcut('s', say.keySell, () => choose('SELL'));
  if (now === undefined) return <p class="empty">{say.noMarket()}</p>;
  const perps = now.engine === 'perps';
  return (
    <form
      class="ticket"
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
      onFocusIn={() => void wake()}
      onPointerEnter={() => void wake()}
    >
      {perps ? <LeverageButton market={now} /> : null}
      <Tabs
        label={say.kind()}
        tabs={KINDS.map((name) => ({ name, title: name === 'LIMIT' ? say.limit() : say.market() }))}
        active={kind.value}
        onChange={(name) => edit(kind, name)}
      >
        <div class="ticket-fields">
          {kind.value === 'LIMIT' ? <PriceField market={now} onEnter={onEnter} /> : null}
          <SizeField market={now} onEnter={onEnter} />
          <Conditions perps={perps} />
          {perps && !reduceOnly.value ? <BracketFields market={now} onEnter={onEnter} /> : null}
        </div>
      </Tabs>
      <OtherAnswer />
      {account.value === undefined ? <p class="muted">{say.signIn()}</p> : null}
      <div class="ticket-buttons">
        <SideButton chosen="BUY" />
        <SideButton chosen="SELL" />
      </div>
      <PreviewTable market={now} />
    </form>
  );
}
