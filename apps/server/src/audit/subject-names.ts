import type { AuditSubjectKind, TrashKindName } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';

interface NameTexts {
  readonly table: string;
  readonly key?: string;
  readonly name?: string;
}

const nameByText = ({ table, key = 'id', name = 'name' }: NameTexts) =>
  statement<{ name: string | null }>()({
    sql: `select ${name} as name from ${table} where ${key} = $id`,
    given: { id: 'text' },
    batch: {},
  });

const nameByNumber = ({ table, name = 'name' }: NameTexts) =>
  statement<{ name: string | null }>()({
    sql: `select ${name} as name from ${table} where id = $id`,
    given: { id: 'int8' },
    batch: {},
  });

/** Where the names of subjects are stored. Other kinds have none. */
const byNumber: Partial<Record<AuditSubjectKind, ReturnType<typeof nameByNumber>>> = {
  organization: nameByNumber({ table: 'organization' }),
  application: nameByNumber({ table: 'application' }),
  networkServer: nameByNumber({ table: 'network_server' }),
  user: nameByNumber({ table: '"user"', name: 'email' }),
};
const byText: Partial<Record<AuditSubjectKind, ReturnType<typeof nameByText>>> = {
  invitation: nameByText({ table: 'invitation', name: 'email' }),
  device: nameByText({ table: 'device', key: 'dev_eui' }),
  gateway: nameByText({ table: 'gateway' }),
  deviceProfile: nameByText({ table: 'device_profile' }),
  serviceProfile: nameByText({ table: 'service_profile' }),
  gatewayProfile: nameByText({ table: 'gateway_profile' }),
  multicastGroup: nameByText({ table: 'multicast_group' }),
  apiKey: nameByText({ table: 'api_key' }),
  alertRule: nameByText({ table: 'alert_rule' }),
  trash: nameByText({ table: 'trash' }),
  view: nameByText({ table: 'view' }),
};

/** The name of a record; empty when it has none or does not exist. */
export async function nameOfSubject(database: Database, kind: AuditSubjectKind, id: string): Promise<string> {
  if (id === '') return '';
  const row = byNumber[kind]
    ? Number.isSafeInteger(Number(id)) && (await byNumber[kind](database).first({ id: Number(id) }))
    : await byText[kind]?.(database).first({ id });
  return (row && row.name) || '';
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
