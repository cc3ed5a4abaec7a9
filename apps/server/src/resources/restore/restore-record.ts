import {
  notFound,
  type Operation,
  operations,
  refusal,
  type TrashedName,
  type TrashRefusal,
  trashKinds,
} from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Bus } from '../../bus/bus.ts';
import type { Database } from '../../database/database.ts';
import type { Tables } from '../../database/tables.ts';
import { unindexedTexts } from '../../database/unindexed-texts.ts';
import { Violation } from '../../database/violation.ts';
import { toApiError } from '../../http/errors.ts';
import { checkAccess } from '../../identity/access.ts';
import type { Principal, Principals } from '../../identity/principals.ts';
import { type IntegrationRow, ownerIn } from '../../integrations/store.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { Secrets } from '../../secrets.ts';
import { continueJoinNonce } from '../device/join-nonces.ts';
import { countDevices } from '../device/store.ts';
import { invalidateTotals } from '../device/totals.ts';
import { addMember } from '../multicast-group/members.ts';
import { claimQuota } from '../organization-quota.ts';
import { type LimitedTable, refuseBeyondLimit } from '../record-limits.ts';
import { decodeRow, openBody, type TrashBody } from '../trash/body.ts';
import { restoreNetworkPart } from '../trash/network-part.ts';
import type { StoredRecord } from '../trash/store.ts';

export interface RestoreDependencies {
  database: Database;
  networks: Networks;
  secrets: Secrets;
  bus: Bus;
  principals: Principals;
  clock: Clock;
}

type Values = Record<string, unknown>;

/** A record that is being restored, by the rights of somebody. */
interface Restored {
  readonly needs: RestoreDependencies;
  readonly kind: TrashedName;
  readonly recordID: string;
  /** The row of the record itself. */
  readonly row: Values;
  readonly body: TrashBody;
  /** Nobody has used its DevEUI since. */
  readonly hasHistory: boolean;
}

/** Another record that a column of the row refers to. */
interface Owner {
  readonly column: string;
  readonly table:
    | 'application'
    | 'organization'
    | 'network_server'
    | 'device_profile'
    | 'service_profile'
    | 'gateway_profile';
  readonly called: string;
}

const owners = {
  organization: { column: 'organization_id', table: 'organization', called: 'organization' },
  application: { column: 'application_id', table: 'application', called: 'application' },
  networkServer: { column: 'network_server_id', table: 'network_server', called: 'network-server' },
  deviceProfile: { column: 'device_profile_id', table: 'device_profile', called: 'device-profile' },
  serviceProfile: { column: 'service_profile_id', table: 'service_profile', called: 'service-profile' },
  gatewayProfile: { column: 'gateway_profile_id', table: 'gateway_profile', called: 'gateway-profile' },
} as const satisfies Record<string, Owner>;

interface RestoredKind {
  readonly owners: readonly Owner[];
  /** The call that creates such a record: who may make it may restore one. Undefined: who may restore its application. */
  readonly create?: (row: Values) => readonly [Operation, request: object];
  /** The limit of records of its owner. */
  readonly limit?: readonly [LimitedTable, owner: 'organization' | 'application'];
  /** Columns that count or index other rows. */
  readonly reset?: (restored: Restored) => Promise<Values> | Values;
  /** What follows once the rows are there. */
  readonly follow?: (restored: Restored) => Promise<void>;
}

const idOf = (value: unknown) => String((value ?? '') as string | number);

