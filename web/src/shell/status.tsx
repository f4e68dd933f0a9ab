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
  live: { en: 'Live', ja: '接続中' },
  connecting: { en: 'Connecting', ja: '接続待ち' },
  gone: { en: 'Lost', ja: '切断' },
  lost: {
    en: 'The connection is lost. What is shown is old; connecting again…',
    ja: '接続が切れました。表示は古い情報です。再接続しています…',
  },
  resuming: { en: 'Connected again, reading what was missed…', ja: '再接続しました。差分を読み込んでいます…' },
  unreadable: { en: 'The exchange does not answer: {error}', ja: '取引所が応答しません: {error}' },
  unknown: { en: 'There is no symbol “{name}”. Choose one with “/”.', ja: '銘柄「{name}」はありません。「/」で選べます。' },
});

/** How long a notice stands in the status line, by its tone; what went wrong stands longer. */
const SHOWN = { plain: 6_000, good: 6_000, waiting: 6_000, bad: 12_000 } as const;
const MOST = 2;

const isYoung = (notice: Notice): boolean => Date.now() - notice.time < SHOWN[notice.tone];

/** The notices of the last seconds, newest first. It has a line of its own, so that it covers nothing. */
export function StatusRegion() {
  const shown = useSignal<readonly Notice[]>([]);
  useSignalEffect(() => {
    const all = notices.value;
    const refresh = () => {
      shown.value = all.slice(0, MOST).filter(isYoung);
    };
    refresh();
    if (shown.peek().length === 0) return undefined;
    const timer = setInterval(refresh, 1_000);
    return () => clearInterval(timer);
  });
  return (
    <div class="status" role="status" aria-label={say.status()} aria-atomic="false">
      {shown.value.map((notice) => (
        <p key={notice.id} class={`notice ${notice.tone}`} title={notice.text}>
          {notice.text}
        </p>
      ))}
    </div>
  );
}

function LinkState() {
  const state = link.value;
  return (
    <span class={`link ${state}`}>
      <span aria-hidden="true">●</span> {say[LINK_TEXT[state]]()}
    </span>
  );
}

const LINK_TEXT = { live: 'live', connecting: 'connecting', lost: 'gone' } as const;

export function Footer() {
  return (
    <footer class="bottom">
      <LinkState />
      <StatusRegion />
    </footer>
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
