// SPDX-License-Identifier: MIT
// A table whose digits have one width, so that a number that changes moves nothing else.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly key: string;
  readonly head: string;
  /** Numbers stand at the end. */
  readonly align?: 'start' | 'end';
  readonly cell: (row: Row) => ComponentChildren;
  /** The least width in characters, so that the column does not jump. */
  readonly width?: number;
}

export interface TableProps<Row> {
  /** The name for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Said in place of rows. */
  readonly empty: string;
}

function HeadCell<Row>({ column }: { column: Column<Row> }) {
  const style = column.width === undefined ? {} : { minWidth: `${column.width}ch` };
  return (
    <th scope="col" class={column.align === 'end' ? 'end' : undefined} style={style}>
      {column.head}
    </th>
  );
}

export function Table<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.key} class={column.align === 'end' ? 'end' : undefined}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