const restoredKinds: Readonly<Record<TrashedName, RestoredKind>> = {
  ORGANIZATION: {
    owners: [],
    create: () => [operations.organization.create, { organization: {} }],
    reset: () => ({ device_count: 0, gateway_count: 0 }),
    follow: async ({ needs, body }) => {
      const members = body.tables.find(([table]) => table === 'organization_user')?.[1] ?? [];
      for (const { user_id } of members) needs.principals.changed(idOf(user_id));
    },
  },
  SERVICE_PROFILE: {
    limit: ['service_profile', 'organization'],
    owners: [owners.organization, owners.networkServer],
    create: () => [operations.serviceProfile.create, { serviceProfile: {} }],
  },
  DEVICE_PROFILE: {
    limit: ['device_profile', 'organization'],
    owners: [owners.organization, owners.networkServer],
    create: (row) => [
      operations.deviceProfile.create,
      { deviceProfile: { organizationID: idOf(row['organization_id']) } },
    ],
  },
  APPLICATION: {
    limit: ['application', 'organization'],
    owners: [owners.organization, owners.serviceProfile],
    create: (row) => [operations.application.create, { application: { organizationID: idOf(row['organization_id']) } }],
    reset: () => ({ device_count: 0 }),
    follow: async (restored) => announceIntegrations(restored, Number(restored.row['id'])),
  },
  INTEGRATION: {
    owners: [owners.application, owners.organization],
    follow: async (restored) => announceIntegrations(restored, ownerIn(restored.row as unknown as IntegrationRow)),
  },
  MULTICAST_GROUP: { limit: ['multicast_group', 'application'], owners: [owners.application] },
  GATEWAY: {
    owners: [owners.organization, owners.networkServer, owners.gatewayProfile, owners.serviceProfile],
    create: (row) => [
      operations.gateway.create,
      { gateway: { organizationID: idOf(row['organization_id']), networkServerID: idOf(row['network_server_id']) } },
    ],
    follow: ({ needs, row }) => claimQuota(needs.database, Number(row['organization_id']), 'gateway'),
  },
  DEVICE: {
    owners: [owners.application, owners.deviceProfile],
    create: (row) => [operations.device.create, { device: { applicationID: idOf(row['application_id']) } }],
    reset: resetDevice,
    follow: followDevice,
  },
};

function announceIntegrations({ needs }: Restored, applicationID: number | undefined): void {
  needs.database.afterCommit(() => needs.bus.publish('integration-changed', '', { applicationID }));
}

/** The history of a device comes back unless another device had its DevEUI since. */
async function resetDevice({ needs: { database }, row, hasHistory }: Restored): Promise<Values> {
  // SQLite marks texts that are not in its index yet.
  const search = 'search_row' in row ? { search_row: 0 } : {};
  if (hasHistory) return search;
  const newest = await database.query
    .selectFrom('event')
    .select((eb) => eb.fn.max('pos').as('pos'))
    .executeTakeFirst();
  return { ...search, log_from: newest?.pos ?? 0, last_event: null, previous_event: null };
}

async function followDevice({ needs, recordID, row, body }: Restored): Promise<void> {
  const { database } = needs;
  const { query } = database;
  await continueJoinNonce(database, recordID, needs.clock.now());
  const applicationID = Number(row['application_id']);
  const application = query.selectFrom('application').select('organization_id').where('id', '=', applicationID);
  const { organization_id } = await application.executeTakeFirstOrThrow();
  await claimQuota(database, organization_id, 'device');
  await countDevices(database, applicationID, 1);
  invalidateTotals(database);
  if (database.kind === 'sqlite') unindexedTexts(database).add();
  const memberships = body.tables.find(([table]) => table === 'multicast_group_device')?.[1] ?? [];
  for (const { multicast_group_id } of memberships) {
    const group = query
      .selectFrom('multicast_group')
      .select('application_id')
      .where('id', '=', idOf(multicast_group_id));
    if ((await group.executeTakeFirst())?.application_id === applicationID)
      await addMember(needs, idOf(multicast_group_id), recordID);
  }
}

/**
 * Puts back one record with its session, and takes its row out of the trash: once, because both are one transaction. Call
 * it in one. Answers whether the row was there; refuses what does not fit.
 */
export async function restoreRow(needs: RestoreDependencies, rowID: number, by: Principal): Promise<boolean> {
  const { query } = needs.database;
  const [found] = await query.deleteFrom('trash_row').where('id', '=', rowID).returningAll().execute();
  if (!found) return false;
  const { kind, record_id: recordID } = found;
  const body = openBody(needs.secrets, found);
  const row = decodeRow(recordIn(body));
  try {
    await restore({ needs, kind, recordID, row, body, hasHistory: found.log_from !== null }, by);
  } catch (error) {
    throw error instanceof Violation && error.kind === 'unique' ? taken(kind, '') : error;
  }
  return true;
}

/** The same for a single call. Answers why the record was refused; undefined when it was restored. */
export async function restoreRecord(
  needs: RestoreDependencies,
  row: StoredRecord,
  by: Principal,
): Promise<TrashRefusal | undefined> {
  const { database, secrets } = needs;
  try {
    await database.transaction(() => restoreRow(needs, row.id, by));
    return undefined;
  } catch (error) {
    const known = toApiError(error);
    if (['Internal', 'Unavailable', 'Aborted'].includes(known.status)) throw error;
    const name = known.reason === 'RESTORE_LATER_RELEASE' ? '' : nameOfRow(openBody(secrets, row));
    return { kind: row.kind, recordID: row.record_id, name, reason: known.message };
  }
}

const recordIn = ({ tables }: TrashBody) => tables[0]![1][0]!;

