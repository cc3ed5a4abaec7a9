import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Column, TableRow } from './cells.tsx';
import classes from './list.module.css';

interface Props<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  folds: boolean;
}

/** The height of a row (`--row`); the browser measures rows of several lines. */
const rowHeight = 36;
const cardHeight = 69;
/** Estimated top of the first row below header and search; the browser measures it in the frame that renders it. */
const usualTop = 200;
const restMs = 150;

/**
 * The height measured after layout, or the estimate until then: rows stack on their own. Measuring while rows are
 * created would force another layout.
 */
function heightOf(
  row: HTMLTableRowElement,
  entry: ResizeObserverEntry | undefined,
  { options, itemSizeCache, indexFromElement }: Virtualizer<Window, HTMLTableRowElement>,
): number {
  const box = entry?.borderBoxSize[0];
  if (box) return Math.round(box.blockSize);
  const index = indexFromElement(row);
  return itemSizeCache.get(options.getItemKey(index)) ?? options.estimateSize(index);
}

/** A table body that renders the rows near the viewport and reserves the height of all others. */
export function VirtualRows<Row>({ columns, rows, rowKey, folds }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(usualTop);
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
    });
    return () => cancelAnimationFrame(frame);
  }, [rows]);
  // The visible rows first: the user waits for them, and scrolls later.
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    // In slices: the rows beyond the screen must not delay the paint of a slow page.
    const timer = setTimeout(() => startTransition(() => setSeen(true)), restMs);
    return () => clearTimeout(timer);
  }, []);
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => (folds ? cardHeight : rowHeight),
    measureElement: heightOf,
    // Set only once the table is mounted; otherwise all rows would render synchronously, after a paint without rows.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
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
          columns={columns}
          folds={folds}
          row={rows[index]!}
        />
      ))}
      <tr aria-hidden className={classes.room} style={{ height: after }} />
    </tbody>
  );
}
