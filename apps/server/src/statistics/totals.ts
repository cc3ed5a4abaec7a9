import type { Database } from '../database/database.ts';
import type { Counters } from './counters.ts';
import { bucketStart, type Interval, nextBucket } from './interval.ts';
import { applicationSubject } from './subjects.ts';

/**
 * Totals of applications, of organizations and of all devices. They are computed while facts are added to their buckets, so that an
 * uplink costs nothing more and a dashboard reads one row per hour, whatever the number of devices.
 */

/** Dashboards and lists need no minutes. */
export const totalIntervals: readonly Interval[] = ['HOUR', 'DAY'];

/** The subject of the totals of an organization; undefined for all organizations. */
export function totalSubject(organizationID: number | undefined): string {
  return organizationID === undefined ? 'installation' : `organization:${organizationID}`;
}

/** The application and the organization of a device. */
export interface Owner {
  applicationID: number;
  organizationID: number;
}

/** The subjects that the counters of a device are added to. */
export function totalSubjects({ applicationID, organizationID }: Owner): string[] {
  return [applicationSubject(applicationID), totalSubject(organizationID), totalSubject(undefined)];
}

const sameInTotals = ['rx_count', 'tx_count', 'lost_count', 'join_count'] as const;

/** What is added up: counters by frequency or data-rate would make the rows large. Undefined when there is nothing to add. */
export function totalsOf(counters: Counters): Counters | undefined {
  const errors = Object.entries(counters).reduce(
    (sum, [name, value]) => (name.startsWith('error_') ? sum + value : sum),
    0,
  );
  const same = sameInTotals.map((name) => [name, counters[name] ?? 0] as const);
  const counted = [...same, ['errors', errors] as const].filter(([, value]) => value > 0);
  return counted.length > 0 ? Object.fromEntries(counted) : undefined;
}

export interface TotalHour {
  start: number;
  counters: Counters;
}

/** One record per hour from the one of `from` to the one of `to`, empty ones included. Facts that wait are not in it. */
export async function readTotals(
  { query }: Database,
  { organizationID, from, to }: { organizationID: number | undefined; from: number; to: number },
): Promise<TotalHour[]> {
  const first = bucketStart('HOUR', from);
  const rows = await query
    .selectFrom('metric')
    .select(['start', 'counters'])
    .where('subject', '=', totalSubject(organizationID))
    .where('interval', '=', 'HOUR')
    .where('start', '>=', first)
    .execute();
  const found = new Map(rows.map(({ start, counters }) => [Number(start), JSON.parse(counters) as Counters]));
  const hours: TotalHour[] = [];
  for (let start = first; start <= to; start = nextBucket('HOUR', start))
    hours.push({ start, counters: found.get(start) ?? {} });
  return hours;
}

/** The first hour since `from` that has totals of all organizations. */
export async function firstTotal({ query }: Database, from: number): Promise<number | undefined> {
  const row = await query
    .selectFrom('metric')
    .select('start')
    .where('subject', '=', totalSubject(undefined))
    .where('interval', '=', 'HOUR')
    .where('start', '>=', from)
    .orderBy('start')
    .limit(1)
    .executeTakeFirst();
  return row && Number(row.start);
}

/** When the oldest fact was recorded that is in no total yet. */
export async function firstWaiting({ query }: Database): Promise<number | undefined> {
  const row = await query.selectFrom('metric_fact').select('at').orderBy('id').limit(1).executeTakeFirst();
  return row && Number(row.at);
}
