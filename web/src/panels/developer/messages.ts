// SPDX-License-Identifier: MIT
// Texts of the drawer. {0} and {1} are the values that say() gets.
import { messages } from '../../ui/i18n';

const table = messages({
  developer: { en: 'Developer', ja: '開発' },
  close: { en: 'Close', ja: '閉じる' },
  set: { en: 'Set', ja: '設定' },
  actions: { en: 'Actions', ja: '操作' },

  clock: { en: 'Clock', ja: '時計' },
  'clock.about': {
    en: 'Engine time, as the exchange tells it, and how fast it ran in the last second.',
    ja: '取引所の時刻と、直前の一秒間の速さ。',
  },
  'clock.speed': { en: 'Speed', ja: '速さ' },
  'clock.leap': { en: 'Go ahead', ja: '先へ進める' },
  'clock.stop': { en: 'Stop', ja: '停止' },
  'clock.rate': { en: 'Rate', ja: '倍率' },
  'clock.funding': { en: 'Next funding', ja: '次の資金調達' },
  'clock.stands': { en: 'Time stands still.', ja: '時計は止まっています。' },
  'clock.runs': { en: 'Time runs at ×{0}.', ja: '時計は {0} 倍で進みます。' },
  'clock.now': { en: 'It is {0} UTC.', ja: '現在 {0} UTC です。' },
  'clock.funded': { en: 'Funding was settled at {0} UTC.', ja: '{0} UTC に資金調達を精算しました。' },

  snapshots: { en: 'Snapshots', ja: 'スナップショット' },
  'snapshots.about': {
    en: 'Go back to a snapshot as often as you like: orders, positions, money and time are as they were.',
    ja: '注文、建玉、残高、時刻を何度でもその時点に戻せます。',
  },
  'snapshots.name': { en: 'Name (optional)', ja: '名前 (任意)' },
  'snapshots.take': { en: 'Take a snapshot', ja: '保存する' },
  'snapshots.reset': { en: 'Back to the beginning', ja: '最初に戻す' },
  'snapshots.snapshot': { en: 'Snapshot', ja: '名前' },
  'snapshots.revert': { en: 'Revert', ja: '戻す' },
  'snapshots.revertTo': { en: 'Revert to {0}', ja: '{0} に戻す' },
  'snapshots.none': { en: 'There is none yet.', ja: 'まだありません。' },
  'snapshots.taken': { en: 'Snapshot {0} was taken.', ja: 'スナップショット {0} を保存しました。' },
  'snapshots.reverted': { en: 'Everything is as it was at {0}.', ja: 'すべて {0} の時点に戻りました。' },
  'snapshots.begun': { en: 'Everything is as it was at the beginning.', ja: 'すべて最初の状態に戻りました。' },

  scenarios: { en: 'Scenarios', ja: 'シナリオ' },
  'scenarios.about': {
    en: 'Played here it follows this clock, and what it changes stays: take a snapshot. Apart: in a new exchange.',
    ja: 'ここでは時計に従い、変更は残ります。先にスナップショットを。「別の取引所」は新しい取引所で再生します。',
  },
  'scenarios.scenario': { en: 'Scenario', ja: 'シナリオ' },
  'scenarios.length': { en: 'Length', ja: '長さ' },
  'scenarios.play': { en: 'Play here', ja: 'ここで再生' },
  'scenarios.playOf': { en: 'Play {0} here', ja: '{0} をここで再生' },
  'scenarios.apart': { en: 'Apart', ja: '別の取引所' },
  'scenarios.apartOf': { en: 'Play {0} in an exchange of its own', ja: '{0} を別の取引所で再生' },
  'scenarios.stop': { en: 'Stop', ja: '停止' },
  'scenarios.run': { en: 'Run', ja: '実行' },
  'scenarios.progress': { en: 'Time of the scenario', ja: 'シナリオの時間' },
  'scenarios.started': { en: '{0} has begun.', ja: '{0} を開始しました。' },
  'scenarios.playing': { en: '{0} plays: {1} of {2}.', ja: '{0} を再生中: {1} / {2}。' },
  'scenarios.stopping': { en: '{0} is being stopped: {1} of {2}.', ja: '{0} を停止中: {1} / {2}。' },
  'scenarios.passed': { en: '{0}: everything came true.', ja: '{0}: すべて期待通りでした。' },
  'scenarios.failed': { en: '{0}: something did not come true.', ja: '{0}: 期待通りでないものがありました。' },
  'scenarios.stopped': { en: '{0} was stopped.', ja: '{0} を停止しました。' },
  'scenarios.sum': { en: '{0} of {1} expectations hold.', ja: '期待 {1} 件中 {0} 件が成立。' },
  'scenarios.at': { en: 'At', ja: '時刻' },
  'scenarios.what': { en: 'What', ja: '内容' },
  'scenarios.outcome': { en: 'Outcome', ja: '結果' },
  'scenarios.step': { en: 'Step', ja: '操作' },
  'scenarios.expect': { en: 'Expected', ja: '期待' },
  'scenarios.end': { en: 'Ended', ja: '終了' },
  'scenario.flash-crash': {
    en: 'A fall of 12 % in 90 s with few makers, a liquidation, the way back',
    ja: '90 秒で 12 % の下落、清算、回復',
  },
  'scenario.cascade-with-adl': {
    en: 'No bids, the insurance fund at its limit, auto-deleveraging',
    ja: '買い注文なし、保険基金の限度、自動デレバレッジ',
  },
  'scenario.oracle-outage': { en: 'An index without its source', ja: '価格ソースのない指数' },
  'scenario.funding-spike': {
    en: 'A perpetual far above its index until the hour is full',
    ja: '指数より大きく高い無期限先物',
  },
  'scenario.restart-under-load': {
    en: 'SIGKILL while the market trades, twice',
    ja: '取引中の強制終了を二回',
  },
  'scenario.thin-weekend': { en: 'A market order that moves a thin book', ja: '薄い板を動かす成行注文' },
  'scenario.delisting': { en: 'Halt and settlement of a perpetual', ja: '無期限先物の停止と精算' },
  'scenario.reconnect-storm': {
    en: 'Two hundred clients of a stream come back at once',
    ja: '200 のクライアントが同時に再接続',
  },

  faults: { en: 'Faults', ja: '障害' },
  'faults.about': {
    en: 'The exchange breaks on purpose, for this page and every other client, until the rule is removed.',
    ja: '規則を削除するまで、取引所がわざと障害を起こします。',
  },
  'faults.often': { en: 'Common faults', ja: 'よくある障害' },
  'faults.lost': { en: 'Lose the next reply', ja: '次の応答を失う' },
  'faults.limited': { en: 'Refuse three writes (429)', ja: '書き込みを三回拒否 (429)' },
  'faults.cut': { en: 'Cut a stream', ja: 'ストリームを切断' },
  'faults.slow': { en: 'Delay writes by 500 ms', ja: '書き込みを 500 ms 遅延' },
  'faults.fault': { en: 'Fault', ja: '障害' },
  'faults.add': { en: 'Add a rule', ja: '規則を追加' },
  'faults.clear': { en: 'Remove all', ja: 'すべて削除' },
  'faults.remove': { en: 'Remove', ja: '削除' },
  'faults.removeRule': { en: 'Remove rule {0}', ja: '規則 {0} を削除' },
  'faults.rule': { en: 'Rule', ja: '規則' },
  'faults.scope': { en: 'Scope', ja: '範囲' },
  'faults.acted': { en: 'Acted / matched', ja: '作用 / 一致' },
  'faults.none': { en: 'No rule is at work.', ja: '有効な規則はありません。' },
  'faults.added': { en: 'Rule {0} is at work.', ja: '規則 {0} が有効です。' },
  'faults.removed': { en: 'Rule {0} was removed.', ja: '規則 {0} を削除しました。' },
  'faults.cleared': { en: 'Rules removed: {0}.', ja: '削除した規則: {0}。' },

  market: { en: 'Prices', ja: '価格' },
  index: { en: 'Index prices', ja: '指数価格' },
  'index.about': {
    en: 'A price by hand silences the feeder of its symbol; marks, stops and liquidations follow it.',
    ja: '手動の価格はその銘柄の自動配信を止めます。マーク価格、逆指値、清算がこれに従います。',
  },
  'index.index': { en: 'index', ja: '指数' },
  'index.mark': { en: 'mark', ja: 'マーク' },
  'index.move': { en: 'Move {0}', ja: '{0} を動かす' },
  'index.price': { en: 'Index of {0}', ja: '{0} の指数' },
  'index.setOf': { en: 'Set the index of {0}', ja: '{0} の指数を設定' },
  'index.set': { en: 'The index of {0} is {1} from the next tick on.', ja: '{0} の指数は次のティックから {1} です。' },

  traders: { en: 'Traders', ja: 'トレーダー' },
  'traders.about': {
    en: 'How the traders of the built-in market behave. An empty field is as at the start.',
    ja: '内蔵市場のトレーダーの振る舞い。空欄は開始時のままです。',
  },
  'traders.preset': { en: 'Market', ja: '市場' },
  'traders.pulled': { en: 'Makers gone, %', ja: '撤退するメーカー %' },
  'traders.takers': { en: 'Takers more, %', ja: 'テイカーの増加 %' },
  'traders.drift': { en: 'Drift, millionths/h', ja: 'ドリフト (百万分率/時)' },
  'traders.set': { en: 'The market is {0} from now on.', ja: '市場は {0} になりました。' },

  checks: { en: 'Invariants', ja: '不変条件' },
  'checks.about': {
    en: 'What can be checked from outside, by reads. The exchange checks every invariant after each command.',
    ja: '外から読み取りで確認できるもの。取引所は全コマンドの後に全条件を検査します。',
  },
  'checks.holds': { en: 'All hold', ja: 'すべて成立' },
  'checks.broken': { en: 'Broken', ja: '違反あり' },
  'checks.unknown': { en: 'The exchange does not answer', ja: '取引所が応答しません' },
  'check.uncrossed': {
    en: 'Best bid below best ask in each book with both sides: {0}',
    ja: '両側のある板で買い気配 < 売り気配: {0}',
  },
  'check.covered': {
    en: 'Spot balances not negative and not over-locked: {0}',
    ja: '現物残高が負でなく、拘束額が総額以下: {0}',
  },
  'check.solvent': { en: 'The insurance fund is solvent: {0}', ja: '保険基金は支払可能: {0}' },
  'check.linked': {
    en: 'The chain goes on from the block seen before: {0}',
    ja: '前に見たブロックから連鎖が続く: {0}',
  },

  inspect: { en: 'Signature', ja: '署名' },
  'inspect.about': {
    en: 'What the exchange hashed, who signed it, and why it would be refused. The request is not executed.',
    ja: '何がハッシュされ、誰が署名し、なぜ拒否されるか。リクエストは実行されません。',
  },
  'inspect.request': {
    en: 'Request (JSON with method, path, headers, body)',
    ja: 'リクエスト (method, path, headers, body の JSON)',
  },
  'inspect.last': { en: 'Take the last one of this page', ja: 'このページの直前のもの' },
  'inspect.signature': { en: 'Explain the signature', ja: '署名を説明' },
  'inspect.order': { en: 'Explain the answer', ja: '応答を説明' },
  'inspect.accepted': { en: 'It would be accepted.', ja: '受け付けられます。' },
  'inspect.refused': { en: 'It would be refused.', ja: '拒否されます。' },
  'inspect.answer': { en: 'Answer', ja: '応答' },
  'inspect.type': { en: 'Type', ja: '種類' },
  'inspect.hashed': { en: 'Hashed text', ja: 'ハッシュした文字列' },
  'inspect.payloadHash': { en: 'Payload hash', ja: 'ペイロードのハッシュ' },
  'inspect.domain': { en: 'Domain', ja: 'ドメイン' },
  'inspect.nonce': { en: 'Nonce', ja: 'ナンス' },
  'inspect.digest': { en: 'Digest', ja: 'ダイジェスト' },
  'inspect.recovered': { en: 'Signed by', ja: '署名者' },
  'inspect.expected': { en: 'Expected', ja: '期待される署名者' },

  log: { en: 'Log', ja: 'ログ' },
  'log.about': { en: 'The newest commands in the log of the exchange.', ja: '取引所のログの最新コマンド。' },
  'log.traders': { en: 'Show the traders of the market', ja: '市場のトレーダーも表示' },
  'log.time': { en: 'Time', ja: '時刻' },
  'log.block': { en: 'Block', ja: 'ブロック' },
  'log.account': { en: 'Account', ja: '口座' },
  'log.command': { en: 'Command', ja: 'コマンド' },
  'log.none': {
    en: 'No command of a client in the newest blocks.',
    ja: '最新のブロックに利用者のコマンドはありません。',
  },
});

export type Name = keyof typeof table;

/** The text of a name in the language of the page, with its values. */
export function say(name: string, ...values: string[]): string {
  return table[name as Name](Object.fromEntries(values.map((value, place) => [place, value])));
}

/** The text of a name that the table may lack. */
export function told(name: string): string | undefined {
  return name in table ? say(name) : undefined;
}
