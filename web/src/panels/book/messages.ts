// SPDX-License-Identifier: MIT
import { messages } from '../../ui/i18n';

export const say = messages({
  grouping: { en: 'Grouping', ja: '刻み' },
  levels: { en: 'Levels: arrows move, Enter takes the price', ja: '気配: 矢印で移動、Enterで価格を注文へ' },
  price: { en: 'Price', ja: '価格' },
  size: { en: 'Size', ja: '数量' },
  total: { en: 'Total', ja: '累計' },
  mine: { en: 'Yours', ja: '自分' },
  spread: { en: 'Spread {spread} · {percent} %', ja: 'スプレッド {spread} · {percent} %' },
  noSpread: { en: 'One side is empty', ja: '片側に気配なし' },
  held: { en: 'Prices held, now {bid} / {ask}', ja: '価格を固定中、現在 {bid} / {ask}' },
  heldWhy: {
    en: 'While the pointer is here the prices stand still; only sizes change.',
    ja: 'ポインターがここにある間は価格が動かず、数量だけが変わります。',
  },
  sweep: { en: 'To here {total}, average {price}', ja: 'ここまで {total}、平均 {price}' },
  waiting: { en: 'Waiting for the book …', ja: '板を待っています…' },
  taken: { en: 'Price {price} is in the ticket', ja: '価格 {price} を注文へ入れました' },
});
