// SPDX-License-Identifier: MIT
// The panels by name: titles, and how their code is loaded. A panel is a component without parameters exported as
// `Panel` by panels/NAME/index.tsx, which draws the content of its region; the Layout draws the frame and the title.
import type { ComponentType } from 'preact';
import { type Say, messages } from '../ui/i18n';
import { Panel as Book } from './book/index';
import { Panel as Chart } from './chart/index';
import { Panel as Orders } from './orders/index';
import { Panel as Positions } from './positions/index';
import { Panel as Ticket } from './ticket/index';
import { Panel as Trades } from './trades/index';

export type PanelName =
  | 'chart'
  | 'book'
  | 'trades'
  | 'ticket'
  | 'orders'
  | 'positions'
  | 'history'
  | 'balances'
  | 'transfer';

export const titles: Readonly<Record<PanelName, Say>> = messages({
  chart: { en: 'Chart', ja: 'チャート' },
  book: { en: 'Order book', ja: '板' },
  trades: { en: 'Trades', ja: '約定' },
  ticket: { en: 'Order ticket', ja: '注文' },
  orders: { en: 'Open orders', ja: '未約定注文' },
  positions: { en: 'Positions', ja: '建玉' },
  history: { en: 'History', ja: '履歴' },
  balances: { en: 'Balances', ja: '残高' },
  transfer: { en: 'Transfer', ja: '振替' },
});

/** Panels of the first screen, in one file with the entry: nothing waits for a second request. */
export const first: Readonly<Partial<Record<PanelName, ComponentType>>> = {
  chart: Chart,
  book: Book,
  trades: Trades,
  ticket: Ticket,
  orders: Orders,
  positions: Positions,
};

export type LaterPanel = 'history' | 'balances' | 'transfer';

/** The others are loaded when they are shown. */
export const later: Readonly<Record<LaterPanel, () => Promise<{ readonly Panel: ComponentType }>>> = {
  history: () => import('./history/index'),
  balances: () => import('./balances/index'),
  transfer: () => import('./transfer/index'),
};
