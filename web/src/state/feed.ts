// SPDX-License-Identifier: MIT
// The streams of one account and the reads that complete them. A stream is asked first and the read follows its
// acknowledgement, so that nothing falls between the two; what the stream said meanwhile is applied to the read again.
import { type Signal, signal } from '@preact/signals-core';
import { type Query, type Reply, getOf } from '../core/api';
import type { Listener } from '../core/stream';
import type {
  Engine,
  OrderRecord,
  UserTrade,
  WsAccountEvent,
  WsAccountTrade,
  WsOrderUpdate,
  WsPerpsState,
  WsSpotState,
} from '../core/types';
import type { Account } from './account';
import { nextFrame } from './frames';
import {
  type Fill,
  type OpenOrder,
  type Position,
  fillOfRead,
  fillOfStream,
  isOpen,
  isPosition,
  orderOfRead,
  orderOfStream,
  positionOf,
} from './records';
import { streamOf } from './streams';

export interface OrderEvent {
  readonly engine: Engine;
  readonly update: WsOrderUpdate;
}

export interface AccountFeed {
  readonly spotState: Signal<WsSpotState | undefined>;
  readonly perpsState: Signal<WsPerpsState | undefined>;
  readonly orders: Signal<readonly OpenOrder[]>;
  readonly positions: Signal<readonly Position[]>;
  readonly fills: Signal<readonly Fill[]>;
  readonly stale: Signal<boolean>;
  close(): void;
}

const MOST_FILLS = 200;
const READ_AGAIN = 2_000;
/** What is told of fills and liquidations; loaded with the first, told in the order of arrival. */
const news = () => import('./news');

const ENGINES: readonly Engine[] = ['perps', 'spot'];

class Feed implements AccountFeed {
  readonly spotState = signal<WsSpotState | undefined>(undefined);
  readonly perpsState = signal<WsPerpsState | undefined>(undefined);
  readonly orders = signal<readonly OpenOrder[]>([]);
  readonly positions = signal<readonly Position[]>([]);
  readonly fills = signal<readonly Fill[]>([]);
  readonly stale = signal(true);

  private readonly known = new Map<string, OpenOrder>();
  private readonly trades = new Map<string, Fill>();
  /** What the streams said since their acknowledgement, while the read is under way. */
  private readonly since = new Map<Engine, WsOrderUpdate[]>();
  private readonly fillsSince = new Map<Engine, Fill[]>();
  /** Parts that are not known to be whole. */
  private readonly missing = new Set<string>();
  private readonly ends: (() => void)[] = [];
  private closed = false;

  constructor(
    private readonly owner: Account,
    private readonly onOrder: (event: OrderEvent) => void,
  ) {
    for (const engine of ENGINES) {
      this.follow<WsOrderUpdate>(engine, 'accountOrderUpdate', {
        onPush: ({ data }) => this.changed(engine, data),
        onLive: () => void this.readOrders(engine),
      });
      this.follow<WsAccountTrade>(engine, 'accountTrade', {
        onPush: ({ data }) => this.filled(fillOfStream(engine, data)),
        onLive: () => void this.readFills(engine),
      });
    }
    this.follow<WsSpotState>('spot', 'accountState', {
      onPush: ({ data }) => {
        this.spotState.value = data;
        this.complete('spot accountState');
      },
    });
    this.follow<WsPerpsState>('perps', 'accountState', {
      onPush: ({ data }) => {
        this.perpsState.value = data;
        this.positions.value = data.P.map(positionOf).filter(isPosition);
        this.complete('perps accountState');
      },
    });
    const onPush = ({ data }: { data: WsAccountEvent }) =>
      void news().then((module) => module.tellLiquidation(data));
    this.follow<WsAccountEvent>('perps', 'accountEvent', { onPush, onLive: () => this.complete('perps accountEvent') });
  }

  close(): void {
    this.closed = true;
    for (const end of this.ends) end();
  }

