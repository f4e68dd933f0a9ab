// SPDX-License-Identifier: MIT
// Channels with their records, and their pushes as an async iteration.
import type { Liquidation } from './spec/types.js';
import type { Push, Stream, Subscription } from './stream.js';
import type {
  WsAccountEvent,
  WsAccountTrade,
  WsAccountUpdate,
  WsBook,
  WsBookTicker,
  WsCandle,
  WsCoinPrice,
  WsMarkPrice,
  WsMiniTicker,
  WsOrderUpdate,
  WsPerpsState,
  WsSpotState,
  WsTicker,
  WsTrade,
} from './types.js';

/** The record of each channel (docs/api.md, Streams). */
export interface Channels {
  ticker: WsTicker[];
  allTicker: WsTicker[];
  miniTicker: WsMiniTicker[];
  allMiniTicker: WsMiniTicker[];
  bookTicker: WsBookTicker[];
  allBookTicker: WsBookTicker[];
  markPrice: WsMarkPrice[];
  allMarkPrice: WsMarkPrice[];
  liquidation: Liquidation[];
  allLiquidation: Liquidation[];
  trade: WsTrade[];
  l2Book: WsBook;
  l4Book: WsBook;
  candle: WsCandle;
  coinPrice: WsCoinPrice[];
  allCoinPrice: WsCoinPrice[];
  accountState: WsSpotState | WsPerpsState;
  accountUpdate: WsAccountUpdate;
  accountOrderUpdate: WsOrderUpdate;
  accountTrade: WsAccountTrade;
  accountEvent: WsAccountEvent;
}

export type Channel = keyof Channels;

/** A subscription to a channel by its name. */
export type Watched<C extends Channel> = Subscription & { readonly channel: C };

/** Of so many pushes that the reader has not taken the oldest go: a reader that stands still costs bounded memory. */
const MOST_WAITING = 10_000;

/** A push; `resumed` with the first one after the connection was cut: what came between is missing. */
export type Watching<T> = Push<T> & { readonly resumed: boolean };

/** The pushes of a subscription in their order; a refusal is thrown. */
export async function* watch<C extends Channel>(
  stream: Stream,
  subscription: Watched<C>,
  signal?: AbortSignal,
): AsyncGenerator<Watching<Channels[C]>, void, undefined> {
  type Item = Watching<Channels[C]>;
  const waiting: Item[] = [];
  let wake = () => {};
  let resumed = false;
  let refused: string | undefined;
  const end = stream.subscribe<Channels[C]>(subscription, {
    onPush(push) {
      if (waiting.push({ ...push, resumed }) > MOST_WAITING) {
        waiting.shift();
        const [first] = waiting;
        if (first) waiting[0] = { ...first, resumed: true };
      }
      resumed = false;
      wake();
    },
    onResumed() {
      resumed = true;
    },
    onRefused(error) {
      refused = error;
      wake();
    },
  });
  const stop = () => wake();
  signal?.addEventListener('abort', stop);
  try {
    while (!signal?.aborted) {
      const item = waiting.shift();
      if (item) yield item;
      else if (refused !== undefined) throw new Error(`${subscription.channel}: ${refused}`);
      else await new Promise<void>((done) => (wake = done));
    }
  } finally {
    signal?.removeEventListener('abort', stop);
    end();
  }
}
