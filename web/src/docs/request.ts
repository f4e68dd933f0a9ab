// SPDX-License-Identifier: MIT
// A request as the page shows and sends it: target, body, and how it is signed.
import type { Endpoint } from './contract';

/** `permissioned`: a key with rights of its own, which has a typed form of its own (wire 3.5). */
export type SignedAs = 'action' | 'key' | 'permissioned';

export interface Signing {
  readonly as: SignedAs;
  readonly domain: string;
  readonly type: string;
  readonly chainId: number;
  /** X-API-Key; empty when the main wallet signs. */
  readonly keyName: string;
}

export interface Asked {
  /** `stream`: a WebSocket. `feeder`: a post of index prices, which the program `dojima oracle` makes. */
  readonly kind: 'request' | 'stream' | 'feeder';
  readonly method: string;
  /** Path with its parameters and query. */
  readonly target: string;
  /** The text that is sent, and signed byte for byte. */
  readonly body: string | undefined;
  readonly signing: Signing | undefined;
}

export interface Filled {
  /** Values of parameters by name; an empty one is left out. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
  readonly chainId: number;
  readonly keyName: string;
}

/** JSON without blanks. Throws when the text is none. */
export const compact = (text: string): string => JSON.stringify(JSON.parse(text));

export function targetOf({ path, operation }: Endpoint, values: Readonly<Record<string, string>>): string {
  let target = path;
  const query = new URLSearchParams();
  for (const parameter of operation.parameters ?? []) {
    const value = values[parameter.name] ?? '';
    if (value === '') continue;
    if (parameter.in === 'path') target = target.replace(`{${parameter.name}}`, () => encodeURIComponent(value));
    if (parameter.in === 'query') query.set(parameter.name, value);
  }
  const text = query.toString();
  return text === '' ? target : `${target}?${text}`;
}

function signedAs(operation: Endpoint['operation'], body: string): SignedAs {
  if (operation['x-signed-as'] !== 'AddAPIKey') return 'action';
  return 'permissions' in (JSON.parse(body) as object) ? 'permissioned' : 'key';
}

function kindOf({ path, operation }: Endpoint): Asked['kind'] {
  if (path.startsWith('/ws/')) return 'stream';
  return operation['x-signed-as'] === 'OraclePrices' ? 'feeder' : 'request';
}

/** What a filled form asks for. Throws when its body is no JSON. */
export function askedOf(endpoint: Endpoint, filled: Filled): Asked {
  const { operation } = endpoint;
  const body = operation.requestBody ? compact(filled.body) : undefined;
  const type = operation['x-signed-type'];
  const signing =
    type === undefined || body === undefined
      ? undefined
      : {
          as: signedAs(operation, body),
          domain: operation['x-signed-domain'] ?? '',
          type,
          chainId: filled.chainId,
          keyName: filled.keyName,
        };
  return {
    kind: kindOf(endpoint),
    method: endpoint.method,
    target: targetOf(endpoint, filled.parameters),
    body,
    signing,
  };
}

/** The form as it stands when an operation is opened: required parameters have their examples. */
export function examplesOf({ operation }: Endpoint): { parameters: Record<string, string>; body: string } {
  const parameters: Record<string, string> = {};
  for (const { name, required, example, in: where } of operation.parameters ?? [])
    parameters[name] = where !== 'header' && (required || where === 'path') ? String(example ?? '') : '';
  const example = operation.requestBody?.content['application/json']?.example;
  return { parameters, body: example === undefined ? '' : JSON.stringify(example, null, 2) };
}
