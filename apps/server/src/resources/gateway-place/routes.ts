import type { Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import { listPlaces } from '../gateway/store.ts';

export function gatewayPlaceRoutes({ database }: { database: Database }): Handlers<Operations['gatewayPlace']> {
  return {
    list: async ({ organizationID, limit }, { principal }) => {
      const chosen = toFilterID(organizationID);
      const organizationIDs = chosen === undefined ? visibleOrganizations(principal) : [chosen];
      return { result: await listPlaces(database, { organizationIDs, limit }) };
    },
  };
}
