import { date, flag, number, optionalNumber, text } from '../source/read-row.ts';
import { importTable, NotImportable } from './each-row.ts';
import type { ImportStep } from './import-pass.ts';

/** Imports rows only. Tokens contain their ids, and stay valid while the key that signed them is stored (`tokens`). */
export const importAPIKeys: ImportStep = (pass) =>
  importTable(pass, {
    what: 'API keys',
    database: pass.database,
    table: 'api_key',
    nameInReport: (row) => text(row, 'name'),
    toTargetRows: (row) => {
      const [organizationID, applicationID] = [
        optionalNumber(row, 'organization_id'),
        optionalNumber(row, 'application_id'),
      ];
      if (organizationID !== null && !pass.imported.organizations.has(organizationID))
        throw new NotImportable('its organization is not imported');
      if (applicationID !== null && !pass.imported.applications.has(number(row, 'application_id')))
        throw new NotImportable('its application is not imported');
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
          nameInReport: text(row, 'name'),
        },
      ];
    },
  });
