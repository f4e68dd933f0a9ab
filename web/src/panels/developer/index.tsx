// SPDX-License-Identifier: MIT
// The developer drawer: power over an exchange of development. The shell loads it when it is opened for the first time.
import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Tabs } from '../../ui/tabs';
import { Checks } from './checks_view';
import { Clock } from './clock';
import './developer.css';
import { Faults } from './faults_view';
import { Inspector } from './inspector';
import { Log, useLog } from './log_view';
import { say } from './messages';
import { Prices } from './prices';
import { Scenarios } from './scenarios';
import { Snapshots } from './snapshots';
import { Traders } from './traders';

function Market() {
  return (
    <>
      <Prices />
      <Traders />
    </>
  );
}

const PANELS = {
  clock: Clock,
  snapshots: Snapshots,
  market: Market,
  faults: Faults,
  scenarios: Scenarios,
  inspect: Inspector,
  checks: Checks,
  log: Log,
} as const satisfies Record<string, ComponentType>;

type TabName = keyof typeof PANELS;
const NAMES = Object.keys(PANELS) as TabName[];

export function Panel({ onClose }: { onClose: () => void }) {
  const open = useSignal<TabName>('clock');
  useLog();
  const root = useRef<HTMLElement>(null);
  useEffect(() => root.current?.querySelector<HTMLElement>('[role=tab][tabindex="0"]')?.focus(), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      onClose();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onClose]);
  const Content = PANELS[open.value];
  return (
    <aside class="dev-drawer" aria-label={say('developer')} ref={root}>
      <header>
        <h2>{say('developer')}</h2>
        <button type="button" onClick={onClose}>
          {say('close')}
        </button>
      </header>
      <Tabs
        label={say('developer')}
        tabs={NAMES.map((name) => ({ name, title: say(name) }))}
        active={open.value}
        onChange={(name) => {
          open.value = name;
        }}
      >
        <Content />
      </Tabs>
    </aside>
  );
}
