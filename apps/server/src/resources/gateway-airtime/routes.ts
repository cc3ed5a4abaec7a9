import { airtimeKeptDays, invalidFields, mostListedAirtimeDays, type Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { visibleOrganizations } from '../../identity/visibility.ts';
import { startOfHour } from '../../statistics/airtime.ts';
import { airtimeOfGateway } from './airtime-of-gateway.ts';
import { listAirtime } from './list.ts';

const dayMs = 86_400_000;

interface GatewayAirtimeDependencies {
  database: Database;
}

export function gatewayAirtimeRoutes({ database }: GatewayAirtimeDependencies): Handlers<Operations['gatewayAirtime']> {
  return {
    get: async ({ gatewayID, ...period }, { principal }) =>
      await airtimeOfGateway(database, gatewayID, periodOf(period, airtimeKeptDays + 1), principal),
    list: async ({ organizationID, limit, offset, ...period }, { principal }) => {
      const chosen = toFilterID(organizationID);
      const organizationIDs = chosen === undefined ? visibleOrganizations(principal) : [chosen];
      const range = periodOf(period, mostListedAirtimeDays);
      return await listAirtime(database, { organizationIDs, limit, offset, ...range });
    },
  };
}

/** From the start of its first hour; throws when it is too long. */
function periodOf({ start, end }: { start: string | null; end: string | null }, mostDays: number) {
  const [from, to] = [startOfHour(Date.parse(start!)), Date.parse(end!)];
  if (to - from > (mostDays + 0.05) * dayMs)
    throw invalidFields([{ field: 'end', description: `Must be at most ${mostDays} days after the start.` }]);
  return { from, to };
}
