// SPDX-License-Identifier: MIT
// One operation: closed it is a line; opened it has its parameters, records, and the form.
import { useState } from 'preact/hooks';
import { type Contract, type Endpoint, anchorOf, bodyOf, dataOf, recordsOf, typeOf } from './contract';
import type { RecordTable, RpcMethod, Schema } from './contract';
import { TryIt } from './try-it';
import { say } from './words';

export function Rows({ label, head, rows }: { label: string; head: readonly string[]; rows: readonly string[][] }) {
  return (
    <div class="docs-table" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((text) => (
              <th scope="col" key={text}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.join(' ')}>
              {row.map((text, at) => (
                <td key={at}>{at === 0 ? <code>{text}</code> : text}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Record({ table }: { table: RecordTable }) {
  const rows = table.rows.map(({ key, type, required, meaning }) => [key, type, required ? say.always() : '', meaning]);
  return (
    <>
      {table.name && <h4>{table.name}</h4>}
      {table.description && <p>{table.description}</p>}
      <Rows
        label={table.name ?? say.body()}
        head={[say.name(), say.type(), say.required(), say.meaning()]}
        rows={rows}
      />
    </>
  );
}

function Records({ contract, title, schema }: { contract: Contract; title: string; schema: Schema }) {
  return (
    <>
      <h3>{title}</h3>
      {recordsOf(contract, schema).map((table) => (
        <Record key={table.name} table={table} />
      ))}
    </>
  );
}

function Methods({ methods }: { methods: readonly RpcMethod[] }) {
  const rows = methods.map(({ name, params, result, description }) => [
    name,
    params.map((one) => `${one.name}${one.required ? '' : '?'}: ${one.kind}`).join(', '),
    result,
    description,
  ]);
  return (
    <>
      <h3>{say.methods()}</h3>
      <Rows label={say.methods()} head={[say.name(), say.params(), say.result(), say.meaning()]} rows={rows} />
    </>
  );
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const { operation } = endpoint;
  const { weight, more } = operation['x-weight'];
  const signed = operation['x-signed-type'];
  return (
    <p>
      {say.weight({ weight })}
      {more ? `, ${more}` : ''}.{' '}
      {signed &&
        say.signedAs({
          type: signed,
          domain: operation['x-signed-domain'] ?? '',
          as: operation['x-signed-as'] ?? '',
        })}
    </p>
  );
}

function Content({ contract, endpoint }: { contract: Contract; endpoint: Endpoint }) {
  const { operation } = endpoint;
  const parameters = operation.parameters ?? [];
  const body = bodyOf(operation);
  const data = dataOf(operation);
  const rows = parameters.map((one) => [
    one.name,
    one.in,
    typeOf(one.schema),
    one.required ? say.required() : '',
    one.description,
  ]);
  return (
    <div class="docs-content">
      <Facts endpoint={endpoint} />
      <TryIt endpoint={endpoint} />
      {parameters.length > 0 && (
        <>
          <h3>{say.parameters()}</h3>
          <Rows
            label={say.parameters()}
            head={[say.name(), say.where(), say.type(), say.required(), say.meaning()]}
            rows={rows}
          />
        </>
      )}
      {body && <Records contract={contract} title={say.body()} schema={body.schema} />}
      {operation['x-methods'] && <Methods methods={operation['x-methods']} />}
      {data && <Records contract={contract} title={say.answer({ type: typeOf(data) })} schema={data} />}
    </div>
  );
}

export function OperationView({ contract, endpoint }: { contract: Contract; endpoint: Endpoint }) {
  const anchor = anchorOf(endpoint);
  const [open, setOpen] = useState(() => location.hash === `#${anchor}`);
  const [drawn, setDrawn] = useState(open);
  return (
    <details
      id={anchor}
      open={open}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
        if (event.currentTarget.open) setDrawn(true);
      }}
    >
      <summary>
        <span class={`docs-method ${endpoint.method.toLowerCase()}`}>{endpoint.method}</span>
        <code>{endpoint.path}</code> <span class="muted">{endpoint.operation.summary}</span>
      </summary>
      {drawn && <Content contract={contract} endpoint={endpoint} />}
    </details>
  );
}
