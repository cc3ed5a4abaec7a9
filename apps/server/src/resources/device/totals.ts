import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import { perDatabase } from '../../database/per-database.ts';

const keptAtMost = 1000;
/** Changes that bypass the API, or whose message was lost, take effect after this time. */
const keptMs = 5_000;

/** Totals by query, and the number of changes of devices. */
const cachedTotals = perDatabase(() => ({
  changes: 0,
  totals: new Map<string, { total: number; until: number }>(),
  tellOthers: () => undefined as void,
}));

/**
 * The number of matching devices, cached until a device is created, removed or changed by the API: a frequent text can
 * only be counted by reading all its rows. `filter` may only use columns whose changes call `forgetTotals`.
 */
export async function keptTotal(database: Database, filter: string, count: () => Promise<number>): Promise<number> {
  if (database.query.isTransaction) return count();
  const all = cachedTotals(database);
  const known = all.totals.get(filter);
  if (known && known.until > performance.now()) return known.total;
  const before = all.changes;
  const total = await count();
  if (all.changes === before) {
    if (all.totals.size >= keptAtMost) all.totals.clear();
    all.totals.set(filter, { total, until: performance.now() + keptMs });
  }
  return total;
}

/**
 * The same for several keys at once, such as applications; those without devices are left out by `count`. `name` says what
 * is counted.
 */
export async function keptTotals<K extends string | number>(
  database: Database,
  name: string,
  keys: readonly K[],
  count: () => Promise<ReadonlyMap<K, number>>,
): Promise<ReadonlyMap<K, number>> {
  let counted: ReturnType<typeof count> | undefined;
  const kept = keys.map(async (key): Promise<[key: K, total: number]> => {
    const countOne = async () => (await (counted ??= count())).get(key) ?? 0;
    return [key, await keptTotal(database, JSON.stringify([name, key]), countOne)];
  });
  return new Map(await Promise.all(kept));
}

/** Call it after writing devices. */
export function invalidateTotals(database: Database): void {
  database.afterCommit(() => {
    drop(database);
    cachedTotals(database).tellOthers();
  });
}

function drop(database: Database): void {
  const all = cachedTotals(database);
  all.changes += 1;
  all.totals.clear();
}

/** Subscribes to changes of devices at other instances and publishes those of this one. */
export async function synchronizeTotals(database: Database, bus: Bus): Promise<void> {
  await bus.subscribeToPeers('devices-changed', '', () => drop(database));
  cachedTotals(database).tellOthers = () => bus.publish('devices-changed', '', {});
}
