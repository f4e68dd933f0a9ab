// SPDX-License-Identifier: MIT
// The symbols of both engines, the selected one (deep link /trade/SYMBOL), and 24-hour figures and marks per symbol.
import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { Decimal } from '../core/decimal';
import type { Coin, Engine, PerpsSymbol, SpotSymbol, WsMarkPrice, WsTicker } from '../core/types';

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
export const coins = signal<Readonly<Record<Engine, readonly Coin[]>>>({ spot: [], perps: [] });

const chosen = signal<Market | undefined>(undefined);
/** The market of all panels; undefined until the list was read or when the address names none that exists. */
export const market: ReadonlySignal<Market | undefined> = chosen;

/** A name in the address that no market has, for the page to say so. */
export const unknownSymbol = signal<string | undefined>(undefined);

/** By name; undefined when there is none. */
export const marketOf = (name: string): Market | undefined => markets.value?.find((one) => one.name === name);

/** Selects a market and puts it into the address. */
export function select(name: string): void {
  const found = marketOf(name);
  if (found) chosen.value = found;
}

/** 24 hours of a symbol, live once somebody asked (one subscription per engine); undefined before the first push. */
export function tickerOf(_name: string): ReadonlySignal<WsTicker | undefined> {
  return signal(undefined);
}

/** Mark, index and funding of a perps symbol, live once somebody asked. */
export function markOf(_name: string): ReadonlySignal<WsMarkPrice | undefined> {
  return signal(undefined);
}

/** Reads the lists, follows the address; once at the start. */
export async function loadMarkets(): Promise<void> {}
