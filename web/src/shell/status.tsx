// SPDX-License-Identifier: MIT
// What the page says: the status region with what happened in the last seconds, and a banner while it is cut off.
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { account } from '../state/account';
import { marketsError, unknownSymbol } from '../state/markets';
import { type Notice, notices } from '../state/notices';
import { stale } from '../state/portfolio';
import { link } from '../state/streams';
import { messages } from '../ui/i18n';

const say = messages({
  status: { en: 'Status', ja: '状態' },
  lost: {
    en: 'The connection is lost. What is shown is old; connecting again…',
    ja: '接続が切れました。表示は古い情報です。再接続しています…',
  },
  resuming: { en: 'Connected again, reading what was missed…', ja: '再接続しました。差分を読み込んでいます…' },
  unreadable: { en: 'The exchange does not answer: {error}', ja: '取引所が応答しません: {error}' },
  unknown: { en: 'There is no symbol “{name}”. Choose one with “/”.', ja: '銘柄「{name}」はありません。「/」で選べます。' },
});

const SHOWN = 8_000;
const MOST = 4;

/** The notices of the last seconds, oldest first. */
export function StatusRegion() {
  const shown = useSignal<readonly Notice[]>([]);
  useSignalEffect(() => {
    const young = notices.value.filter((notice) => Date.now() - notice.time < SHOWN).slice(0, MOST);
    shown.value = young.toReversed();
    if (young.length === 0) return undefined;
    const timer = setTimeout(() => {
      shown.value = [];
    }, SHOWN);
    return () => clearTimeout(timer);
  });
  return (
    <div class="status" role="status" aria-label={say.status()} aria-atomic="false">
      {shown.value.map((notice) => (
        <p key={notice.id} class={`notice ${notice.tone}`}>
          {notice.text}
        </p>
      ))}
    </div>
  );
}

export function Banner() {
  const wasLost = useSignal(false);
  useSignalEffect(() => {
    if (link.value === 'lost') wasLost.value = true;
    else if (!stale.value || !account.value) wasLost.value = false;
  });
  const text = useComputed(() => {
    if (link.value === 'lost') return say.lost();
    if (wasLost.value) return say.resuming();
    if (marketsError.value !== undefined) return say.unreadable({ error: marketsError.value });
    return unknownSymbol.value === undefined ? undefined : say.unknown({ name: unknownSymbol.value });
  });
  if (text.value === undefined) return null;
  return (
    <p class="banner" role="alert">
      {text.value}
    </p>
  );
}
