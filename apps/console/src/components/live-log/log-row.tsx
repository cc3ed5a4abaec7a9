import { IconChevronRight } from '@tabler/icons-react';
import { type MouseEvent, memo, useMemo, useRef } from 'react';
import { CopyButton } from '../copy/copy.tsx';
import { JsonTree } from '../json-tree/json-tree.tsx';
import { formatLogTime } from '../last-seen/dates.ts';
import type { WordName } from '../words/words.ts';
import classes from './live-log.module.css';
import type { LogEntry, LogStoreOptions } from './log-store.ts';

export type Tone = 'plain' | 'up' | 'down' | 'join' | 'good' | 'attention' | 'bad';

export interface Chip {
  readonly text: string;
  readonly tone?: 'bad' | 'value';
}

export interface Headline {
  /** RFC 3339 timestamp. */
  readonly at: string;
  readonly type: string;
  readonly tone: Tone;
  readonly chips: readonly Chip[];
}

export interface DetailTree {
  readonly title: string;
  readonly value: unknown;
  /** Members that are folded initially. */
  readonly folded?: readonly string[];
}

/** How the items of a log are displayed. */
export interface LogKind<T> extends Pick<LogStoreOptions<T>, 'orderOf' | 'identityOf'> {
  /** Singular, such as `event`. */
  readonly noun: string;
  /** Width of the longest type, so that the columns align. */
  readonly typeWidth: string;
  /** Words of its rows that the glossary explains. */
  readonly words?: readonly WordName[];
  readonly headlineOf: (item: T) => Headline;
  /** The trees of an open row, side by side on wide screens. None when items open elsewhere. */
  readonly detailsOf?: (item: T) => readonly DetailTree[];
  /** The item as it is exported to a file. */
  readonly exportOf: (item: T) => unknown;
}

interface LogRowProps<T> {
  entry: LogEntry<T>;
  kind: LogKind<T>;
  moreOf: (item: T) => readonly Chip[];
  isOpen: boolean;
  onToggle: (key: string) => void;
  /** Shows the item elsewhere instead of opening the row. */
  onOpen: ((item: T) => void) | undefined;
}

function Row<T>({ entry, kind, moreOf, isOpen, onToggle, onOpen }: LogRowProps<T>) {
  const headline = useMemo(() => kind.headlineOf(entry.item), [kind, entry]);
  const id = `log-${entry.key}`;
  // In a busy log another entry may move to this row while the button is held down.
  const pressed = useRef(entry);
  const choose = ({ detail: clicks }: MouseEvent) => {
    const { item, key } = clicks > 0 ? pressed.current : entry;
    if (onOpen) onOpen(item);
    else onToggle(key);
  };
  return (
    <>
      <button
        type="button"
        data-headline
        className={classes.headline}
        {...(onOpen ? { 'aria-haspopup': 'dialog' } : { 'aria-expanded': isOpen, 'aria-controls': id })}
        onPointerDown={() => (pressed.current = entry)}
        onClick={choose}
      >
        <IconChevronRight size={14} className={classes.chevron} aria-hidden />
        <time className={classes.time} dateTime={headline.at}>
          {formatLogTime(headline.at)}
        </time>
        <span className={classes.type} data-tone={headline.tone} style={{ minWidth: kind.typeWidth }}>
          {headline.type}
        </span>
        <span className={classes.chips}>
          {[...headline.chips, ...moreOf(entry.item)].map((chip, at) => (
            <span key={at} className={classes.chip} data-tone={chip.tone}>
              {chip.text}
            </span>
          ))}
        </span>
      </button>
      {isOpen && (
        <div key={id} id={id} className={classes.details}>
          {kind.detailsOf?.(entry.item).map((tree) => (
            <div key={tree.title} className={classes.tree}>
              <div className={classes.treeTitle}>
                {tree.title}
                <CopyButton value={JSON.stringify(tree.value, null, 2)} label={`Copy ${tree.title.toLowerCase()}`} />
              </div>
              <JsonTree value={tree.value} label={tree.title} folded={tree.folded} />
            </div>
          ))}
        </div>
      )}
    </>
  );
}

/** One row of the log, which opens into trees. Memoised, so that arrivals do not rerender it. */
export const LogRow = memo(Row) as typeof Row;
