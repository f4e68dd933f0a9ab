// SPDX-License-Identifier: MIT
import { messages } from '../../ui/i18n';

export const say = messages({
  search: { en: 'Search symbols', ja: '銘柄を検索' },
  symbols: { en: 'Symbols', ja: '銘柄' },
  kinds: { en: 'Kind', ja: '種類' },
  all: { en: 'All', ja: 'すべて' },
  perps: { en: 'Perps', ja: '無期限' },
  spot: { en: 'Spot', ja: '現物' },
  symbol: { en: 'Symbol', ja: '銘柄' },
  last: { en: 'Last', ja: '現在値' },
  change: { en: '24 h', ja: '24時間' },
  mark: { en: 'Mark', ja: 'マーク' },
  funding: { en: 'Funding', ja: '資金調達' },
  volume: { en: 'Volume', ja: '出来高' },
  none: { en: 'No symbol has “{text}” in its name', ja: '「{text}」を含む銘柄はありません' },
  halted: { en: 'halted', ja: '停止中' },
  waiting: { en: 'Loading …', ja: '読み込み中…' },
});
