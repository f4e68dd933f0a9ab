// SPDX-License-Identifier: MIT
// Every answer ends: an exchange that hangs or sends without end is an error, and not a program that stands still.
import type { Transport } from './api.js';

/** More than the longest answer of the interface, by far. */
const MOST_BYTES = 64 * 1024 * 1024;

async function bodyOf(answer: Response): Promise<Blob | null> {
  const reader = answer.body?.getReader();
  const parts: BlobPart[] = [];
  for (let left = MOST_BYTES; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    left -= value.byteLength;
    if (left < 0) throw new Error(`the answer has more than ${MOST_BYTES} bytes`);
    parts.push(value as BlobPart);
  }
  return parts.length > 0 ? new Blob(parts) : null;
}

/** "fetch failed" alone does not say that nobody listens, or that the certificate is wrong. */
function withCause(error: unknown): unknown {
  if (!(error instanceof Error && error.cause instanceof Error)) return error;
  const { message, code } = error.cause as Error & { code?: string };
  return new Error(`${error.message}: ${message || code || error.cause.name}`, { cause: error.cause });
}

/**
 * `fetch` that has the whole answer within `timeout` ms, or throws. Calls of /rpc may take longer, because they move
 * the time of a development exchange.
 */
export function patient(fetch: Transport['fetch'], timeout: number): Transport['fetch'] {
  return async (url, init) => {
    const ends = new AbortController();
    const giveUp = () => ends.abort(init.signal?.reason);
    const late = () => ends.abort(new Error(`no whole answer within ${timeout} ms`));
    const timer = url.endsWith('/rpc') ? undefined : setTimeout(late, timeout);
    init.signal?.addEventListener('abort', giveUp);
    if (init.signal?.aborted) giveUp();
    try {
      const answer = await fetch(url, { ...init, signal: ends.signal });
      const { status, statusText, headers } = answer;
      return new Response(await bodyOf(answer), { status, statusText, headers });
    } catch (error) {
      ends.abort();
      throw withCause(error);
    } finally {
      clearTimeout(timer);
      init.signal?.removeEventListener('abort', giveUp);
    }
  };
}
