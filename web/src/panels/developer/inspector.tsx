// SPDX-License-Identifier: MIT
import { useSignal } from '@preact/signals';
import { lastWrite } from '../../core/last-write';
import { Group, Outcome, useCommand } from './command';
import { type Facts, requestOf, rowsOf, textOf, type Trial } from './inspect';
import { say } from './messages';
import { call } from './rpc';

function Answer({ facts, trial }: { facts: Facts | null; trial: Trial | null }) {
  const result = trial ?? facts;
  if (!result) return null;
  const answer = result.answer;
  return (
    <div class="dev-facts">
      <p class={result.accepted ? '' : 'dev-failed'}>
        {result.accepted ? say('inspect.accepted') : say('inspect.refused')}
      </p>
      {result.causes.length > 0 && (
        <ul>
          {result.causes.map((cause) => (
            <li key={cause}>{cause}</li>
          ))}
        </ul>
      )}
      {answer?.error && (
        <p>
          {answer.code}: {answer.error}
        </p>
      )}
      {facts && (
        <dl>
          {rowsOf(facts).map(([name, value]) => (
            <div key={name}>
              <dt>{say(`inspect.${name}`)}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {answer && (
        <pre tabIndex={0} aria-label={say('inspect.answer')}>
          {JSON.stringify(answer, null, 2)}
        </pre>
      )}
    </div>
  );
}

export function Inspector() {
  const text = useSignal('');
  const facts = useSignal<Facts | null>(null);
  const trial = useSignal<Trial | null>(null);
  const command = useCommand();
  const last = lastWrite.value;
  const clear = () => {
    facts.value = null;
    trial.value = null;
  };
  const signature = () =>
    command.run(async () => {
      clear();
      facts.value = await call<Facts>('dojima_explainSignature', requestOf(text.value));
      return '';
    });
  const order = () =>
    command.run(async () => {
      clear();
      trial.value = await call<Trial>('dojima_explainOrder', requestOf(text.value));
      return '';
    });
  return (
    <Group title={say('inspect')} about={say('inspect.about')}>
      <label class="dev-field dev-wide">
        <span>{say('inspect.request')}</span>
        <textarea
          rows={7}
          spellcheck={false}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <div class="dev-row">
        <button
          type="button"
          disabled={!last}
          onClick={() => {
            if (last) text.value = textOf(last);
          }}
        >
          {say('inspect.last')}
        </button>
        <button type="button" disabled={command.busy || text.value === ''} onClick={signature}>
          {say('inspect.signature')}
        </button>
        <button type="button" disabled={command.busy || text.value === ''} onClick={order}>
          {say('inspect.order')}
        </button>
      </div>
      <Outcome command={command} />
      <Answer facts={facts.value} trial={trial.value} />
    </Group>
  );
}
