// SPDX-License-Identifier: MIT
// What was: ended orders, fills, funding, closed positions and liquidations, in pages.
import { signal } from '@preact/signals-core';
import { useEffect, useMemo } from 'preact/hooks';
import type { Engine, UserFunding, UserTrade } from '../../core/types';
import { account } from '../../state/account';
import { market } from '../../state/markets';
import { onOrder } from '../../state/portfolio';
import { type Column, Table } from '../../ui/table';
import { Tabs } from '../../ui/tabs';
import {
  type ClosedPosition,
  type LiquidationRow,
  type PastOrder,
  fillColumns,
  fundingColumns,
  liquidationColumns,
  orderColumns,
  positionColumns,
} from './columns';
import './panel.css';
import { type Source, openPages } from './pages';
import { say } from './texts';
import { type View, view } from './view';

const SPOT_VIEWS: readonly View[] = ['orders', 'fills'];
const PERPS_VIEWS: readonly View[] = ['orders', 'fills', 'funding', 'positions', 'liquidations'];

const ORDERS: Source<PastOrder> = { path: 'orders/history', timeOf: (row) => row.updatedAt };
const FILLS: Source<UserTrade> = { path: 'trades', timeOf: (row) => row.time };
const FUNDING: Source<UserFunding> = { path: 'fundings', timeOf: (row) => row.timestamp };
const POSITIONS: Source<ClosedPosition> = { path: 'positions/history', timeOf: (row) => row.updatedAt };
const LIQUIDATIONS: Source<LiquidationRow> = { path: 'liquidations', timeOf: (row) => row.time };

const onlySymbol = signal(false);

/** The first page follows the account's orders this often at most: a read weighs 20 of 1200 a minute. */
const FOLLOW_MS = 2_000;

interface ListProps<Row> {
  readonly engine: Engine;
  readonly label: string;
  readonly source: Source<Row>;
  readonly columns: () => Column<Row>[];
  readonly keyOf: (row: Row) => string | number;
}

function List<Row>({ engine, label, source, columns, keyOf }: ListProps<Row>) {
  const owner = account.value;
  const symbol = onlySymbol.value ? market.value?.name : undefined;
  const pages = useMemo(() => owner && openPages(engine, owner, source, symbol), [engine, owner, source, symbol]);
  useEffect(() => {
    if (pages === undefined) return undefined;
    void pages.refresh();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onOrder(({ engine: changed }) => {
      if (changed !== engine || pages.isPaged()) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        if (!pages.isPaged()) void pages.refresh();
      }, FOLLOW_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [pages]);
  if (pages === undefined) return null;
  const error = pages.error.value;
  return (
    <div class="panel-rows">
      {error === null ? null : <p class="field-error">{say.failed({ error })}</p>}
      <Table
        label={label}
        columns={columns()}
        rows={pages.rows.value}
        keyOf={keyOf}
        empty={pages.busy.value ? say.reading() : say.none()}
      />
      <div class="panel-bar">
        <button type="button" disabled={pages.busy.value} onClick={() => void pages.refresh()}>
          {say.refresh()}
        </button>
        <button type="button" disabled={pages.busy.value || !pages.more.value} onClick={() => void pages.older()}>
          {say.older()}
        </button>
      </div>
    </div>
  );
}

function Content({ shown, engine }: { shown: View; engine: Engine }) {
  const common = { engine, label: say[shown]() };
  switch (shown) {
    case 'orders':
      return <List key="orders" {...common} source={ORDERS} columns={orderColumns} keyOf={(row) => row.orderID} />;
    case 'fills':
      return (
        <List
          key="fills"
          {...common}
          source={FILLS}
          columns={fillColumns}
          keyOf={(row) => `${row.tradeID}-${row.orderID}`}
        />
      );
    case 'funding':
      return (
        <List
          key="funding"
          {...common}
          source={FUNDING}
          columns={fundingColumns}
          keyOf={(row) => `${row.positionID}-${row.timestamp}`}
        />
      );
    case 'positions':
      return <List key="positions" {...common} source={POSITIONS} columns={positionColumns} keyOf={(row) => row.id} />;
    case 'liquidations':
      return (
        <List
          key="liquidations"
          {...common}
          source={LIQUIDATIONS}
          columns={liquidationColumns}
          keyOf={(row) => row.receiptID}
        />
      );
  }
}

export function Panel() {
  if (account.value === undefined) return <p class="empty">{say.signIn()}</p>;
  const engine = market.value?.engine ?? 'perps';
  const views = engine === 'perps' ? PERPS_VIEWS : SPOT_VIEWS;
  const shown = views.includes(view.value) ? view.value : 'orders';
  const name = market.value?.displayName;
  return (
    <Tabs
      class="history"
      label={say.title()}
      tabs={views.map((one) => ({ name: one, title: say[one]() }))}
      active={shown}
      onChange={(one) => (view.value = one)}
    >
      {name === undefined ? null : (
        <label class="check history-only">
          <input
            type="checkbox"
            checked={onlySymbol.value}
            onChange={(event) => (onlySymbol.value = event.currentTarget.checked)}
          />
          {say.onlySymbol({ symbol: name })}
        </label>
      )}
      <Content shown={shown} engine={engine} />
    </Tabs>
  );
}
