// SPDX-License-Identifier: MIT
// Where the lines' elements are: they move in the same frame as the candles, because the library's own drawing of the
// pane places them. A line outside of the visible prices waits at the edge.
import type { ISeriesPrimitive, ISeriesPrimitiveAxisView, SeriesAttachedParameter, Time } from 'lightweight-charts';
import type { Drawing } from './drawing';

export interface Placed {
  readonly element: HTMLElement;
  /** The width of its label in pixels. */
  width(): number;
  /** The price where it stands, as a number for drawing. */
  price(): number;
  /** The price of its order or position, wherever it is dragged to. */
  rest(): number;
  /** The price as text, for the axis. */
  text(): string;
  colour(): string;
  /** The colour of text on it. */
  ink(): string;
}

export interface Places {
  /** Keeps the element in place; returns the end of it. */
  add(placed: Placed): () => void;
  /** A price or a text changed. */
  changed(): void;
  /** The price at a height in the pane, undefined when there is none. */
  priceAt(y: number): number | undefined;
  /** The height of a line in the pane. */
  heightOf(placed: Placed): number | undefined;
  /** The prices that are visible, from the bottom up. */
  visible(): readonly [number, number] | undefined;
  /** Whether the scale takes in all lines. */
  fit(all: boolean): void;
}

/** Labels nearer than this to each other stand side by side. */
const LABEL_HEIGHT = 22;
const GAP = 4;
/** Labels at the upper edge stand below the figures of the bar. */
const LEGEND = 24;

interface Spot {
  readonly placed: Placed;
  readonly y: number;
  readonly edge: '' | 'above' | 'below';
}

function spotsOf(drawing: Drawing, all: Iterable<Placed>, height: number): Spot[] {
  const spots: Spot[] = [];
  for (const placed of all) {
    const y = drawing.candles.priceToCoordinate(placed.price());
    if (y === null) continue;
    const margin = LABEL_HEIGHT / 2;
    const top = LEGEND + margin;
    const edge = y < 0 ? 'above' : y > height ? 'below' : '';
    spots.push({ placed, y: edge === '' ? y : edge === 'above' ? top : height - margin, edge });
  }
  return spots.sort((a, b) => a.y - b.y);
}

/** How far each label is moved to the right, so that it covers none of those above it. */
function shifts(spots: readonly Spot[]): number[] {
  const done: { y: number; from: number; to: number }[] = [];
  return spots.map(({ placed, y }) => {
    const near = done.filter((one) => y - one.y < LABEL_HEIGHT).sort((a, b) => a.from - b.from);
    const width = placed.width();
    let from = 0;
    for (const one of near) if (one.from < from + width && one.to > from) from = one.to + GAP;
    done.push({ y, from, to: from + width });
    return from;
  });
}

function axisView(drawing: Drawing, placed: Placed): ISeriesPrimitiveAxisView {
  return {
    coordinate: () => drawing.candles.priceToCoordinate(placed.price()) ?? -1000,
    text: () => placed.text(),
    textColor: () => placed.ink(),
    backColor: () => placed.colour(),
  };
}

export function makePlaces(drawing: Drawing, overlay: HTMLElement): Places {
  const all = new Map<Placed, ISeriesPrimitiveAxisView>();
  let views: readonly ISeriesPrimitiveAxisView[] = [];
  let update = (): void => {};
  let fits = false;
  const height = (): number => drawing.chart.panes()[0]?.getHeight() ?? 0;

  const place = (): void => {
    overlay.style.width = `${drawing.chart.timeScale().width()}px`;
    overlay.style.height = `${height()}px`;
    const spots = spotsOf(drawing, all.keys(), height());
    const shift = shifts(spots);
    spots.forEach(({ placed, y, edge }, index) => {
      const { style, dataset } = placed.element;
      style.transform = `translateY(${Math.round(y)}px)`;
      style.setProperty('--shift', `${shift[index] ?? 0}px`);
      style.visibility = 'visible';
      if (dataset['edge'] !== edge) dataset['edge'] = edge;
    });
  };

  const primitive: ISeriesPrimitive<Time> = {
    attached: (parameter: SeriesAttachedParameter<Time>) => void (update = parameter.requestUpdate),
    paneViews: () => [{ zOrder: () => 'bottom' as const, renderer: () => ({ draw: place }) }],
    priceAxisViews: () => views,
    autoscaleInfo: () => {
      if (!fits || all.size === 0) return null;
      const prices = [...all.keys()].map((placed) => placed.rest());
      return { priceRange: { minValue: Math.min(...prices), maxValue: Math.max(...prices) } };
    },
  };
  drawing.candles.attachPrimitive(primitive);
  const relist = (): void => {
    views = [...all.values()];
    update();
  };
  return {
    add(placed) {
      all.set(placed, axisView(drawing, placed));
      relist();
      return () => {
        all.delete(placed);
        relist();
      };
    },
    changed: () => update(),
    priceAt: (y) => drawing.candles.coordinateToPrice(y) ?? undefined,
    heightOf: (placed) => drawing.candles.priceToCoordinate(placed.price()) ?? undefined,
    visible() {
      const bottom = drawing.candles.coordinateToPrice(height());
      const top = drawing.candles.coordinateToPrice(0);
      return bottom === null || top === null ? undefined : [bottom, top];
    },
    fit(wanted) {
      fits = wanted;
      drawing.chart.priceScale('right').applyOptions({ autoScale: true });
      update();
    },
  };
}
