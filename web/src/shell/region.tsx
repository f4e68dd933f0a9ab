// SPDX-License-Identifier: MIT
// A panel in its region, loaded when it is shown first. A panel that fails is said so and leaves the others alone.
import { Component, type ComponentChildren, type ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type LaterPanel, type PanelName, first, later, titles } from '../panels/panels';
import { messages } from '../ui/i18n';

const say = messages({
  failed: { en: 'This panel failed: {error}', ja: 'このパネルでエラーが発生しました: {error}' },
  again: { en: 'Show it again', ja: '再表示' },
  loading: { en: 'Loading…', ja: '読み込み中…' },
});

interface GuardState {
  readonly error?: string | undefined;
}

class Guard extends Component<{ children: ComponentChildren }, GuardState> {
  override state: GuardState = {};

  override componentDidCatch(error: unknown): void {
    this.setState({ error: error instanceof Error ? error.message : String(error) });
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <p class="empty" role="alert">
        {say.failed({ error: this.state.error })}{' '}
        <button type="button" onClick={() => this.setState({ error: undefined })}>
          {say.again()}
        </button>
      </p>
    );
  }
}

/** Code that is there; what was loaded once is there at once the next time. */
const loaded = new Map<PanelName, ComponentType>(Object.entries(first) as [PanelName, ComponentType][]);

const isLater = (name: PanelName): name is LaterPanel => name in later;

function useView(name: PanelName): { view: ComponentType | undefined; error: string | undefined; retry: () => void } {
  const [, drawAgain] = useState(0);
  const [error, setError] = useState<string>();
  const begin = () => {
    if (loaded.has(name) || !isLater(name)) return;
    setError(undefined);
    later[name]().then(
      (module) => {
        loaded.set(name, module.Panel);
        drawAgain((count) => count + 1);
      },
      (reason: unknown) => setError(String(reason)),
    );
  };
  useEffect(begin, [name]);
  return { view: loaded.get(name), error, retry: begin };
}

export function Region({ name }: { name: PanelName }) {
  const { view: View, error, retry } = useView(name);
  return (
    <section aria-label={titles[name]()} class={`panel panel-${name}`} data-panel={name} tabIndex={-1}>
      {View ? (
        <Guard key={name}>
          <View />
        </Guard>
      ) : error === undefined ? (
        <p class="empty">{say.loading()}</p>
      ) : (
        <p class="empty" role="alert">
          {say.failed({ error })}{' '}
          <button type="button" onClick={retry}>
            {say.again()}
          </button>
        </p>
      )}
    </section>
  );
}
