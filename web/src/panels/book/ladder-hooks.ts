// SPDX-License-Identifier: MIT
// What the rows of the book do: as many as fit, painted once per frame, held and aimed at by pointer and keyboard.
import { type ReadonlySignal, type Signal, effect, untracked } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BookView } from '../../state/book';
import type { Market } from '../../state/markets';
import { orders } from '../../state/portfolio';
import { prefill } from '../../state/prefill';
import { priceOf } from '../market/units';
import { type Frame, type Held, frameOf, heldOf } from './frame';
import type { Row } from './ladder';
import { type Painter, makePainter, placesOfStep } from './painter';

const FEWEST = 3;
const MOST = 40;

/** As many rows a side as fit between the heads and around the spread. */
export function useRowCount(element: { current: HTMLElement | null }): number {
  const [count, setCount] = useState(FEWEST);
  useLayoutEffect(() => {
    const grid = element.current;
    if (!grid) return undefined;
    const measure = () => {
      const fixed = [...grid.querySelectorAll<HTMLElement>('.book-fixed')];
      const free = grid.clientHeight - fixed.reduce((sum, one) => sum + one.offsetHeight, 0);
      const row = grid.querySelector<HTMLElement>('.book-columns')?.offsetHeight || 20;
      setCount(Math.max(FEWEST, Math.min(MOST, Math.floor(free / 2 / row))));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(grid);
    return () => observer.disconnect();
  }, []);
  return count;
}

export interface LadderProps {
  readonly of: Market;
  readonly view: BookView;
  /** In units of the symbol's last price decimal. */
  readonly step: bigint;
  /** True while prices stand still. */
  readonly held: Signal<boolean>;
}

interface PaintProps extends LadderProps {
  /** The index of the row under the pointer or the keyboard, and what it shows. */
  readonly aim: ReadonlySignal<number | undefined>;
  readonly aimed: Signal<Row | undefined>;
}

/** Paints with every frame in which the book, the own orders or the hold changed. */
export function usePainting(props: PaintProps, count: number, sides: () => [HTMLElement, HTMLElement] | undefined) {
  const painter = useRef<Painter | undefined>(undefined);
  useLayoutEffect(() => {
    const found = sides();
    if (!found) return undefined;
    const { of, view, step, held, aim, aimed } = props;
    const made = makePainter(of, found[0], found[1], count, placesOfStep(step, of.pricePlaces));
    painter.current = made;
    let prices: Held | undefined;
    let shown: Frame | undefined;
    return effect(() => {
      void view.version.value;
      prices = held.value ? (prices ?? (shown && heldOf(shown))) : undefined;
      shown = frameOf(of, view.book, orders.value, step, count, prices);
      untracked(() => made.paint(shown as Frame));
      aimed.value = aim.value === undefined ? undefined : made.rows[aim.value]?.row;
    });
  }, [props.of, props.view, props.step, count]);
  return painter;
}

/** The active row of the keyboard: an index into the painter's rows, or none. */
function useActiveRow(painter: { current: Painter | undefined }, grid: { current: HTMLElement | null }) {
  const active = useRef<number | undefined>(undefined);
  const mark = (index: number | undefined): void => {
    const rows = painter.current?.rows ?? [];
    const before = active.current === undefined ? undefined : rows[active.current];
    before?.element.classList.remove('active');
    active.current = index;
    const row = index === undefined ? undefined : rows[index];
    row?.element.classList.add('active');
    if (row) grid.current?.setAttribute('aria-activedescendant', row.element.id);
    else grid.current?.removeAttribute('aria-activedescendant');
  };
  const move = (by: number): void => {
    const rows = painter.current?.rows ?? [];
    const from = active.current ?? (by > 0 ? rows.length / 2 - 1 : rows.length / 2);
    const first = Math.max(0, Math.min(rows.length - 1, from + by));
    for (let at = first; at >= 0 && at < rows.length; at += Math.sign(by))
      if (rows[at]?.row) return mark(at);
  };
  return { active, mark, move };
}

interface Kept<T> {
  readonly current: T;
}

/** Handlers of the grid: rows are held while the pointer or the keyboard is on them, and a price is taken. */
export function useHandlers(
  { of, held }: LadderProps,
  aim: Signal<number | undefined>,
  painter: Kept<Painter | undefined>,
  grid: Kept<HTMLElement | null>,
) {
  const { active, mark, move } = useActiveRow(painter, grid);
  const over = useRef(false);
  useEffect(() => () => void (held.value = false), []);
  const settle = (index: number | undefined): void => {
    aim.value = index;
    held.value = over.current || active.current !== undefined;
  };
  const indexOf = (target: EventTarget | null): number | undefined => {
    const element = (target as HTMLElement).closest('.book-row');
    const index = painter.current?.rows.findIndex((row) => row.element === element) ?? -1;
    return index < 0 ? undefined : index;
  };
  const take = (index: number | undefined): void => {
    const row = index === undefined ? undefined : painter.current?.rows[index]?.row;
    if (row) prefill.value = { symbol: of.name, price: priceOf(of, row.price) };
  };
  const leave = (): void => {
    mark(undefined);
    settle(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, PageUp: -5, PageDown: 5 };
    const by = steps[event.key];
    if (by !== undefined) {
      move(by);
      settle(active.current);
    } else if (event.key === 'Enter' && active.current !== undefined) take(active.current);
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
  };
  const onPointer = (event: PointerEvent, inside: boolean): void => {
    over.current = inside && event.pointerType === 'mouse';
    settle(over.current ? indexOf(event.target) : active.current);
  };
  return {
    onClick: (event: MouseEvent) => take(indexOf(event.target)),
    onKeyDown,
    onBlur: leave,
    onPointerMove: (event: PointerEvent) => onPointer(event, true),
    onPointerLeave: (event: PointerEvent) => onPointer(event, false),
  };
}
