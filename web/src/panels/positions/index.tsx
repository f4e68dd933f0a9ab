// SPDX-License-Identifier: MIT
// Open positions: what each is worth at the mark, where it is liquidated, and the buttons that end or change it.
import { signal } from '@preact/signals-core';
import { type Decimal, decimal, divide, isZero, multiply, show, signOf } from '../../core/decimal';
import { account } from '../../state/account';
import { marketOf, select } from '../../state/markets';
import { type Position, perpsState } from '../../state/portfolio';
import { lazy } from '../../ui/lazy';
import { type Column, Table } from '../../ui/table';
import { type Row, close, pending, reverse, rows } from './model';
import './panel.css';
import { say } from './texts';

const MarginDialog = lazy(() => import('./margin').then((module) => module.MarginDialog));
const StopsDialog = lazy(() => import('./stops').then((module) => module.StopsDialog));

const NONE = '–';
const MONEY_PLACES = 2;
const HUNDRED = decimal('100');

/** The position whose dialog is open. */
const stopsOf = signal<string | null>(null);
const marginOf = signal<string | null>(null);

const toneOf = (value: Decimal): string | undefined =>
  signOf(value) > 0 ? 'buy-text' : signOf(value) < 0 ? 'sell-text' : undefined;

const money = (value: Decimal | undefined, plus = false): string =>
  value === undefined ? NONE : show(value, { places: MONEY_PLACES, rounding: 'half', plus });

const price = (position: Position, value: Decimal | undefined): string =>
  value === undefined ? NONE : show(value, { places: marketOf(position.symbol)?.pricePlaces ?? 2, rounding: 'half' });

function Name({ position }: { position: Position }) {
  const long = signOf(position.size) > 0;
  return (
    <>
      <button type="button" class="quiet row-symbol" onClick={() => select(position.symbol)}>
        {position.symbol}
      </button>{' '}
      <span class={long ? 'buy-text' : 'sell-text'}>{long ? say.long() : say.short()}</span>{' '}
      <span class="muted" title={say.leverageLocked()}>
        {position.leverage}× {say[position.marginMode]()}
      </span>
    </>
  );
}

function Profit({ row }: { row: Row }) {
  const share =
    row.margin === undefined || isZero(row.margin)
      ? undefined
      : divide(multiply(row.pnl, HUNDRED), row.margin, 2, 'half');
  return (
    <span class={toneOf(row.pnl)}>
      {money(row.pnl, true)}
      {share === undefined ? null : <small> ({show(share, { plus: true })} %)</small>}
    </span>
  );
}

function Stops({ row }: { row: Row }) {
  const text = (one: Row['takeProfit']) => price(row.position, one?.stopPrice);
  return (
    <button type="button" class="quiet" onClick={() => (stopsOf.value = row.position.symbol)}>
      <span class="visually-hidden">{say.setStops()}: </span>
      {text(row.takeProfit)} / {text(row.stopLoss)}
    </button>
  );
}

function Actions({ position }: { position: Position }) {
  const busy = pending.value.has(position.symbol);
  return (
    <span class="actions">
      <button type="button" disabled={busy} title={position.symbol} onClick={() => void close(position)}>
        {say.close()}
      </button>
      <button type="button" disabled={busy} title={position.symbol} onClick={() => void reverse(position)}>
        {say.reverse()}
      </button>
      {position.marginMode === 'ISOLATED' ? (
        <button type="button" title={position.symbol} onClick={() => (marginOf.value = position.symbol)}>
          {say.changeMargin()}
        </button>
      ) : null}
    </span>
  );
}

const columns = (): Column<Row>[] => [
  { key: 'symbol', head: say.symbol(), cell: ({ position }) => <Name position={position} /> },
  {
    key: 'size',
    head: say.size(),
    align: 'end',
    width: 8,
    cell: ({ position }) => <span class={toneOf(position.size)}>{show(position.size)}</span>,
  },
  { key: 'value', head: say.value(), align: 'end', width: 10, cell: (row) => money(row.value) },
  { key: 'entry', head: say.entry(), align: 'end', width: 9, cell: ({ position }) => price(position, position.entry) },
  { key: 'mark', head: say.mark(), align: 'end', width: 9, cell: (row) => price(row.position, row.mark) },
  {
    key: 'liquidation',
    head: say.liquidation(),
    align: 'end',
    width: 9,
    cell: ({ position }) => <span class="warn">{price(position, position.liquidation)}</span>,
  },
  { key: 'margin', head: say.margin(), align: 'end', width: 9, cell: (row) => money(row.margin) },
  { key: 'pnl', head: say.pnl(), align: 'end', width: 16, cell: (row) => <Profit row={row} /> },
  { key: 'stops', head: say.stops(), align: 'end', width: 14, cell: (row) => <Stops row={row} /> },
  { key: 'actions', head: say.actions(), align: 'end', cell: ({ position }) => <Actions position={position} /> },
];

/** Why a liquidation happens, in figures: the value of the account against what it has to keep. */
function Health() {
  const state = perpsState.value;
  if (state === undefined) return null;
  const figures: readonly (readonly [string, string])[] = [
    [say.equity(), state.av],
    [say.maintenance(), state.mm],
    [say.available(), state.am],
  ];
  return (
    <dl class="account-figures" title={say.health()}>
      {figures.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{money(decimal(text))}</dd>
        </div>
      ))}
    </dl>
  );
}

export function Panel() {
  if (account.value === undefined) return <p class="empty">{say.signIn()}</p>;
  const find = (symbol: string | null) => rows.value.find((row) => row.position.symbol === symbol);
  const [stops, margin] = [find(stopsOf.value), find(marginOf.value)];
  return (
    <div class="panel-rows">
      <Health />
      <div class="rows-fill sticky-end">
        <Table
          label={say.title()}
          columns={columns()}
          rows={rows.value}
          keyOf={(row) => row.position.id}
          empty={say.none()}
        />
      </div>
      {stops === undefined ? null : <StopsDialog row={stops} onClose={() => (stopsOf.value = null)} />}
      {margin === undefined ? null : <MarginDialog row={margin} onClose={() => (marginOf.value = null)} />}
    </div>
  );
}
