// SPDX-License-Identifier: MIT
// The panels of the page, each in a region with its title.
import { type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type PanelName, load, titles } from '../panels/panels';

function Region({ name }: { name: PanelName }) {
  const [view, setView] = useState<{ Panel: ComponentType }>();
  useEffect(() => {
    void load[name]().then((module) => setView({ Panel: module.Panel }));
  }, [name]);
  return (
    <section aria-label={titles[name]()} class={`panel panel-${name}`}>
      <h2>{titles[name]()}</h2>
      {view ? <view.Panel /> : null}
    </section>
  );
}

const FIRST: readonly PanelName[] = ['chart', 'book', 'trades', 'ticket', 'positions', 'orders'];

export function Layout() {
  return (
    <main>
      {FIRST.map((name) => (
        <Region key={name} name={name} />
      ))}
    </main>
  );
}
