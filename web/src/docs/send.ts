// SPDX-License-Identifier: MIT
// Signs what was asked with the terminal's signer and sends it.
import { BAD_NONCE, exchangeClock } from '../core/clock';
import type { Domain } from '../core/sign';
import type { Details } from '../core/types';
import type { Asked, Signing } from './request';

/** An answer as the page keeps it. */
export interface Received {
  /** The request line. */
  readonly asked: string;
  readonly status: number;
  /** Headers that the interface describes, those that came. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** Milliseconds from sending to the last byte. */
  readonly took: number;
  /** When, Unix ms. */
  readonly at: number;
}

const SHOWN = [
  'X-Chain-Tx',
  'X-Chain-Block',
  'X-Chain-Index',
  'X-Dojima-Seq',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** A longer answer is cut: the page shows it, and keeps it in the storage of the tab. */
const MOST = 200_000;

async function signature(signing: Signing, body: string, nonce: number, privateKey: string): Promise<string> {
  const { addKeyDigest, signAction, signDigest } = await import('../core/curve');
  if (signing.as !== 'action') return signDigest(addKeyDigest(JSON.parse(body), nonce, signing.chainId), privateKey, 2);
  const domain = signing.domain as Domain;
  return signAction({ domain, type: signing.type, body, nonce, chainId: signing.chainId }, privateKey);
}

async function signedHeaders(signing: Signing, body: string, privateKey: string): Promise<Record<string, string>> {
  const nonce = exchangeClock.nonce();
  const headers: Record<string, string> = {
    'X-API-Nonce': String(nonce),
    'X-API-Chain': String(signing.chainId),
    'X-API-Sign': await signature(signing, body, nonce, privateKey),
  };
  if (signing.keyName !== '') headers['X-API-Key'] = signing.keyName;
  return headers;
}

/** JSON with indentation, anything else as it came. The time in an answer is what later nonces are taken from. */
function readable(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const { timestamp, code, details } = (body ?? {}) as { timestamp?: number; code?: number; details?: Details };
    if (typeof timestamp === 'number') exchangeClock.learn(timestamp);
    if (code === BAD_NONCE && details) exchangeClock.refused(Number(details.got), details, timestamp, 0);
    return JSON.stringify(body, null, 2);
  } catch {
    return text;
  }
}

/** Throws when the key is none, or no answer came. */
export async function sendAsked(asked: Asked, privateKey: string | undefined): Promise<Received> {
  const { body, signing, method, target } = asked;
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (signing && body !== undefined) {
    if (privateKey === undefined) throw new Error('a private key is needed: 0x and 64 hex digits');
    Object.assign(headers, await signedHeaders(signing, body, privateKey));
  }
  const began = performance.now();
  const answer = await fetch(target, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = readable(await answer.text());
  return {
    asked: `${method} ${target}`,
    status: answer.status,
    headers: SHOWN.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value] as const];
    }),
    text: text.length > MOST ? `${text.slice(0, MOST)}\n… (${text.length - MOST} more characters)` : text,
    took: Math.round(performance.now() - began),
    at: Date.now(),
  };
}
