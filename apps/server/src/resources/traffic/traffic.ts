import type { Traffic, TrafficHour } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import { firstTotal, firstWaiting, readTotals, type TotalHour } from '../../statistics/totals.ts';

export interface TrafficDependencies {
  database: Database;
  clock: Clock;
}

const hourMs = 3_600_000;
const hoursPerDay = 24;
/** Hours are kept for eight days. */
const mostComparedDays = 7;

/** The last 24 hours of an organization, or of all organizations, with the means of the days before. */
export async function trafficOf(
  { database, clock }: TrafficDependencies,
  organizationID: number | undefined,
): Promise<Traffic> {
  const now = clock.now().getTime();
  const from = now - ((mostComparedDays + 1) * hoursPerDay - 1) * hourMs;
  const hours = await readTotals(database, { organizationID, from, to: now });
  const first = hours[0]!.start;
  const shown = hours.slice(-hoursPerDay);
  const before = hours.slice(0, -hoursPerDay);
  const countedFrom = (await firstTotal(database, first)) ?? now;
  const comparedDays = comparableDays(shown[0]!, countedFrom);
  return {
    hours: shown.map((hour, index) => toTrafficHour(hour, meanUplinks(before, index, comparedDays))),
    countedFrom: countedFrom > first ? new Date(countedFrom).toISOString() : null,
    countedUntil: new Date(Math.min(now, (await firstWaiting(database)) ?? now)).toISOString(),
    comparedDays,
  };
}

/** Whole days with counts before the displayed hours. */
function comparableDays(first: TotalHour, countedFrom: number): number {
  const days = Math.floor((first.start - countedFrom) / (hoursPerDay * hourMs));
  return Math.min(mostComparedDays, Math.max(0, days));
}

/** The mean of the hour at that place of the last days. */
function meanUplinks(before: readonly TotalHour[], index: number, days: number): number {
  let sum = 0;
  for (let day = 1; day <= days; day++)
    sum += before[before.length - day * hoursPerDay + index]?.counters['rx_count'] ?? 0;
  return days === 0 ? 0 : Math.round(sum / days);
}

function toTrafficHour({ start, counters }: TotalHour, usualUplinks: number): TrafficHour {
  return {
    startsAt: new Date(start).toISOString(),
    uplinks: counters['rx_count'] ?? 0,
    downlinks: counters['tx_count'] ?? 0,
    errors: counters['errors'] ?? 0,
    usualUplinks,
  };
}
