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
              {hideHeader ? <span className={classes.hidden}>{header}</span> : header}
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
export function TableSkeleton({ columns, rows = 8 }: { columns: { header: string }[]; rows?: number }) {
  return (
    <table className={classes.table} aria-busy="true" aria-label="Loading">
      <thead>
        <tr>
          {columns.map(({ header }) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: rows }, (_, row) => (
          <tr key={`row-${row + 1}`}>
            {columns.map(({ header }) => (
              <td key={header}>
                <span className={classes.bar} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
