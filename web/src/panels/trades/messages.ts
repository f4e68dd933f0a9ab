// SPDX-License-Identifier: MIT
import { messages } from '../../ui/i18n';

export const say = messages({
  trades: { en: 'Newest trades', ja: '最新の約定' },
  price: { en: 'Price', ja: '価格' },
  size: { en: 'Size', ja: '数量' },
  time: { en: 'Time', ja: '時刻' },
  bought: { en: 'bought', ja: '買い' },
  sold: { en: 'sold', ja: '売り' },
  none: { en: 'No trade yet', ja: '約定はまだありません' },
  held: { en: 'Held, {count} new', ja: '停止中 · 新着 {count}' },
  heldWhy: {
    en: 'While the pointer is here the list stands still.',
    ja: 'ポインターがここにある間は一覧が動きません。',
  },
});
