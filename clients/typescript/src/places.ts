// SPDX-License-Identifier: MIT
// How many requests are under way at once: an exchange refuses those that wait too long behind many others, and each
// one beside others is a connection of its own.

/** What an exchange takes in a turn, whatever it costs (docs/limits.md, requests in a turn). */
const MOST = 64;

export class Places {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(most: number) {
    this.free = most;
  }

  /** Does the work when there is a place for it; those that came first go first. */
  readonly within = async <T>(work: () => Promise<T>): Promise<T> => {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  };
}

const known = new Map<string, Places>();

/** The places at an exchange, which all clients of this program share. */
export function placesAt(url: string): Places {
  const places = known.get(url) ?? new Places(MOST);
  known.set(url, places);
  return places;
}
