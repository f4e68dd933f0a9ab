// SPDX-License-Identifier: MIT
// The page of the interface, drawn from /openapi.json when it is opened.
import { useMemo, useState } from 'preact/hooks';
import { type Contract, type Endpoint, type ErrorRow, type Settings, endpointsOf, found, wordsOf } from './contract';
import { OperationView, Rows } from './operation';
import { Wallet } from './wallet';
import { say } from './words';

interface Listed {
  readonly endpoint: Endpoint;
  readonly words: string;
}

function Group({ contract, name, listed }: { contract: Contract; name: string; listed: readonly Listed[] }) {
  if (listed.length === 0) return null;
  return (
    <section aria-label={name}>
      <h2 id={`group-${name}`}>{name}</h2>
      {listed.map(({ endpoint }) => (
        <OperationView key={endpoint.operation.operationId} contract={contract} endpoint={endpoint} />
      ))}
    </section>
  );
}

function Errors({ rows }: { rows: readonly ErrorRow[] }) {
  return (
    <section aria-label={say.errors()}>
      <h2>{say.errors()}</h2>
      <Rows
        label={say.errors()}
        head={[say.code(), 'HTTP', say.error(), say.field(), say.rule()]}
        rows={rows.map(({ code, http, error, field, rule }) => [String(code), String(http), error, field, rule])}
      />
    </section>
  );
}

function errorWords(row: ErrorRow): string {
  return `${row.code} ${row.error} ${row.field} ${row.rule}`.toLowerCase();
}

export function Page({ contract, settings }: { contract: Contract; settings: Settings }) {
  const [search, setSearch] = useState('');
  const all = useMemo(
    () => endpointsOf(contract).map((endpoint): Listed => ({ endpoint, words: wordsOf(endpoint) })),
    [contract],
  );
  const shown = all.filter(({ words }) => found(words, search));
  const errors = contract['x-errors'].filter((row) => found(errorWords(row), search));
  return (
    <div class="docs">
      <header class="docs-head">
        <h1>
          <a href="/">dojima</a> {say.title()} <small class="muted">{contract.info.version}</small>
        </h1>
        <nav aria-label={say.title()}>
          <a href="/">{say.terminal()}</a>
          {contract.tags.map(({ name }) => (
            <a key={name} href={`#group-${name}`}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <p>{contract.info.description}</p>
        <p>
          {say.sameAs()}
          <a href="/openapi.json">OpenAPI 3.1</a>
        </p>
        <Wallet settings={settings} />
        <div class="docs-find">
          <input
            type="search"
            aria-label={say.find()}
            placeholder={say.find()}
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
          <span role="status" class="muted">
            {search === '' ? '' : say.found({ n: shown.length, all: all.length })}
          </span>
        </div>
        {contract.tags.map(({ name }) => (
          <Group
            key={name}
            contract={contract}
            name={name}
            listed={shown.filter(({ endpoint }) => endpoint.operation.tags[0] === name)}
          />
        ))}
        {shown.length + errors.length === 0 && <p class="empty">{say.nothing()}</p>}
        {errors.length > 0 && <Errors rows={errors} />}
      </main>
    </div>
  );
}

export function Unreachable({ reason }: { reason: string }) {
  return (
    <main class="docs">
      <h1>{say.unreachable()}</h1>
      <p role="alert">{reason}</p>
      <button type="button" onClick={() => location.reload()}>
        {say.again()}
      </button>
    </main>
  );
}
