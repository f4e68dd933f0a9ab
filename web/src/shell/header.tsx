// SPDX-License-Identifier: MIT
// The line at the top: the market and its figures, the state of the link, and what opens dialogs.
import type { ComponentChildren } from 'preact';
import { account } from '../state/account';
import { market } from '../state/markets';
import { development } from '../state/venue';
import { messages } from '../ui/i18n';
import { useShortcut } from '../ui/keys';
import { type PanelName, titles } from '../panels/panels';
import { reveal } from './arrangement';
import { Figures } from './figures';
import { type DialogName, drawerOpen, openDialog } from './open';
import { STANDARD, panelsOf } from './tree';

const say = messages({
  symbol: { en: 'Symbol', ja: '銘柄' },
  choose: { en: 'Choose a symbol', ja: '銘柄を選ぶ' },
  account: { en: 'Account', ja: '口座' },
  signIn: { en: 'Sign in', ja: 'サインイン' },
  notifications: { en: 'Notifications', ja: '通知' },
  settings: { en: 'Settings', ja: '設定' },
  keys: { en: 'Keyboard', ja: 'キーボード' },
  developer: { en: 'Developer', ja: '開発者' },
  perps: { en: 'Perps', ja: '無期限' },
  spot: { en: 'Spot', ja: '現物' },
  halted: { en: 'Halted', ja: '取引停止中' },
  show: { en: 'Show: {panel}', ja: '表示: {panel}' },
});

const open = (name: DialogName) => () => {
  openDialog.value = name;
};

const toggleDrawer = () => {
  if (development.value) drawerOpen.value = !drawerOpen.value;
};

interface OpenerProps {
  readonly name: DialogName;
  readonly class?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

function Opener({ name, label, children, ...more }: OpenerProps) {
  return (
    <button {...more} type="button" aria-haspopup="dialog" aria-label={label} title={label} onClick={open(name)}>
      {children}
    </button>
  );
}

function Icon({ path }: { path: string }) {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path d={path} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" />
    </svg>
  );
}

function SymbolButton() {
  const of = market.value;
  return (
    <button type="button" class="symbol-button" aria-haspopup="dialog" onClick={open('symbols')}>
      <b>{of ? of.displayName : say.choose()}</b>
      {of ? <small>{say[of.engine]()}</small> : null}
      {of && of.record.status !== 'TRADING' ? <small class="sell-text">{say.halted()}</small> : null}
      <span aria-hidden="true">▾</span>
    </button>
  );
}

const PANEL_KEYS: readonly PanelName[] = panelsOf(STANDARD);

function PanelKey({ name, place }: { name: PanelName; place: number }) {
  useShortcut(
    String(place),
    () => say.show({ panel: titles[name]() }),
    () => reveal(name),
  );
  return null;
}

/** The shortcuts of the shell; panels add their own. */
function ShellKeys() {
  useShortcut('/', say.choose, open('symbols'));
  useShortcut('a', say.account, open('account'));
  useShortcut('n', say.notifications, open('notifications'));
  useShortcut(',', say.settings, open('settings'));
  useShortcut('?', say.keys, open('keys'));
  return (
    <>
      {PANEL_KEYS.map((name, at) => (
        <PanelKey key={name} name={name} place={at + 1} />
      ))}
    </>
  );
}

function DrawerKey() {
  useShortcut('d', say.developer, toggleDrawer);
  return null;
}

function AccountName() {
  const of = account.value;
  if (!of) return <>{say.signIn()}</>;
  return (
    <>
      {of.accountID} <code>{`${of.address.slice(0, 6)}…${of.address.slice(-4)}`}</code>
    </>
  );
}

export function Header() {
  return (
    <header class="top">
      <h1 class="brand">dojima</h1>
      <SymbolButton />
      <Figures />
      <div class="tools">
        {development.value ? (
          <button type="button" aria-expanded={drawerOpen.value} onClick={toggleDrawer}>
            {say.developer()}
          </button>
        ) : null}
        <Opener name="account">
          {say.account()} <AccountName />
        </Opener>
        <Opener name="notifications" label={say.notifications()}>
          <Icon path="M8 2a4 4 0 0 1 4 4v3l1.5 2.5h-11L4 9V6a4 4 0 0 1 4-4zM6.5 13h3a1.5 1.5 0 0 1-3 0z" />
        </Opener>
        <Opener name="settings" label={say.settings()}>
          <Icon path="M2 4h6m4 0h2M2 12h2m4 0h6M10 2v4M6 10v4" />
        </Opener>
        <Opener name="keys" class="keyboard" label={say.keys()}>
          <b aria-hidden="true">?</b>
        </Opener>
      </div>
      <ShellKeys />
      {development.value ? <DrawerKey /> : null}
    </header>
  );
}
