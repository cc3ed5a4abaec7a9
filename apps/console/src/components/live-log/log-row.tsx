import { IconCheck, IconChevronRight, IconClock, IconX } from '@tabler/icons-react';
import { type MouseEvent, memo, useMemo, useRef } from 'react';
import { formatLogTime } from '../last-seen/dates.ts';
import classes from './live-log.module.css';
import { type LogDetailChoices, LogDetails } from './log-details.tsx';
import type { Chip, ChipSign, LogColumn, LogKind } from './log-kind.ts';
import type { LogEntry } from './log-store.ts';

interface LogRowProps<T> {
  entry: LogEntry<T>;
  kind: LogKind<T>;
  moreOf: (item: T) => readonly Chip[];
  isOpen: boolean;
  /** The address of the page names this item. */
  isMarked: boolean;
  choices: LogDetailChoices<T>;
  onToggle: (key: string) => void;
  /** Shows the item elsewhere instead of opening the row. */
  onOpen: ((item: T) => void) | undefined;
}

const wholeText = ({ text, value }: Chip) => (value === undefined ? text : `${text}: ${value}`);

function Row<T>({ entry, kind, moreOf, isOpen, isMarked, choices, onToggle, onOpen }: LogRowProps<T>) {
  const headline = useMemo(() => kind.headlineOf(entry.item), [kind, entry]);
  const chips = [...headline.chips, ...moreOf(entry.item)];
  const hasCells = kind.columns.some(({ name }) => headline.cells?.[name] !== undefined);
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
        data-marked={isMarked || undefined}
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
          <span className={classes.chips} data-wide={!hasCells || undefined} title={chips.map(wholeText).join(' · ')}>
            {chips.map((chip, at) => (
              <DrawnChip key={at} chip={chip} />
            ))}
          </span>
          {hasCells && (
            <span className={classes.cells}>
              {kind.columns.map((column) => (
                <Cell key={column.name} column={column} value={headline.cells?.[column.name]} />
              ))}
            </span>
          )}
        </span>
      </button>
      {isOpen && <LogDetails id={id} kind={kind} item={entry.item} {...choices} />}
    </>
  );
}

const signs = { done: IconCheck, waiting: IconClock, failed: IconX } as const satisfies Record<ChipSign, unknown>;

function DrawnChip({ chip: { text, value, tone, sign } }: { chip: Chip }) {
  if (sign) {
    const Sign = signs[sign];
    return (
      <span className={classes.sign} data-sign={sign} title={text}>
        <Sign size={14} aria-hidden />
        <span className={classes.signText}>{text}</span>
      </span>
    );
  }
  return (
    <span className={classes.chip} data-tone={tone}>
      <span className={classes.chipText}>{value === undefined ? text : `${text}: `}</span>
      {value}
    </span>
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
