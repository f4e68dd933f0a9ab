// SPDX-License-Identifier: MIT
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Choice, type Command, Field, Group, Outcome, useCommand } from './command';
import { EMPTY, FAULTS, type Form, PRESETS, type Rule, ruleOf, scopeOf } from './faults';
import { say } from './messages';
import { call } from './rpc';

const PACE = 1000; // ms between two reads of what the rules have done

function Rules({ rules, command, remove }: { rules: Rule[]; command: Command; remove(id: number): void }) {
  return (
    <table class="dev-table">
      <thead>
        <tr>
          <th>{say('faults.rule')}</th>
          <th>{say('faults.scope')}</th>
          <th>{say('faults.acted')}</th>
          <th>{say('actions')}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr key={rule.id}>
            <td>
              {rule.id} {rule.fault}
            </td>
            <td>{scopeOf(rule)}</td>
            <td>
              {rule.acted} / {rule.matched}
            </td>
            <td>
              <button
                type="button"
                disabled={command.busy}
                aria-label={say('faults.removeRule', String(rule.id))}
                onClick={() => remove(rule.id)}
              >
                {say('faults.remove')}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Faults() {
  const rules = useSignal<Rule[]>([]);
  const form = useSignal<Form>(EMPTY);
  const command = useCommand();
  const load = async () => {
    rules.value = await call<Rule[]>('dojima_chaosList');
  };
  useEffect(() => {
    const turn = () => void load().catch(() => {});
    turn();
    const timer = setInterval(turn, PACE);
    return () => clearInterval(timer);
  }, []);
  const add = (rule: Record<string, string | number>) =>
    command.run(async () => {
      const { id } = await call<Rule>('dojima_chaosAdd', rule);
      await load();
      return say('faults.added', String(id));
    });
  const remove = (id: number) =>
    command.run(async () => {
      await call('dojima_chaosRemove', id);
      await load();
      return say('faults.removed', String(id));
    });
  const clear = () =>
    command.run(async () => {
      const count = await call<number>('dojima_chaosClear');
      await load();
      return say('faults.cleared', String(count));
    });
  return (
    <Group title={say('faults')} about={say('faults.about')}>
      <div class="dev-row" role="group" aria-label={say('faults.often')}>
        {PRESETS.map(([name, rule]) => (
          <button type="button" key={name} disabled={command.busy} onClick={() => add(rule)}>
            {say(`faults.${name}`)}
          </button>
        ))}
      </div>
      <form
        class="dev-row"
        onSubmit={(event) => {
          event.preventDefault();
          void add(ruleOf(form.value));
        }}
      >
        <Choice
          label={say('faults.fault')}
          value={form.value.fault}
          set={(fault) => {
            form.value = { ...form.value, fault };
          }}
          options={Object.keys(FAULTS).map((name) => [name, name])}
        />
        {(FAULTS[form.value.fault] ?? []).map((key) => (
          <Field
            key={key}
            label={key}
            value={form.value[key]}
            set={(text) => {
              form.value = { ...form.value, [key]: text };
            }}
          />
        ))}
        <button type="submit" disabled={command.busy}>
          {say('faults.add')}
        </button>
        <button type="button" disabled={command.busy || rules.value.length === 0} onClick={clear}>
          {say('faults.clear')}
        </button>
      </form>
      {rules.value.length > 0 ? (
        <Rules rules={rules.value} command={command} remove={remove} />
      ) : (
        <p class="dev-about">{say('faults.none')}</p>
      )}
      <Outcome command={command} />
    </Group>
  );
}
