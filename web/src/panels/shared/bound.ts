// SPDX-License-Identifier: MIT
// What a stop may trade at once it has fired, where that is limited: the price of a limit order, or the worst price
// that another client set for a market order.
import type { OrderType } from '../../core/types';
import { messages } from '../../ui/i18n';

const say = messages({
  LIMIT: { en: 'limit {price}', ja: '指値 {price}' },
  MARKET: { en: 'worst {price}', ja: '限度 {price}' },
  limitPrice: { en: 'Limit price', ja: '指値' },
  worstPrice: { en: 'Worst price', ja: '限度価格' },
});

export const boundText = (type: OrderType, price: string): string => say[type]({ price });

/** The name of a box for it. */
export const boundName = (type: OrderType): string => (type === 'LIMIT' ? say.limitPrice() : say.worstPrice());
