// SPDX-License-Identifier: MIT
// The scenarios of the program: played in this exchange by its clock, or in one that is started for it.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { language } from '../../ui/i18n';
import { type Command, Group, Outcome, useCommand } from './command';
import { say, told } from './messages';
import { eventsOf, plays, type Run, type Scenario, span, sumOf } from './plays';
import { call } from './rpc';

const PACE = 1000; // ms between two reads of the run

function Events({ run }: { run: Run }) {
  return (
    <table class="dev-table">
      <thead>
        <tr>
          <th>{say('scenarios.at')}</th>
          <th>{say('scenarios.what')}</th>
          <th>{say('scenarios.outcome')}</th>
        </tr>
      </thead>
      <tbody>
        {eventsOf(run).map((row, place) => (
          <tr key={place} class={row.bad ? 'dev-failed' : ''}>
            <td>{row.at}</td>
            <td>{`${say(`scenarios.${row.kind}`)} ${row.what}`}</td>
            <td>{row.outcome}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function summary(run: Run, ends: number): string {
  if (plays(run)) return say(`scenarios.${run.state}`, run.name, span(run.ms), span(ends));
  const sum = sumOf(run);
  const state = say(`scenarios.${run.state}`, run.name);
  return sum ? `${state} ${say('scenarios.sum', String(sum.held), String(sum.expected))}` : state;
}

function Playing({ run, ends, command, stop }: { run: Run; ends: number; command: Command; stop(): void }) {
  return (
    <div role="group" aria-label={say('scenarios.run')}>
      <p class={run.state === 'failed' ? 'dev-run dev-failed' : 'dev-run'}>{summary(run, ends)}</p>
      {plays(run) && (
        <div class="dev-row">
          <progress aria-label={say('scenarios.progress')} value={Math.min(run.ms, ends)} max={ends} />
          <button type="button" disabled={command.busy || run.state === 'stopping'} onClick={stop}>
            {say('scenarios.stop')}
          </button>
        </div>
      )}
      {run.lines.length > 0 && <Events run={run} />}
    </div>
  );
}

interface ChoiceProps {
  scenario: Scenario;
  busy: boolean;
  start(scenario: Scenario, own: boolean): void;
}

/** In the language of the page, where the table has it. */
function aboutOf({ name, about }: Scenario): string {
  return language.value === 'en' ? about : (told(`scenario.${name}`) ?? about);
}

function ScenarioRow({ scenario, busy, start }: ChoiceProps) {
  const title = say('scenarios.playOf', scenario.name);
  return (
    <tr>
      <td>
        <strong>{scenario.name}</strong>
        <p class="dev-about">{aboutOf(scenario)}</p>
      </td>
      <td>{span(scenario.endsMs)}</td>
      <td>
        {!scenario.own && (
          <button type="button" disabled={busy} aria-label={title} onClick={() => start(scenario, false)}>
            {say('scenarios.play')}
          </button>
        )}
        <button
          type="button"
          disabled={busy}
          aria-label={say('scenarios.apartOf', scenario.name)}
          onClick={() => start(scenario, true)}
        >
          {say('scenarios.apart')}
        </button>
      </td>
    </tr>
  );
}

export function Scenarios() {
  const all = useSignal<Scenario[]>([]);
  const run = useSignal<Run | null>(null);
  const command = useCommand();
  useEffect(() => {
    void command.run(async () => {
      all.value = await call<Scenario[]>('dojima_scenarioList');
      return '';
    });
    const turn = () =>
      void call<Run | null>('dojima_scenarioStatus')
        .then((now) => {
          run.value = now;
        })
        .catch(() => {});
    turn();
    const timer = setInterval(() => plays(run.value) && turn(), PACE);
    return () => clearInterval(timer);
  }, []);
  const start = (scenario: Scenario, own: boolean) =>
    void command.run(async () => {
      run.value = await call<Run>('dojima_scenarioStart', scenario.name, own);
      return say('scenarios.started', scenario.name);
    });
  const stop = () =>
    void command.run(async () => {
      await call('dojima_scenarioStop');
      run.value = await call<Run | null>('dojima_scenarioStatus');
      return '';
    });
  const ends = all.value.find((one) => one.name === run.value?.name)?.endsMs ?? 1;
  return (
    <Group title={say('scenarios')} about={say('scenarios.about')}>
      {run.value && <Playing run={run.value} ends={ends} command={command} stop={stop} />}
      <Outcome command={command} />
      <table class="dev-table">
        <thead>
          <tr>
            <th>{say('scenarios.scenario')}</th>
            <th>{say('scenarios.length')}</th>
            <th>{say('actions')}</th>
          </tr>
        </thead>
        <tbody>
          {all.value.map((scenario) => (
            <ScenarioRow
              key={scenario.name}
              scenario={scenario}
              busy={command.busy || plays(run.value)}
              start={start}
            />
          ))}
        </tbody>
      </table>
    </Group>
  );
}
