import {
  type AccessCase,
  ApiError,
  casesFor,
  decide,
  type Membership,
  type Operation,
  refusal,
  type Subject,
  type SubjectFacts,
  valueAt,
} from '@hilltop/contract';
import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf, Tables } from '../database/tables.ts';
import { toRowID } from '../identifiers.ts';
import type { Principal } from './principals.ts';

/** What decides who may make a call. */
type GuardedOperation = Pick<Operation, 'key' | 'access' | 'effect'>;

/**
 * Refuses a call that the access rules of the operation do not allow: code 16 without a valid session, code 7 without
 * the right. It runs before the record is loaded, so that the answer does not reveal to others whether the record
 * exists.
 */
export async function checkAccess(
  { database }: { database: Database },
  operation: GuardedOperation,
  request: unknown,
  principal: Principal,
): Promise<void> {
  for (const one of casesFor(operation.access, request)) {
    // The caller alone decides most calls; only the others need a query.
    let decision = decide(principal, operation.effect, one, nobodys);
    if (decision === 'forbidden')
      decision = decide(
        principal,
        operation.effect,
        one,
        await factsOf(database, operation, { one, request, principal }),
      );
    if (decision === 'unauthenticated') throw refusal(principal ? 'INACTIVE' : 'UNAUTHENTICATED');
    if (decision === 'forbidden') throw forbidden(principal);
  }
}

function forbidden(principal: Principal): ApiError {
  if (principal?.kind !== 'user') return refusal('PERMISSION_DENIED');
  const { mustFirst, id } = principal;
  if (mustFirst === 'CHANGE_PASSWORD') return refusal('PASSWORD_GENERATED', { id });
  return mustFirst === 'SET_UP_SECOND_FACTOR' ? refusal('SECOND_FACTOR_REQUIRED') : refusal('PERMISSION_DENIED');
}

