// SPDX-License-Identifier: MIT
// Open orders of both engines: each can be canceled, and its price and size changed in its row.
import { computed, signal } from '@preact/signals-core';
import { type Decimal, multiply, show } from '../../core/decimal';
import { account } from '../../state/account';
import { market, marketOf, select, shownName } from '../../state/markets';
import { type OpenOrder, orders, stale } from '../../state/portfolio';
import { NumberField } from '../../ui/number-field';
import { type Column, Table } from '../../ui/table';
import { boundName, boundText } from '../shared/bound';
import { dateTime } from '../shared/time';
import {
  begin,
  bound,
  boundOf,
  cancel,
  edited,
  end,
  isEditable,
  keyOf,
  left,
  pending,
  price,
  priceOf,
  refusal,
  save,
  size,
} from './model';
import './panel.css';
import { say } from './texts';

const onlySymbol = signal(false);

const shown = computed(() =>
  onlySymbol.value ? orders.value.filter((order) => order.symbol === market.value?.name) : orders.value,
);

/** Rows that are drawn at first: an account may have a thousand orders. */
const FIRST_ROWS = 100;
const all = signal(false);
const drawn = computed(() => (all.value ? shown.value : shown.value.slice(0, FIRST_ROWS)));

const isEdited = (order: OpenOrder): boolean => edited.value === keyOf(order);
const sizeText = (value: Decimal | undefined, none: string): string => (value === undefined ? none : show(value));
const NONE = '–';

function Kind({ order }: { order: OpenOrder }) {
  const base = order.stopType ? say[order.stopType]() : order.type === 'LIMIT' ? say.limit() : say.market();
  const more = [
    order.timeInForce === 'GTX' ? say.postOnly() : '',
    order.reduceOnly && order.stopType === undefined ? say.reduceOnly() : '',
    order.status === 'TRIGGERED' ? say.triggered() : '',
  ].filter((text) => text !== '');
  return (
    <>
      {base}
      {more.length === 0 ? null : <span class="muted"> {more.join(', ')}</span>}
    </>
  );
}

function PriceText({ order }: { order: OpenOrder }) {
  const places = marketOf(order.symbol)?.pricePlaces ?? 0;
  const text = (value: Decimal) => show(value, { places });
  if (order.stopPrice === undefined) return <>{order.price === undefined ? say.atMarket() : text(order.price)}</>;
  const reference = order.triggerType === undefined ? '' : say[order.triggerType]();
  const limit = boundOf(order);
  return (
    <>
      <span title={reference}>{text(order.stopPrice)}</span>
      {limit === undefined ? null : <span class="second">{boundText(order.type, text(limit))}</span>}
    </>
  );
}

/** Escape leaves the row as it was. */
const onEscape = (event: KeyboardEvent): void => {
  if (event.key === 'Escape') end();
};

/** The focus goes into the box that has taken the place of the button. */
function takeFocus(element: HTMLDivElement | null): void {
  const box = element?.querySelector('input');
  box?.focus();
  box?.select();
}

/** And back to the button when the row is as before. */
const giveBack = (key: string) => (element: HTMLButtonElement | null) => {
  if (element === null || left.peek() !== key) return;
  left.value = null;
  element.focus();
};

function PriceCell({ order }: { order: OpenOrder }) {
  if (!isEdited(order) || priceOf(order) === undefined) return <PriceText order={order} />;
  return (
    <div class="edit" ref={takeFocus} onKeyDown={onEscape}>
      <NumberField
        label={order.stopType === undefined ? say.price() : say.stopPrice()}
        value={price.value}
        onInput={(text) => (price.value = text)}
        step={marketOf(order.symbol)?.tick}
        error={refusal.value ?? undefined}
        onEnter={() => void save(order)}
      />
      {boundOf(order) === undefined ? null : (
        <NumberField
          label={boundName(order.type)}
          value={bound.value}
          onInput={(text) => (bound.value = text)}
          step={marketOf(order.symbol)?.tick}
          onEnter={() => void save(order)}
        />
      )}
    </div>
  );
}

