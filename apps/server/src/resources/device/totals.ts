import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import { perDatabase } from '../../database/per-database.ts';

const maxTotals = 1000;
/** Changes that bypass the API, or whose message was lost, take effect after this time. */
const expireMs = 5_000;

/** Totals by query, and the number of changes of devices. */
const totalsOf = perDatabase(() => ({
  changes: 0,
  totals: new Map<string, { total: unknown; until: number }>(),
  publishChange: () => undefined as void,
}));

/**
 * The number of matching devices, cached until a device is created, removed or changed by the API: a frequent text can
 * only be counted by reading all its rows. `filter` may only use columns whose changes call `forgetTotals`.
 */
export async function cachedTotal<Total>(
  database: Database,
  filter: string,
  count: () => Promise<Total>,
  keptMs = expireMs,
): Promise<Total> {
  if (database.query.isTransaction) return count();
  const all = totalsOf(database);
  const known = all.totals.get(filter);
  if (known && known.until > performance.now()) return known.total as Total;
  const before = all.changes;
  const total = await count();
  if (all.changes === before) {
    if (all.totals.size >= maxTotals) all.totals.clear();
    all.totals.set(filter, { total, until: performance.now() + keptMs });
  }
  return total;
}

/**
 * The same for several keys at once, such as applications; those without devices are left out by `count`. `name` says what
 * is counted.
 */
export async function cachedTotals<K extends string | number>(
  database: Database,
  name: string,
  keys: readonly K[],
  count: () => Promise<ReadonlyMap<K, number>>,
): Promise<ReadonlyMap<K, number>> {
  let counted: ReturnType<typeof count> | undefined;
  const entries = keys.map(async (key): Promise<[key: K, total: number]> => {
    const countOne = async () => (await (counted ??= count())).get(key) ?? 0;
    return [key, await cachedTotal(database, JSON.stringify([name, key]), countOne)];
  });
  return new Map(await Promise.all(entries));
}

/** Call it after writing devices. */
export function invalidateTotals(database: Database): void {
  database.afterCommit(() => {
    drop(database);
    totalsOf(database).publishChange();
  });
}

function drop(database: Database): void {
  const all = totalsOf(database);
  all.changes += 1;
  all.totals.clear();
}

/** Subscribes to changes of devices at other instances and publishes those of this one. */
export async function synchronizeTotals(database: Database, bus: Bus): Promise<void> {
  await bus.subscribeToPeers('devices-changed', '', () => drop(database));
  totalsOf(database).publishChange = () => bus.publish('devices-changed', '', {});
}