/** Whether the same caller could make another call: for answers that contain more for some callers. */
export async function mayCall(
  needed: { database: Database },
  operation: GuardedOperation,
  request: unknown,
  principal: Principal,
): Promise<boolean> {
  try {
    await checkAccess(needed, operation, request, principal);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Whether the caller of a read may also send. Session keys are for these only: with them frames can be forged by radio. */
export function mayAlsoSend(
  needed: { database: Database },
  { key, access }: Operation,
  request: unknown,
  principal: Principal,
): Promise<boolean> {
  return mayCall(needed, { key, access, effect: 'send' }, request, principal);
}

const nobodys: SubjectFacts = { organizationIDs: [] };

async function factsOf(
  database: Database,
  operation: GuardedOperation,
  { one, request, principal }: { one: AccessCase; request: unknown; principal: Principal },
): Promise<SubjectFacts> {
  const idAt = (path: string | undefined) =>
    (path === undefined ? '' : (valueAt(request, path) as string | undefined)) ?? '';
  const owned = await owners[one.on](database, idAt(one.of), operation);
  const limits = limitsOf(principal, owned);
  const profile = limits.length > 0 ? profileOf(one, operation) : undefined;
  const usedBy = profile && (await applicationsWith(database, profile, idAt(one.of), limits));
  const facts = { ...owned, ...(usedBy && { usedBy }), ...(one.user !== undefined && { userID: idAt(one.user) }) };
  const [organizationID] = facts.organizationIDs;
  if (!one.needs || organizationID === undefined) return facts;
  const networkServerID = idAt(one.networkServer);
  return {
    ...facts,
    ...(one.needs.includes('canHaveGateways') && { canHaveGateways: await canHaveGateways(database, organizationID) }),
    ...(one.needs.includes('networkServerLink') && {
      networkServerLink: await linkOf(database, organizationID, networkServerID),
    }),
  };
}

/** The memberships of the caller that are limited, in the organization of a record. */
function limitsOf(principal: Principal, { organizationIDs }: SubjectFacts): readonly Membership[] {
  if (principal?.kind !== 'user') return [];
  return principal.memberships.filter(
    ({ organizationID, applicationIDs }) => applicationIDs.length > 0 && organizationIDs.includes(organizationID),
  );
}

type Profile = 'serviceProfile' | 'deviceProfile';

/** The kind of profile that a case is about, if any. */
function profileOf({ on }: AccessCase, { key }: GuardedOperation): Profile | undefined {
  const subject = on === 'record' ? key.split('.')[0] : on;
  return subject === 'serviceProfile' || subject === 'deviceProfile' ? subject : undefined;
}

/** The applications of limited memberships that use a profile. Device administrators choose among all device-profiles. */
async function applicationsWith(
  { query }: Database,
  profile: Profile,
  id: string,
  limits: readonly Membership[],
): Promise<readonly string[]> {
  const choosing = limits.filter(({ isDeviceAdmin, isReadOnly }) => isDeviceAdmin && !isReadOnly);
  if (profile === 'deviceProfile' && choosing.length > 0)
    return choosing.flatMap(({ applicationIDs }) => applicationIDs);
  const limited = limits.flatMap(({ applicationIDs }) => applicationIDs.map(toRowID));
  const rows = await query
    .selectFrom('application')
    .select('application.id')
    .where('application.id', 'in', limited)
    .where((eb) => {
      if (profile === 'serviceProfile') return eb('application.service_profile_id', '=', id);
      const devices = eb.selectFrom('device').select('dev_eui').where('device_profile_id', '=', id);
      return eb.exists(devices.whereRef('device.application_id', '=', 'application.id'));
    })
    .execute();
  return rows.map((row) => String(row.id));
}

type Owner = (database: Database, id: string, operation: GuardedOperation) => Promise<SubjectFacts>;

/** The organization of each kind of record. This is the only place that knows it. */
const owners: Record<Subject, Owner> = {
  global: async () => nobodys,
  record: (database, id, operation) => {
    const table = tableOf(operation);
    return table === 'trash' ? ofTrash(database, id) : ofRowIn(table, database, id);
  },
  organization: async (_database, id) => ({ organizationIDs: [id] }),
  user: async (_database, id) => ({ organizationIDs: [], userID: id }),
  application: async (database, id) => inApplication(await hot.application(database).first({ id: toRowID(id) })),
  device: async (database, id) => inApplication(await hot.device(database).first({ id })),
  gateway: async (database, id) => of(await hot.gateway(database).all({ id })),
  serviceProfile: (database, id) => ofRowIn('service_profile', database, id),
  deviceProfile: (database, id) => ofRowIn('device_profile', database, id),
  networkServer: async (database, id) =>
    of(
      await database.query
        .selectFrom('service_profile')
        .select('organization_id')
        .distinct()
        .where('network_server_id', '=', toRowID(id))
        .execute(),
    ),
  apiKey: async (database, id) =>
    of(
      await database.query
        .selectFrom('api_key')
        .leftJoin('application', 'application.id', 'api_key.application_id')
        .select((eb) => eb.fn.coalesce('api_key.organization_id', 'application.organization_id').as('organization_id'))
        .where('api_key.id', '=', id)
        .execute(),
    ),
  multicastGroup: async (database, id) =>
    inApplication(
      await applications(database.query)
        .innerJoin('multicast_group', 'multicast_group.application_id', 'application.id')
        .where('multicast_group.id', '=', id)
        .executeTakeFirst(),
    ),
  job: async ({ query }, id) => {
    const columns = ['organization_id', 'caller_kind', 'caller_id'] as const;
    const row = await query.selectFrom('job').select(columns).where('id', '=', id).executeTakeFirst();
    return row ? { ...of([row]), ...(row.caller_kind === 'user' && { userID: row.caller_id }) } : nobodys;
  },
};

const applications = (query: Kysely<Tables>) =>
  query.selectFrom('application').select(['application.id', 'application.organization_id']);

/** Prepared queries for calls about devices and gateways, which are frequent. */
const hot = {
  application: statement<RowOf<'application', 'id' | 'organization_id'>>()({
    sql: 'select id, organization_id from application where id = $id',
    given: { id: 'int8' },
    batch: {},
  }),
  device: statement<RowOf<'application', 'id' | 'organization_id'>>()({
    sql: `select application.id, application.organization_id from application
      inner join device on device.application_id = application.id
      where device.dev_eui = $id`,
    given: { id: 'text' },
    batch: {},
  }),
  gateway: statement<RowOf<'gateway', 'organization_id'>>()({
    sql: 'select organization_id from gateway where id = $id',
    given: { id: 'text' },
    batch: {},
  }),
};

/** Tables whose rows name their organization. */
type OwnedTable =
  | 'gateway'
  | 'service_profile'
  | 'device_profile'
  | 'file_import'
  | 'trash'
  | 'condition'
  | 'alert_rule'
  | 'alert';

/** A resource and its table have one name, except `attention`: rows of `deviceProfile` are in `device_profile`. */
function tableOf({ key }: GuardedOperation): OwnedTable {
  const [resource = ''] = key.split('.');
  if (resource === 'attention') return 'condition';
  return resource.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as OwnedTable;
}

/** Of a deleted device the application as well. */
async function ofTrash({ query }: Database, id: string): Promise<SubjectFacts> {
  const columns = ['organization_id', 'application_id'] as const;
  const row = await query.selectFrom('trash').select(columns).where('id', '=', id).executeTakeFirst();
  if (!row || row.application_id === null) return of(row ? [row] : []);
  return inApplication({ id: row.application_id, organization_id: row.organization_id });
}

async function ofRowIn(table: OwnedTable, { query }: Database, id: string): Promise<SubjectFacts> {
  return of(await query.selectFrom(table).select('organization_id').where('id', '=', id).execute());
}

function of(rows: readonly { organization_id: number | null }[]): SubjectFacts {
  return {
    organizationIDs: rows.flatMap((row) => (row.organization_id === null ? [] : [String(row.organization_id)])),
  };
}

function inApplication(row: { id: number; organization_id: number } | undefined): SubjectFacts {
  if (!row) return nobodys;
  return { organizationIDs: [String(row.organization_id)], applicationID: String(row.id) };
}

async function canHaveGateways(database: Database, organizationID: string): Promise<boolean> {
  const row = await database.query
    .selectFrom('organization')
    .select('can_have_gateways')
    .where('id', '=', toRowID(organizationID))
    .executeTakeFirst();
  return row?.can_have_gateways ?? false;
}

async function linkOf(
  database: Database,
  organizationID: string,
  networkServerID: string,
): Promise<NonNullable<SubjectFacts['networkServerLink']>> {
  const isLinkedBy = async (table: 'service_profile' | 'device_profile') =>
    (await database.query
      .selectFrom(table)
      .select('id')
      .where('organization_id', '=', toRowID(organizationID))
      .where('network_server_id', '=', toRowID(networkServerID))
      .limit(1)
      .executeTakeFirst()) !== undefined;
  if (await isLinkedBy('service_profile')) return 'serviceProfile';
  return (await isLinkedBy('device_profile')) ? 'deviceProfile' : 'none';
}

/** The organization of the record that a call is about; 0 for records of the installation. */
export async function organizationOf(
  database: Database,
  operation: GuardedOperation,
  request: unknown,
): Promise<number> {
  for (const { on, of } of casesFor(operation.access, request)) {
    const id = of === undefined ? undefined : valueAt(request, of);
    if (typeof id !== 'string' || on === 'networkServer') continue;
    const { organizationIDs } = await owners[on](database, id, operation);
    const organizationID = Number(organizationIDs[0]);
    // A larger one belongs to no organization.
    if (organizationID > 0 && Number.isSafeInteger(organizationID)) return organizationID;
  }
  return 0;
}
