// SPDX-License-Identifier: MIT
// What the methods of src/spec/ are made of: a read, and a write whose outcome is found out.
import { type Query, type Reply, type Transport, get, readEnvelope } from './api.js';
import { withTexts } from './amount.js';
import type { ExchangeClock } from './clock.js';
import { NoAnswer, OutcomeUnknown, errorOf } from './errors.js';
import type { Places } from './places.js';
import type { Signer } from './sign.js';
import { type AnyAction, type Place, type SentWrite, write } from './write.js';

export interface WriteChoices {
  /** Ends the questions after a lost reply; OutcomeUnknown is thrown then. */
  readonly signal?: AbortSignal;
  /** Called when a reply was lost and the same bytes are sent again; `attempt` counts from 1. */
  readonly onUncertain?: (attempt: number) => void;
}

/** A write that was executed, once. */
export type Executed<T> =
  | { readonly lost: false; readonly data: T; readonly place: Place | undefined }
  /** The reply was lost, and the exchange said later that it executed these bytes. */
  | {
      readonly lost: true;
      readonly data: undefined;
      readonly place: Place;
      /** Whether at least one item succeeded; undefined when that could not be read. */
      readonly succeeded: boolean | undefined;
    };

/** What all methods of a client share. */
export interface Connection {
  readonly transport: Transport;
  readonly clock: ExchangeClock;
  readonly signer: Signer | undefined;
  /** Ends the questions after a lost reply of every write. */
  readonly signal: AbortSignal | undefined;
  /** For so many milliseconds a lost reply is asked for. */
  readonly outcomeTimeout: number;
  readonly places: Places;
  /** The chain id to sign for. */
  chainId(): Promise<number>;
}

/** Aborted as soon as one of both is. */
function either(one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined {
  if (!one || !other) return one ?? other;
  const both = new AbortController();
  for (const signal of [one, other]) {
    if (signal.aborted) both.abort(signal.reason);
    signal.addEventListener('abort', () => both.abort(signal.reason), { once: true, signal: both.signal });
  }
  return both.signal;
}

/** Why the questions were ended, where the caller said it. */
const reasonOf = (signal: AbortSignal | undefined): string | undefined =>
  signal?.reason instanceof Error && signal.reason.name !== 'AbortError' ? signal.reason.message : undefined;

const dataOf = <T>(reply: Reply<T>, clock: ExchangeClock): T => {
  if (!reply.ok) throw errorOf(reply);
  clock.learn(reply.time);
  return reply.data;
};

export class Endpoints {
  constructor(protected readonly connection: Connection) {}

  protected async read<T>(path: string, query?: Query): Promise<T> {
    const { transport, clock, places } = this.connection;
    return dataOf(await places.within(() => get<T>(transport, path, query)), clock);
  }

  protected async text(path: string): Promise<string> {
    const { transport, places } = this.connection;
    let answer: Response;
    try {
      answer = await places.within(() => transport.fetch(transport.url + path, {}));
    } catch (error) {
      throw new NoAnswer(-1, error instanceof Error ? error.message : 'no answer', {}, 0);
    }
    return answer.text();
  }

  /** An answer without the envelope. */
  protected async plain<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T;
  }

  /** Sends a body that something else has signed. */
  protected async post<T>(path: string, body: object, signature: string): Promise<T> {
    const { transport, clock, places } = this.connection;
    const headers = { 'Content-Type': 'application/json', 'X-API-Sign': signature };
    const init = { method: 'POST', headers, body: JSON.stringify(withTexts(body)) };
    const answer = await places.within(() => transport.fetch(transport.url + path, init));
    return dataOf(readEnvelope<T>(answer.status, await answer.text()), clock);
  }

  /** Signs and sends, and asks again with the same bytes and nonce until the outcome is known. Throws a refusal. */
  protected async write<T>(action: AnyAction, body: object, choices: WriteChoices = {}): Promise<Executed<T>> {
    const { transport, clock, signer, outcomeTimeout, places } = this.connection;
    if (!signer) throw new TypeError('this client has no signer: give one to write');
    let sent: SentWrite | undefined;
    const onSend = (request: SentWrite) => void (sent = request);
    const given = withTexts(body) as Record<string, unknown>;
    const chainId = await this.connection.chainId();
    const signal = either(choices.signal, this.connection.signal);
    const { within } = places;
    const all = { transport, clock, chainId, onSend, outcomeTimeout, within, ...choices, signal };
    const outcome = await write<T>(action, given, signer, all);
    switch (outcome.kind) {
      case 'done':
        return { lost: false, data: outcome.data, place: outcome.place };
      case 'done-before':
        return { lost: true, data: undefined, place: outcome.place, succeeded: outcome.succeeded };
      case 'refused':
        throw errorOf(outcome);
      case 'unknown':
        throw new OutcomeUnknown(reasonOf(signal) ?? outcome.error, sent);
    }
  }
}
