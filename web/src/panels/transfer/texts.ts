// SPDX-License-Identifier: MIT
import { messages } from '../../ui/i18n';

export const say = messages({
  signIn: { en: 'Choose an account to move its money.', ja: '口座を選ぶと振替できます。' },
  direction: { en: 'Direction', ja: '方向' },
  toPerps: { en: 'Spot to perps', ja: '現物 → 先物' },
  toSpot: { en: 'Perps to spot', ja: '先物 → 現物' },
  amount: { en: 'Amount', ja: '金額' },
  most: { en: '{n} can be moved', ja: '振替可能: {n}' },
  all: { en: 'All', ja: '全額' },
  transfer: { en: 'Transfer', ja: '振替' },
  notAmount: { en: 'Enter an amount above zero.', ja: '0 より大きい額を入力してください。' },
  decimals: { en: 'At most {n} decimals.', ja: '小数は {n} 桁までです。' },
  tooMuch: { en: 'Only {n} can be moved now.', ja: '現在振替できるのは {n} です。' },
  noCoins: {
    en: 'The list of coins has not been read yet. Try again in a moment.',
    ja: '通貨の一覧をまだ取得できていません。少し待ってからもう一度お試しください。',
  },
  movedToPerps: { en: 'Moved {n} {coin} to perps', ja: '{n} {coin} を先物へ振替えました' },
  movedToSpot: { en: 'Moved {n} {coin} to spot', ja: '{n} {coin} を現物へ振替えました' },
  refused: { en: 'Refused: {why}', ja: '拒否: {why}' },
});
