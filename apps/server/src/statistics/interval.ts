/**
 * The intervals of statistics and their retention; hours are for charts of a week. Days and months follow the time zone
 * of the process.
 */
export const intervals = {
  MINUTE: { keptMs: 2 * 3_600_000 },
  HOUR: { keptMs: 8 * 86_400_000 },
  DAY: { keptMs: 90 * 86_400_000 },
  MONTH: { keptMs: 730 * 86_400_000 },
} as const;

export type Interval = keyof typeof intervals;

export const intervalNames = Object.keys(intervals) as Interval[];

/** The start of the bucket that contains `ms`. */
export function bucketStart(interval: Interval, ms: number): number {
  if (interval === 'MINUTE') return ms - (((ms % 60_000) + 60_000) % 60_000);
  const date = new Date(ms);
  if (interval === 'HOUR') date.setMinutes(0, 0, 0);
  else date.setHours(0, 0, 0, 0);
  if (interval === 'MONTH') date.setDate(1);
  return date.getTime();
}

/** The start of the bucket after the one that starts at `start`. */
export function nextBucket(interval: Interval, start: number): number {
  if (interval === 'MINUTE') return start + 60_000;
  if (interval === 'HOUR') return bucketStart('HOUR', start + 3_600_000);
  const date = new Date(start);
  if (interval === 'DAY') date.setDate(date.getDate() + 1);
  else date.setMonth(date.getMonth() + 1);
  return bucketStart(interval, date.getTime());
}
