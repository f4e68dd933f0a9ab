// SPDX-License-Identifier: MIT
// The words of the preview, loaded with it.
import { messages } from '../../ui/i18n';

export const say = messages({
  preview: { en: 'Preview', ja: '試算' },
  now: { en: 'Trades now', ja: '即時約定' },
  average: { en: 'Average', ja: '平均価格' },
  rests: { en: 'Rests', ja: '板に残る' },
  expires: { en: 'Expires', ja: '失効' },
  value: { en: 'Value', ja: '注文額' },
  margin: { en: 'Margin needed', ja: '必要証拠金' },
  pays: { en: 'Pays', ja: '支払い' },
  fee: { en: 'Fee', ja: '手数料' },
  liquidation: { en: 'Liquidation', ja: '清算価格' },
  positionAfter: { en: 'Position then', ja: '注文後の建玉' },
  sideRefused: { en: '{side}: {why}', ja: '{side}: {why}' },
});
