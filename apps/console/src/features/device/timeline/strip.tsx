import { ColumnStrip } from '../../../components/column-strip/column-strip.tsx';
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

const legend = (['received', 'lost', 'error', 'join'] as const).map(
  (name) => [<span key={name} className={`${classes.mark} ${classes[name]}`} />, name] as const,
);

interface StripProps {
  days: StripDays;
  /** Undefined while it is loaded. */
  columns: readonly StripColumn[] | undefined;
  /** The end of the shown rows, if they do not end now. */
  untilMs: number | undefined;
  onChoose: (column: StripColumn) => void;
}

/** One column for each hour or day. Choosing one shows the rows of that time. */
export function Strip({ days, columns, untilMs, onChoose }: StripProps) {
  const most = Math.max(1, ...(columns ?? []).map(({ uplinks, lost }) => uplinks + lost));
  const newest = columns?.at(-1);
  const height = (count: number) => ({ height: `${(count / most) * 100}%` });
  return (
    <ColumnStrip
      label={`Uplinks per ${days > 7 ? 'day' : 'hour'}`}
      className={classes.strip}
      columnClassName={classes.column}
      columns={columns}
      keyOf={({ fromMs }) => fromMs}
      textOf={(column) => textOf(column, days)}
      isChosen={({ toMs }) => untilMs === toMs}
      onChoose={onChoose}
      draw={(column) => (
        <>
          <span className={classes.marks}>
            {column.joins > 0 && <span className={classes.join} />}
            {column.errors > 0 && <span className={classes.error} />}
          </span>
          <span className={classes.lost} style={height(column.lost)} />
          <span
            className={classes.received}
            data-open={column === newest || undefined}
            style={height(column.uplinks)}
          />
        </>
      )}
      hint="Choose a column to see its rows."
      legend={legend}
    />
  );
}
