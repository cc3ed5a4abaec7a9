import type { Database } from '../database/database.ts';
import { isInList } from '../database/in-list.ts';
import { statement } from '../database/statement.ts';
import type { Counters } from './counters.ts';
import { bucketStart } from './interval.ts';

/** The counters of a device on its last day, and the loss that is stored with it. */
export interface DeviceDay {
  devEUI: string;
  start: number;
  counters: Counters;
  loss: number | null;
}

/**
 * Stores the share of uplinks that devices lost on this day and the one before. It is derived when facts are added up,
 * so that an uplink costs nothing more, and written only when it changes.
 */
export async function storeLosses(database: Database, days: readonly DeviceDay[]): Promise<void> {
  const lossy = days.filter(({ counters, loss }) => (counters['lost_count'] ?? 0) > 0 || (loss ?? 0) > 0);
  if (lossy.length === 0) return;
  const before = await daysBefore(database, lossy);
  const changed = lossy
    .map((day) => ({ ...day, now: lossOf([day.counters, before.get(day.devEUI) ?? {}]) }))
    .filter(({ loss, now }) => now !== loss);
  if (changed.length > 0) await store(database).run({ rows: changed.map(({ devEUI, now }) => [devEUI, now]) });
}

/** In percent with one decimal. */
function lossOf(days: readonly Counters[]): number {
  const sum = (name: string) => days.reduce((all, counters) => all + (counters[name] ?? 0), 0);
  const [received, lost] = [sum('rx_count'), sum('lost_count')];
  return received + lost === 0 ? 0 : Math.round((1000 * lost) / (received + lost)) / 10;
}

async function daysBefore({ query, kind }: Database, days: readonly DeviceDay[]): Promise<Map<string, Counters>> {
  const startOf = new Map(days.map(({ devEUI, start }) => [`device:${devEUI}`, bucketStart('DAY', start - 1)]));
  const rows = await query
    .selectFrom('metric')
    .select(['subject', 'start', 'counters'])
    .where(isInList(kind, 'subject', [...startOf.keys()]))
    .where('interval', '=', 'DAY')
    .where('start', 'in', [...new Set(startOf.values())])
    .execute();
  const found = rows.filter(({ subject, start }) => startOf.get(subject) === Number(start));
  return new Map(
    found.map(({ subject, counters }) => [subject.slice('device:'.length), JSON.parse(counters) as Counters]),
  );
}

/** Each element of `rows` is a DevEUI and its loss. */
const store = statement()({
  // Uplinks update several devices in an order of their own. Rows that they hold are left for the next time.
  sql: ({ kind }) =>
    kind === 'sqlite'
      ? `update device set loss = (k.value ->> 1) from json_each($rows) as k where device.dev_eui = (k.value ->> 0)`
      : `update device set loss = k.loss from (
          select device.dev_eui, cast(k.value ->> 1 as double precision) as loss
          from jsonb_array_elements($rows::jsonb) as k inner join device on device.dev_eui = (k.value ->> 0)
          for update of device skip locked
        ) as k where device.dev_eui = k.dev_eui`,
  given: { rows: 'json' },
});
