import type { AuditSubjectKind, TrashKindName } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';

interface NamedTable {
  readonly table: string;
  readonly key?: string;
  readonly name?: string;
  readonly hasNumericID?: true;
}

/** Where the names of subjects are stored. Other kinds have none. */
const tables: Partial<Record<AuditSubjectKind, NamedTable>> = {
  organization: { table: 'organization', hasNumericID: true },
  application: { table: 'application', hasNumericID: true },
  networkServer: { table: 'network_server', hasNumericID: true },
  invitation: { table: 'invitation', name: 'email' },
  user: { table: 'user', name: 'email', hasNumericID: true },
  gateway: { table: 'gateway' },
  deviceProfile: { table: 'device_profile' },
  serviceProfile: { table: 'service_profile' },
  gatewayProfile: { table: 'gateway_profile' },
  multicastGroup: { table: 'multicast_group' },
  apiKey: { table: 'api_key' },
  alertRule: { table: 'alert_rule' },
  trash: { table: 'trash' },
  view: { table: 'view' },
};

/** Prepared, because programs change many devices. */
const deviceName = statement<RowOf<'device', 'name'>>()({
  sql: 'select name from device where dev_eui = $id',
  given: { id: 'text' },
  batch: {},
});

/** The name of a record; empty when it has none or does not exist. */
export async function nameOfSubject(database: Database, kind: AuditSubjectKind, id: string): Promise<string> {
  if (kind === 'device') return (await deviceName(database).first({ id }))?.name ?? '';
  const stored = tables[kind];
  if (!stored || id === '' || (stored.hasNumericID && !Number.isSafeInteger(Number(id)))) return '';
  const { table, key = 'id', name = 'name', hasNumericID } = stored;
  // One table represents all: Kysely cannot express "some table with a name".
  const row = await database.query
    .selectFrom(table as 'application')
    .select(name as 'name')
    .where(key as 'id', '=', (hasNumericID ? Number(id) : id) as number)
    .executeTakeFirst();
  return (row as Record<string, string | null> | undefined)?.[name] ?? '';
}

const trashed = {
  DEVICE: 'device',
  GATEWAY: 'gateway',
  DEVICE_PROFILE: 'deviceProfile',
  SERVICE_PROFILE: 'serviceProfile',
  APPLICATION: 'application',
  ORGANIZATION: 'organization',
} as const satisfies Record<TrashKindName, AuditSubjectKind>;

/** The record that an entry of the trash has. */
export async function trashedRecord(
  { query }: Database,
  trashID: string,
): Promise<{ kind: AuditSubjectKind; id: string; name: string } | undefined> {
  const columns = ['kind', 'record_id', 'name'] as const;
  const row = await query.selectFrom('trash').select(columns).where('id', '=', trashID).executeTakeFirst();
  return row && { kind: trashed[row.kind], id: row.record_id, name: row.name };
}
