// SPDX-License-Identifier: MIT
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Field, Group, Outcome, useCommand } from './command';
import { say } from './messages';
import { call } from './rpc';
import { dateTime } from './time';

interface Snapshot {
  id: string;
  name?: string;
  blockNumber: number;
  seq: number;
  time: number;
}

export function Snapshots() {
  const list = useSignal<Snapshot[]>([]);
  const name = useSignal('');
  const command = useCommand();
  const load = async () => {
    list.value = await call<Snapshot[]>('dojima_snapshots');
  };
  useEffect(() => {
    void command.run(async () => {
      await load();
      return '';
    });
  }, []);
  const take = () =>
    command.run(async () => {
      const wanted = name.value.trim();
      const id = await call<string>('evm_snapshot', ...(wanted ? [wanted] : []));
      name.value = '';
      await load();
      return say('snapshots.taken', wanted || id);
    });
  const revert = (id: string, shown: string) =>
    command.run(async () => {
      await call('evm_revert', id);
      await load();
      return say('snapshots.reverted', shown);
    });
  const reset = () =>
    command.run(async () => {
      await call('anvil_reset');
      await load();
      return say('snapshots.begun');
    });
  return (
    <Group title={say('snapshots')} about={say('snapshots.about')}>
      <form
        class="dev-row"
        onSubmit={(event) => {
          event.preventDefault();
          void take();
        }}
      >
        <Field
          label={say('snapshots.name')}
          value={name.value}
          set={(text) => {
            name.value = text;
          }}
        />
        <button type="submit" disabled={command.busy}>
          {say('snapshots.take')}
        </button>
        <button type="button" disabled={command.busy} onClick={reset}>
          {say('snapshots.reset')}
        </button>
      </form>
      <table class="dev-table">
        <thead>
          <tr>
            <th>{say('snapshots.snapshot')}</th>
            <th>{say('log.time')}</th>
            <th>{say('log.block')}</th>
            <th>{say('actions')}</th>
          </tr>
        </thead>
        <tbody>
          {list.value.map((one) => (
            <tr key={one.id}>
              <td>{one.name ?? Number(one.id)}</td>
              <td>{dateTime(one.time)}</td>
              <td>{one.blockNumber}</td>
              <td>
                <button
                  type="button"
                  disabled={command.busy}
                  aria-label={say('snapshots.revertTo', one.name ?? String(Number(one.id)))}
                  onClick={() => revert(one.id, one.name ?? String(Number(one.id)))}
                >
                  {say('snapshots.revert')}
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {list.value.length === 0 && <p class="dev-about">{say('snapshots.none')}</p>}
      <Outcome command={command} />
    </Group>
  );
}
