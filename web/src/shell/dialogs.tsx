// SPDX-License-Identifier: MIT
// The dialogs of the shell: symbols, account, notifications, settings, shortcuts. One is open at a time.
import { Panel as AccountsPanel } from '../panels/accounts/index';
import { Panel as SymbolsPanel } from '../panels/symbols/index';
import { notices } from '../state/notices';
import { type Palette, type Theme, palette, setLanguage, theme } from '../state/prefs';
import { Dialog } from '../ui/dialog';
import { LANGUAGES, type Language, language, messages } from '../ui/i18n';
import { shortcuts } from '../ui/keys';
import { resetArrangement } from './arrangement';
import './dialogs.css';
import { type DialogName, openDialog } from './open';

const say = messages({
  symbols: { en: 'Symbols', ja: '銘柄' },
  account: { en: 'Account', ja: '口座' },
  notifications: { en: 'Notifications', ja: '通知' },
  settings: { en: 'Settings', ja: '設定' },
  keys: { en: 'Keyboard', ja: 'キーボード' },
  nothing: { en: 'Nothing has happened yet.', ja: 'まだ通知はありません。' },
  theme: { en: 'Theme', ja: 'テーマ' },
  system: { en: 'as the system', ja: 'システムに合わせる' },
  dark: { en: 'dark', ja: 'ダーク' },
  light: { en: 'light', ja: 'ライト' },
  colours: { en: 'Colours of buying and selling', ja: '売買の色' },
  standard: { en: 'green and red', ja: '緑と赤' },
  safe: { en: 'blue and orange', ja: '青とオレンジ' },
  language: { en: 'Language', ja: '言語' },
  reset: { en: 'Standard arrangement of the panels', ja: 'パネル配置を標準に戻す' },
  arrange: {
    en: 'Drag a tab to move its panel, or press Ctrl+Shift+arrow on it; drag the lines between panels or press arrows.',
    ja: 'タブをドラッグするか、タブ上でCtrl+Shift+矢印を押すとパネルが移動します。境界線はドラッグか矢印キーで動かせます。',
  },
  tabs: { en: 'Next tab', ja: '次のタブ' },
});

const close = () => {
  openDialog.value = undefined;
};

function Notifications() {
  if (notices.value.length === 0) return <p class="empty">{say.nothing()}</p>;
  const time = new Intl.DateTimeFormat(language.value, { timeStyle: 'medium' });
  return (
    <ol class="notices">
      {notices.value.map((notice) => (
        <li key={notice.id} class={`notice ${notice.tone}`}>
          <time class="muted">{time.format(notice.time)}</time> {notice.text}
        </li>
      ))}
    </ol>
  );
}

interface ChoiceProps<T extends string> {
  readonly name: string;
  readonly title: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}

function Choice<T extends string>({ name, title, value, options, onChange }: ChoiceProps<T>) {
  return (
    <fieldset class="choice">
      <legend>{title}</legend>
      {options.map(([option, text]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} /> {text}
        </label>
      ))}
    </fieldset>
  );
}

function Settings() {
  const themes: [Theme, string][] = [
    ['system', say.system()],
    ['dark', say.dark()],
    ['light', say.light()],
  ];
  const palettes: [Palette, string][] = [
    ['standard', say.standard()],
    ['safe', say.safe()],
  ];
  const set = <T,>(kept: { value: T }) => (value: T) => {
    kept.value = value;
  };
  return (
    <div class="settings">
      <Choice name="theme" title={say.theme()} value={theme.value} options={themes} onChange={set(theme)} />
      <Choice name="colours" title={say.colours()} value={palette.value} options={palettes} onChange={set(palette)} />
      <Choice
        name="language"
        title={say.language()}
        value={language.value}
        options={Object.entries(LANGUAGES) as [Language, string][]}
        onChange={setLanguage}
      />
      <p class="muted">{say.arrange()}</p>
      <button type="button" onClick={resetArrangement}>
        {say.reset()}
      </button>
    </div>
  );
}

function Keys() {
  const listed = new Map(shortcuts.value.map((one) => [one.key, one.title()]));
  return (
    <table class="keys">
      <tbody>
        {[...listed].map(([key, title]) => (
          <tr key={key}>
            <th scope="row">
              <kbd>{key}</kbd>
            </th>
            <td>{title}</td>
          </tr>
        ))}
      </tbody>
      <tbody>
        <tr>
          <th scope="row">
            <kbd>←</kbd> <kbd>→</kbd>
          </th>
          <td>{say.tabs()}</td>
        </tr>
      </tbody>
    </table>
  );
}

function Content({ name }: { name: DialogName }) {
  switch (name) {
    case 'symbols':
      return <SymbolsPanel onDone={close} />;
    case 'account':
      return <AccountsPanel onDone={close} />;
    case 'notifications':
      return <Notifications />;
    case 'settings':
      return <Settings />;
    case 'keys':
      return <Keys />;
  }
}

export function Dialogs() {
  const name = openDialog.value;
  if (!name) return null;
  return (
    <Dialog key={name} title={say[name]()} open onClose={close}>
      <Content name={name} />
    </Dialog>
  );
}
