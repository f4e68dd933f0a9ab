// SPDX-License-Identifier: MIT
// Calls of /rpc, which answers the development methods to pages of this origin alone. Here a refusal is thrown, because
// each command of the drawer shows it in one place.
import { get, type Reply, rpc } from '../../core/api';

function dataOf<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.data;
  throw new Error(reply.error.replace(/^invalid params: /, ''));
}

/** The result of one method; throws the exchange's own sentence when it is refused. */
export async function call<T>(method: string, ...params: unknown[]): Promise<T> {
  return dataOf(await rpc<T>(method, params));
}

/** Data of a read of the interface; throws its error text. */
export async function read<T>(path: string): Promise<T> {
  return dataOf(await get<T>(path));
}

interface Answer {
  id: number;
  result?: unknown;
  error?: { message: string };
}

/** Several calls in one request; the results in their order. Throws for the first that is refused. */
export async function callAll<T>(calls: [method: string, ...params: unknown[]][]): Promise<T[]> {
  if (calls.length === 0) return [];
  const requests = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const answer = await fetch('/rpc', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(requests),
  });
  const answers = ((await answer.json()) as Answer[]).sort((a, b) => a.id - b.id);
  const refused = answers.find((one) => one.error);
  if (refused) throw new Error(refused.error?.message);
  return answers.map((one) => one.result as T);
}
