import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import classes from './live-log.module.css';
import { type Chip, type LogKind, LogRow } from './log-row.tsx';
import type { LogEntry } from './log-store.ts';
import { createRowSlots } from './row-slots.ts';

interface LogRowsProps<T> {
  entries: readonly LogEntry<T>[];
  kind: LogKind<T>;
  moreOf: (item: T) => readonly Chip[];
  isOpen: (entry: LogEntry<T>) => boolean;
  onToggle: (key: string) => void;
  onOpen: ((item: T) => void) | undefined;
}

/** Row height on a desktop; a wrong estimate makes all rows render twice. */
const closedRowHeight = 30;

/**
 * Renders only the visible rows. After scrolling down, the visible rows stay in place while new ones arrive above them;
 * at the very top the newest row stays visible.
 */
export function LogRows<T>({ entries, kind, moreOf, isOpen, onToggle, onOpen }: LogRowsProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtTop, setAtTop] = useState(true);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
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

  const inSight = virtualizer.getVirtualItems();
  const [seatsOf] = useState(createRowSlots);
  const seats = seatsOf(inSight.map(({ key }) => String(key)));

  return (
    <div ref={scroller} className={classes.rows} onScroll={(event) => setAtTop(event.currentTarget.scrollTop <= 0)}>
      {/* Arrow keys bubble up from the rows' own buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul className={classes.list} style={{ height: virtualizer.getTotalSize() }} onKeyDown={onKeyDown}>
        {inSight.map((row, at) => {
          const entry = entries[row.index];
          if (!entry) return null;
          return (
            <Place key={seats[at]} index={row.index} top={row.start} entry={entry.key} virtualizer={virtualizer}>
              <LogRow
                entry={entry}
                kind={kind}
                moreOf={moreOf}
                onToggle={onToggle}
                onOpen={onOpen}
                isOpen={isOpen(entry)}
              />
            </Place>
          );
        })}
      </ul>
    </div>
  );
}

interface PlaceProps {
  index: number;
  /** Pixels from the top of the list. */
  top: number;
  entry: string;
  virtualizer: Virtualizer<HTMLDivElement, HTMLLIElement>;
  children: ReactNode;
}

/** The element of one entry; it is reused for another entry when this one is out of sight. */
function Place({ index, top, entry, virtualizer, children }: PlaceProps) {
  const element = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    const itemElement = element.current;
    virtualizer.measureElement(itemElement);
    return () => {
      if (virtualizer.elementsCache.get(entry) === itemElement) virtualizer.elementsCache.delete(entry);
      // A focus on the entry that leaves does not belong to the entry that arrives.
      if (document.activeElement instanceof HTMLElement && itemElement?.contains(document.activeElement))
        document.activeElement.blur();
    };
  }, [virtualizer, entry]);
  return (
    <li ref={element} data-index={index} className={classes.place} style={{ transform: `translateY(${top}px)` }}>
      {children}
    </li>
  );
}