function SizeCell({ order }: { order: OpenOrder }) {
  if (!isEdited(order))
    return <>{order.funds ? show(order.funds) : sizeText(order.quantity, order.stopType ? say.all() : NONE)}</>;
  return (
    <div class="edit" onKeyDown={onEscape}>
      <NumberField
        label={say.size()}
        value={size.value}
        onInput={(text) => (size.value = text)}
        step={marketOf(order.symbol)?.step}
        onEnter={() => void save(order)}
      />
    </div>
  );
}

function Actions({ order }: { order: OpenOrder }) {
  const busy = pending.value.has(keyOf(order));
  const row = `${shownName(order.symbol)} ${order.side === 'BUY' ? say.buy() : say.sell()} ${order.id}`;
  if (isEdited(order))
    return (
      <span class="actions">
        <button type="button" class="primary" disabled={busy} onClick={() => void save(order)}>
          {say.save()}
        </button>
        <button type="button" onClick={end}>
          {say.back()}
        </button>
      </span>
    );
  return (
    <span class="actions">
      {isEditable(order) ? (
        <button type="button" ref={giveBack(keyOf(order))} title={row} disabled={busy} onClick={() => begin(order)}>
          {say.edit()}
        </button>
      ) : null}
      <button type="button" title={row} disabled={busy} onClick={() => void cancel([order])}>
        {say.cancel()}
      </button>
    </span>
  );
}

function valueOf(order: OpenOrder): string {
  if (order.price === undefined || order.quantity === undefined) return NONE;
  return show(multiply(order.price, order.quantity), { places: 2, rounding: 'half' });
}

function Symbol({ name }: { name: string }) {
  return (
    <button type="button" class="quiet row-symbol" onClick={() => select(name)}>
      {shownName(name)}
    </button>
  );
}

const columns = (): Column<OpenOrder>[] => [
  { key: 'time', head: say.time(), cell: (order) => <time class="muted">{dateTime(order.createdAt)}</time> },
  { key: 'symbol', head: say.symbol(), cell: (order) => <Symbol name={order.symbol} /> },
  {
    key: 'side',
    head: say.side(),
    cell: (order) => (
      <span class={order.side === 'BUY' ? 'buy-text' : 'sell-text'}>
        {order.side === 'BUY' ? say.buy() : say.sell()}
      </span>
    ),
  },
  { key: 'kind', head: say.kind(), cell: (order) => <Kind order={order} /> },
  { key: 'price', head: say.price(), align: 'end', width: 8, cell: (order) => <PriceCell order={order} /> },
  { key: 'size', head: say.size(), align: 'end', width: 6, cell: (order) => <SizeCell order={order} /> },
  { key: 'filled', head: say.filled(), align: 'end', width: 8, cell: (order) => show(order.executed) },
  { key: 'value', head: say.value(), align: 'end', width: 10, cell: valueOf },
  { key: 'client', head: say.clientID(), cell: (order) => <ClientID text={order.clientID} /> },
  { key: 'actions', head: say.actions(), align: 'end', cell: (order) => <Actions order={order} /> },
];

function ClientID({ text }: { text: string }) {
  return (
    <span class="client-id muted" title={text}>
      {text}
    </span>
  );
}

function Bar() {
  const list = shown.value;
  const name = market.value?.displayName;
  return (
    <div class="panel-bar">
      {name === undefined ? null : (
        <label class="check">
          <input
            type="checkbox"
            checked={onlySymbol.value}
            onChange={(event) => (onlySymbol.value = event.currentTarget.checked)}
          />
          {say.onlySymbol({ symbol: name })}
        </label>
      )}
      {list.length > FIRST_ROWS ? (
        <button type="button" onClick={() => (all.value = !all.value)} aria-pressed={all.value}>
          {say.showAll({ n: list.length })}
        </button>
      ) : null}
      {stale.value ? <span class="warn">{say.stale()}</span> : null}
      <button type="button" disabled={list.length === 0} onClick={() => void cancel(list)}>
        {say.cancelAll({ n: list.length })}
      </button>
    </div>
  );
}

export function Panel() {
  if (account.value === undefined) return <p class="empty">{say.signIn()}</p>;
  return (
    <div class="panel-rows">
      <Bar />
      <div class="rows-fill sticky-end two-lines open-orders">
        <Table label={say.title()} columns={columns()} rows={drawn.value} keyOf={keyOf} empty={say.none()} />
      </div>
    </div>
  );
}
