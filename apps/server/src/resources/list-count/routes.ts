import { gatewayFilters, type Operations } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import { deviceCountsOf } from '../device/counts.ts';
import { readSelection } from '../device/filters.ts';
import { gatewayCountsOf } from '../gateway/counts.ts';
import { readFilters } from '../list-filters.ts';

interface CountDependencies {
  database: Database;
  clock: Clock;
}

export function deviceCountRoutes({ database, clock }: CountDependencies): Handlers<Operations['deviceCount']> {
  return {
    get: (selection, { principal }) => deviceCountsOf(database, readSelection(selection, principal), clock.now()),
  };
}

export function gatewayCountRoutes({ database, clock }: CountDependencies): Handlers<Operations['gatewayCount']> {
  return {
    get: ({ organizationID, search, filter }, { principal }) => {
      const chosen = toFilterID(organizationID);
      const organizationIDs = chosen === undefined ? visibleOrganizations(principal) : [chosen];
      const filters = readFilters(gatewayFilters, filter);
      return gatewayCountsOf(database, { organizationIDs, search, filters }, clock.now());
    },
  };
}
