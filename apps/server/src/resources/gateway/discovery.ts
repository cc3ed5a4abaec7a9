import type { Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { lastPing, lastTry } from '../../discovery/ping-rows.ts';
import type { Handlers } from '../../http/call.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import { loadGateway, namesOfGateways } from './store.ts';

/** The outcome of the pings of a gateway. */
export function gatewayDiscoveryRoutes({ database }: { database: Database }): Handlers<Operations['gatewayDiscovery']> {
  return {
    get: async ({ gatewayID }, { principal }) => {
      const { organization_id } = await loadGateway(database, gatewayID);
      const [tried, ping] = [await lastTry(database, gatewayID), await lastPing(database, gatewayID)];
      const { createdAt, frequency = 0, dr = 0, receptions = [] } = ping ?? {};
      // The key of an organization has no memberships.
      const visible = visibleOrganizations(principal)?.concat(organization_id);
      const ids = receptions.map((one) => one.gatewayID);
      const names = await namesOfGateways(database, ids, visible);
      return {
        triedAt: tried?.triedAt.toISOString() ?? null,
        outcome: tried?.outcome ?? '',
        sentAt: createdAt?.toISOString() ?? null,
        frequency,
        dr,
        receivers: receptions.map((one) => ({ ...one, name: names.get(one.gatewayID) ?? '' })),
      };
    },
  };
}
