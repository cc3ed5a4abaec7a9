import { type CSSProperties, type ReactNode, useMemo, useState } from 'react';
import type { BytesFormat } from './bytes-format.ts';
import classes from './live-log.module.css';
import { LiveLogToolbar, type LogDownload } from './live-log-toolbar.tsx';
import { GoneNotice, LogFoot } from './log-foot.tsx';
import type { Chip, LogKind } from './log-kind.ts';
import { linesOf } from './log-lines.ts';
import { LogHead } from './log-row.tsx';
import { LogRows } from './log-rows.tsx';
import type { LogSource } from './log-source.ts';
import type { LogEntry } from './log-store.ts';
import { useLiveLog } from './use-live-log.ts';
import { Waiting } from './waiting.tsx';

export interface LiveLogProps<T> {
  /** How items of this log are ordered, deduplicated, summarised and exported. Only its summaries may change. */
  kind: LogKind<T>;
  source: LogSource<T>;
  /** Fields that change the filter of the source; shown while the source supports it. */
  filters?: ReactNode;
  /** Removes the filter; undefined when there is none. */
  onClearFilters?: (() => void) | undefined;
  /** Additional content of a row, which may change after its arrival. */
  moreOf?: (item: T) => readonly Chip[];
  /** Shows an item elsewhere instead of opening its row. */
  onOpen?: (item: T) => void;
  /** The address of the page that opens with an item; undefined when it has none. */
  linkOf?: (item: T) => string | undefined;
  /** Name of the downloaded file, such as `device-0102030405060708.json`. */
  fileName: string;
  /** Files with more than the items that are shown. */
  downloads?: readonly LogDownload[];
  helpTitle: string;
  /** Content of the help dialog. */
  help: ReactNode;
  /** The cursor of the item that is open initially. */
  shown?: string | undefined;
  /** Leaves the item that the address names, after it was removed. */
  onShowNewest?: () => void;
}

const nothing = (): readonly Chip[] => [];

/** A log, newest on top: live items, and stored ones below them, with filters, pause, clear, download and help. */
export function LiveLog<T>(props: LiveLogProps<T>) {
  const { kind, source, filters, moreOf = nothing, onOpen, linkOf, shown, helpTitle } = props;
  const log = useLiveLog<T>(source, kind);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const [format, setFormat] = useState<BytesFormat>('hex');
  const { entries, stored } = log;
  const gap = log.isPaused ? undefined : stored.gap;
  const lines = useMemo(() => linesOf(entries, kind, gap), [entries, kind, gap]);
  const choices = useMemo(() => ({ format, onFormat: setFormat, linkOf }), [format, linkOf]);
  const isMarked = (item: T) => shown !== undefined && source.history?.cursorOf(item) === shown;
  const isOpen = ({ key, item }: LogEntry<T>) => turned.has(key) !== isMarked(item);
  const toggle = (key: string) =>
    setTurned((keys) => {
      const next = new Set(keys);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const widths = {
    '--type-width': kind.typeWidth,
    '--cell-widths': kind.columns.map(({ width }) => width).join(' '),
  } as CSSProperties;
  const isLiveOnly = stored.isMissing;
  const foot = isLiveOnly ? null : (
    <LogFoot noun={kind.noun} stored={stored} part={log.part} isTrimmed={log.isTrimmed} isFull={log.isFull} />
  );
  const hasFilters = filters !== undefined && !(isLiveOnly && source.history);
  return (
    <section className={classes.log} aria-label={helpTitle} style={widths} data-filters={hasFilters || undefined}>
      <LiveLogToolbar {...props} log={log} downloads={isLiveOnly ? [] : (props.downloads ?? [])} />
      {hasFilters && filters}
      <GoneNotice noun={kind.noun} stored={stored} onShowNewest={props.onShowNewest} />
      {lines.length === 0 ? (
        <>
          <Waiting noun={kind.noun} log={log} onClearFilters={props.onClearFilters} />
          {foot}
        </>
      ) : (
        <>
          <LogHead kind={kind} />
          <LogRows
            lines={lines}
            kind={kind}
            moreOf={moreOf}
            isOpen={isOpen}
            isMarked={isMarked}
            choices={choices}
            onOpen={onOpen}
            onToggle={toggle}
            onFillGap={log.part.fillGap}
            onEnd={() => stored.reach?.isComplete && !stored.failure && log.part.loadOlder()}
          >
            {foot}
          </LogRows>
        </>
      )}
    </section>
  );
}
