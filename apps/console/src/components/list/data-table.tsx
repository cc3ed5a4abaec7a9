import { VisuallyHidden } from '@mantine/core';
import { useRef } from 'react';
import { type Column, TableRow, useFolding, widthsOf } from './cells.tsx';
import classes from './list.module.css';
import { useRowKeys } from './row-keys.ts';
import { type Sort, SortHeader } from './sort.tsx';
import { TruncatedText } from './truncated-text.tsx';
import { VirtualRows } from './virtual-rows.tsx';

/** Tables with more rows render only the rows near the viewport. */
const mostDrawnAtOnce = 100;

interface Props<Row> {
  columns: Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The name of the table for screen readers. */
  label: string;
  /** The displayed rows are older than the current request. */
  stale?: boolean;
  /** Without it the headers are not buttons. */
  sort?: Sort | undefined;
}

/** A table of one-line rows; on a phone its rows are cards of two lines. */
export function DataTable<Row>({ columns, rows, rowKey, label, stale = false, sort }: Props<Row>) {
  const folds = useFolding(columns);
  const widths = widthsOf(columns);
  const table = useRef<HTMLTableElement>(null);
  useRowKeys(table);
  return (
    <>
      <table
        ref={table}
        className={classes.table}
        aria-label={label}
        aria-rowcount={rows.length + 1}
        aria-busy={stale}
        data-stale={stale || undefined}
      >
        <thead>
          <tr>
            {columns.map(({ header, id = header, align, primary, hideHeader, headerCell, sort: field }, at) =>
              sort && field !== undefined && sort.offered.includes(field) ? (
                <SortHeader key={id} field={field} sort={sort} align={align} primary={primary} style={widths[at]}>
                  {header}
                </SortHeader>
              ) : (
                <th key={id} scope="col" data-align={align} data-primary={primary} style={widths[at]}>
                  {hideHeader ? (headerCell ?? <VisuallyHidden>{header}</VisuallyHidden>) : header}
                </th>
              ),
            )}
            {folds && (
              <th scope="col">
                <VisuallyHidden>Unfold</VisuallyHidden>
              </th>
            )}
          </tr>
        </thead>
        {rows.length > mostDrawnAtOnce ? (
          <VirtualRows columns={columns} rows={rows} rowKey={rowKey} folds={folds} />
        ) : (
          <tbody>
            {rows.map((row) => (
              <TableRow key={rowKey(row)} columns={columns} row={row} folds={folds} />
            ))}
          </tbody>
        )}
      </table>
      <TruncatedText table={table} />
    </>
  );
}

/** A skeleton with the shape of the table. */
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
