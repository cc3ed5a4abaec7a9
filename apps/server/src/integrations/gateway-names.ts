import type { Database } from '../database/database.ts';
import type { DeliveryJob } from './integration.ts';

const keptMs = 10_000;
const mostKept = 10_000;

/**
 * Looks names of gateways up, and keeps them for a moment. What is heard through a relay names that as its gateway, by
 * DevEUI: it has a name for events of its own application.
 */
export function createGatewayNames(
  { query }: Pick<Database, 'query'>,
  monotonicMs: () => number,
): DeliveryJob<unknown>['gatewayNames'] {
  const known = new Map<string, { name: string | undefined; untilMs: number }>();

  async function look(ids: readonly string[], applicationID: number): Promise<ReadonlyMap<string, string>> {
    const gateways = await query.selectFrom('gateway').select(['id', 'name']).where('id', 'in', ids).execute();
    const found = new Map(gateways.map(({ id, name }) => [id, name]));
    const others = ids.filter((id) => !found.has(id));
    if (others.length === 0) return found;
    const devices = query.selectFrom('device').select(['dev_eui', 'name']).where('dev_eui', 'in', others);
    for (const { dev_eui, name } of await devices.where('application_id', '=', applicationID).execute())
      found.set(dev_eui, name);
    return found;
  }

  return async (gatewayIDs, applicationID) => {
    const nowMs = monotonicMs();
    const keyOf = (id: string) => `${applicationID}/${id}`;
    const missing = gatewayIDs.filter((id) => (known.get(keyOf(id))?.untilMs ?? 0) <= nowMs);
    if (missing.length > 0) {
      if (known.size + missing.length > mostKept) known.clear();
      const found = await look(missing, applicationID);
      for (const id of missing) known.set(keyOf(id), { name: found.get(id), untilMs: nowMs + keptMs });
    }
    return new Map(
      gatewayIDs.flatMap((id) => {
        const name = known.get(keyOf(id))?.name;
        return name === undefined ? [] : [[id, name] as const];
      }),
    );
  };
}
