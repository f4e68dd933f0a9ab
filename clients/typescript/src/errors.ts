// SPDX-License-Identifier: MIT
// Refusals of the exchange as classes: first the family of a code, and classes of their own for those that programs
// tell apart. `code` is the same in each (docs/api.md, Errors).
import type { Refused } from './api.js';
import type { Place, SentWrite } from './write.js';
import type { Details } from './types.js';

/** A refusal: nothing was executed. */
export class ExchangeError extends Error {
  /** The key, parameter or header at fault, where there is one. */
  readonly field: string | undefined;

  constructor(
    readonly code: number,
    error: string,
    readonly details: Details = {},
    /** Of HTTP; 200 for what the rules of the exchange refuse. */
    readonly status = 200,
  ) {
    const { rule, field, got, need } = details;
    const of = field === undefined || error.startsWith(String(field)) ? '' : ` (${field})`;
    const why = [rule, got === undefined ? undefined : `got ${got}`, need === undefined ? undefined : `needs ${need}`];
    super(`${code} ${[`${error}${of}`, ...why.filter((text) => text !== undefined)].join(', ')}`);
    this.name = new.target.name;
    this.field = field;
  }
}

/** The request is malformed, or of something that is not offered: 400…. */
export class InvalidRequest extends ExchangeError {}
/** Signature, nonce or key: 401…, 403…. */
export class NotAuthorized extends ExchangeError {}
export class InvalidSignature extends NotAuthorized {}
export class InvalidNonce extends NotAuthorized {}
/** 404…. */
export class NotFound extends ExchangeError {}
export class SymbolNotFound extends NotFound {}
export class OrderNotFound extends NotFound {}
/** What exists already, or has changed meanwhile: 409…. */
export class Conflict extends ExchangeError {}
export class ClientOrderIDInUse extends Conflict {}
/** A rule of trading: 420…, 422…. */
export class Rejected extends ExchangeError {}
export class InsufficientBalance extends Rejected {}
export class InsufficientMargin extends Rejected {}
export class ReduceOnlyRejected extends Rejected {}
export class PostOnlyWouldCross extends Rejected {}
export class SymbolHalted extends Rejected {}
export class InvalidPrice extends Rejected {}
export class InvalidQuantity extends Rejected {}
/** The weight of the minute is used up; `retryAfter` is in seconds. */
export class RateLimited extends ExchangeError {
  get retryAfter(): number {
    return Number(this.details.retry_after ?? 1);
  }
}
/** The exchange cannot execute anything now: 5…. */
export class Unavailable extends ExchangeError {}
/** No answer came to a read, or one that is not the interface's; or nobody was there to send a write to. */
export class NoAnswer extends ExchangeError {}

/**
 * What became of a write is not known: no answer came in time, or until the caller gave up, the exchange cannot tell
 * any more, or it was executed and its results cannot be read. Send the same request again, or read; a new one may be a
 * second order.
 */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
  constructor(
    why: string,
    /** The bytes that were sent; undefined when the signer failed before that, or when there is a place. */
    readonly sent: SentWrite | undefined,
    /** Where the exchange recorded it; undefined when it is not known to have been executed. */
    readonly place?: Place,
  ) {
    super(`the outcome is not known: ${why}`);
  }
}

/** The reply was lost, the write was executed, and the exchange refused this item; its reason was in the lost reply. */
export class RefusedInLostReply extends Error {
  override readonly name = 'RefusedInLostReply';
  constructor(
    what: string,
    readonly place: Place,
  ) {
    super(`${what} was refused, and the reply with the reason was lost (transaction ${place.transaction})`);
  }
}

type ErrorClass = new (code: number, error: string, details?: Details, status?: number) => ExchangeError;

const BY_CODE: Readonly<Record<number, ErrorClass>> = {
  40101: InvalidSignature,
  40102: InvalidNonce,
  40401: SymbolNotFound,
  40402: OrderNotFound,
  40901: ClientOrderIDInUse,
  42001: InsufficientBalance,
  42002: InsufficientMargin,
  42005: ReduceOnlyRejected,
  42007: PostOnlyWouldCross,
  42014: SymbolHalted,
  42201: InvalidPrice,
  42202: InvalidQuantity,
  42203: InvalidQuantity,
  42205: InvalidPrice,
  42901: RateLimited,
};

const FAMILIES: readonly (readonly [first: number, last: number, ErrorClass])[] = [
  [40000, 40099, InvalidRequest],
  [40100, 40399, NotAuthorized],
  [40400, 40499, NotFound],
  [40500, 40899, InvalidRequest],
  [40900, 40999, Conflict],
  [41000, 41999, InvalidRequest],
  [42000, 42599, Rejected],
  [42600, 43999, InvalidRequest],
  [50000, 59999, Unavailable],
];

/** The class of a code; ExchangeError for one that this version does not know. */
export const classOf = (code: number): ErrorClass =>
  BY_CODE[code] ?? FAMILIES.find(([first, last]) => code >= first && code <= last)?.[2] ?? ExchangeError;

/** The error of a refusal. */
export function errorOf(refusal: Pick<Refused, 'code' | 'error' | 'details'> & Partial<Refused>): ExchangeError {
  const { code, error, details, status } = refusal;
  if (status === 0 || code === -1) return new NoAnswer(code, error, details, status ?? 0);
  return new (classOf(code))(code, error, details, status);
}

/** A refusal of /rpc (JSON-RPC 2.0). */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  constructor(
    readonly method: string,
    readonly code: number,
    message: string,
    readonly details: Details,
  ) {
    super(`${method}: ${message} (${code})`);
  }
}
