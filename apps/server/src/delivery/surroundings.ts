import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';

/** What formats want to know beside the event. */
export interface Surroundings {
  gatewayNames(gatewayIDs: readonly string[]): Promise<ReadonlyMap<string, string>>;
  variables(devEUI: string): Promise<Readonly<Record<string, string>>>;
}

const keptMs = 10_000;
const mostKept = 10_000;

export function createSurroundings({ database, clock }: { database: Database; clock: Clock }): Surroundings {
  /** By gateway id; undefined for those nobody knows. */
  const known = new Map<string, { name: string | undefined; atMs: number }>();

  async function learn(gatewayIDs: readonly string[]): Promise<void> {
    const atMs = clock.monotonicMs();
    const missing = gatewayIDs.filter((id) => atMs - (known.get(id)?.atMs ?? Number.NEGATIVE_INFINITY) >= keptMs);
    if (missing.length === 0) return;
    if (known.size + missing.length > mostKept) known.clear();
    const rows = await database.query.selectFrom('gateway').select(['id', 'name']).where('id', 'in', missing).execute();
    for (const id of missing) known.set(id, { name: undefined, atMs });
    for (const { id, name } of rows) known.set(id, { name, atMs });
  }

  return {
    gatewayNames: async (gatewayIDs) => {
      await learn(gatewayIDs);
      const names = gatewayIDs.map((id) => [id, known.get(id)?.name] as const);
      return new Map(names.filter((one): one is readonly [string, string] => one[1] !== undefined));
    },
    variables: async (devEUI) => {
      const row = await database.query
        .selectFrom('device')
        .select('variables')
        .where('dev_eui', '=', devEUI)
        .executeTakeFirst();
      return row?.variables ?? {};
    },
  };
}
