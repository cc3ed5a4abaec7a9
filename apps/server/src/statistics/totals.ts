import type { Database } from '../database/database.ts';
import type { Counters } from './counters.ts';
import { bucketStart, type Interval, nextBucket } from './interval.ts';

/**
 * Totals of organizations and of all devices. They are computed while facts are added to their buckets, so that an
 * uplink costs nothing more and a dashboard reads one row per hour, whatever the number of devices.
 */

/** Dashboards need no minutes. */
export const totalIntervals: readonly Interval[] = ['HOUR', 'DAY'];

/** The subject of the totals of an organization; undefined for all organizations. */
export function totalSubject(organizationID: number | undefined): string {
  return organizationID === undefined ? 'installation' : `organization:${organizationID}`;
}

/** The subjects that the counters of a device are added to. */
export function totalSubjects(organizationID: number): string[] {
  return [totalSubject(organizationID), totalSubject(undefined)];
}

/** What is added up: counters by frequency or data-rate would make the rows large. */
export function totalsOf(counters: Counters): Counters {
  const errors = Object.entries(counters).reduce(
    (sum, [name, value]) => (name.startsWith('error_') ? sum + value : sum),
    0,
  );
  const totals = { uplinks: counters['rx_count'] ?? 0, downlinks: counters['tx_count'] ?? 0, errors };
  return Object.fromEntries(Object.entries(totals).filter(([, value]) => value > 0));
}

const devicePrefix = 'device:';

/** The organizations of the subjects that are devices. */
export async function organizationsOf(
  { query }: Database,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const devEUIs = subjects
    .filter((subject) => subject.startsWith(devicePrefix))
    .map((subject) => subject.slice(devicePrefix.length));
  if (devEUIs.length === 0) return new Map();
  const rows = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select(['device.dev_eui', 'application.organization_id'])
    .where('device.dev_eui', 'in', devEUIs)
    .execute();
  return new Map(rows.map((row) => [`${devicePrefix}${row.dev_eui}`, row.organization_id]));
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
