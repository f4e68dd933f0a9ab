// SPDX-License-Identifier: MIT
// Signed writes and what became of them. A reply that was lost is found out by sending the same bytes with the same
// nonce again: the exchange executes them once and says so (ruling 35).
import { type Refused, type Transport, basePath, readEnvelope, rpc } from './api.js';
import { BAD_NONCE, type ExchangeClock } from './clock.js';
import type { Domain, Signer } from './sign.js';
import type { Details, Engine } from './types.js';

export interface Action {
  readonly engine: Engine;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  /** `type` of the signed payload. */
  readonly type: string;
}

/** Operations of a wallet are signed in the domain `universal`, and may be sent to the gateway. */
export interface AnyAction extends Omit<Action, 'engine'> {
  readonly engine: Engine | 'gateway';
  /** Default: the one of the engine. */
  readonly domain?: Domain;
}

/** A request as it is sent, headers and signature included. */
export interface SentWrite {
  readonly method: string;
  /** The whole path, `/api/v1/…`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const post = (engine: Engine, path: string, type: string): Action => ({ engine, method: 'POST', path, type });
const remove = (engine: Engine, path: string, type: string): Action => ({ engine, method: 'DELETE', path, type });

/** Every write of a signer; bodies are those of docs/api.md, keys in that order, what is not set left out. */
export const ACTIONS = {
  placeSpot: post('spot', '/trade/orders/batch', 'batchNewOrder'),
  cancelSpot: remove('spot', '/trade/orders/batch', 'batchCancelOrder'),
  replaceSpot: post('spot', '/trade/orders/replace', 'replaceOrder'),
  transferSpot: post('spot', '/accounts/transfers', 'transferAsset'),
  placePerps: post('perps', '/trade/orders', 'newOrder'),
  cancelPerps: remove('perps', '/trade/orders', 'cancelOrder'),
  replacePerps: post('perps', '/trade/orders/replace', 'replaceOrder'),
  modifyPerps: post('perps', '/trade/orders/modify', 'modifyOrder'),
  leverage: post('perps', '/trade/leverage', 'updateLeverage'),
  margin: post('perps', '/trade/margin', 'updateMargin'),
  transferPerps: post('perps', '/accounts/transfers', 'transferAsset'),
} as const satisfies Record<string, Action>;

/** Where the exchange recorded a write. */
export interface Place {
  readonly transaction: string;
  readonly block: number;
  readonly index: number;
}

export type Outcome<T> =
  /** Executed and answered; each item of a batch has its own `code`. */
  | { readonly kind: 'done'; readonly data: T; readonly place: Place | undefined }
  /**
   * The first reply was lost, and the same bytes were executed. `succeeded`: whether at least one item did (undefined
   * when that could not be read); which ones is to be read from orders and histories.
   */
  | { readonly kind: 'done-before'; readonly succeeded: boolean | undefined; readonly place: Place }
  /** Nothing was executed. `details.field` names the key at fault. `code` -1: nobody was there to send it to. */
  | { readonly kind: 'refused'; readonly code: number; readonly error: string; readonly details: Details }
  /** Executed or not: no answer came in time, or until the caller gave up, or the exchange cannot tell any more. */
  | { readonly kind: 'unknown'; readonly error: string };

export interface WriteOptions {
  readonly transport: Transport;
  readonly chainId: number;
  readonly clock: ExchangeClock;
  /** Called when a reply was lost and the question is repeated; `attempt` counts from 1. */
  readonly onUncertain?: (attempt: number) => void;
  /** Called with each request before it is sent first. */
  readonly onSend?: (sent: SentWrite) => void;
  readonly signal?: AbortSignal | undefined;
  /** For so many milliseconds a lost reply is asked for; without an end, when not given. */
  readonly outcomeTimeout?: number;
  /** Does a request when there is a place for it among those under way. */
  readonly within?: <T>(work: () => Promise<T>) => Promise<T>;
  /** The first pause before asking again, ms. */
  readonly pause?: number;
}

/** Signature, nonce or key. */
const SIGNATURE_CODES = new Set([40101, BAD_NONCE, 40103, 40104, 40105]);
const OUTCOME_UNKNOWN = 50303;
const LONGEST_PAUSE = 5_000;
const NEW_NONCES = 5;
/** A reply that has not come after so many milliseconds counts as lost. */
const PATIENCE = 5_000;

const DOMAINS = { spot: 'spot', perps: 'futures', gateway: 'universal' } as const;

/** What one attempt told: an answer, or `lost`; `unsent`: it surely had no connection. */
type Attempt<T> = { readonly lost: string; readonly unsent?: boolean } | Outcome<T> | { readonly newNonce: Refused };

/** Whether `fetch` says that it had no connection, as Node.js does: of each address that it tried. */
function isUnconnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause, errors, syscall, code } = error as Error & { errors?: unknown[]; syscall?: string; code?: string };
  if (cause !== undefined) return isUnconnected(cause);
  if (errors !== undefined) return errors.length > 0 && errors.every(isUnconnected);
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}

function placeOf(read: (name: string) => unknown): Place | undefined {
  const [transaction, block, index] = ['Tx', 'Block', 'Index'].map(read);
  if (typeof transaction !== 'string' || transaction === '') return undefined;
  return { transaction, block: Number(block), index: Number(index) };
}

/** Whether at least one item of an executed write succeeded. */
async function receiptOf(transport: Transport, place: Place): Promise<boolean | undefined> {
  const receipt = await rpc<{ status?: string } | null>(transport, 'eth_getTransactionReceipt', [place.transaction]);
  return receipt.ok && receipt.data?.status ? receipt.data.status === '0x1' : undefined;
}

