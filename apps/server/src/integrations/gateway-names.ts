import { LRUCache } from 'lru-cache';
import type { Database } from '../database/database.ts';
import type { DeliveryJob } from './integration.ts';

const cacheMs = 10_000;
const maxCached = 10_000;

/**
 * Looks up names of gateways, with a cache of ten seconds. An uplink through a relay names the relay as its gateway, by
 * DevEUI: a relay has a name for events of its own application.
 */
export function createGatewayNames(
  { query }: Pick<Database, 'query'>,
  monotonicMs: () => number,
): DeliveryJob<unknown>['gatewayNames'] {
  /** By application and id. */
  const cache = new LRUCache<string, { name: string | undefined; expiresAt: number }>({ max: maxCached });

  async function lookUp(ids: readonly string[], applicationID: number): Promise<ReadonlyMap<string, string>> {
    const gateways = await query.selectFrom('gateway').select(['id', 'name']).where('id', 'in', ids).execute();
    const names = new Map(gateways.map(({ id, name }) => [id, name]));
    const others = ids.filter((id) => !names.has(id));
    if (others.length === 0) return names;
    const devices = query.selectFrom('device').select(['dev_eui', 'name']).where('dev_eui', 'in', others);
    for (const { dev_eui, name } of await devices.where('application_id', '=', applicationID).execute())
      names.set(dev_eui, name);
    return names;
  }

  return async (gatewayIDs, applicationID) => {
    const now = monotonicMs();
    const keyOf = (id: string) => `${applicationID}/${id}`;
    const names = new Map<string, string | undefined>();
    const missing: string[] = [];
    for (const id of gatewayIDs) {
      const cached = cache.get(keyOf(id));
      if (cached && cached.expiresAt > now) names.set(id, cached.name);
      else missing.push(id);
    }
    if (missing.length > 0) {
      const found = await lookUp(missing, applicationID);
      for (const id of missing) {
        names.set(id, found.get(id));
        cache.set(keyOf(id), { name: found.get(id), expiresAt: now + cacheMs });
      }
    }
    return new Map([...names].flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])));
  };
}
