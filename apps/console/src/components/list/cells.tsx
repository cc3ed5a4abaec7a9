import type { ReactNode } from 'react';

export interface Column<Row, Field extends string = string> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'right' | 'center';
  /** The name of the row: the title of its card on a phone. */
  primary?: boolean;
  width?: number | string;
  /** What the rows can be sorted by here: a field of theirs that the operation can sort by. */
  sort?: Field;
  /** The list comes in this order unless asked otherwise, where that is not the one of its names. */
  usual?: true;
  /** A column of controls; its header is read to screen readers only. */
  hideHeader?: boolean;
}

export function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  return columns.map(({ header, cell, align, primary, hideHeader }) => (
    <td
      key={header}
      data-align={align}
      data-primary={primary || undefined}
      data-label={hideHeader ? undefined : header}
    >
      {cell(row)}
    </td>
  ));
}
