import type { AvailabilityDay } from '@hilltop/contract';
import { ColumnStrip } from '../../components/column-strip/column-strip.tsx';
import { formatDay } from '../../components/last-seen/dates.ts';
import classes from './availability.module.css';
import { availabilityText, availabilityTone } from './availability-words.ts';

const legend = [
  ['online', 'online'],
  ['part', 'partly'],
  ['offline', 'offline'],
  ['stopped', 'server stopped'],
  ['unknown', 'not known'],
] as const;

interface Props {
  days: readonly AvailabilityDay[];
  /** The start of the chosen day. */
  chosen: string | undefined;
  onChoose: (start: string | undefined) => void;
}

/** One column of hours for each day. Choosing one shows the outages of that day. */
export function AvailabilityStrip({ days, chosen, onChoose }: Props) {
  return (
    <div className={classes.availability}>
      <ColumnStrip
        label="Availability per day"
        className={classes.strip}
        columnClassName={classes.day}
        columns={days}
        keyOf={({ start }) => start!}
        textOf={(day) => `${formatDay(day.start!)}: ${availabilityText(day)}`}
        isChosen={({ start }) => chosen === start}
        onChoose={({ start }) => onChoose(chosen === start ? undefined : start!)}
        draw={(day) => (
          <>
            <span className={classes.whole} data-tone={availabilityTone(day)} />
            <span className={classes.hours}>
              {day.hours.map((hour) => (
                <span key={hour.start} data-tone={availabilityTone(hour)} />
              ))}
            </span>
          </>
        )}
        hint={`${formatDay(days[0]!.start!)} to today. Choose a day to see its outages.`}
        legend={legend.map(([tone, label]) => [<span key={tone} className={classes.mark} data-tone={tone} />, label])}
      />
    </div>
  );
}
