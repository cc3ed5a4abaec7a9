import type { Operations } from '@hilltop/contract';
import type { Database } from '../../database/database.ts';
import { countOf } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import { toFilterID } from '../../identifiers.ts';
import { applicationLimit, isWithinLimit, memberOrganizations } from '../../identity/visibility.ts';

export function devicePlaceRoutes({ database }: { database: Database }): Handlers<Operations['devicePlace']> {
  return {
    list: async ({ organizationID, limit }, { principal }) => {
      const chosen = toFilterID(organizationID);
      const organizationIDs = chosen === undefined ? memberOrganizations(principal) : [chosen];
      const within = applicationLimit(principal);
      const placed = database.query
        .selectFrom('device')
        .innerJoin('application', 'application.id', 'device.application_id')
        .where('latitude', 'is not', null)
        .$if(organizationIDs !== undefined, (all) => all.where('organization_id', 'in', organizationIDs!))
        .$if(within !== undefined, (all) => all.where(isWithinLimit(database.kind, within!)));
      const rows = await placed
        .select(['dev_eui', 'device.name', 'application_id', 'organization_id', 'latitude', 'longitude'])
        .select('last_seen_at')
        .orderBy('device.application_id')
        .orderBy('dev_eui')
        .limit(limit)
        .execute();
      return {
        totalCount: String(rows.length < limit ? rows.length : await countOf(placed)),
        result: rows.map((row) => ({
          devEUI: row.dev_eui,
          name: row.name,
          applicationID: String(row.application_id),
          organizationID: String(row.organization_id),
          latitude: row.latitude ?? 0,
          longitude: row.longitude ?? 0,
          lastSeenAt: row.last_seen_at?.toISOString() ?? null,
        })),
      };
    },
  };
}
