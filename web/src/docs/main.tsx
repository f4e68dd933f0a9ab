// SPDX-License-Identifier: MIT
// The entry of the API page.
import '@preact/signals';
import { effect } from '@preact/signals-core';
import { render } from 'preact';
import { get } from '../core/api';
import { exchangeClock } from '../core/clock';
import { palette, theme } from '../state/prefs';
import { language } from '../ui/i18n';
import '../ui/base.css?docs';
import '../ui/theme.css?docs';
import { Page, Unreachable } from './page';
import type { Contract, Settings } from './contract';
import { beginWallet } from './wallet';
import './docs.css';

const dark = matchMedia('(prefers-color-scheme: dark)');

function paint(): void {
  const root = document.documentElement;
  root.dataset['theme'] = theme.value === 'system' ? (dark.matches ? 'dark' : 'light') : theme.value;
  root.dataset['palette'] = palette.value;
  root.lang = language.value;
}
effect(paint);
dark.addEventListener('change', paint);

async function read<T>(path: string): Promise<T> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: HTTP ${answer.status}`);
  return (await answer.json()) as T;
}

async function begin(root: HTMLElement): Promise<void> {
  try {
    const [contract, settings, time] = await Promise.all([
      read<Contract>('/openapi.json'),
      read<Settings>('/docs/settings.json'),
      get('/api/v1/time'),
    ]);
    if (time.ok) exchangeClock.learn(time.time);
    beginWallet(settings);
    render(<Page contract={contract} settings={settings} />, root);
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    render(<Unreachable reason={error instanceof Error ? error.message : String(error)} />, root);
  }
}

const root = document.getElementById('docs');
if (root) void begin(root);