/** The name of a record; an integration has its kind. */
export function nameOfRow(body: TrashBody): string {
  const { name, kind } = recordIn(body);
  return idOf(name ?? kind);
}

async function restore(restored: Restored, by: Principal): Promise<void> {
  const { needs, kind, row, body } = restored;
  const { create, limit, reset, follow, owners: ofKind } = restoredKinds[kind];
  await refuseTaken(restored);
  for (const owner of ofKind) await requireOwner(restored, owner);
  if (create) {
    const [operation, request] = create(row);
    await checkAccess(needs, operation, request, by);
  }
  if (kind === 'DEVICE') await refuseOtherNetworkServer(restored);
  if (limit) {
    const [limited, owner] = limit;
    await refuseBeyondLimit(needs.database, limited, { owner, id: Number(row[`${owner}_id`]) });
  }
  const [[table], ...others] = body.tables as [TrashBody['tables'][0], ...TrashBody['tables']];
  await insert(needs.database, table, { ...row, ...(await reset?.(restored)) });
  for (const [other, rows] of others)
    if (other !== 'multicast_group_device')
      for (const one of rows) await insertBeside(needs.database, other, decodeRow(one));
  if (body.network) await restoreNetworkPart(needs, kind, body.network);
  else if (storesPart.has(kind)) throw refusal('RESTORE_NOT_AT_NETWORK', { resource: calledOf(kind) });
  await follow?.(restored);
}

/** Kinds that need a part at their network server. */
const storesPart: ReadonlySet<TrashedName> = new Set([
  'DEVICE',
  'GATEWAY',
  'DEVICE_PROFILE',
  'SERVICE_PROFILE',
  'MULTICAST_GROUP',
]);

const calledOf = (kind: TrashedName) =>
  kind in trashKinds ? trashKinds[kind as keyof typeof trashKinds].called : kind.toLowerCase().replace('_', '-');

const taken = (kind: TrashedName, where: string, called = 'name') =>
  refusal('RESTORE_TAKEN', { resource: calledOf(kind), called, where });

/** Names the application of another device only within the organization. */
async function refuseTaken({ needs, kind, recordID, row }: Restored): Promise<void> {
  const { query } = needs.database;
  if (kind === 'GATEWAY') {
    const gateway = query.selectFrom('gateway').select('id').where('id', '=', recordID);
    if (await gateway.executeTakeFirst()) throw taken(kind, '', 'gateway ID');
  }
  if (kind !== 'DEVICE') return;
  const device = await query
    .selectFrom('device')
    .innerJoin('application', 'application.id', 'device.application_id')
    .select(['application.name', 'application.organization_id'])
    .where('device.dev_eui', '=', recordID)
    .executeTakeFirst();
  if (!device) return;
  const former = query
    .selectFrom('application')
    .select('organization_id')
    .where('id', '=', Number(row['application_id']));
  const isOwn = (await former.executeTakeFirst())?.organization_id === device.organization_id;
  throw taken(kind, isOwn ? ` in ${device.name}` : '', 'EUI');
}

async function requireOwner({ needs, kind, row }: Restored, { column, table, called }: Owner): Promise<void> {
  const id = row[column];
  if (id === null) return;
  const found = needs.database.query
    .selectFrom(table)
    .select('id')
    .where('id', '=', id as never);
  if (!(await found.executeTakeFirst()))
    throw refusal('RESTORE_OWNER_GONE', { owner: called, resource: calledOf(kind) });
}

/** Its application and device-profile may have changed since. */
async function refuseOtherNetworkServer({ needs, row, body }: Restored): Promise<void> {
  const found = await needs.database.query
    .selectFrom('application')
    .innerJoin('service_profile', 'service_profile.id', 'application.service_profile_id')
    .select('service_profile.network_server_id')
    .where('application.id', '=', Number(row['application_id']))
    .executeTakeFirst();
  if (!found) throw notFound('application', idOf(row['application_id']));
  if (body.network && body.network.networkServerID !== found.network_server_id)
    throw refusal('OTHER_NETWORK_SERVER', { profile: 'service-profile' });
}

async function insert({ query }: Database, table: keyof Tables, values: Values): Promise<void> {
  await query
    .insertInto(table as 'application')
    .values(values as never)
    .execute();
}

/** A row beside the record: left out when it exists, or when it refers to a user or model that is gone. */
async function insertBeside(database: Database, table: keyof Tables, values: Values): Promise<void> {
  try {
    await database.transaction(() => insert(database, table, values));
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
  }
}
