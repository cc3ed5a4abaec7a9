import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import { perDatabase } from '../../database/prepared.ts';

const keptAtMost = 1000;
/** What a hand changed in the database, or another instance that was not heard, is counted after this time. */
const keptMs = 5_000;

/** Totals by what was asked for, and how often devices have changed. */
const kept = perDatabase(() => ({
  changes: 0,
  totals: new Map<string, { total: number; until: number }>(),
  tellOthers: () => undefined as void,
}));

/**
 * How many devices match, kept until some device is made, changed by the API or removed: a text that very many hold can
 * only be counted by reading them all. `filter` may only name what such a change tells of.
 */
export async function keptTotal(database: Database, filter: string, count: () => Promise<number>): Promise<number> {
  if (database.query.isTransaction) return count();
  const all = kept(database);
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

/** To be called by whoever has written devices. */
export function forgetTotals(database: Database): void {
  database.afterCommit(() => {
    drop(database);
    kept(database).tellOthers();
  });
}

function drop(database: Database): void {
  const all = kept(database);
  all.changes += 1;
  all.totals.clear();
}

/** From now on totals follow what other instances write, and theirs what is written here. */
export async function shareTotals(database: Database, bus: Bus): Promise<void> {
  await bus.subscribeToPeers('devices-changed', '', () => drop(database));
  kept(database).tellOthers = () => bus.publish('devices-changed', '', {});
}
