import type { Traffic } from '@hilltop/contract';

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });
const count = new Intl.NumberFormat('en');

export const timeOf = (timestamp: string | null): string => (timestamp ? clock.format(Date.parse(timestamp)) : '');
export const formatCount = (value: number): string => count.format(value);

type Counted = 'uplinks' | 'downlinks' | 'errors';

export function sumOf({ hours }: Traffic, figure: Counted): number {
  return hours.reduce((sum, hour) => sum + hour[figure], 0);
}

/** Differences below one per cent are noise. */
const leastPercent = 1;

/**
 * How the uplinks of the complete hours compare with the days before: "4% more than usual". Without days to compare with,
 * since when uplinks are counted.
 */
export function comparison({ hours, comparedDays, countedFrom }: Traffic): string {
  if (comparedDays === 0) return countedFrom ? `counted since ${timeOf(countedFrom)}` : '';
  const complete = hours.slice(0, -1);
  const [now, usual] = (['uplinks', 'usualUplinks'] as const).map((figure) =>
    complete.reduce((sum, hour) => sum + hour[figure], 0),
  ) as [number, number];
  if (usual === 0) return '';
  const percent = Math.round((now / usual - 1) * 100);
  if (Math.abs(percent) < leastPercent) return 'as many as usual';
  return `${formatCount(Math.abs(percent))}% ${percent > 0 ? 'more' : 'fewer'} than usual`;
}

/** What the usual figures are: "Usual: mean of the 7 days before". */
export function usualIs({ comparedDays }: Traffic): string {
  return comparedDays === 1 ? 'Usual: the day before' : `Usual: mean of the ${comparedDays} days before`;
}

/** The tooltip of an hour: "14:00 to 15:00: 312 uplinks, usually 298", and "14:00 until 14:23" for the current hour. */
export function hourWords({ hours, comparedDays, countedUntil }: Traffic, index: number): string {
  const hour = hours[index];
  if (!hour) return '';
  const next = hours[index + 1];
  const from = timeOf(hour.startsAt);
  const time = next ? `${from} to ${timeOf(next.startsAt)}` : `${from}, until ${timeOf(countedUntil)}`;
  const uplinks = `${formatCount(hour.uplinks)} ${hour.uplinks === 1 ? 'uplink' : 'uplinks'}`;
  return `${time}: ${uplinks}${comparedDays > 0 ? `, usually ${formatCount(hour.usualUplinks)}` : ''}`;
}
