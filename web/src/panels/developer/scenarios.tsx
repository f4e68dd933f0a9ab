// SPDX-License-Identifier: MIT
// Scenarios are played by the program `dojima scenario`, which no page can start: the drawer gives the command.
import { useSignal } from '@preact/signals';
import { Group } from './command';
import { say } from './messages';

const NAMES = [
  'flash-crash',
  'cascade-with-adl',
  'oracle-outage',
  'funding-spike',
  'restart-under-load',
  'thin-weekend',
  'delisting',
  'reconnect-storm',
];
// These end the exchange and start it again: they play in one of their own.
const OWN = new Set(['restart-under-load']);

export function commandOf(name: string, origin: string): string {
  return OWN.has(name) ? `dojima scenario run ${name}` : `dojima scenario run ${name} --url ${origin}`;
}

export function Scenarios() {
  const copied = useSignal('');
  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      copied.value = say('copied', text);
    } catch {
      copied.value = say('copy.refused');
    }
  };
  return (
    <Group title={say('scenarios')} about={say('scenarios.about')}>
      <table class="dev-table">
        <thead>
          <tr>
            <th>{say('scenarios.scenario')}</th>
            <th>{say('scenarios.command')}</th>
            <th>{say('actions')}</th>
          </tr>
        </thead>
        <tbody>
          {NAMES.map((name) => (
            <tr key={name}>
              <td>{say(`scenario.${name}`)}</td>
              <td>
                <code>{commandOf(name, location.origin)}</code>
              </td>
              <td>
                <button
                  type="button"
                  aria-label={say('copy.command', name)}
                  onClick={() => void copy(commandOf(name, location.origin))}
                >
                  {say('copy')}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="dev-outcome" role="status">
        {copied.value}
      </p>
    </Group>
  );
}
