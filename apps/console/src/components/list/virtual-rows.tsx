import { useWindowVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Column, TableRow } from './cells.tsx';
import classes from './list.module.css';

interface Props<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  folds: boolean;
}

/** Of a row with an identifier, as the usual font has it; of others and of what is broken into lines the browser tells. */
const rowHeight = 39;
const cardHeight = 69;
/** Of the first row below header and search; the browser tells in the frame that draws it. */
const usualTop = 280;
const restMs = 150;

/**
 * What the browser told after laying out, or what was taken for it: rows stand below one another by themselves. Asked
 * while they are made, it would lay the page out once more.
 */
function heightOf(
  row: HTMLTableRowElement,
  told: ResizeObserverEntry | undefined,
  { options, itemSizeCache, indexFromElement }: Virtualizer<Window, HTMLTableRowElement>,
): number {
  const box = told?.borderBoxSize[0];
  if (box) return Math.round(box.blockSize);
  const index = indexFromElement(row);
  return itemSizeCache.get(options.getItemKey(index)) ?? options.estimateSize(index);
}

/** A table body that draws the rows near the window and keeps the room of the others. */
export function VirtualRows<Row>({ columns, rows, rowKey, folds }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(usualTop);
  useLayoutEffect(() => {
    const frame = requestAnimationFrame(() => {
      if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY);
    });
    return () => cancelAnimationFrame(frame);
  }, [rows]);
  // Those in sight first: whoever clicked waits for them, and then moves a hand to scroll.
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSeen(true), restMs);
    return () => clearTimeout(timer);
  }, []);
  const virtualizer = useWindowVirtualizer<HTMLTableRowElement>({
    count: rows.length,
    estimateSize: () => (folds ? cardHeight : rowHeight),
    measureElement: heightOf,
    // Told only once the table is there; then all rows would come in one go, after a picture without any.
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
