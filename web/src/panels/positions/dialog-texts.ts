// SPDX-License-Identifier: MIT
// The words of the dialogs of margin and stops, loaded with them.
import { messages } from '../../ui/i18n';

export const say = messages({
  stopsTitle: { en: 'Take profit and stop loss of {symbol}', ja: '{symbol} の利確・損切り' },
  stopsHelp: {
    en: 'One that is set here closes the whole position at the market when the mark price reaches it. Empty: none.',
    ja: 'ここで設定すると、マーク価格が到達したとき建玉全体を成行で決済します。空欄なら設定しません。',
  },
  partly: { en: 'This one closes {size} and keeps that size.', ja: 'この注文は {size} だけを決済します（数量はそのまま）。' },
  bounded: { en: 'Its price once it has fired stays as well: {bound}.', ja: '発動後の価格もそのままです: {bound}。' },
  LAST_PRICE: { en: 'It fires on the last price.', ja: '直近価格で発動します。' },
  INDEX_PRICE: { en: 'It fires on the index price.', ja: '指数価格で発動します。' },
  takeProfit: { en: 'Take profit', ja: '利確' },
  stopLoss: { en: 'Stop loss', ja: '損切り' },
  apply: { en: 'Apply', ja: '適用' },
  stopPlaced: { en: '{kind} of {symbol} at {price}', ja: '{symbol} の{kind}: {price}' },
  notDecimal: { en: 'Digits and one point only.', ja: '数字と小数点のみ入力できます。' },
  marginTitle: { en: 'Margin of {symbol}', ja: '{symbol} の証拠金' },
  add: { en: 'Add', ja: '追加' },
  remove: { en: 'Remove', ja: '引き出し' },
  amount: { en: 'Amount', ja: '金額' },
  mostAdd: { en: 'At most {n} can be added.', ja: '追加できる上限: {n}' },
  mostRemove: { en: 'At most {n} can be removed.', ja: '引き出せる上限: {n}' },
  marginChanged: { en: 'Margin of {symbol} changed by {n}', ja: '{symbol} の証拠金を {n} 変更しました' },
  refused: { en: 'Refused: {why}', ja: '拒否: {why}' },
});
