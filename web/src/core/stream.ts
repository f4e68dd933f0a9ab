// SPDX-License-Identifier: MIT
// The streams of the package dojima, with a signal for the state of the link.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import { type Link, type Stream as PlainStream, openStream as open } from '../../../clients/typescript/src/stream';
import type { Engine } from './types';

export type { Link, Listener, Push, Subscription } from '../../../clients/typescript/src/stream';

export interface Stream extends PlainStream {
  readonly link: ReadonlySignal<Link>;
}

/** Opens the stream of an engine at once; `connectTo` is for tests. */
export const openStream = (engine: Engine, url: string, connectTo?: (url: string) => WebSocket): Stream =>
  open(engine, url, connectTo, signal<Link>('connecting')) as Stream;
