// SPDX-License-Identifier: MIT
// Reads: GET with the envelope taken apart. Writes are in write.ts.
import type { Details, Engine } from './types.js';

/** Where an exchange is, and the function that reaches it. */
export interface Transport {
  /** Scheme, host and port; empty for the origin of the page. */
  readonly url: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

export interface Answered<T> {
  readonly ok: true;
  readonly data: T;
  /** Time of the exchange when it answered, Unix ms. */
  readonly time: number;
}

/** A refusal of the exchange, or `status` 0 when no answer came. */
export interface Refused {
  readonly ok: false;
  readonly status: number;
  readonly code: number;
  readonly error: string;
  readonly details: Details;
  /** Time of the exchange, where it has answered, Unix ms. */
  readonly time?: number;
}

export type Reply<T> = Answered<T> | Refused;

export type Query = Readonly<Record<string, string | number | undefined>>;

/** The base of an engine's paths; operations of a wallet are at the gateway (wire 0.3). */
export const basePath = (engine: Engine | 'gateway'): string =>
  engine === 'gateway' ? '/api/v1' : `/api/v1/${engine}`;

/** The path of a read with its parameters; what is undefined is left out. */
export function pathWith(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

const noAnswer = (error: unknown): Refused => ({
  ok: false,
  status: 0,
  code: -1,
  error: error instanceof Error ? error.message : 'no answer',
  details: {},
});

/** Takes the envelope of an answer apart (wire 0.4). A body that is none counts as a refusal with its status. */
export function readEnvelope<T>(status: number, text: string): Reply<T> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (typeof body !== 'object' || body === null || !('code' in body) || typeof body.code !== 'number')
    return { ok: false, status, code: -1, error: `HTTP ${status}`, details: {} };
  const envelope = body as { code: number; timestamp: number; data?: T; error?: string; details?: Details };
  if (envelope.code === 0) return { ok: true, data: envelope.data as T, time: envelope.timestamp };
  const { code, error = '', details = {}, timestamp: time } = envelope;
  return { ok: false, status, code, error, details, time };
}

/** A read; `path` begins with `/`. Never throws: what went wrong is in the reply. */
export async function get<T>(
  { url, fetch }: Transport,
  path: string,
  query: Query = {},
  signal?: AbortSignal,
): Promise<Reply<T>> {
  try {
    const headers = { Accept: 'application/json' };
    const answer = await fetch(url + pathWith(path, query), { headers, signal: signal ?? null });
    return readEnvelope<T>(answer.status, await answer.text());
  } catch (error) {
    return noAnswer(error);
  }
}

let callId = 0;

/** A call of /rpc. A JSON-RPC error is a refusal with its code. */
export async function rpc<T>(
  { url, fetch }: Transport,
  method: string,
  params: readonly unknown[] = [],
  signal?: AbortSignal,
): Promise<Reply<T>> {
  try {
    const answer = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++callId, method, params }),
      signal: signal ?? null,
    });
    const body = (await answer.json()) as { result?: T; error?: { code: number; message: string; data?: Details } };
    if (!body.error) return { ok: true, data: body.result as T, time: 0 };
    const { code, message, data } = body.error;
    return { ok: false, status: answer.status, code, error: message, details: data ?? {} };
  } catch (error) {
    return noAnswer(error);
  }
}
