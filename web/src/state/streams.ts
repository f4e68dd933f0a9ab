// SPDX-License-Identifier: MIT
// The two WebSocket connections of the page, made when first used, and the hook by which a component subscribes.
import { type ReadonlySignal, computed } from '@preact/signals-core';
import { useEffect } from 'preact/hooks';
import { type Link, type Listener, type Stream, type Subscription, openStream } from '../core/stream';
import type { Engine } from '../core/types';

const streams = new Map<Engine, Stream>();

export function streamOf(engine: Engine): Stream {
  let stream = streams.get(engine);
  if (!stream) {
    const secure = location.protocol === 'https:';
    stream = openStream(engine, `${secure ? 'wss' : 'ws'}://${location.host}/ws/${engine}`);
    streams.set(engine, stream);
  }
  return stream;
}

/** The worse of both links: what the page says of its connection. */
export const link: ReadonlySignal<Link> = computed(() => {
  const states = (['spot', 'perps'] as const).map((engine) => streamOf(engine).link.value);
  return states.includes('lost') ? 'lost' : states.includes('connecting') ? 'connecting' : 'live';
});

/** Subscribes while the component is shown; undefined subscribes to nothing. */
export function useStream<T>(engine: Engine, subscription: Subscription | undefined, listener: Listener<T>): void {
  const key = subscription && JSON.stringify(subscription);
  useEffect(() => {
    if (!subscription) return undefined;
    return streamOf(engine).subscribe<T>(subscription, listener);
  }, [engine, key]);
}
