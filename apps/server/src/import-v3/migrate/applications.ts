import { Application } from '@hilltop/contract';
import { searchText } from '../../database/page.ts';
import type { Carry } from '../move.ts';
import { number, ownID, text } from '../read-row.ts';
import { problemWith } from '../rules.ts';
import type { SourceRow } from '../source/postgres.ts';
import type { WantedRow } from '../wanted.ts';
import { carryTable, LeftBehind } from './each-row.ts';

/** Version 3 keeps no times of them. */
export const carryApplications: Carry = (move) =>
  carryTable(move, {
    what: 'applications',
    database: move.database,
    table: 'application',
    called: (row) => text(row, 'name'),
    problemOf: (row) => problemWith(Application, { name: text(row, 'name'), description: text(row, 'description') }),
    carry: (row) => {
      const { carried, now } = move;
      const [id, organizationID] = [ownID(row), number(row, 'organization_id')];
      const [name, serviceProfileID] = [text(row, 'name'), text(row, 'service_profile_id')];
      if (!carried.organizations.has(organizationID)) throw new LeftBehind('its organization is not carried');
      if (!carried.serviceProfiles.has(serviceProfileID)) throw new LeftBehind('its service-profile is not carried');
      const wanted: WantedRow = {
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
        called: name,
      };
      carried.applications.set(id, { organizationID, serviceProfileID });
      return [wanted];
    },
  });

/** PEM text in a column of bytes. */
function certificateOf(row: SourceRow): string {
  const given = row['mqtt_tls_cert'];
  return given instanceof Uint8Array ? new TextDecoder().decode(given) : '';
}
