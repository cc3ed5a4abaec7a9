import type { Traffic } from '@hilltop/contract';
import { Tooltip } from '@mantine/core';
import { type PointerEvent, useId, useState } from 'react';
import classes from './traffic-bars.module.css';
import { formatCount, hourWords, sumOf, timeOf, usualIs } from './traffic-words.ts';

const [barWidth, height, headroom, hatch] = [10, 40, 4, 4];

/** The largest number of the finished hours: a burst in the current hour does not flatten the others. */
function scaleOf(hours: Traffic['hours']): number {
  const finished = hours.slice(0, -1).flatMap(({ uplinks, usualUplinks }) => [uplinks, usualUplinks]);
  const largest = Math.max(0, ...finished);
  return largest > 0 ? largest : Math.max(1, hours.at(-1)?.uplinks ?? 0);
}

/** Uplinks per hour as bars, the usual number as a step line above them. The current hour is hatched: it is not over. */
export function TrafficBars({ traffic }: { traffic: Traffic }) {
  const { hours, comparedDays, countedUntil } = traffic;
  const pattern = useId();
  const [pointed, setPointed] = useState(-1);
  const largest = scaleOf(hours);
  const heightOf = (value: number) => Math.min(1, value / largest) * (height - headroom);
  const width = hours.length * barWidth;
  const usual = hours
    .map(({ usualUplinks }, index) => `${index === 0 ? 'M' : 'L'}${index * barWidth} ${y(usualUplinks)}h${barWidth}`)
    .join('');
  function y(value: number) {
    return (height - heightOf(value)).toFixed(1);
  }
  function point({ clientX, currentTarget }: PointerEvent<SVGElement>) {
    const { left, width: pixels } = currentTarget.getBoundingClientRect();
    setPointed(Math.floor(((clientX - left) / pixels) * hours.length));
  }
  const summary = `Uplinks per hour, ${formatCount(sumOf(traffic, 'uplinks'))} in ${hours.length} hours until ${timeOf(countedUntil)}`;
  return (
    <Tooltip.Floating label={hourWords(traffic, pointed)} disabled={!hours[pointed]}>
      <svg
        className={classes.bars}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${summary}.${comparedDays > 0 ? ` ${usualIs(traffic)}.` : ''}`}
        onPointerMove={point}
      >
        <defs>
          <pattern
            id={pattern}
            width={hatch}
            height={hatch}
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect className={classes.stripe} width={hatch / 2} height={hatch} />
          </pattern>
        </defs>
        {hours.map(({ startsAt, uplinks }, index) => (
          <rect
            key={startsAt}
            className={classes.bar}
            data-pointed={index === pointed || undefined}
            data-open={index === hours.length - 1 || undefined}
            fill={index === hours.length - 1 ? `url(#${pattern})` : undefined}
            x={index * barWidth + 1}
            width={barWidth - 2}
            y={uplinks > 0 ? Math.min(Number(y(uplinks)), height - 1.5) : height}
            height={uplinks > 0 ? Math.max(heightOf(uplinks), 1.5) : 0}
          />
        ))}
        {(hours.at(-1)?.uplinks ?? 0) > largest && (
          <path className={classes.cut} data-cut d={`M${width - barWidth} ${headroom + 6}l${barWidth} -3`} />
        )}
        <path className={classes.base} d={`M0 ${height - 0.5}H${width}`} />
        {comparedDays > 0 && <path className={classes.usual} d={usual} />}
      </svg>
    </Tooltip.Floating>
  );
}
