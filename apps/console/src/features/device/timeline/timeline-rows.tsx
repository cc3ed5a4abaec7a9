import { type CSSProperties, memo, useMemo, useState } from 'react';
import type { BytesFormat } from '../../../components/live-log/bytes-format.ts';
import logClasses from '../../../components/live-log/live-log.module.css';
import type { LogDetailChoices } from '../../../components/live-log/log-details.tsx';
import type { Chip } from '../../../components/live-log/log-kind.ts';
import { LogHead, LogRow } from '../../../components/live-log/log-row.tsx';
import type { Exchange, TimelineItem } from './exchanges.ts';
import { macWords } from './mac-words.ts';
import classes from './timeline.module.css';
import { timelineKind } from './timeline-kind.ts';

const widths = {
  '--type-width': timelineKind.typeWidth,
  '--cell-widths': timelineKind.columns.map(({ width }) => width).join(' '),
} as CSSProperties;

const noChips = (): readonly Chip[] => [];

/** The exchanges with the device, the newest on top; the rows of one exchange in the order of time. */
export function TimelineRows({ exchanges }: { exchanges: readonly Exchange[] }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [format, setFormat] = useState<BytesFormat>('hex');
  const choices = useMemo(() => ({ format, onFormat: setFormat, linkOf: undefined }), [format]);
  const [toggle] = useState(
    () => (key: string) =>
      setOpen((keys) => {
        const next = new Set(keys);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
  );
  return (
    <section className={logClasses.log} aria-label="Timeline" style={widths}>
      <LogHead kind={timelineKind} />
      <ul className={classes.exchanges}>
        {exchanges.map(({ key, items }) => (
          <li key={key} className={classes.exchange} data-several={items.length > 1 || undefined}>
            {items.map((item, at) => (
              <ItemRows
                key={item.streamID}
                item={item}
                isPart={at > 0}
                isOpen={open.has(item.streamID)}
                choices={choices}
                onToggle={toggle}
              />
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ItemProps {
  item: TimelineItem;
  isPart: boolean;
  isOpen: boolean;
  choices: LogDetailChoices<TimelineItem>;
  onToggle: (key: string) => void;
}

/** A row, its MAC commands in words, and what is missing before it. */
const ItemRows = memo(function ItemRows({ item, isPart, isOpen, choices, onToggle }: ItemProps) {
  const missing = timelineKind.noticeOf?.(item);
  return (
    <>
      <div className={isPart ? classes.part : undefined}>
        <LogRow
          entry={{ key: item.streamID, item, order: timelineKind.orderOf(item) }}
          kind={timelineKind}
          moreOf={noChips}
          isOpen={isOpen}
          isMarked={false}
          choices={choices}
          onToggle={onToggle}
          onOpen={undefined}
        />
      </div>
      {macWords(item.note.mac ?? []).map((words, at) => (
        <p key={at} className={classes.mac}>
          {words}
        </p>
      ))}
      {missing && <p className={classes.missing}>{missing}</p>}
    </>
  );
});
