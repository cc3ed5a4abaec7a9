import type { AvailabilityDay } from '@hilltop/contract';
import { type KeyboardEvent, useRef, useState } from 'react';
import { formatDay } from '../../components/last-seen/dates.ts';
import classes from './availability.module.css';
import { availabilityText, availabilityTone } from './availability-words.ts';

const textOf = (day: AvailabilityDay) => `${formatDay(day.start!)}: ${availabilityText(day)}`;
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

/** One column of hours for each day. Arrow keys move between the days, Enter shows the outages of that day. */
export function AvailabilityStrip({ days, chosen, onChoose }: Props) {
  const [active, setActive] = useState<number | undefined>();
  const columns = useRef<HTMLFieldSetElement>(null);
  const last = days.length - 1;
  const current = Math.min(active ?? last, last);
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(last, Math.max(0, current + step));
    setActive(next);
    columns.current?.querySelectorAll('button')[next]?.focus();
  };
  const shown = active === undefined ? undefined : days[active];
  return (
    <div>
      {/* Arrow keys concern the columns, which are buttons. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <fieldset
        ref={columns}
        className={classes.strip}
        aria-label="Availability per day"
        onKeyDown={onKeyDown}
        onMouseLeave={() => setActive(undefined)}
      >
        {days.map((day, at) => (
          <button
            key={day.start}
            type="button"
            className={classes.day}
            tabIndex={at === current ? 0 : -1}
            aria-label={textOf(day)}
            aria-pressed={chosen === day.start}
            onMouseEnter={() => setActive(at)}
            onFocus={() => setActive(at)}
            onClick={() => onChoose(chosen === day.start ? undefined : day.start!)}
          >
            <span className={classes.whole} data-tone={availabilityTone(day)} />
            <span className={classes.hours}>
              {day.hours.map((hour) => (
                <span key={hour.start} data-tone={availabilityTone(hour)} />
              ))}
            </span>
          </button>
        ))}
      </fieldset>
      <div className={classes.below}>
        <p className={classes.selected} aria-hidden>
          {shown ? textOf(shown) : `${formatDay(days[0]!.start!)} to today. Choose a day to see its outages.`}
        </p>
        <ul className={classes.legend}>
          {legend.map(([tone, label]) => (
            <li key={tone}>
              <span data-tone={tone} /> {label}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
