import { invalid } from '@hilltop/contract';
import type { Interval } from './interval.ts';

const mostBuckets = 20_000;
const shortestMs: Record<Interval, number> = {
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 23 * 3_600_000,
  MONTH: 28 * 86_400_000,
};

/** The interval and ends of a statistics request. Throws code 3 when it asks for more records than anybody can read. */
export function periodOf(request: { interval: string; startTimestamp: string | null; endTimestamp: string | null }): {
  interval: Interval;
  from: number;
  to: number;
} {
  const interval = request.interval.toUpperCase() as Interval;
  const from = Date.parse(request.startTimestamp ?? '');
  const to = Date.parse(request.endTimestamp ?? '');
  if (Number.isNaN(from)) throw invalid('startTimestamp', 'The start of the period is missing.');
  if (Number.isNaN(to)) throw invalid('endTimestamp', 'The end of the period is missing.');
  if ((to - from) / shortestMs[interval] > mostBuckets) {
    throw invalid('interval', `The period has more than ${mostBuckets} intervals: take a longer interval.`);
  }
  return { interval, from, to };
}
