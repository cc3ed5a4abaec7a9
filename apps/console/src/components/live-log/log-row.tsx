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
  /** Cut with an ellipsis where there is no room for it. */
  readonly text: string;
  /** Shown whole after the text. */
  readonly value?: string;
  readonly tone?: 'attention' | 'bad' | 'value';
}

/** A column of short values, such as RSSI. The variable part of a headline is in front of the columns. */
export interface LogColumn {
  readonly name: string;
  readonly label: string;
  readonly width: string;
  readonly isNumber?: boolean;
  /** Hidden on a phone. */
  readonly isMinor?: boolean;
}

/** The values of a headline by the name of their column. */
export type LogCells = Readonly<Record<string, string>>;

export interface Headline {
  /** RFC 3339 timestamp. */
  readonly at: string;
  readonly type: string;
  readonly tone: Tone;
  readonly chips: readonly Chip[];
  readonly cells?: LogCells;
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
  /** What the variable part of its rows is, in the head of the table. */
  readonly chipsLabel: string;
  readonly columns: readonly LogColumn[];
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

const wholeText = ({ text, value }: Chip) => (value === undefined ? text : `${text}: ${value}`);

function Row<T>({ entry, kind, moreOf, isOpen, onToggle, onOpen }: LogRowProps<T>) {
  const headline = useMemo(() => kind.headlineOf(entry.item), [kind, entry]);
  const chips = [...headline.chips, ...moreOf(entry.item)];
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
        <span className={classes.type} data-tone={headline.tone}>
          {headline.type}
        </span>
        <span className={classes.facts}>
          <span className={classes.chips} title={chips.map(wholeText).join(' · ')}>
            {chips.map((chip, at) => (
              <span key={at} className={classes.chip} data-tone={chip.tone}>
                <span className={classes.chipText}>{chip.value === undefined ? chip.text : `${chip.text}: `}</span>
                {chip.value}
              </span>
            ))}
          </span>
          <span className={classes.cells}>
            {kind.columns.map((column) => (
              <Cell key={column.name} column={column} value={headline.cells?.[column.name]} />
            ))}
          </span>
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

/** A value below its column head. Where no columns fit, and for screen readers, the label is in front of it. */
function Cell({ column: { name, label, isNumber, isMinor }, value }: { column: LogColumn; value: string | undefined }) {
  const traits = { 'data-number': isNumber || undefined, 'data-minor': isMinor || undefined };
  return (
    <span className={classes.cell} data-name={name} data-empty={value === undefined || undefined} {...traits}>
      {value !== undefined && (
        <>
          <span className={classes.cellLabel}>{label} </span>
          {value}
        </>
      )}
    </span>
  );
}

/** The head of the columns. Rows repeat it for screen readers. */
export function LogHead<T>({ kind }: { kind: LogKind<T> }) {
  return (
    <div className={classes.head} aria-hidden>
      <span />
      <span>Time</span>
      <span>Type</span>
      <span>{kind.chipsLabel}</span>
      <span className={classes.cells}>
        {kind.columns.map(({ name, label, isNumber }) => (
          <span key={name} className={classes.cell} data-number={isNumber || undefined}>
            {label}
          </span>
        ))}
      </span>
    </div>
  );
}

/** One row of the log, which opens into trees. Memoised, so that arrivals do not rerender it. */
export const LogRow = memo(Row) as typeof Row;
