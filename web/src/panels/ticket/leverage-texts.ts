// SPDX-License-Identifier: MIT
// The words of the dialog of leverage, loaded with it.
import { messages } from '../../ui/i18n';

export const say = messages({
  marginMode: { en: 'Margin mode', ja: '証拠金モード' },
  crossHelp: { en: 'The whole account covers the position.', ja: '口座全体が建玉を支えます。' },
  isolatedHelp: { en: 'Only the margin of the position can be lost.', ja: '失うのはこの建玉の証拠金のみです。' },
  leverageTimes: { en: 'Leverage', ja: 'レバレッジ' },
  apply: { en: 'Apply', ja: '適用' },
  leverageSet: { en: 'Leverage of {symbol}: {n}×, {mode}', ja: '{symbol} のレバレッジ: {n} 倍・{mode}' },
});
