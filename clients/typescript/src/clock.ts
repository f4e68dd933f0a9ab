// SPDX-License-Identifier: MIT
// The exchange's time, which nonces are taken from: in development it may run fast, stand, or lie in the past. Each
// answer says it; between two answers it is taken to run as the client's clock does.

export class ExchangeClock {
  private ahead = 0;
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

  /** A nonce: the time, and never the same twice or a smaller one, so long as the clock is not set back by a day. */
  nonce(): number {
    const now = this.now();
    const back = this.last - now;
    this.last = back > 0 && back < 40_000_000 ? this.last + 1 : Math.max(now, back > 0 ? 0 : this.last + 1);
    return this.last;
  }
}
