import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './list.module.css';

export interface Column<Row> {
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'right' | 'center';
  /** The name of the row: the title of its card on a phone. */
  primary?: boolean;
  width?: number | string;
  /** A column of controls; its header is read to screen readers only. */
  hideHeader?: boolean;
}

interface Props<Row> {
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** What the table lists, for screen readers. */
  label: string;
  /** The rows on show are older than what was asked for. */
  stale?: boolean;
}

/** A compact table that turns into cards on a phone. */
export function DataTable<Row>({ columns, rows, rowKey, label, stale = false }: Props<Row>) {
  return (
    <table className={classes.table} aria-label={label} aria-busy={stale} data-stale={stale || undefined}>
      <thead>
        <tr>
          {columns.map(({ header, align, width, hideHeader }) => (
            <th key={header} scope="col" data-align={align} style={{ width }}>
              {hideHeader ? <VisuallyHidden>{header}</VisuallyHidden> : header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ header, cell, align, primary, hideHeader }) => (
              <td
                key={header}
                data-align={align}
                data-primary={primary || undefined}
                data-label={hideHeader ? undefined : header}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Grey bars in the shape of the table to come. */
export function TableSkeleton({ columns, rows = 8 }: { columns: readonly { header: string }[]; rows?: number }) {
  return (
    <div className={classes.skeleton} aria-busy="true">
      <VisuallyHidden>Loading</VisuallyHidden>
      {Array.from({ length: rows + 1 }, (_, row) => (
        <div key={`row-${row + 1}`} className={classes.skeletonRow} aria-hidden>
          {columns.map(({ header }) => (
            <span key={header} className={classes.bar} />
          ))}
        </div>
      ))}
    </div>
  );
}
