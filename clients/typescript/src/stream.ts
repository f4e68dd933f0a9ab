// SPDX-License-Identifier: MIT
// One WebSocket of an engine: subscriptions counted by use, reconnection with growing pauses, the state of the link.
//
// A push names its channel, and the symbol and interval where there is one, but neither its user nor its level. So of
// subscriptions that differ only in those, one is on the wire at a time, and the next is asked for when the end of the
// one before has been acknowledged: what comes then belongs to the new one.
import { type Entry, type Push, type Subscription, keyOf, newEntry, partFor, routesOf } from './routes.js';
import type { Engine } from './types.js';

export type { Push, Subscription } from './routes.js';

/** `lost` is said to the user; `connecting` is the first attempt. */
export type Link = 'connecting' | 'live' | 'lost';

/** Holds the state of the link; a page passes a signal, so that what shows it is drawn again. */
export interface LinkCell {
  value: Link;
}

export interface Listener<T> {
  onPush(push: Push<T>): void;
  /** The exchange has acknowledged, first or again: from here on no push is missed. */
  onLive?(): void;
  /** The subscription was made again after a cut: what was missed is to be read. */
  onResumed?(): void;
  /** The link was cut: what is shown is old until onResumed. */
  onLost?(): void;
  /** The exchange refused the subscription. */
  onRefused?(error: string): void;
}

export interface Stream {
  readonly engine: Engine;
  readonly link: Readonly<LinkCell>;
  /** Equal subscriptions share one on the wire; returns the end of this use. */
  subscribe<T>(subscription: Subscription, listener: Listener<T>): () => void;
  /** Ends the subscription on the wire and makes it again, for a fresh snapshot to all its listeners. */
  renew(subscription: Subscription): void;
  /** Connects now when the link is lost, without the rest of the pause. */
  retry(): void;
  close(): void;
}

interface Reply {
  readonly op?: string;
  readonly id?: number;
  readonly success?: boolean;
  readonly error?: string | null;
  readonly channel?: string;
  readonly type?: 'snapshot' | 'update';
  readonly data?: unknown;
}

const FIRST_PAUSE = 300;
const LONGEST_PAUSE = 10_000;
const SILENCE_BEFORE_PING = 15_000;
const SILENCE_AFTER_PING = 10_000;

class SocketStream implements Stream {
  private socket: WebSocket | undefined;
  private open = false;
  private closed = false;
  private failures = 0;
  private lastId = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setTimeout> | undefined;
  /** Subscriptions that are in use, by all their parameters. */
  private readonly wanted = new Map<string, Entry>();
  /** What the exchange pushes or was asked to push, by route; `ending` ones are no longer wanted. */
  private readonly onWire = new Map<string, Entry>();

  constructor(
    readonly engine: Engine,
    private readonly url: string,
    private readonly connectTo: (url: string) => WebSocket,
    readonly link: LinkCell,
  ) {
    this.connect();
  }

  subscribe<T>(subscription: Subscription, listener: Listener<T>): () => void {
    const key = keyOf(subscription);
    let entry = this.wanted.get(key);
    if (!entry) {
      entry = newEntry(key, subscription);
      this.wanted.set(key, entry);
    } else if (entry.state === 'refused') {
      entry.state = 'idle';
    } else {
      this.renew(subscription); // a listener that joins needs a snapshot too
    }
    const present = this.wanted.get(key) ?? entry;
    present.listeners.add(listener as Listener<unknown>);
    this.pump();
    return () => this.release(key, listener as Listener<unknown>);
  }

  renew(subscription: Subscription): void {
    const entry = this.wanted.get(keyOf(subscription));
    if (!entry || (entry.state !== 'asked' && entry.state !== 'live')) return;
    this.wanted.set(entry.key, { ...entry, state: 'idle', id: 0 });
    this.end(entry);
  }

