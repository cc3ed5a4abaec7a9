import type { Carry } from '../move.ts';

import { date, flag, number, optionalNumber, text } from '../read-row.ts';
import { carryTable, LeftBehind } from './each-row.ts';

/** Rows only: tokens are made from their ids, and go on being good while the key that signed them is kept (`tokens`). */
export const carryAPIKeys: Carry = (move) =>
  carryTable(move, {
    what: 'API keys',
    database: move.database,
    table: 'api_key',
    called: (row) => text(row, 'name'),
    carry: (row) => {
      const [organizationID, applicationID] = [
        optionalNumber(row, 'organization_id'),
        optionalNumber(row, 'application_id'),
      ];
      if (organizationID !== null && !move.carried.organizations.has(organizationID))
        throw new LeftBehind('its organization is not carried');
      if (applicationID !== null && !move.carried.applications.has(number(row, 'application_id')))
        throw new LeftBehind('its application is not carried');
      return [
        {
          table: 'api_key',
          values: {
            id: text(row, 'id'),
            name: text(row, 'name'),
            is_admin: flag(row, 'is_admin'),
            organization_id: organizationID,
            application_id: applicationID,
            created_at: date(row, 'created_at'),
            expires_at: null,
            is_from_v3: true,
          },
          called: text(row, 'name'),
        },
      ];
    },
  });
