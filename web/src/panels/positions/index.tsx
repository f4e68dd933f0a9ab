// SPDX-License-Identifier: MIT
// Open positions: what each is worth at the mark, where it is liquidated, and the buttons that end or change it.
import { signal } from '@preact/signals-core';
import type { ComponentChildren } from 'preact';
import { type Decimal, decimal, divide, isZero, multiply, show, signOf } from '../../core/decimal';
import { account } from '../../state/account';
import { marketOf, select, shownName } from '../../state/markets';
import { type Position, perpsState } from '../../state/portfolio';
import { lazy } from '../../ui/lazy';
import { type Column, Table } from '../../ui/table';
import { type Row, close, health, pending, reverse, rows } from './model';
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

/** A figure, and a second one below it. */
function Two({ first, second }: { first: ComponentChildren; second: ComponentChildren }) {
  return (
    <>
      {first}
      <span class="second">{second}</span>
    </>
  );
}

function Name({ position }: { position: Position }) {
  const long = signOf(position.size) > 0;
  return (
    <>
      <button type="button" class="quiet row-symbol" onClick={() => select(position.symbol)}>
        {shownName(position.symbol)}
      </button>
      <span class="second" title={say.leverageLocked()}>
        <span class={long ? 'buy-text' : 'sell-text'}>{long ? say.long() : say.short()}</span> {position.leverage}×{' '}
        {say[position.marginMode]()}
      </span>
    </>
  );
}

function Profit({ row }: { row: Row }) {
  const known = row.margin !== undefined && !isZero(row.margin);
  const share = known ? divide(multiply(row.pnl, HUNDRED), row.margin, 2, 'half') : undefined;
  return (
    <span class={toneOf(row.pnl)}>
      {money(row.pnl, true)}
      <span class="second">{share === undefined ? NONE : `${show(share, { plus: true })} %`}</span>
    </span>
  );
}

function Stops({ row }: { row: Row }) {
  const text = (one: Row['takeProfit']) => price(row.position, one?.stopPrice);
  return (
    <button
      type="button"
      class="quiet second"
      aria-haspopup="dialog"
      onClick={() => (stopsOf.value = row.position.symbol)}
    >
      {say.setStops()}: {text(row.takeProfit)} / {text(row.stopLoss)}
    </button>
  );
}

function Actions({ row }: { row: Row }) {
  const { position } = row;
  const busy = pending.value.has(position.symbol);
  return (
    <>
      <span class="actions">
        <button type="button" disabled={busy} title={shownName(position.symbol)} onClick={() => void close(position)}>
          {say.close()}
        </button>
        <button type="button" disabled={busy} title={shownName(position.symbol)} onClick={() => void reverse(position)}>
          {say.reverse()}
        </button>
        {position.marginMode === 'ISOLATED' ? (
          <button type="button" title={shownName(position.symbol)} onClick={() => (marginOf.value = position.symbol)}>
            {say.changeMargin()}
          </button>
        ) : null}
      </span>
      <Stops row={row} />
    </>
  );
}

/** A column of two figures, one above the other. */
const pair = (
  key: string,
  heads: readonly [string, string],
  of: (row: Row) => readonly [ComponentChildren, ComponentChildren],
): Column<Row> => ({
  key,
  head: heads.join(' / '),
  align: 'end',
  cell: (row) => {
    const [first, second] = of(row);
    return <Two first={first} second={second} />;
  },
});

const columns = (): Column<Row>[] => [
  { key: 'symbol', head: say.symbol(), cell: ({ position }) => <Name position={position} /> },
  pair('size', [say.size(), say.value()], ({ position, value }) => [
    <span class={toneOf(position.size)}>{show(position.size)}</span>,
    money(value),
  ]),
  { key: 'pnl', head: say.pnl(), align: 'end', cell: (row) => <Profit row={row} /> },
  pair('liquidation', [say.liquidation(), say.margin()], ({ position, margin }) => [
    <span class="warn">{price(position, position.liquidation)}</span>,
    money(margin),
  ]),
  pair('entry', [say.entry(), say.mark()], ({ position, mark }) => [
    price(position, position.entry),
    price(position, mark),
  ]),
  { key: 'actions', head: say.actions(), align: 'end', cell: (row) => <Actions row={row} /> },
];

/** Why a liquidation happens, in figures: the value of the account against what it has to keep. */
function Health() {
  const state = perpsState.value;
  if (state === undefined) return null;
  const now = health.value; // the state comes with changes of the account, not with those of the mark
  const figures: readonly (readonly [string, Decimal])[] = [
    [say.equity(), now?.equity ?? decimal(state.av)],
    [say.maintenance(), now?.maintenance ?? decimal(state.mm)],
    [say.available(), now?.available ?? decimal(state.am)],
  ];
  return (
    <dl class="account-figures" title={say.health()}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{money(value)}</dd>
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
      <div class="rows-fill sticky-end two-lines">
        <Table
          label={say.title()}
          columns={columns()}
          rows={rows.value}
          keyOf={(row) => row.position.symbol}
          empty={say.none()}
        />
      </div>
      {stops === undefined ? null : <StopsDialog row={stops} onClose={() => (stopsOf.value = null)} />}
      {margin === undefined ? null : <MarginDialog row={margin} onClose={() => (marginOf.value = null)} />}
    </div>
  );
}
