// SPDX-License-Identifier: MIT
// How the traders of the built-in market behave (docs/market.md).
import { useSignal } from '@preact/signals';
import { Choice, Field, Group, Outcome, useCommand } from './command';
import { say } from './messages';
import { call } from './rpc';

const PRESETS = ['calm', 'trend', 'volatile', 'crash', 'thin', 'empty', 'none'];

/** The parameter of dojima_setTraders; an empty field is left out, and then is as at the start. */
export function tradersOf(preset: string, numbers: Record<string, string>): Record<string, string | number> {
  const given = Object.entries(numbers).filter(([, text]) => text.trim() !== '');
  return { preset, ...Object.fromEntries(given.map(([key, text]) => [key, Number(text)])) };
}

export function Traders() {
  const preset = useSignal('calm');
  const numbers = useSignal<Record<string, string>>({ pulled: '', takers: '', drift: '' });
  const command = useCommand();
  const apply = () =>
    command.run(async () => {
      await call('dojima_setTraders', tradersOf(preset.value, numbers.value));
      return say('traders.set', preset.value);
    });
  return (
    <Group title={say('traders')} about={say('traders.about')}>
      <form
        class="dev-row"
        onSubmit={(event) => {
          event.preventDefault();
          void apply();
        }}
      >
        <Choice
          label={say('traders.preset')}
          value={preset.value}
          set={(name) => {
            preset.value = name;
          }}
          options={PRESETS.map((name) => [name, name])}
        />
        {Object.keys(numbers.value).map((key) => (
          <Field
            key={key}
            label={say(`traders.${key}`)}
            value={numbers.value[key] ?? ''}
            numeric
            set={(text) => {
              numbers.value = { ...numbers.value, [key]: text };
            }}
          />
        ))}
        <button type="submit" disabled={command.busy}>
          {say('set')}
        </button>
      </form>
      <Outcome command={command} />
    </Group>
  );
}