  private follow<T>(engine: Engine, channel: string, listener: Listener<T>): void {
    const { address: user, accountID } = this.owner;
    const part = `${engine} ${channel}`;
    this.missing.add(part);
    const onLost = () => {
      this.missing.add(part);
      this.stale.value = true;
    };
    this.ends.push(streamOf(engine).subscribe<T>({ channel, user, accountID }, { ...listener, onLost }));
  }

  private complete(part: string): void {
    this.missing.delete(part);
    this.stale.value = this.missing.size > 0;
  }

  /** Reads until there is an answer; undefined when the account was left meanwhile. */
  private async read<T>(engine: Engine, what: string, query: Query = {}): Promise<T | undefined> {
    const path = `/accounts/${this.owner.address}/${what}`;
    while (!this.closed) {
      const reply: Reply<T> = await getOf<T>(engine, path, { accountID: this.owner.accountID, ...query });
      if (reply.ok) return this.closed ? undefined : reply.data;
      await new Promise((resolve) => setTimeout(resolve, READ_AGAIN));
    }
    return undefined;
  }

  private async readOrders(engine: Engine): Promise<void> {
    const updates: WsOrderUpdate[] = [];
    this.since.set(engine, updates);
    const data = await this.read<{ orders: OrderRecord[] }>(engine, 'orders');
    if (!data || this.since.get(engine) !== updates) return; // a later read has begun
    this.since.delete(engine);
    for (const [key, order] of this.known) if (order.engine === engine) this.known.delete(key);
    for (const record of data.orders) this.put(orderOfRead(engine, record));
    for (const update of updates) this.put(orderOfStream(engine, update));
    nextFrame(this.announceOrders);
    this.complete(`${engine} accountOrderUpdate`);
  }

  private changed(engine: Engine, update: WsOrderUpdate): void {
    this.since.get(engine)?.push(update);
    this.put(orderOfStream(engine, update));
    nextFrame(this.announceOrders);
    this.onOrder({ engine, update });
  }

  private put(order: OpenOrder): void {
    const key = `${order.engine} ${order.id}`;
    if (isOpen(order)) this.known.set(key, order);
    else this.known.delete(key);
  }

  private readonly announceOrders = (): void => {
    this.orders.value = [...this.known.values()].sort((a, b) => b.createdAt - a.createdAt || b.id - a.id);
  };

  private async readFills(engine: Engine): Promise<void> {
    const streamed: Fill[] = [];
    this.fillsSince.set(engine, streamed);
    const data = await this.read<UserTrade[]>(engine, 'trades', { limit: MOST_FILLS });
    if (!data || this.fillsSince.get(engine) !== streamed) return;
    this.fillsSince.delete(engine);
    // What the read does not have is gone: an exchange of development may go back to a snapshot.
    for (const [key, fill] of this.trades) if (fill.engine === engine) this.trades.delete(key);
    for (const fill of streamed) this.keepFill(fill);
    for (const record of data) this.keepFill(fillOfRead(engine, record));
    nextFrame(this.announceFills);
    this.complete(`${engine} accountTrade`);
  }

  private filled(fill: Fill): void {
    this.fillsSince.get(fill.engine)?.push(fill);
    this.keepFill(fill);
    nextFrame(this.announceFills);
    void news().then((module) => module.tellFill(fill));
  }

  /** One trade may have two orders of one account. */
  private keepFill(fill: Fill): void {
    this.trades.set(`${fill.engine} ${fill.tradeID} ${fill.orderID} ${fill.side}`, fill);
  }

  private readonly announceFills = (): void => {
    const sorted = [...this.trades].sort(([, a], [, b]) => b.time - a.time || b.tradeID - a.tradeID);
    for (const [key] of sorted.slice(MOST_FILLS)) this.trades.delete(key);
    this.fills.value = sorted.slice(0, MOST_FILLS).map(([, fill]) => fill);
  };
}

/** Opens the streams of an account at once. */
export function openFeed(owner: Account, onOrder: (event: OrderEvent) => void): AccountFeed {
  return new Feed(owner, onOrder);
}
