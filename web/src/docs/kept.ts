// SPDX-License-Identifier: MIT
// The last answer to each operation, kept in the tab, so that it is there again after the page was loaded anew.
import { type Signal, signal } from '@preact/signals-core';
import type { Received } from './send';

const PREFIX = 'dojima.docs.';
const kept = new Map<string, Signal<Received | undefined>>();

function isReceived(value: unknown): value is Received {
  const one = value as Partial<Received> | null;
  return (
    typeof one === 'object' &&
    one !== null &&
    typeof one.asked === 'string' &&
    typeof one.text === 'string' &&
    typeof one.status === 'number' &&
    typeof one.took === 'number' &&
    typeof one.at === 'number' &&
    Array.isArray(one.headers)
  );
}

function read(operationId: string): Received | undefined {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(PREFIX + operationId) ?? 'null');
    return isReceived(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function lastOf(operationId: string): Signal<Received | undefined> {
  const known = kept.get(operationId);
  if (known) return known;
  const one = signal(read(operationId));
  kept.set(operationId, one);
  return one;
}

/** Without storage, or when it is full, the answer is kept until the page is left. */
export function keep(operationId: string, received: Received | undefined): void {
  lastOf(operationId).value = received;
  try {
    if (received) sessionStorage.setItem(PREFIX + operationId, JSON.stringify(received));
    else sessionStorage.removeItem(PREFIX + operationId);
  } catch {
    // It stays in memory.
  }
}
