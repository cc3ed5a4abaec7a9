import { Organization } from '@hilltop/contract';
import type { Carry } from '../move.ts';
import { flag, number, ownID, text, times } from '../read-row.ts';
import { problemWith } from '../rules.ts';
import type { WantedRow } from '../wanted.ts';
import { carryTable, LeftBehind } from './each-row.ts';

export const carryOrganizations: Carry = (move) =>
  carryTable(move, {
    what: 'organizations',
    database: move.database,
    table: 'organization',
    called: (row) => text(row, 'name'),
    problemOf: (row) => problemWith(Organization, { name: text(row, 'name'), displayName: text(row, 'display_name') }),
    carry: (row) => {
      const [id, name] = [ownID(row), text(row, 'name')];
      const wanted: WantedRow = {
        table: 'organization',
        values: {
          ...times(row),
          id,
          name,
          display_name: text(row, 'display_name'),
          can_have_gateways: flag(row, 'can_have_gateways'),
          max_gateway_count: number(row, 'max_gateway_count'),
          max_device_count: number(row, 'max_device_count'),
        },
        called: name,
      };
      move.carried.organizations.add(id);
      return [wanted];
    },
  });

export const carryMembers: Carry = (move) =>
  carryTable(move, {
    what: 'organization users',
    database: move.database,
    table: 'organization_user',
    called: (row) => `user ${String(row['user_id'])} in organization ${String(row['organization_id'])}`,
    carry: (row) => {
      const [organizationID, userID] = [number(row, 'organization_id'), number(row, 'user_id')];
      if (!move.carried.organizations.has(organizationID) || !move.carried.users.has(userID))
        throw new LeftBehind('its user or organization is not carried');
      return [
        {
          table: 'organization_user',
          values: {
            ...times(row),
            organization_id: organizationID,
            user_id: userID,
            is_admin: flag(row, 'is_admin'),
            is_device_admin: flag(row, 'is_device_admin'),
            is_gateway_admin: flag(row, 'is_gateway_admin'),
          },
          called: `user ${userID} in organization ${organizationID}`,
        },
      ];
    },
  });
