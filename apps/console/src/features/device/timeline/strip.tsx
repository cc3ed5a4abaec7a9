import { type KeyboardEvent, useRef, useState } from 'react';
import type { StripColumn, StripDays } from './strip-columns.ts';
import classes from './timeline.module.css';

const hour = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { weekday: 'short', month: 'short', day: 'numeric' });

const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

function textOf({ fromMs, uplinks, lost, errors, joins }: StripColumn, days: StripDays): string {
  const facts = [
    counted(uplinks, 'uplink'),
    lost > 0 && `${lost} lost`,
    errors > 0 && counted(errors, 'error'),
    joins > 0 && counted(joins, 'join'),
  ];
  return `${(days > 7 ? day : hour).format(fromMs)}: ${facts.filter(Boolean).join(', ')}`;
}

interface StripProps {
  days: StripDays;
  /** Undefined while it is loaded. */
  columns: readonly StripColumn[] | undefined;
  /** The end of the shown rows, if they do not end now. */
  untilMs: number | undefined;
  onChoose: (column: StripColumn) => void;
}

/** One column for each hour or day. Arrow keys move between the columns, Enter shows the rows of that time. */
export function Strip({ days, columns, untilMs, onChoose }: StripProps) {
  const [active, setActive] = useState<number | undefined>();
  const [isInside, setInside] = useState(false);
  const bars = useRef<HTMLFieldSetElement>(null);
  const last = (columns?.length ?? 0) - 1;
  const current = Math.min(active ?? last, last);
  const shown = columns?.[current];
  const most = Math.max(1, ...(columns ?? []).map(({ uplinks, lost }) => uplinks + lost));
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, current + step));
    setActive(next);
    bars.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <div>
      {/* Arrow keys and the pointer concern the columns, which are buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <fieldset
        ref={bars}
        className={classes.strip}
        data-loading={columns === undefined || undefined}
        aria-label={`Uplinks per ${days > 7 ? 'day' : 'hour'}`}
        onKeyDown={onKeyDown}
        onMouseEnter={() => setInside(true)}
        onMouseLeave={() => {
          setInside(false);
          setActive(undefined);
        }}
        onFocus={() => setInside(true)}
        onBlur={() => setInside(false)}
      >
        {columns?.map((column, at) => (
          <button
            key={column.fromMs}
            type="button"
            className={classes.column}
            tabIndex={at === current ? 0 : -1}
            aria-label={textOf(column, days)}
            aria-pressed={untilMs === column.toMs}
            onMouseEnter={() => setActive(at)}
            onFocus={() => setActive(at)}
            onClick={() => onChoose(column)}
          >
            <span className={classes.marks}>
              {column.joins > 0 && <span className={classes.join} />}
              {column.errors > 0 && <span className={classes.error} />}
            </span>
            <span className={classes.lost} style={{ height: `${(column.lost / most) * 100}%` }} />
            <span
              className={classes.received}
              data-open={at === last || undefined}
              style={{ height: `${(column.uplinks / most) * 100}%` }}
            />
          </button>
        ))}
      </fieldset>
      <div className={classes.below}>
        <p className={classes.selected} aria-hidden>
          {isInside && shown ? textOf(shown, days) : 'Choose a column to see its rows.'}
        </p>
        <ul className={classes.legend}>
          <li>
            <span className={classes.received} /> received
          </li>
          <li>
            <span className={classes.lost} /> lost
          </li>
          <li>
            <span className={classes.error} /> error
          </li>
          <li>
            <span className={classes.join} /> join
          </li>
        </ul>
      </div>
    </div>
  );
}
