// SPDX-License-Identifier: MIT
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { venue } from '../../state/venue';
import { type Check, look } from './checks';
import { Group } from './command';
import { say } from './messages';

const PACE = 2000; // ms between two looks

interface State {
  checks: Check[];
  silent: boolean; // the exchange did not answer
}

function useChecks(addresses: string[]): State {
  const state = useSignal<State>({ checks: [], silent: false });
  useEffect(() => {
    let ended = false;
    let timer: ReturnType<typeof setTimeout>;
    const turn = async () => {
      const next = await look(addresses).then(
        (checks) => ({ checks, silent: false }),
        () => ({ checks: state.value.checks, silent: true }),
      );
      if (ended) return;
      state.value = next;
      timer = setTimeout(turn, PACE);
    };
    void turn();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [addresses.join()]);
  return state.value;
}

/** The light: every check holds, one is broken, or the exchange does not answer. */
export function lightOf({ checks, silent }: State): 'holds' | 'broken' | 'unknown' {
  if (silent || checks.length === 0) return 'unknown';
  return checks.every((check) => check.holds) ? 'holds' : 'broken';
}

export function Checks() {
  const addresses = (venue.value?.accounts ?? []).map((one) => one.address);
  const state = useChecks(addresses);
  const light = lightOf(state);
  return (
    <Group title={say('checks')} about={say('checks.about')}>
      <p class={`dev-light dev-light-${light}`} role="status">
        {say(`checks.${light}`)}
      </p>
      <ul class="dev-checks">
        {state.checks.map((check) => (
          <li key={check.name} class={check.holds ? '' : 'dev-failed'}>
            {check.holds ? '✓' : '✗'} {say(`check.${check.name}`, check.found)}
          </li>
        ))}
      </ul>
    </Group>
  );
}
