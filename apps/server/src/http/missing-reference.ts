import { type ApiError, atField, notFound, refusal } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { toRowID } from '../identifiers.ts';

/** Fields of requests that refer to other records: their table, and the name of such a record for users. */
const references = {
  organizationID: { table: 'organization', called: 'organization', toID: toRowID },
  networkServerID: { table: 'network_server', called: 'network-server', toID: toRowID },
  applicationID: { table: 'application', called: 'application', toID: toRowID },
  serviceProfileID: { table: 'service_profile', called: 'service-profile', toID: String },
  deviceProfileID: { table: 'device_profile', called: 'device-profile', toID: String },
  gatewayProfileID: { table: 'gateway_profile', called: 'gateway-profile', toID: String },
} as const;

/** Finds which referenced record of a refused write does not exist; databases report only that one is missing. */
export async function missingReference(database: Database, request: object): Promise<ApiError> {
  for (const { field, name, id } of referencesIn(request)) {
    const { table, called, toID } = references[name];
    const rows = database.query
      .selectFrom(table)
      .select('id')
      .where('id', '=', toID(id) as never);
    if (!(await rows.executeTakeFirst())) return atField(field, notFound(called, id));
  }
  return refusal('REFERENCE_GONE');
}

function* referencesIn(
  value: object,
  path = '',
): Generator<{ field: string; name: keyof typeof references; id: string }> {
  for (const [name, inner] of Object.entries(value) as [string, unknown][]) {
    const field = Array.isArray(value) ? `${path}[${name}]` : [path, name].filter((part) => part !== '').join('.');
    if (Object.hasOwn(references, name) && typeof inner === 'string' && inner !== '' && inner !== '0')
      yield { field, name: name as keyof typeof references, id: inner };
    else if (typeof inner === 'object' && inner !== null) yield* referencesIn(inner, field);
  }
}
