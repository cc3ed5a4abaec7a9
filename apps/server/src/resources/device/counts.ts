import { type DeviceCountName, type DeviceCounts, deviceCounts, deviceFilters } from '@hilltop/contract';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';
import { countOf } from '../../database/page.ts';
import type { Tables } from '../../database/tables.ts';
import { readFilters } from '../list-filters.ts';
import { sumOfApplications } from './count.ts';
import { conditionsOfFilters, conditionsOfSelection, type DeviceSelection } from './filters.ts';
import { keysIfFew } from './list.ts';
import { cachedTotal } from './totals.ts';

type DeviceQuery = SelectQueryBuilder<Tables, 'device', object>;
type Conditions = readonly (readonly [name: DeviceCountName, condition: RawBuilder<boolean>])[];

/** States also change with time. */
const keptMs = 10_000;

/** The devices of a selection by state. */
export function deviceCountsOf(database: Database, selection: DeviceSelection, now: Date): Promise<DeviceCounts> {
  const key = JSON.stringify(['counts', selection]);
  return cachedTotal(database, key, () => countAnew(database, selection, now), keptMs);
}

async function countAnew(database: Database, selection: DeviceSelection, now: Date): Promise<DeviceCounts> {
  const { query, kind } = database;
  const wanted = await conditionsOfSelection(database, selection, now);
  const all = wanted.reduce((rows, one) => rows.where(one), query.selectFrom('device'));
  const counted = await countedIn(database, selection, now);
  if (selection.search === '' && selection.filters.length === 0)
    return countByIndex(all, counted, await sumOfApplications(database, selection));
  const few = await keysIfFew(all);
  return countByRow(few ? query.selectFrom('device').where(isInList(kind, 'device.dev_eui', few)) : all, counted);
}

/** What is counted, each as a condition. */
async function countedIn(database: Database, selection: DeviceSelection, now: Date): Promise<Conditions> {
  const names = Object.keys(deviceCounts) as DeviceCountName[];
  const filters = readFilters(
    deviceFilters,
    names.map((name) => deviceCounts[name].filter),
  );
  const conditions = await conditionsOfFilters(database, { ...selection, filters }, { now, isAlone: true });
  return names.map((name, index) => [name, conditions[index]!]);
}

/** Each count has an index that holds its devices. */
async function countByIndex(devices: DeviceQuery, counted: Conditions, all: number): Promise<DeviceCounts> {
  const counts = { all } as DeviceCounts;
  for (const [name, condition] of counted)
    if (name !== 'active') counts[name] = Number(await countOf(devices.where(condition)));
  return { ...counts, active: Math.max(0, counts.all - counts.inactive - counts.neverSeen) };
}

/** Reads each device of the selection once. */
async function countByRow(rows: DeviceQuery, counted: Conditions): Promise<DeviceCounts> {
  const sums = counted.map(([name, condition]) => sql<number>`count(case when ${condition} then 1 end)`.as(name));
  const row = await rows
    .select((eb) => eb.fn.countAll<number>().as('all'))
    .select(sums)
    .executeTakeFirstOrThrow();
  return Object.fromEntries(Object.entries(row).map(([name, count]) => [name, Number(count)])) as DeviceCounts;
}
