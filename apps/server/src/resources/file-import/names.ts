import type { Database } from '../../database/database.ts';
import type { RowProblem } from './plan.ts';

/** What rows refer to by name or ID, in one organization. */
export interface NamedRecords<Row> {
  /** Such as `application`. */
  readonly called: string;
  readonly byID: ReadonlyMap<string, Row>;
  readonly byName: ReadonlyMap<string, readonly Row[]>;
}

function named<Row extends { id: string | number; name: string }>(called: string, rows: readonly Row[]) {
  return {
    called,
    byID: new Map(rows.map((row) => [String(row.id), row])),
    byName: Map.groupBy(rows, ({ name }) => name),
  };
}

/** Finds a record by its ID or its name. */
export function resolve<Row>(
  { called, byID, byName }: NamedRecords<Row>,
  text: string,
): { row: Row } | { problem: string } {
  const row = byID.get(text) ?? byID.get(text.toLowerCase());
  if (row) return { row };
  const [first, second] = byName.get(text) ?? [];
  if (first === undefined) return { problem: `The organization has no ${called} of this name or ID.` };
  return second === undefined
    ? { row: first }
    : { problem: `Several of its kind have this name: give the ID of the ${called}.` };
}

/** The name of a record for a file; its ID where the name does not identify it. */
export function nameOrID<Row extends { name: string }>({ byID, byName }: NamedRecords<Row>, id: string): string {
  const name = byID.get(id)?.name;
  const isClear = name !== undefined && byName.get(name)?.length === 1 && !byID.has(name);
  return isClear ? name : id === '0' ? '' : id;
}

/** Finds the record that a row names, if it names one. */
export function resolveField<Row>(
  records: NamedRecords<Row>,
  { field, text, problems }: { field: string; text: string | undefined; problems: RowProblem[] },
): Row | undefined {
  if (text === undefined) return undefined;
  const found = resolve(records, text);
  if ('row' in found) return found.row;
  problems.push({ field, text: found.problem });
  return undefined;
}

export type DeviceNames = Awaited<ReturnType<typeof loadDeviceNames>>;

export async function loadDeviceNames({ query }: Database, organizationID: number) {
  const applications = await query
    .selectFrom('application')
    .innerJoin('service_profile', 'service_profile.id', 'application.service_profile_id')
    .select([
      'application.id',
      'application.name',
      'application.service_profile_id',
      'service_profile.network_server_id',
    ])
    .where('application.organization_id', '=', organizationID)
    .execute();
  const profiles = await query
    .selectFrom('device_profile')
    .select(['id', 'name', 'network_server_id', 'mac_version'])
    .where('organization_id', '=', organizationID)
    .execute();
  return { applications: named('application', applications), profiles: named('device-profile', profiles) };
}

export type GatewayNames = Awaited<ReturnType<typeof loadGatewayNames>>;

/** The network servers of the organization are those of its profiles. */
export async function loadGatewayNames({ query }: Database, organizationID: number) {
  const serviceProfiles = await query
    .selectFrom('service_profile')
    .select(['id', 'name', 'network_server_id'])
    .where('organization_id', '=', organizationID)
    .execute();
  const deviceProfiles = await query
    .selectFrom('device_profile')
    .select('network_server_id')
    .distinct()
    .where('organization_id', '=', organizationID)
    .execute();
  const ids = [...serviceProfiles, ...deviceProfiles].map(({ network_server_id }) => network_server_id);
  const servers =
    ids.length === 0
      ? []
      : await query
          .selectFrom('network_server')
          .select(['id', 'name'])
          .where('id', 'in', [...new Set(ids)])
          .execute();
  const gatewayProfiles =
    ids.length === 0
      ? []
      : await query
          .selectFrom('gateway_profile')
          .select(['id', 'name', 'network_server_id'])
          .where('network_server_id', 'in', [...new Set(ids)])
          .execute();
  return {
    servers: named('network-server', servers),
    serviceProfiles: named('service-profile', serviceProfiles),
    gatewayProfiles: named('gateway-profile', gatewayProfiles),
  };
}
