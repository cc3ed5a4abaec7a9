import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Column, TableRow } from './cells.tsx';
import classes from './list.module.css';

interface Props<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  folds: boolean;
}

/** A table body that draws the rows near the window and keeps the room of the others. */
export function VirtualRows<Row>({ columns, rows, rowKey, folds }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
  }, [rows]);
  // Those in sight first: whoever clicked waits for them.
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setSeen(true));
    return () => cancelAnimationFrame(frame);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => 37,
    overscan: isSeen ? 15 : 1,
    scrollMargin: top,
    getItemKey: (index) => rowKey(rows[index]!),
  });
  const drawn = virtualizer.getVirtualItems();
  const before = (drawn[0]?.start ?? top) - top;
  const after = virtualizer.getTotalSize() - (drawn.at(-1)?.end ?? top) + top;
  return (
    <tbody ref={body}>
      <tr aria-hidden className={classes.room} style={{ height: before }} />
      {drawn.map(({ key, index }) => (
        <TableRow
          key={key}
          ref={virtualizer.measureElement}
          data-index={index}
          aria-rowindex={index + 2}
          {...{ columns, folds }}
          row={rows[index]!}
        />
      ))}
      <tr aria-hidden className={classes.room} style={{ height: after }} />
    </tbody>
  );
}
