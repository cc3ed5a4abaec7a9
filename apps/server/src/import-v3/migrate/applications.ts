import { Application } from '@hilltop/contract';
import { searchText } from '../../database/page.ts';
import type { SourceRow } from '../source/postgres.ts';
import { number, ownID, text } from '../source/read-row.ts';
import type { TargetRow } from '../target/target-rows.ts';
import { problemWith } from './contract-rules.ts';
import { importTable, NotImportable } from './each-row.ts';
import type { ImportStep } from './import-pass.ts';

/** Version 3 stores no times of applications. */
export const importApplications: ImportStep = (pass) =>
  importTable(pass, {
    what: 'applications',
    database: pass.database,
    table: 'application',
    nameInReport: (row) => text(row, 'name'),
    problemOf: (row) => problemWith(Application, { name: text(row, 'name'), description: text(row, 'description') }),
    toTargetRows: (row) => {
      const { imported, now } = pass;
      const [id, organizationID] = [ownID(row), number(row, 'organization_id')];
      const [name, serviceProfileID] = [text(row, 'name'), text(row, 'service_profile_id')];
      if (!imported.organizations.has(organizationID)) throw new NotImportable('its organization is not imported');
      if (!imported.serviceProfiles.has(serviceProfileID))
        throw new NotImportable('its service-profile is not imported');
      const wanted: TargetRow = {
        table: 'application',
        values: {
          id,
          name,
          organization_id: organizationID,
          service_profile_id: serviceProfileID,
          description: text(row, 'description'),
          payload_codec: text(row, 'payload_codec'),
          payload_encoder_script: text(row, 'payload_encoder_script'),
          payload_decoder_script: text(row, 'payload_decoder_script'),
          mqtt_tls_cert: certificateOf(row),
          search_text: searchText(name),
          created_at: now,
          updated_at: now,
        },
        nameInReport: name,
      };
      imported.applications.set(id, { organizationID, serviceProfileID });
      return [wanted];
    },
  });

/** PEM text in a column of bytes. */
function certificateOf(row: SourceRow): string {
  const given = row['mqtt_tls_cert'];
  return given instanceof Uint8Array ? new TextDecoder().decode(given) : '';
}
