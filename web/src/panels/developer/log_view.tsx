// SPDX-License-Identifier: MIT
import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Group } from './command';
import { type LoggedCommand, newest } from './log';
import { say } from './messages';
import { clockTime } from './time';

const PACE = 1000; // ms between two reads

const state = signal<{ rows: LoggedCommand[]; last: number; failed: string }>({ rows: [], last: 0, failed: '' });

/** Follows the log while the drawer is open: its tab shows commands that came before it was chosen. */
export function useLog(): void {
  useEffect(() => {
    let ended = false;
    let timer: ReturnType<typeof setTimeout>;
    const turn = async () => {
      try {
        const next = await newest(state.value.rows, state.value.last);
        if (!ended) state.value = { ...next, failed: '' };
      } catch (error) {
        if (!ended) state.value = { ...state.value, failed: String(error instanceof Error ? error.message : error) };
      }
      if (!ended) timer = setTimeout(turn, PACE);
    };
    void turn();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, []);
}

export function Log() {
  const { rows, failed } = state.value;
  const traders = useSignal(false);
  const shown = rows.filter((row) => traders.value || row.kind !== 'trader').slice(0, 100);
  return (
    <Group title={say('log')} about={say('log.about')}>
      <label class="dev-check">
        <input
          type="checkbox"
          checked={traders.value}
          onChange={(event) => {
            traders.value = event.currentTarget.checked;
          }}
        />
        {say('log.traders')}
      </label>
      {failed && (
        <p class="dev-failed" role="status">
          {failed}
        </p>
      )}
      <table class="dev-table">
        <thead>
          <tr>
            <th>{say('log.time')}</th>
            <th>{say('log.block')}</th>
            <th>{say('log.account')}</th>
            <th>{say('log.command')}</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.hash}>
              <td>{clockTime(row.time)}</td>
              <td>{row.block}</td>
              <td title={row.owner}>{row.accountID || '–'}</td>
              <td>
                <span class="dev-kind">{row.accountID ? `${row.domain} ${row.kind}` : row.kind}</span>{' '}
                <code>{row.params}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p class="dev-about">{say('log.none')}</p>}
    </Group>
  );
}
