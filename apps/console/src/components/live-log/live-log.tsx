import { type CSSProperties, type ReactNode, useState } from 'react';
import classes from './live-log.module.css';
import { LiveLogToolbar } from './live-log-toolbar.tsx';
import { type Chip, LogHead, type LogKind } from './log-row.tsx';
import { LogRows } from './log-rows.tsx';
import type { LogEntry } from './log-store.ts';
import { useLiveLog } from './use-live-log.ts';
import { Waiting } from './waiting.tsx';

export interface LiveLogProps<T> {
  /** How items of this log are ordered, deduplicated, summarised and exported. Only its summaries may change. */
  kind: LogKind<T>;
  /** Additional content of a row, which may change after its arrival. */
  moreOf?: (item: T) => readonly Chip[];
  /** Shows an item elsewhere instead of opening its row. */
  onOpen?: (item: T) => void;
  /** The path of the stream, such as `/api/devices/0102030405060708/events`. Another path needs another `key`. */
  path: string;
  /** Name of the downloaded file, such as `device-0102030405060708.json`. */
  fileName: string;
  helpTitle: string;
  /** Content of the help dialog. */
  help: ReactNode;
  /** The identity of the item that is open initially. */
  shown?: string | undefined;
}

const nothing = (): readonly Chip[] => [];

/** Live frames or events, newest on top, with pause, clear, download and help. */
export function LiveLog<T>({
  kind,
  moreOf = nothing,
  onOpen,
  path,
  fileName,
  helpTitle,
  help,
  shown,
}: LiveLogProps<T>) {
  const log = useLiveLog<T>(path, kind);
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  const isOpen = ({ key, item }: LogEntry<T>) =>
    turned.has(key) !== (shown !== undefined && kind.identityOf(item) === shown);
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
  return (
    <section className={classes.log} aria-label={helpTitle} style={widths}>
      <LiveLogToolbar log={log} kind={kind} fileName={fileName} helpTitle={helpTitle} help={help} />
      {log.entries.length === 0 ? (
        <Waiting state={log.state} isPaused={log.isPaused} noun={kind.noun} />
      ) : (
        <>
          <LogHead kind={kind} />
          <LogRows
            kind={kind}
            moreOf={moreOf}
            isOpen={isOpen}
            onOpen={onOpen}
            entries={log.entries}
            onToggle={toggle}
          />
        </>
      )}
    </section>
  );
}
