// SPDX-License-Identifier: MIT
// The exchange's time, and the nonces that are taken from it: in development it may run fast, stand, lie in the past,
// or leap ahead. Each answer says it; between two answers it is taken to run as the client's clock does. Nonces are
// judged by a time without the leaps (ruling 44). So they follow the client's clock while the exchange is ahead of it,
// and the time that a refused nonce tells; but an exchange that is behind did not leap, and they follow that.

/** A nonce is taken from two days before the time that it is judged by to less than a day behind it, ms. */
const NONCES_AHEAD = 86_400_000;

/** The code of a nonce that is refused. */
export const BAD_NONCE = 40102;

/** What the refusal of a nonce says (wire 0.4). */
export interface NonceRefusal {
  readonly reason?: string;
  readonly need?: unknown;
  readonly serverTime?: number;
}

export class ExchangeClock {
  private ahead = 0;
  private judgedAhead = 0;
  private last = 0;

  constructor(private readonly wall: () => number = Date.now) {}

  /** An answer said that it is `time`, Unix ms. */
  learn(time: number): void {
    if (Number.isSafeInteger(time) && time > 0) this.ahead = time - this.wall();
  }

  /** Unix ms. */
  now(): number {
    return this.wall() + this.ahead;
  }

  /** Later nonces are above this one, which another page or program may have used with the same key. */
  above(nonce: number): void {
    if (Number.isSafeInteger(nonce)) this.last = Math.max(this.last, nonce);
  }

  /** The nonce was refused in an answer of this time, after so many others for the same request. */
  refused(nonce: number, { reason, need, serverTime }: NonceRefusal, time: number | undefined, tries: number): void {
    this.learn(Math.max(time ?? 0, serverTime ?? 0)); // never behind the time of nonces
    if (Number.isSafeInteger(serverTime)) {
      this.judgedAhead = Number(serverTime) - this.wall();
      if (reason === 'too far ahead') this.last = Math.min(this.last, Number(serverTime));
    }
    const smallest = /^more than (\d+)$/.exec(String(need ?? ''));
    if (reason === 'too small' && smallest) this.above(Number(smallest[1]));
    // Behind those of another program, which may look for one by the same rule.
    if (reason === 'used') this.above(nonce + Math.floor(Math.random() * 16 ** tries));
  }

  /** A nonce: the time, and never the same twice or a smaller one, so long as the clock is not set back by a day. */
  nonce(): number {
    const now = this.wall() + Math.min(this.ahead, this.judgedAhead);
    const back = this.last - now;
    this.last = back > 0 && back < NONCES_AHEAD ? this.last + 1 : Math.max(now, back > 0 ? 0 : this.last + 1);
    return this.last;
  }
}
