import { Button } from '@mantine/core';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, type UIEvent, useLayoutEffect, useRef, useState } from 'react';
import classes from './live-log.module.css';
import type { LogDetailChoices } from './log-details.tsx';
import type { Chip, LogKind } from './log-kind.ts';
import type { LogLine } from './log-lines.ts';
import { compareOrder, type Order } from './log-order.ts';
import { LogRow } from './log-row.tsx';
import type { LogEntry } from './log-store.ts';
import { createRowSlots } from './row-slots.ts';

interface LogRowsProps<T> {
  lines: readonly LogLine<T>[];
  kind: LogKind<T>;
  moreOf: (item: T) => readonly Chip[];
  isOpen: (entry: LogEntry<T>) => boolean;
  /** Whether the address of the page names the item. Its row is scrolled to when it appears. */
  isMarked: (item: T) => boolean;
  choices: LogDetailChoices<T>;
  onToggle: (key: string) => void;
  onOpen: ((item: T) => void) | undefined;
  onFillGap: () => void;
  /** Called when the end of the rows comes into sight by scrolling. */
  onEnd: () => void;
  /** Shown below the rows. */
  children: ReactNode;
}

/** Heights on a desktop; a wrong estimate makes all rows render twice. */
const heights = { entry: 30, day: 26, notice: 22, gap: 34 };
/** Older rows are loaded this far before the end. */
const nearEnd = 300;

/**
 * Renders only the visible rows. After scrolling down, the visible rows stay in place while new ones arrive above them;
 * at the very top the newest row stays visible.
 */
export function LogRows<T>({ lines, kind, isMarked, onEnd, children, ...rest }: LogRowsProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [isAtTop, setAtTop] = useState(true);
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[lines[index]?.type ?? 'entry'],
    getItemKey: (index) => lines[index]?.key ?? index,
    overscan: 6,
    anchorTo: isAtTop ? 'start' : 'end',
  });
  useScrollToMarked(lines, isMarked, (index) => virtualizer.scrollToIndex(index, { align: 'start' }));
  const newCount = useNewCount(lines, isAtTop);

  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: UIEvent<HTMLElement>) => {
    setAtTop(scrollTop <= 0);
    if (scrollTop > 0 && scrollHeight - scrollTop - clientHeight < nearEnd) onEnd();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const row =
      event.target instanceof HTMLElement ? event.target.closest('[data-headline]')?.closest('[data-index]') : null;
    if (step === 0 || !row) return;
    let index = Number(row.getAttribute('data-index')) + step;
    while (lines[index] && lines[index]?.type !== 'entry') index += step;
    if (!lines[index]) return;
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
    <div className={classes.window}>
      {newCount > 0 && (
        <button type="button" className={classes.newer} onClick={() => virtualizer.scrollToOffset(0)}>
          {`${newCount} new`}
        </button>
      )}
      <div ref={scroller} className={classes.rows} onScroll={onScroll}>
        {/* Arrow keys bubble up from the rows' own buttons. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <ul className={classes.list} style={{ height: virtualizer.getTotalSize() }} onKeyDown={onKeyDown}>
          {inSight.map((row, at) => {
            const line = lines[row.index];
            if (!line) return null;
            return (
              <Place key={seats[at]} index={row.index} top={row.start} entry={line.key} virtualizer={virtualizer}>
                <Line line={line} kind={kind} isMarked={isMarked} {...rest} />
              </Place>
            );
          })}
        </ul>
        {children}
      </div>
    </div>
  );
}

type LineProps<T> = Omit<LogRowsProps<T>, 'lines' | 'children' | 'onEnd'> & { line: LogLine<T> };

function Line<T>({ line, isOpen, isMarked, onFillGap, ...rest }: LineProps<T>) {
  if (line.type === 'entry')
    return <LogRow entry={line.entry} isOpen={isOpen(line.entry)} isMarked={isMarked(line.entry.item)} {...rest} />;
  if (line.type === 'day' || line.type === 'notice') return <div className={classes[line.type]}>{line.text}</div>;
  return (
    <div className={classes.gap}>
      {`Some ${rest.kind.noun}s are not shown here.`}
      <Button variant="subtle" size="compact-xs" onClick={onFillGap}>
        Load them
      </Button>
    </div>
  );
}

/** Scrolls to the marked row once, when it appears. */
function useScrollToMarked<T>(
  lines: readonly LogLine<T>[],
  isMarked: (item: T) => boolean,
  scrollTo: (index: number) => void,
): void {
  const isDone = useRef(false);
  useLayoutEffect(() => {
    if (isDone.current) return;
    const index = lines.findIndex((line) => line.type === 'entry' && isMarked(line.entry.item));
    if (index < 0) return;
    isDone.current = true;
    scrollTo(index);
  });
}

/** How many entries arrived above since the user scrolled away from the top. */
function useNewCount<T>(lines: readonly LogLine<T>[], isAtTop: boolean): number {
  const [seen, setSeen] = useState<Order>();
  const [first] = lines;
  const top = first?.type === 'entry' ? first.entry.order : undefined;
  if (isAtTop && top && (!seen || compareOrder(top, seen) !== 0)) setSeen(top);
  if (isAtTop || !seen) return 0;
  let count = 0;
  for (const line of lines) {
    if (line.type !== 'entry') continue;
    if (compareOrder(line.entry.order, seen) <= 0) break;
    count += 1;
  }
  return count;
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
