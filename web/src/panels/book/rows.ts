// SPDX-License-Identifier: MIT
// The elements of the book's rows. They are made once and reused: a frame writes only the texts that changed.
import type { Row, Side } from './ladder';

/** How a row is written; texts are made by the caller, shares are between 0 and 1. */
export interface RowText {
  readonly price: string;
  readonly size: string;
  readonly total: string;
  readonly own: string;
  readonly share: number;
}

export interface RowView {
  readonly element: HTMLElement;
  readonly side: Side;
  /** What the row shows now; undefined: it is empty. */
  row: Row | undefined;
  show(row: Row | undefined, text: RowText): void;
}

export const BLANK: RowText = { price: '', size: '', total: '', own: '', share: 0 };

function cellOf(row: HTMLElement, name: string): (text: string) => void {
  const cell = document.createElement('span');
  cell.setAttribute('role', 'gridcell');
  cell.className = `book-${name}`;
  const content = cell.appendChild(document.createTextNode(''));
  row.append(cell);
  let last = '';
  return (text) => {
    if (text !== last) content.data = last = text;
  };
}

/** One row of a side; `id` is unique on the page, for the keyboard's active row. */
export function makeRow(side: Side, id: string): RowView {
  const element = document.createElement('div');
  element.setAttribute('role', 'row');
  element.id = id;
  element.className = `book-row book-${side}`;
  const bar = element.appendChild(document.createElement('i'));
  bar.setAttribute('aria-hidden', 'true');
  const [price, size, total, own] = ['price', 'size', 'total', 'own'].map((name) => cellOf(element, name));
  let width = 0;
  const view: RowView = {
    element,
    side,
    row: undefined,
    show(row, text) {
      view.row = row;
      price?.(text.price);
      size?.(text.size);
      total?.(text.total);
      own?.(text.own);
      element.classList.toggle('mine', text.own !== '');
      if (text.share === width) return;
      width = text.share;
      bar.style.transform = `scaleX(${width})`;
    },
  };
  return view;
}
