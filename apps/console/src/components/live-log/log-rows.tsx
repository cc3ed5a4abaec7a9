import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useRef, useState } from 'react';
import classes from './live-log.module.css';
import { type Chip, type LogKind, LogRow } from './log-row.tsx';
import type { LogEntry } from './log-store.ts';

interface LogRowsProps<T> {
  entries: readonly LogEntry<T>[];
  kind: LogKind<T>;
  moreOf: (item: T) => readonly Chip[];
  isOpen: (entry: LogEntry<T>) => boolean;
  onToggle: (key: string) => void;
  onOpen: ((item: T) => void) | undefined;
}

const closedRowHeight = 37;

/**
 * Only the rows in sight are drawn. Who has scrolled down keeps reading the same row while new ones arrive above it;
 * at the very top the newest is always in sight.
 */
export function LogRows<T>({ entries, kind, moreOf, isOpen, onToggle, onOpen }: LogRowsProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtTop, setAtTop] = useState(true);
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => closedRowHeight,
    getItemKey: (index) => entries[index]?.key ?? index,
    overscan: 6,
    anchorTo: isAtTop ? 'start' : 'end',
  });

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const row =
      event.target instanceof HTMLElement ? event.target.closest('[data-headline]')?.closest('[data-index]') : null;
    if (step === 0 || !row) return;
    const index = Number(row.getAttribute('data-index')) + step;
    if (index < 0 || index >= entries.length) return;
    event.preventDefault();
    virtualizer.scrollToIndex(index);
    const focus = () =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-headline]`)?.focus();
    requestAnimationFrame(focus);
  };

  return (
    <div ref={scroller} className={classes.rows} onScroll={(event) => setAtTop(event.currentTarget.scrollTop <= 0)}>
      {/* Arrow keys bubble up from the rows' own buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={classes.list} style={{ height: virtualizer.getTotalSize() }} onKeyDown={onKeyDown}>
        {virtualizer.getVirtualItems().map((row) => {
          const entry = entries[row.index];
          if (!entry) return null;
          return (
            <li
              key={row.key}
              ref={virtualizer.measureElement}
              data-index={row.index}
              className={classes.place}
              style={{ transform: `translateY(${row.start}px)` }}
            >
              <LogRow {...{ entry, kind, moreOf, onToggle, onOpen }} isOpen={isOpen(entry)} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
