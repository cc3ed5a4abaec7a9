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

const hourMs = 3_600_000;

/** The part of an hour that is counted, 0 to 1. */
function countedPart(startsAt: string | null, countedUntil: string | null): number {
  if (!startsAt || !countedUntil) return 0;
  return Math.min(1, Math.max(0, (Date.parse(countedUntil) - Date.parse(startsAt)) / hourMs));
}

/**
 * How the uplinks compare with the days before: "4% more than usual". The current hour counts by the part that has
 * passed. Without days to compare with, since when uplinks are counted.
 */
export function comparison(traffic: Traffic): string {
  const { hours, comparedDays, countedFrom, countedUntil } = traffic;
  if (comparedDays === 0)
    return countedFrom && sumOf(traffic, 'uplinks') > 0 ? `counted since ${timeOf(countedFrom)}` : '';
  const now = sumOf(traffic, 'uplinks');
  const usual = hours.reduce(
    (sum, { startsAt, usualUplinks }) => sum + usualUplinks * countedPart(startsAt, countedUntil),
    0,
  );
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
