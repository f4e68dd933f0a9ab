// SPDX-License-Identifier: MIT
import { messages } from '../../ui/i18n';

export const say = messages({
  title: { en: 'Positions', ja: '建玉' },
  none: {
    en: 'No positions. An order of perps that trades opens one; coins of spot are in Balances.',
    ja: '建玉はありません。無期限先物の約定で建ちます。現物のコインは残高にあります。',
  },
  signIn: { en: 'Choose an account to see its positions.', ja: '口座を選ぶと建玉が表示されます。' },
  symbol: { en: 'Symbol', ja: '銘柄' },
  size: { en: 'Size', ja: '数量' },
  value: { en: 'Value', ja: '建玉額' },
  entry: { en: 'Entry', ja: '平均取得' },
  mark: { en: 'Mark', ja: 'マーク' },
  liquidation: { en: 'Liq.', ja: '清算価格' },
  margin: { en: 'Margin', ja: '証拠金' },
  pnl: { en: 'PnL', ja: '損益' },
  actions: { en: 'Actions', ja: '操作' },
  long: { en: 'long', ja: 'ロング' },
  short: { en: 'short', ja: 'ショート' },
  CROSS: { en: 'cross', ja: 'クロス' },
  ISOLATED: { en: 'isolated', ja: '分離' },
  leverageLocked: {
    en: 'The leverage can be changed once the position is closed and no order of the symbol is open.',
    ja: 'レバレッジは建玉と注文がなくなった後に変更できます。',
  },
  close: { en: 'Close', ja: '決済' },
  reverse: { en: 'Reverse', ja: 'ドテン' },
  setStops: { en: 'TP/SL', ja: '利確 / 損切り' },
  changeMargin: { en: 'Margin', ja: '証拠金' },
  equity: { en: 'Account value', ja: '口座評価額' },
  maintenance: { en: 'Maintenance margin', ja: '維持証拠金' },
  available: { en: 'Available margin', ja: '利用可能証拠金' },
  health: {
    en: 'Positions are liquidated when the account value falls below the maintenance margin.',
    ja: '口座評価額が維持証拠金を下回ると清算されます。',
  },
});
