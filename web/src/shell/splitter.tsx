// SPDX-License-Identifier: MIT
// The line between two panels: dragged with a pointer, moved by arrows.
import { useRef } from 'preact/hooks';
import { messages } from '../ui/i18n';

const say = messages({ size: { en: 'Size of the panels', ja: 'パネルの大きさ' } });

const SMALLEST_SHARE = 0.08;
const KEY_STEP = 0.02;

export interface SplitterProps {
  readonly direction: 'row' | 'column';
  readonly sizes: readonly number[];
  /** The line is between the children `at` and `at + 1`. */
  readonly at: number;
  readonly onResize: (sizes: readonly number[]) => void;
}

/** Ratios after the line has moved by a share of both neighbours. */
function moved(sizes: readonly number[], at: number, by: number): number[] {
  const first = sizes[at] ?? 1;
  const second = sizes[at + 1] ?? 1;
  const both = first + second;
  const share = Math.min(1 - SMALLEST_SHARE, Math.max(SMALLEST_SHARE, first / both + by));
  return sizes.map((size, place) => (place === at ? both * share : place === at + 1 ? both * (1 - share) : size));
}

export function Splitter({ direction, sizes, at, onResize }: SplitterProps) {
  const element = useRef<HTMLDivElement>(null);
  const row = direction === 'row';

  const onPointerDown = (event: PointerEvent) => {
    const line = element.current;
    const [before, after] = [line?.previousElementSibling, line?.nextElementSibling] as (HTMLElement | null)[];
    if (!line || !before || !after || event.button !== 0) return;
    event.preventDefault();
    line.setPointerCapture(event.pointerId);
    const length = row ? before.offsetWidth + after.offsetWidth : before.offsetHeight + after.offsetHeight;
    const start = row ? event.clientX : event.clientY;
    let next = [...sizes];
    // While it moves only the two elements change; the arrangement is set once, at the end.
    line.onpointermove = (moving) => {
      next = moved(sizes, at, ((row ? moving.clientX : moving.clientY) - start) / length);
      before.style.flexGrow = String(next[at]);
      after.style.flexGrow = String(next[at + 1]);
    };
    line.onpointerup = line.onpointercancel = () => {
      line.onpointermove = line.onpointerup = line.onpointercancel = null;
      onResize(next);
    };
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const keys = row ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    const way = keys.indexOf(event.key);
    if (way < 0) return;
    event.preventDefault();
    onResize(moved(sizes, at, way === 0 ? -KEY_STEP : KEY_STEP));
  };

  const both = (sizes[at] ?? 1) + (sizes[at + 1] ?? 1);
  return (
    <div
      ref={element}
      class={`splitter ${direction}`}
      role="separator"
      tabIndex={0}
      aria-label={say.size()}
      aria-orientation={row ? 'vertical' : 'horizontal'}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(((sizes[at] ?? 1) / both) * 100)}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
