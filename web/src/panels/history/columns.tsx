// SPDX-License-Identifier: MIT
// The columns of each history. Decimals are shown as the exchange wrote them, with thousands apart.
import { type Decimal, decimal, divide, isZero, multiply, show, signOf } from '../../core/decimal';
import type { OrderRecord, Side, UserFunding, UserTrade } from '../../core/types';
import { marketOf, shownName } from '../../state/markets';
import type { Column } from '../../ui/table';
import { boundText } from '../shared/bound';
import { dateTime } from '../shared/time';
import { reasonText, say } from './texts';

export type PastOrder = OrderRecord & { readonly reason?: string };

export interface ClosedPosition {
  readonly id: number;
  readonly symbol: string;
  readonly maxSize: string;
  readonly avgEntryPrice: string;
  readonly avgClosePrice: string;
  readonly realizedPnL: string;
  readonly cumTradingFee: string;
  readonly isTakenOver: boolean;
  readonly updatedAt: number;
}

export interface LiquidationRow {
  readonly receiptID: number;
  readonly symbol: string;
  readonly time: number;
  readonly stage: 'BOOK' | 'TAKEOVER' | 'ADL';
  readonly side: Side;
  readonly quantity: string;
  readonly price: string;
  readonly markPrice: string;
  readonly equity: string;
  readonly maintenance: string;
}

const NONE = '–';
const text = (value: string | undefined): string => (value === undefined || value === '' ? NONE : show(decimal(value)));
const money = (value: string): string => show(decimal(value), { places: 4, rounding: 'half' });

function tone(value: Decimal): string | undefined {
  const sign = signOf(value);
  return sign > 0 ? 'buy-text' : sign < 0 ? 'sell-text' : undefined;
}

function SideText({ side }: { side: Side }) {
  return <span class={side === 'BUY' ? 'buy-text' : 'sell-text'}>{side === 'BUY' ? say.buy() : say.sell()}</span>;
}

const time = <Row,>(of: (row: Row) => number): Column<Row> => ({
  key: 'time',
  head: say.time(),
  cell: (row) => <time class="muted">{dateTime(of(row))}</time>,
});
const symbol = <Row extends { symbol: string }>(): Column<Row> => ({
  key: 'symbol',
  head: say.symbol(),
  cell: (row) => shownName(row.symbol),
});
const side = <Row extends { side: Side }>(): Column<Row> => ({
  key: 'side',
  head: say.side(),
  cell: (row) => <SideText side={row.side} />,
});
const number = <Row,>(key: string, head: string, of: (row: Row) => string): Column<Row> => ({
  key,
  head,
  align: 'end',
  width: 9,
  cell: of,
});

function averageOf(order: PastOrder): string {
  const executed = decimal(order.executedQty);
  if (isZero(executed)) return NONE;
  const places = marketOf(order.symbol)?.pricePlaces ?? 2;
  return show(divide(decimal(order.executedValue), executed, places, 'half'));
}

function Price({ order }: { order: PastOrder }) {
  if (order.stopPrice === undefined || order.price === undefined) return <>{text(order.stopPrice ?? order.price)}</>;
  return (
    <>
      {text(order.stopPrice)}
      <span class="second">{boundText(order.type, text(order.price))}</span>
    </>
  );
}

export const orderColumns = (): Column<PastOrder>[] => [
  time((order) => order.updatedAt),
  symbol(),
  side(),
  { key: 'kind', head: say.kind(), cell: (order) => (order.stopType ? say[order.stopType]() : say[order.type]()) },
  {
    key: 'status',
    head: say.status(),
    cell: (order) => (order.status in say ? say[order.status as 'NEW']() : order.status),
  },
  { key: 'price', head: say.price(), align: 'end', width: 9, cell: (order) => <Price order={order} /> },
  number('size', say.size(), (order) => text(order.origQty ?? order.funds)),
  number('filled', say.filled(), (order) => text(order.executedQty)),
  number('average', say.average(), averageOf),
  { key: 'reason', head: say.reason(), cell: (order) => <span class="muted">{reasonText(order.reason)}</span> },
  {
    key: 'client',
    head: say.clientID(),
    cell: (order) => (
      <span class="client-id muted" title={order.clOrdID}>
        {order.clOrdID}
      </span>
    ),
  },
];

const role = (trade: UserTrade): string =>
  trade.liquidationID !== undefined ? say.liquidation() : trade.isMaker ? say.maker() : say.taker();

export const fillColumns = (): Column<UserTrade>[] => [
  time((trade) => trade.time),
  symbol(),
  side(),
  number('price', say.price(), (trade) => text(trade.price)),
  number('size', say.size(), (trade) => text(trade.quantity)),
  number('value', say.value(), (trade) =>
    show(multiply(decimal(trade.price), decimal(trade.quantity)), { places: 2, rounding: 'half' }),
  ),
  number('fee', say.fee(), (trade) => `${text(trade.fee)} ${trade.feeCoin ?? ''}`),
  { key: 'role', head: say.role(), cell: (trade) => <span class="muted">{role(trade)}</span> },
];

export const fundingColumns = (): Column<UserFunding>[] => [
  time((funding) => funding.timestamp),
  symbol(),
  {
    key: 'payment',
    head: say.payment(),
    align: 'end',
    width: 14,
    cell: ({ fundingFee, feeCoin }) => {
      const fee = decimal(fundingFee);
      const paid = signOf(fee) >= 0;
      return (
        <span class={paid ? 'sell-text' : 'buy-text'}>
          {paid ? say.paid() : say.received()} {text(fundingFee.replace('-', ''))} {feeCoin}
        </span>
      );
    },
  },
];

export const positionColumns = (): Column<ClosedPosition>[] => [
  time((position) => position.updatedAt),
  symbol(),
  number('size', say.size(), (position) => text(position.maxSize)),
  number('entry', say.entry(), (position) => text(position.avgEntryPrice)),
  number('exit', say.exit(), (position) => text(position.avgClosePrice)),
  number('fee', say.fee(), (position) => money(position.cumTradingFee)),
  {
    key: 'pnl',
    head: say.pnl(),
    align: 'end',
    width: 12,
    cell: (position) => {
      const pnl = decimal(position.realizedPnL);
      return <span class={tone(pnl)}>{show(pnl, { places: 2, rounding: 'half', plus: true })}</span>;
    },
  },
];

export const liquidationColumns = (): Column<LiquidationRow>[] => [
  time((row) => row.time),
  symbol(),
  side(),
  number('size', say.size(), (row) => text(row.quantity)),
  number('price', say.price(), (row) => text(row.price)),
  { key: 'stage', head: say.stage(), cell: (row) => say[row.stage]() },
  number('mark', say.mark(), (row) => text(row.markPrice)),
  number('equity', say.equity(), (row) => money(row.equity)),
  number('maintenance', say.maintenance(), (row) => money(row.maintenance)),
];