  retry(): void {
    if (this.closed || this.socket) return;
    clearTimeout(this.timer);
    this.connect();
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.watch);
    this.socket?.close();
  }

  private release(key: string, listener: Listener<unknown>): void {
    const entry = this.wanted.get(key);
    if (!entry?.listeners.delete(listener) || entry.listeners.size > 0) return;
    this.wanted.delete(key);
    if (entry.state === 'asked' || entry.state === 'live') this.end(entry);
  }

  private end(entry: Entry): void {
    entry.state = 'ending';
    entry.listeners = new Set();
    this.request('unsubscribe', entry);
  }

  private request(op: 'subscribe' | 'unsubscribe', entry: Entry): void {
    entry.id = ++this.lastId;
    this.send({ op, id: entry.id, params: entry.subscription });
  }

  private send(message: unknown): void {
    if (this.open) this.socket?.send(JSON.stringify(message));
  }

  /** Asks for what is wanted and whose route is free. */
  private pump(): void {
    if (!this.open) return;
    for (const entry of this.wanted.values()) {
      if (entry.state !== 'idle' || this.onWire.has(entry.route)) continue;
      entry.state = 'asked';
      this.onWire.set(entry.route, entry);
      this.request('subscribe', entry);
    }
  }

  private connect(): void {
    const socket = this.connectTo(this.url);
    this.socket = socket;
    socket.onopen = () => {
      if (this.socket !== socket) return;
      this.open = true;
      this.link.value = 'live';
      this.listen();
      this.pump();
    };
    socket.onmessage = (event) => {
      if (this.socket === socket) this.receive(String(event.data));
    };
    socket.onclose = () => {
      if (this.socket === socket) this.lost();
    };
    socket.onerror = () => {}; // a close follows
  }

  private lost(): void {
    this.socket = undefined;
    this.open = false;
    clearTimeout(this.watch);
    this.onWire.clear();
    for (const entry of this.wanted.values()) {
      if (entry.live) entry.cut = true;
      entry.live = false;
      if (entry.state !== 'refused') entry.state = 'idle';
      if (entry.cut) for (const listener of [...entry.listeners]) listener.onLost?.();
    }
    if (this.closed) return;
    this.link.value = 'lost';
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.failures++);
    this.timer = setTimeout(() => this.connect(), pause * (0.75 + Math.random() / 2));
  }

  /** A link that says nothing for long is asked, and given up when it does not answer. */
  private listen(): void {
    clearTimeout(this.watch);
    this.watch = setTimeout(() => {
      this.send({ op: 'ping' });
      this.watch = setTimeout(() => this.abandon(), SILENCE_AFTER_PING);
    }, SILENCE_BEFORE_PING);
  }

  /** Does not wait for the closing handshake, which a dead link never answers. */
  private abandon(): void {
    const socket = this.socket;
    this.lost();
    socket?.close();
  }

  private receive(text: string): void {
    this.listen();
    try {
      this.take(JSON.parse(text) as Reply | null);
    } catch {
      this.abandon(); // not the interface, or data that nobody can read: nothing of this connection can be trusted
    }
  }

  private take(message: Reply | null): void {
    if (typeof message !== 'object' || message === null) throw new TypeError('no message');
    if (message.channel !== undefined && message.type) {
      this.deliver({ channel: message.channel, type: message.type, data: message.data });
    } else if (message.id !== undefined && (message.op === 'subscribe' || message.op === 'unsubscribe')) {
      this.acknowledged(message);
    }
  }

  private acknowledged(message: Reply): void {
    const entry = [...this.onWire.values()].find((one) => one.id === message.id);
    if (!entry) return;
    if (entry.state === 'ending') {
      if (message.op === 'unsubscribe') this.onWire.delete(entry.route);
    } else if (message.success === true) {
      const resumed = entry.cut;
      entry.state = 'live';
      entry.live = true;
      entry.cut = false;
      this.failures = 0;
      for (const listener of [...entry.listeners]) {
        listener.onLive?.();
        if (resumed) listener.onResumed?.();
      }
    } else {
      entry.state = 'refused';
      entry.live = false;
      this.onWire.delete(entry.route);
      for (const listener of [...entry.listeners]) listener.onRefused?.(message.error ?? '');
    }
    this.pump();
  }

  private deliver(push: Push): void {
    for (const route of routesOf(push)) {
      const entry = this.onWire.get(route);
      if (!entry || entry.state === 'ending') continue;
      const part = partFor(entry.subscription, push);
      for (const listener of [...entry.listeners]) listener.onPush(part);
    }
  }
}

/** Opens the stream of an engine at once. */
export function openStream(
  engine: Engine,
  url: string,
  connectTo: (url: string) => WebSocket = (address) => new WebSocket(address),
  link: LinkCell = { value: 'connecting' },
): Stream {
  return new SocketStream(engine, url, connectTo, link);
}
