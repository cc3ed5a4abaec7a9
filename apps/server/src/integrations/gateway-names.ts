import type { Database } from '../database/database.ts';
import type { Job } from './integration.ts';

const keptMs = 10_000;
const mostKept = 10_000;

/** Looks names of gateways up, and keeps them for a moment. */
export function createGatewayNames(
  { query }: Pick<Database, 'query'>,
  monotonicMs: () => number,
): Job<unknown>['gatewayNames'] {
  const known = new Map<string, { name: string | undefined; untilMs: number }>();
  return async (gatewayIDs) => {
    const nowMs = monotonicMs();
    const missing = gatewayIDs.filter((id) => (known.get(id)?.untilMs ?? 0) <= nowMs);
    if (missing.length > 0) {
      if (known.size + missing.length > mostKept) known.clear();
      const rows = await query.selectFrom('gateway').select(['id', 'name']).where('id', 'in', missing).execute();
      for (const id of missing) known.set(id, { name: undefined, untilMs: nowMs + keptMs });
      for (const { id, name } of rows) known.set(id, { name, untilMs: nowMs + keptMs });
    }
    return new Map(
      gatewayIDs.flatMap((id) => {
        const name = known.get(id)?.name;
        return name === undefined ? [] : [[id, name] as const];
      }),
    );
  };
}
