// SPDX-License-Identifier: MIT
// Views that several components share: opened by the first use, closed after the last.
import { useEffect, useMemo } from 'preact/hooks';

export interface Source<View> {
  readonly view: View;
  /** Opens it; returns the end. */
  start(): () => void;
}

interface Kept<View> {
  readonly source: Source<View>;
  users: number;
  end: () => void;
}

/**
 * `useView` is a hook that gives the view of a key and keeps it open while a component shows it; `hold` opens it before
 * there is a component, and returns the end.
 */
export function sharedViews<Input, View>(keyOf: (input: Input) => string, make: (input: Input) => Source<View>) {
  const all = new Map<string, Kept<View>>();

  function find(key: string, input: Input): Kept<View> {
    const kept = all.get(key) ?? { source: make(input), users: 0, end: () => {} };
    all.set(key, kept);
    return kept;
  }

  function retain(key: string, kept: Kept<View>): () => void {
    if (kept.users++ === 0) {
      all.set(key, kept);
      kept.end = kept.source.start();
    }
    return () => {
      if (--kept.users > 0) return;
      kept.end();
      all.delete(key);
    };
  }

  const hold = (input: Input): (() => void) => retain(keyOf(input), find(keyOf(input), input));

  function useView(input: Input | undefined): View | undefined {
    const key = input === undefined ? '' : keyOf(input);
    const kept = useMemo(() => (input === undefined ? undefined : find(key, input)), [key]);
    useEffect(() => (kept ? retain(key, kept) : undefined), [kept]);
    return kept?.source.view;
  }
  return { useView, hold };
}
