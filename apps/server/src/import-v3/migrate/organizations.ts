import { Organization } from '@hilltop/contract';
import { flag, number, ownID, text, times } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { problemWith } from './contract-rules.ts';
import { importTable, NotImportable } from './each-row.ts';
import type { ImportStep } from './import-pass.ts';

export const importOrganizations: ImportStep = (pass) =>
  importTable(pass, {
    what: 'organizations',
    database: pass.database,
    table: 'organization',
    nameInReport: (row) => text(row, 'name'),
    problemOf: (row) => problemWith(Organization, { name: text(row, 'name'), displayName: text(row, 'display_name') }),
    toTargetRows: (row) => {
      const [id, name] = [ownID(row), text(row, 'name')];
      const wanted: TargetRow = {
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
        nameInReport: name,
      };
      pass.imported.organizations.add(id);
      return [wanted];
    },
  });

export const importMembers: ImportStep = (pass) =>
  importTable(pass, {
    what: 'organization users',
    database: pass.database,
    table: 'organization_user',
    nameInReport: (row) => `user ${String(row['user_id'])} in organization ${String(row['organization_id'])}`,
    toTargetRows: (row) => {
      const [organizationID, userID] = [number(row, 'organization_id'), number(row, 'user_id')];
      if (!pass.imported.organizations.has(organizationID) || !pass.imported.users.has(userID))
        throw new NotImportable('its user or organization is not imported');
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
          nameInReport: `user ${userID} in organization ${organizationID}`,
        },
      ];
    },
  });
