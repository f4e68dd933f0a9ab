// SPDX-License-Identifier: MIT
// Where the lines' elements are: they move in the same frame as the candles, because the library's own drawing of the
// pane places them. A line outside of the visible prices waits at the edge.
import type { ISeriesPrimitive, ISeriesPrimitiveAxisView, SeriesAttachedParameter, Time } from 'lightweight-charts';
import type { Drawing } from './drawing';
import { type Edge, LABEL_HEIGHT, type Label, type Spot, spread } from './labels';

export interface Placed {
  readonly element: HTMLElement;
  /** The width of its label in pixels. */
  width(): number;
  /** Its label has another content. */
  measure(): void;
  /** The price where it stands, as a number for drawing. */
  price(): number;
  /** The price that `fit` takes in: of its order or position, wherever it is dragged to. Undefined: none. */
  fitted(): number | undefined;
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
  /** Before the chart is removed: nothing asks it to draw any more. */
  close(): void;
}

/** Labels at the upper edge stand below the figures of the bar. */
const LEGEND = 24;
const LEFT = 8;

interface Found extends Label {
  readonly placed: Placed;
}

/** The lines that have a height, from the top down. */
function find(drawing: Drawing, all: Iterable<Placed>, height: number): Found[] {
  const found: Found[] = [];
  const margin = LABEL_HEIGHT / 2;
  for (const placed of all) {
    const y = drawing.candles.priceToCoordinate(placed.price());
    if (y === null) continue;
    const edge = y < 0 ? 'above' : y > height ? 'below' : '';
    const { dataset } = placed.element;
    if (dataset['edge'] !== edge) {
      dataset['edge'] = edge; // with a sign before the price
      placed.measure();
    }
    const shown = { above: LEGEND + margin, below: height - margin, '': y }[edge];
    found.push({ placed, y: shown, edge, width: placed.width() });
  }
  const order = (one: Found): number => (one.edge === 'above' ? 1 : -1) * one.placed.price();
  return found.sort((a, b) => a.y - b.y || order(a) - order(b)); // at an edge the nearest first
}

/** How many lines wait unseen at an edge. */
const countOf = (found: readonly Found[], spots: readonly Spot[], edge: Edge): string => {
  const count = found.filter((one, index) => one.edge === edge && spots[index]?.crowded).length;
  return count === 0 ? '' : `+${count} ${edge === 'above' ? '▲' : '▼'}`;
};

function axisView(drawing: Drawing, placed: Placed): ISeriesPrimitiveAxisView {
  return {
    coordinate: () => drawing.candles.priceToCoordinate(placed.price()) ?? -1000,
    visible: () => placed.element.dataset['edge'] === '', // else the axis would be full of prices that it does not have
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
    const found = find(drawing, all.keys(), height());
    const spots = spread(found, drawing.chart.timeScale().width() - LEFT);
    for (const edge of ['above', 'below'] as const) overlay.dataset[edge] = countOf(found, spots, edge);
    found.forEach(({ placed, y }, index) => {
      const { style, classList } = placed.element;
      style.transform = `translateY(${Math.round(y)}px)`;
      style.setProperty('--shift', `${spots[index]?.x ?? 0}px`);
      style.setProperty('--rise', `${spots[index]?.rise ?? 0}px`);
      style.visibility = 'visible';
      classList.toggle('crowded', spots[index]?.crowded === true);
    });
  };

  const primitive: ISeriesPrimitive<Time> = {
    attached: (parameter: SeriesAttachedParameter<Time>) => void (update = parameter.requestUpdate),
    paneViews: () => [{ zOrder: () => 'bottom' as const, renderer: () => ({ draw: place }) }],
    priceAxisViews: () => views,
    autoscaleInfo: () => {
      if (!fits) return null;
      const prices = [...all.keys()].map((placed) => placed.fitted()).filter((price) => price !== undefined);
      if (prices.length === 0) return null;
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
    close: () => {
      update = () => {};
      drawing.candles.detachPrimitive(primitive);
    },
    fit(wanted) {
      fits = wanted;
      drawing.chart.priceScale('right').applyOptions({ autoScale: true });
      update();
    },
  };
}
