// SPDX-License-Identifier: MIT
// The form of an operation: what is filled in is shown as programs, and sent.
import { useId, useMemo, useState } from 'preact/hooks';
import type { Endpoint } from './contract';
import { keep, lastOf } from './kept';
import { type Asked, askedOf, examplesOf } from './request';
import { Samples } from './samples-view';
import { type Received, sendAsked } from './send';
import { chainId, keyName, privateKey } from './wallet';
import { say } from './words';

function Answer({ operationId, received }: { operationId: string; received: Received }) {
  const at = new Date(received.at).toLocaleTimeString();
  return (
    <section class="docs-answer" aria-label={say.last({ asked: received.asked })}>
      <header>
        <strong>{say.last({ asked: received.asked })}</strong>
        <span class={received.status < 300 ? 'muted' : 'field-error'}>
          {say.took({ status: received.status, took: received.took, at })}
        </span>
        <button type="button" class="quiet" onClick={() => keep(operationId, undefined)}>
          {say.forget()}
        </button>
      </header>
      <pre tabIndex={0}>
        {received.headers.map(([name, value]) => `${name}: ${value}\n`).join('')}
        {received.headers.length > 0 && '\n'}
        {received.text}
      </pre>
    </section>
  );
}

/** What the form asks for, or why it asks for nothing. */
function useAsked(endpoint: Endpoint, parameters: Record<string, string>, body: string): Asked | string {
  const filled = { parameters, body, chainId: chainId.value, keyName: keyName.value };
  return useMemo(() => {
    try {
      return askedOf(endpoint, filled);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }, [endpoint, parameters, body, filled.chainId, filled.keyName]);
}

function Parameters({
  endpoint,
  values,
  onChange,
}: {
  endpoint: Endpoint;
  values: Record<string, string>;
  onChange: (values: Record<string, string>) => void;
}) {
  const id = useId();
  const shown = (endpoint.operation.parameters ?? []).filter((parameter) => parameter.in !== 'header');
  return (
    <div class="docs-row">
      {shown.map(({ name, example, required }) => (
        <div class="field" key={name}>
          <label for={`${id}-${name}`}>
            <code>{name}</code> {required ? say.required() : ''}
          </label>
          <input
            id={`${id}-${name}`}
            spellcheck={false}
            placeholder={String(example ?? '')}
            value={values[name] ?? ''}
            onInput={(event) => onChange({ ...values, [name]: event.currentTarget.value })}
          />
        </div>
      ))}
    </div>
  );
}

function useSending(operationId: string) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const send = async (asked: Asked) => {
    setBusy(true);
    setFault('');
    try {
      keep(operationId, await sendAsked(asked, privateKey.value));
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return { busy, fault, send };
}

export function TryIt({ endpoint }: { endpoint: Endpoint }) {
  const id = useId();
  const { operationId, requestBody } = endpoint.operation;
  const examples = useMemo(() => examplesOf(endpoint), [endpoint]);
  const [parameters, setParameters] = useState(examples.parameters);
  const [body, setBody] = useState(examples.body);
  const { busy, fault, send } = useSending(operationId);
  const asked = useAsked(endpoint, parameters, body);
  const received = lastOf(operationId).value;
  const wrong = typeof asked === 'string' ? asked : fault;
  const sends = typeof asked !== 'string' && asked.kind === 'request';
  return (
    <form
      class="docs-try"
      onSubmit={(event) => {
        event.preventDefault();
        if (typeof asked !== 'string') void send(asked);
      }}
    >
      <h3>{say.tryIt()}</h3>
      <Parameters endpoint={endpoint} values={parameters} onChange={setParameters} />
      {requestBody && (
        <div class="field">
          <label for={id}>{say.body()}</label>
          <textarea
            id={id}
            rows={Math.min(20, body.split('\n').length)}
            spellcheck={false}
            value={body}
            aria-invalid={typeof asked === 'string'}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        </div>
      )}
      {typeof asked !== 'string' && <Samples asked={asked} />}
      {sends && (
        <button type="submit" class="primary" disabled={busy}>
          {asked.signing ? say.signAndSend() : say.send()}
        </button>
      )}
      <p role="status" class="field-error">
        {wrong}
      </p>
      {received && <Answer operationId={operationId} received={received} />}
    </form>
  );
}
