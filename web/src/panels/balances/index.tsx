// SPDX-License-Identifier: MIT
// What the account owns: coins on spot, the wallet on perps, and what of them is free.
import { computed } from '@preact/signals-core';
import { type Decimal, decimal, show, subtract } from '../../core/decimal';
import { account } from '../../state/account';
import { coins } from '../../state/markets';
import { perpsState, spotState } from '../../state/portfolio';
import { messages } from '../../ui/i18n';
import { type Column, Table } from '../../ui/table';

const say = messages({
  title: { en: 'Balances', ja: '残高' },
  none: { en: 'No balances.', ja: '残高はありません。' },
  signIn: { en: 'Choose an account to see its balances.', ja: '口座を選ぶと残高が表示されます。' },
  coin: { en: 'Coin', ja: 'コイン' },
  where: { en: 'Side', ja: '区分' },
  spot: { en: 'spot', ja: '現物' },
  perps: { en: 'perps', ja: '先物' },
  total: { en: 'Total', ja: '合計' },
  locked: { en: 'In orders and positions', ja: '注文・建玉に使用' },
  free: { en: 'Available', ja: '利用可能' },
  out: { en: 'Transferable', ja: '振替可能' },
});

interface Row {
  readonly key: string;
  readonly coin: string;
  readonly perps: boolean;
  readonly total: Decimal;
  readonly locked: Decimal;
  readonly free: Decimal;
  readonly out: Decimal;
}

const rows = computed<readonly Row[]>(() => {
  const spot = (spotState.value?.B ?? []).map((one): Row => {
    const [total, locked] = [decimal(one.t), decimal(one.l)];
    const free = subtract(total, locked);
    return { key: `spot-${one.i}`, coin: one.a, perps: false, total, locked, free, out: free };
  });
  const perps = (perpsState.value?.B ?? []).map((one): Row => {
    const [total, free] = [decimal(one.wb), decimal(one.aw)];
    const locked = subtract(total, free);
    return { key: `perps-${one.i}`, coin: one.a, perps: true, total, locked, free, out: decimal(one.at) };
  });
  return [...spot, ...perps];
});

/** Decimals of a coin, so that the points of a column stand below each other. */
const placesOf = (row: Row): number =>
  coins.value[row.perps ? 'perps' : 'spot'].find((coin) => coin.name === row.coin)?.precision ?? 6;

const text = (of: (row: Row) => Decimal) => (row: Row) => show(of(row), { places: placesOf(row) });

const columns = (): Column<Row>[] => [
  { key: 'coin', head: say.coin(), cell: (row) => row.coin },
  { key: 'where', head: say.where(), cell: (row) => <span class="muted">{row.perps ? say.perps() : say.spot()}</span> },
  { key: 'total', head: say.total(), align: 'end', cell: text((row) => row.total) },
  { key: 'locked', head: say.locked(), align: 'end', cell: text((row) => row.locked) },
  { key: 'free', head: say.free(), align: 'end', cell: text((row) => row.free) },
  { key: 'out', head: say.out(), align: 'end', cell: text((row) => row.out) },
];

export function Panel() {
  if (account.value === undefined) return <p class="empty">{say.signIn()}</p>;
  return (
    <div class="rows-fill two-lines">
      <Table label={say.title()} columns={columns()} rows={rows.value} keyOf={(row) => row.key} empty={say.none()} />
    </div>
  );
}
