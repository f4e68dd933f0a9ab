// SPDX-License-Identifier: MIT
// The rows of the book on the screen: painted once per frame, held under the pointer, moved through by the keyboard.
import { type Signal, effect, untracked } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { BookView } from '../../state/book';
import type { Market } from '../../state/markets';
import { orders } from '../../state/portfolio';
import { prefill } from '../../state/prefill';
import { priceOf } from '../market/units';
import { type Frame, type Held, frameOf, heldOf } from './frame';
import { say } from './messages';
import { type Painter, makePainter, placesOfStep } from './painter';
import { Spread } from './spread';

const FEWEST = 3;
const MOST = 40;

/** As many rows a side as fit between the heads and around the spread. */
function useRowCount(element: { current: HTMLElement | null }): number {
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

interface LadderProps {
  readonly of: Market;
  readonly view: BookView;
  /** In units of the symbol's last price decimal. */
  readonly step: bigint;
  /** True while prices stand still. */
  readonly held: Signal<boolean>;
}

/** Paints with every frame in which the book, the own orders or the hold changed. */
function usePainting(props: LadderProps, count: number, sides: () => [HTMLElement, HTMLElement] | undefined) {
  const painter = useRef<Painter | undefined>(undefined);
  useLayoutEffect(() => {
    const found = sides();
    if (!found) return undefined;
    const { of, view, step, held } = props;
    const made = makePainter(of, found[0], found[1], count, placesOfStep(step, of.pricePlaces));
    painter.current = made;
    let prices: Held | undefined;
    let shown: Frame | undefined;
    return effect(() => {
      void view.version.value;
      prices = held.value ? (prices ?? (shown && heldOf(shown))) : undefined;
      shown = frameOf(of, view.book, orders.value, step, count, prices);
      untracked(() => made.paint(shown as Frame));
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
    for (let at = from + by; at >= 0 && at < rows.length; at += Math.sign(by))
      if (rows[at]?.row) return mark(at);
  };
  return { active, mark, move };
}

export function Ladder(props: LadderProps) {
  const { of, view, held } = props;
  const grid = useRef<HTMLDivElement>(null);
  const above = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const count = useRowCount(grid);
  const painter = usePainting(props, count, () =>
    above.current && below.current ? [above.current, below.current] : undefined,
  );
  const { active, mark, move } = useActiveRow(painter, grid);
  const over = useRef(false);
  const hold = (): void => void (held.value = over.current || active.current !== undefined);
  useEffect(() => () => void (held.value = false), []);

  const take = (index: number | undefined): void => {
    const row = index === undefined ? undefined : painter.current?.rows[index]?.row;
    if (row) prefill.value = { price: priceOf(of, row.price) };
  };
  const onClick = (event: MouseEvent): void => {
    const element = (event.target as HTMLElement).closest('.book-row');
    take(painter.current?.rows.findIndex((row) => row.element === element));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = { ArrowUp: -1, ArrowDown: 1, PageUp: -5, PageDown: 5 };
    const by = steps[event.key];
    if (by !== undefined) {
      move(by);
      hold();
    } else if (event.key === 'Enter' && active.current !== undefined) take(active.current);
    else if (event.key === 'Escape') leave();
    else return;
    event.preventDefault();
  };
  const leave = (): void => {
    mark(undefined);
    hold();
  };
  const onPointer = (inside: boolean) => (event: PointerEvent) => {
    over.current = inside && event.pointerType === 'mouse';
    hold();
  };
  return (
    <div
      ref={grid}
      class="book-grid"
      role="grid"
      aria-label={say.levels()}
      tabIndex={0}
      onClick={onClick}
      onKeyDown={onKeyDown}
      onBlur={leave}
      onPointerEnter={onPointer(true)}
      onPointerLeave={onPointer(false)}
    >
      <div class="book-columns book-fixed" role="row">
        {[say.price, say.size, say.total, say.mine].map((text) => (
          <span key={text()} role="columnheader">
            {text()}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="book-side book-above" ref={above} />
      <Spread of={of} view={view} held={held} />
      <div role="rowgroup" class="book-side book-below" ref={below} />
    </div>
  );
}
