// SPDX-License-Identifier: MIT
// The whole page: header, panels, status, dialogs, and in development the drawer.
import { useSignalEffect } from '@preact/signals';
import { liquidated } from '../state/liquidated';
import { palette, theme } from '../state/prefs';
import { development } from '../state/venue';
import { language } from '../ui/i18n';
import { lazy } from '../ui/lazy';
import { useTitle } from './figures';
import { Header } from './header';
import { Layout } from './layout';
import { drawerOpen, openDialog } from './open';
import { signal } from '@preact/signals-core';
import { Banner, Footer } from './status';
import './shell.css';
import './talk.css';

const Liquidated = lazy(() => import('./liquidated').then((module) => module.Liquidated));
const Dialogs = lazy(() => import('./dialogs').then((module) => module.Dialogs));
const Drawer = lazy(() => import('../panels/developer/index').then((module) => module.Panel));

const systemLight = matchMedia('(prefers-color-scheme: light)');
const lightSystem = signal(systemLight.matches);
systemLight.addEventListener('change', () => {
  lightSystem.value = systemLight.matches;
});

/** Theme, colours and language stand at the root element, where the style sheet and screen readers look. */
function useRootAttributes(): void {
  useSignalEffect(() => {
    const system = lightSystem.value ? 'light' : 'dark';
    const root = document.documentElement;
    root.dataset['theme'] = theme.value === 'system' ? system : theme.value;
    root.dataset['palette'] = palette.value;
    root.lang = language.value;
  });
}

const closeDrawer = () => {
  drawerOpen.value = false;
};

export function Shell() {
  useRootAttributes();
  useTitle();
  return (
    <>
      <Header />
      <Banner />
      {liquidated.value ? <Liquidated /> : null}
      <div class="stage">
        <Layout />
        {drawerOpen.value && development.value ? <Drawer onClose={closeDrawer} /> : null}
      </div>
      <Footer />
      {openDialog.value ? <Dialogs /> : null}
    </>
  );
}
