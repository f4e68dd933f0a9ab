// SPDX-License-Identifier: MIT
// The rows of the book on the screen: sells, the spread, buys.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { Row } from './ladder';
import { type LadderProps, useHandlers, usePainting, useRowCount } from './ladder-hooks';
import { say } from './messages';
import { Spread } from './spread';

export function Ladder(props: LadderProps) {
  const grid = useRef<HTMLDivElement>(null);
  const above = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLDivElement>(null);
  const aim = useSignal<number | undefined>(undefined);
  const aimed = useSignal<Row | undefined>(undefined);
  const count = useRowCount(grid);
  const painter = usePainting({ ...props, aim, aimed }, count, () =>
    above.current && below.current ? [above.current, below.current] : undefined,
  );
  const handlers = useHandlers(props, aim, painter, grid);
  return (
    <div ref={grid} class="book-grid" role="grid" aria-label={say.levels()} tabIndex={0} {...handlers}>
      <div class="book-columns book-fixed" role="row">
        {[say.price, say.size, say.total, say.mine].map((text) => (
          <span key={text()} role="columnheader">
            {text()}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="book-side book-above" ref={above} />
      <Spread of={props.of} view={props.view} aimed={aimed} />
      <div role="rowgroup" class="book-side book-below" ref={below} />
    </div>
  );
}
