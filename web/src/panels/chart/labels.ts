// SPDX-License-Identifier: MIT
// Where the labels of lines stand so that none covers another: to the right of those at its height, and in a row below
// (at the lower edge above) where the width is used up. At an edge two rows wait at most; the rest is only counted.
// Pixels.

export type Edge = '' | 'above' | 'below';

export interface Label {
  /** The height of its line. */
  readonly y: number;
  readonly width: number;
  /** `below`: the line is under the visible prices, and the label waits at the lower edge. */
  readonly edge: Edge;
}

export interface Spot {
  readonly x: number;
  /** How far the label is from its line: above 0 is down. */
  readonly rise: number;
  /** At an edge whose rows are full: not shown until it has the focus. */
  readonly crowded?: true;
}

export const LABEL_HEIGHT = 22;
const GAP = 4;
/** Labels that find no room in so many rows cover each other; of lines that are out of sight they are not shown. */
const ROWS = 6;
const EDGE_ROWS = 2;
/** The width at the end of an edge's rows for the number of those that are not shown. */
const COUNT = 56;

interface Taken {
  readonly y: number;
  readonly from: number;
  readonly to: number;
}

/** The first free place in a row from the left, beyond those that stand near its height. */
function freeFrom(taken: readonly Taken[], y: number, width: number): number {
  let from = 0;
  const near = taken.filter((one) => Math.abs(one.y - y) < LABEL_HEIGHT).sort((a, b) => a.from - b.from);
  for (const one of near) if (one.from < from + width && one.to > from) from = one.to + GAP;
  return from;
}

/** The place of each label in the order given; `room` is the width there is. */
export function spread(labels: readonly Label[], room: number): Spot[] {
  const taken: Taken[] = [];
  return labels.map(({ y, width, edge }) => {
    const step = edge === 'below' ? -LABEL_HEIGHT : LABEL_HEIGHT;
    const wide = edge === '' ? room : room - COUNT;
    let spot: Spot = edge === '' ? { x: 0, rise: 0 } : { x: 0, rise: 0, crowded: true };
    for (let row = 0; row < (edge === '' ? ROWS : EDGE_ROWS); row++) {
      const x = freeFrom(taken, y + row * step, width);
      if (x > 0 && x + width > wide) continue;
      spot = { x, rise: row * step };
      break;
    }
    if (!spot.crowded) taken.push({ y: y + spot.rise, from: spot.x, to: spot.x + width });
    return spot;
  });
}
