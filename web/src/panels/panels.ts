// SPDX-License-Identifier: MIT
// The panels by name: titles, and how their code is loaded. A panel is a component without parameters exported as
// `Panel` by panels/NAME/index.tsx, which draws the content of its region; the Layout draws the frame and the title.
import type { ComponentType } from 'preact';
import { type Say, messages } from '../ui/i18n';

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

export interface PanelModule {
  readonly Panel: ComponentType;
}

/** What the page loads for each; the first screen's are asked for at once. */
export const load: Readonly<Record<PanelName, () => Promise<PanelModule>>> = {
  chart: () => import('./chart/index'),
  book: () => import('./book/index'),
  trades: () => import('./trades/index'),
  ticket: () => import('./ticket/index'),
  orders: () => import('./orders/index'),
  positions: () => import('./positions/index'),
  history: () => import('./history/index'),
  balances: () => import('./balances/index'),
  transfer: () => import('./transfer/index'),
};
