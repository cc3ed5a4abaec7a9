import { atField, refusal } from '@hilltop/contract';
import type { Interval } from './interval.ts';

const mostBuckets = 20_000;
const shortestMs: Record<Interval, number> = {
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 23 * 3_600_000,
  MONTH: 28 * 86_400_000,
};

/** The interval, start and end of a statistics request. Throws code 3 when it asks for too many records. */
export function periodOf(request: { interval: string; startTimestamp: string | null; endTimestamp: string | null }): {
  interval: Interval;
  from: number;
  to: number;
} {
  const interval = request.interval.toUpperCase() as Interval;
  const from = Date.parse(request.startTimestamp ?? '');
  const to = Date.parse(request.endTimestamp ?? '');
  if (Number.isNaN(from)) throw atField('startTimestamp', refusal('MISSING', { what: 'start of the period' }));
  if (Number.isNaN(to)) throw atField('endTimestamp', refusal('MISSING', { what: 'end of the period' }));
  if ((to - from) / shortestMs[interval] > mostBuckets) {
    throw atField('interval', refusal('TOO_MANY_INTERVALS', { most: mostBuckets }));
  }
  return { interval, from, to };
}