/** The whole answer to a request; throws when it has not come in time. */
async function ask(request: SentWrite, options: WriteOptions): Promise<{ answer: Response; text: string }> {
  const patience = new AbortController();
  const giveUp = () => patience.abort();
  const timer = setTimeout(giveUp, PATIENCE);
  options.signal?.addEventListener('abort', giveUp);
  try {
    const { path, method, headers: sent, body } = request;
    const init = { method, headers: sent, body, signal: patience.signal };
    const answer = await options.transport.fetch(options.transport.url + path, init);
    return { answer, text: await answer.text() };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', giveUp);
  }
}

async function attempt<T>(request: SentWrite, repeated: boolean, options: WriteOptions): Promise<Attempt<T>> {
  const work = () => ask(request, options);
  let answered: Awaited<ReturnType<typeof ask>>;
  try {
    answered = await (options.within ? options.within(work) : work());
  } catch (error) {
    return { lost: error instanceof Error ? error.message : 'no answer', unsent: isUnconnected(error) };
  }
  const { answer, text } = answered;
  const { status, headers } = answer;
  const reply = readEnvelope<T>(status, text);
  if (reply.ok) {
    options.clock.learn(reply.time);
    return { kind: 'done', data: reply.data, place: placeOf((name) => headers.get(`X-Chain-${name}`)) };
  }
  // An answer without an envelope is a proxy's, and tells nothing of the exchange.
  if (reply.code === -1 || reply.code === OUTCOME_UNKNOWN) return { lost: reply.error };
  // Busy, or a limit: this attempt was not executed, and the one before it may have been.
  if (repeated && status !== 200) return { lost: reply.error };
  return refusal<T>(reply, Number(request.headers['X-API-Nonce']), repeated, options);
}

/** What a refusal of the exchange itself says of the write with the nonce `sent`. */
async function refusal<T>(
  reply: Refused,
  sent: number,
  repeated: boolean,
  options: WriteOptions,
): Promise<Attempt<T>> {
  const { code, error, details } = reply;
  const nonce = code === BAD_NONCE;
  const { hash, block, index } = nonce ? details : {};
  const place = placeOf((name) => ({ Tx: hash, Block: block, Index: index })[name]);
  if (place) return { kind: 'done-before', succeeded: await receiptOf(options.transport, place), place };
  // Never executed under this nonce. With the first attempt a new one may be taken without a risk.
  if (nonce && !repeated) return { newNonce: reply };
  if (nonce) options.clock.refused(sent, details, reply.time, 0);
  // The attempt before may have been executed: its nonce is remembered behind at most 100 newer ones, and its key may
  // have been revoked since. Only a nonce that other bytes have used says that it was not.
  if (repeated && SIGNATURE_CODES.has(code) && !(nonce && details.reason === 'used'))
    return { kind: 'unknown', error: details.reason === undefined ? error : `${error}, ${details.reason}` };
  return { kind: 'refused', ...reply };
}

async function signed(
  action: AnyAction,
  body: string,
  signer: Signer,
  nonce: number,
  chainId: number,
): Promise<SentWrite> {
  const domain = action.domain ?? DOMAINS[action.engine];
  const sign = await signer.sign({ domain, type: action.type, body, nonce, chainId });
  return {
    path: basePath(action.engine) + action.path,
    method: action.method,
    body,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'X-API-Chain': String(chainId),
      'X-API-Nonce': String(nonce),
      'X-API-Sign': sign,
      ...(signer.keyName === undefined ? {} : { 'X-API-Key': signer.keyName }),
    },
  };
}

const wait = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/** Sends one request until its outcome is known, the time is over, or the caller gives up. */
async function untilKnown<T>(request: SentWrite, options: WriteOptions): Promise<Attempt<T>> {
  const { outcomeTimeout = Infinity } = options;
  const end = performance.now() + outcomeTimeout;
  let pause = options.pause ?? 250;
  for (let count = 0; ; count++) {
    const seen = await attempt<T>(request, count > 0, options);
    if (!('lost' in seen)) return seen;
    if (count === 0 && seen.unsent) return { kind: 'refused', code: -1, error: seen.lost, details: {} };
    if (options.signal?.aborted) return { kind: 'unknown', error: seen.lost };
    if (performance.now() + pause > end)
      return { kind: 'unknown', error: `no outcome within ${outcomeTimeout} ms: ${seen.lost}` };
    options.onUncertain?.(count + 1);
    await wait(pause, options.signal);
    if (options.signal?.aborted) return { kind: 'unknown', error: seen.lost };
    pause = Math.min(LONGEST_PAUSE, pause * 2);
  }
}

/**
 * Signs `body` and sends it. Never executed twice: what is repeated has the same bytes and nonce, and a new nonce is
 * taken only when the exchange said that the first attempt was not executed (clock apart, or a nonce of another page).
 */
export async function write<T>(
  action: AnyAction,
  body: Readonly<Record<string, unknown>>,
  signer: Signer,
  options: WriteOptions,
): Promise<Outcome<T>> {
  const text = JSON.stringify(body);
  for (let left = NEW_NONCES; ; left--) {
    const nonce = options.clock.nonce();
    const request = await signed(action, text, signer, nonce, options.chainId);
    options.onSend?.(request);
    const seen = await untilKnown<T>(request, options);
    if ('lost' in seen) return { kind: 'unknown', error: seen.lost };
    if (!('newNonce' in seen)) return seen;
    options.clock.refused(nonce, seen.newNonce.details, seen.newNonce.time, NEW_NONCES - left);
    if (left === 0) return { kind: 'refused', ...seen.newNonce };
  }
}
