// SPDX-License-Identifier: MIT
// The symbols of both engines and the selected one, which is the address: /trade/SYMBOL.
import { type ReadonlySignal, computed, signal } from '@preact/signals-core';
import { getOf } from '../core/api';
import { exchangeClock } from '../core/clock';
import { type Decimal, decimal, placesOf } from '../core/decimal';
import type { Coin, Engine, PerpsSymbol, SpotSymbol } from '../core/types';
import { remembered } from './prefs';
import { until } from './until';

export { markOf, tickerOf } from './tickers';

interface MarketBase {
  readonly id: number;
  readonly name: string;
  readonly displayName: string;
  readonly base: string;
  readonly quote: string;
  readonly tick: Decimal;
  readonly step: Decimal;
  /** Decimals of prices, sizes, and money in the quote coin, for display. */
  readonly pricePlaces: number;
  readonly sizePlaces: number;
  readonly moneyPlaces: number;
}

export type Market =
  | (MarketBase & { readonly engine: 'spot'; readonly record: SpotSymbol })
  | (MarketBase & { readonly engine: 'perps'; readonly record: PerpsSymbol });

/** Perps first, then spot, each as the exchange lists them; undefined until both were read. */
export const markets = signal<readonly Market[] | undefined>(undefined);
/** Why the list could not be read; undefined when it was. */
export const marketsError = signal<string | undefined>(undefined);
export const coins = signal<Readonly<Record<Engine, readonly Coin[]>>>({ spot: [], perps: [] });

/** The name that the address says. */
const named = signal<string | undefined>(undefined);
const lastSeen = remembered<string>('symbol', '', (value): value is string => typeof value === 'string');

/** By name; undefined when there is none. */
export const marketOf = (name: string): Market | undefined => markets.value?.find((one) => one.name === name);

/** What a person reads of a symbol in header, tables and messages; its name where there is no market of it. */
export const shownName = (name: string): string => marketOf(name)?.displayName ?? name;

/** The market of all panels; undefined until the list was read or when the address names none that exists. */
export const market: ReadonlySignal<Market | undefined> = computed(() =>
  named.value === undefined ? undefined : marketOf(named.value),
);

/** A name in the address that no market has, for the page to say so. */
export const unknownSymbol: ReadonlySignal<string | undefined> = computed(() =>
  markets.value && named.value !== undefined && !market.value ? named.value : undefined,
);

const PATH = /^\/trade\/([^/]+)\/?$/;

/** The symbol that the address names, whether there is one of that name or not. */
export function nameInAddress(): string | undefined {
  try {
    const found = PATH.exec(location.pathname)?.[1];
    return found === undefined ? undefined : decodeURIComponent(found);
  } catch {
    return location.pathname.slice('/trade/'.length); // an escape that is none: no symbol has that name
  }
}

const addressOf = (name: string): string => `/trade/${encodeURIComponent(name)}`;

/** Selects a market and puts it into the address; a name that no market has is ignored. */
export function select(name: string): void {
  if (!marketOf(name) || named.value === name) return;
  history.pushState(null, '', addressOf(name));
  named.value = name;
  lastSeen.value = name;
}

function marketFrom(engine: Engine, record: SpotSymbol | PerpsSymbol): Market {
  const base = {
    id: record.id,
    name: record.name,
    displayName: record.displayName,
    base: record.baseCoin,
    quote: record.quoteCoin,
    tick: decimal(record.tickSize),
    step: decimal(record.stepSize),
    pricePlaces: placesOf(record.tickSize),
    sizePlaces: placesOf(record.stepSize),
    moneyPlaces: Math.min(record.quoteCoinPrecision, 2),
  };
  return engine === 'spot'
    ? { ...base, engine, record: record as SpotSymbol }
    : { ...base, engine, record: record as PerpsSymbol };
}

/** Prices of a record are only for the time before the streams' first ones. */
const MOVING = new Set(['lastTradePrice', 'markPrice', 'indexPrice']);
const rulesText = (one: Market): string =>
  JSON.stringify(one.record, (key, value: unknown) => (MOVING.has(key) ? undefined : value));
const isSame = (a: Market, b: Market): boolean =>
  a.engine === b.engine && a.id === b.id && rulesText(a) === rulesText(b);

/** Reads the lists again: statuses change, and symbols come and go. */
export async function refreshMarkets(): Promise<void> {
  const [perps, spot] = await Promise.all([
    getOf<PerpsSymbol[]>('perps', '/markets/symbols'),
    getOf<SpotSymbol[]>('spot', '/markets/symbols'),
  ]);
  if (!perps.ok || !spot.ok) {
    marketsError.value = perps.ok ? (spot.ok ? undefined : spot.error) : perps.error;
    return;
  }
  exchangeClock.learn(perps.time);
  marketsError.value = undefined;
  if (!Array.isArray(perps.data) || !Array.isArray(spot.data)) return;
  const found = [
    ...perps.data.map((record) => marketFrom('perps', record)),
    ...spot.data.map((record) => marketFrom('spot', record)),
  ];
  const old = markets.value ?? [];
  const kept = found.map((one) => old.find((other) => isSame(one, other)) ?? one);
  if (kept.length !== old.length || kept.some((one, place) => one !== old[place])) markets.value = kept;
}

async function readCoins(engine: Engine): Promise<boolean> {
  const reply = await getOf<Coin[]>(engine, '/markets/coins');
  if (reply.ok) coins.value = { ...coins.value, [engine]: reply.data };
  return reply.ok;
}

/** Reads the coins of both engines, each until they have come. */
export async function loadCoins(): Promise<void> {
  await Promise.all((['perps', 'spot'] as const).map((engine) => until(() => readCoins(engine))));
}

/** No stream says that a symbol is halted; a read of both lists weighs 4. */
const REFRESH = 5_000;

/** Reads the lists, follows the address; once at the start. */
export async function loadMarkets(): Promise<void> {
  named.value = nameInAddress();
  addEventListener('popstate', () => {
    named.value = nameInAddress();
  });
  void loadCoins();
  await until(async () => {
    await refreshMarkets();
    return markets.value !== undefined;
  });
  if (named.value === undefined) {
    const first = marketOf(lastSeen.value) ?? markets.value?.[0];
    if (first) history.replaceState(null, '', addressOf(first.name));
    named.value = first?.name;
  }
  setInterval(() => document.hidden || void refreshMarkets(), REFRESH);
}
