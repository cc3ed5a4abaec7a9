import { atField, type Operations, type OrganizationUser, refusal, type SortableBy } from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import { toRowID } from '../../identifiers.ts';
import { readApplicationIDs, writeApplicationIDs } from '../../identity/limited-applications.ts';
import type { OrganizationUserTable } from './tables.ts';

/** The members of an organization, with their rights. */

export type MemberRow = Selectable<OrganizationUserTable> & { email: string };
/** Absent limits stay as they are; a new member has none. */
export type MemberRights = Pick<
  OrganizationUser,
  'isAdmin' | 'isDeviceAdmin' | 'isGatewayAdmin' | 'isReadOnly' | 'applicationIDs'
>;

type Field = SortableBy<Operations['organization']['listUsers']>;

const orders: Orders<Field> = {
  by: {
    userID: plain('user.id'),
    email: alphabetical('user.email'),
    isAdmin: plain('organization_user.is_admin'),
    isDeviceAdmin: plain('organization_user.is_device_admin'),
    isGatewayAdmin: plain('organization_user.is_gateway_admin'),
    createdAt: plain('organization_user.created_at'),
  },
  usual: 'email',
  key: 'user.id',
};

/** A page of members, usually by e-mail. */
export function listMembers(
  { query, kind }: Database,
  organizationID: string,
  { search, include, ...page }: SortedPage<Field> & { search: string; include: '' | 'limits' },
) {
  const members = query
    .selectFrom('organization_user')
    .innerJoin('user', 'user.id', 'organization_user.user_id')
    .where('organization_id', '=', toRowID(organizationID))
    .where(isCalled('user.email', search));
  return readInOrder(kind, orders, page, {
    rows: members.selectAll('organization_user').select('user.email'),
    count: () => countOf(members),
    toItem: (row) => ({ userID: String(row.user_id), email: row.email, ...rightsOf(row, include), ...timesOf(row) }),
  });
}

/** Throws `notFound` when the user is not a member. */
export async function loadMember({ query }: Database, organizationID: string, userID: string): Promise<MemberRow> {
  const row = await query
    .selectFrom('organization_user')
    .innerJoin('user', 'user.id', 'organization_user.user_id')
    .selectAll('organization_user')
    .select('user.email')
    .where('organization_id', '=', toRowID(organizationID))
    .where('user_id', '=', toRowID(userID))
    .executeTakeFirst();
  if (!row) throw refusal('NO_MEMBER', { userID });
  return row;
}

/** Whether a user with this address is a member. */
export async function isMember({ query }: Database, organizationID: number, email: string): Promise<boolean> {
  const members = query
    .selectFrom('organization_user')
    .innerJoin('user', 'user.id', 'organization_user.user_id')
    .where('organization_id', '=', organizationID)
    .where(sql<boolean>`lower(email) = ${email.toLowerCase()}`);
  return (await countOf(members)) > 0;
}

export async function insertMember(
  { query }: Database,
  member: { organizationID: number; userID: number; rights: MemberRights; now: Date },
): Promise<void> {
  await query
    .insertInto('organization_user')
    .values({
      organization_id: member.organizationID,
      user_id: member.userID,
      ...toRightsRow(member.rights),
      created_at: member.now,
      updated_at: member.now,
    })
    .execute();
}

export async function updateMember(
  { query }: Database,
  member: MemberRow,
  rights: MemberRights,
  now: Date,
): Promise<void> {
  await query
    .updateTable('organization_user')
    .set({ ...toRightsRow(rights), updated_at: now })
    .where('organization_id', '=', member.organization_id)
    .where('user_id', '=', member.user_id)
    .execute();
}

export async function deleteMember({ query }: Database, member: MemberRow): Promise<void> {
  await query
    .deleteFrom('organization_user')
    .where('organization_id', '=', member.organization_id)
    .where('user_id', '=', member.user_id)
    .execute();
}

export function fromMemberRow(row: MemberRow, include: '' | 'limits'): OrganizationUser {
  return {
    organizationID: String(row.organization_id),
    userID: String(row.user_id),
    ...rightsOf(row, include),
    email: row.email,
  };
}

type RightsRow = Pick<
  MemberRow,
  'is_admin' | 'is_device_admin' | 'is_gateway_admin' | 'is_read_only' | 'application_ids'
>;

export function rightsOf(row: RightsRow, include: '' | 'limits' = ''): MemberRights {
  return {
    ...{ isAdmin: row.is_admin, isDeviceAdmin: row.is_device_admin, isGatewayAdmin: row.is_gateway_admin },
    ...(include === 'limits' && limitsOf(row)),
  };
}

function limitsOf(row: Pick<MemberRow, 'is_read_only' | 'application_ids'>) {
  return { isReadOnly: row.is_read_only, applicationIDs: readApplicationIDs(row.application_ids) };
}

export function timesOf(row: { created_at: Date; updated_at: Date }) {
  return { createdAt: row.created_at.toISOString(), updatedAt: row.updated_at.toISOString() };
}

/** The columns of rights; absent limits are absent. */
export function toRightsRow({ isAdmin, isDeviceAdmin, isGatewayAdmin, isReadOnly, applicationIDs }: MemberRights) {
  return {
    ...{ is_admin: isAdmin, is_device_admin: isDeviceAdmin, is_gateway_admin: isGatewayAdmin },
    ...(isReadOnly !== undefined && { is_read_only: isReadOnly }),
    ...(applicationIDs && { application_ids: writeApplicationIDs(givenIDs(applicationIDs)) }),
  };
}

const givenIDs = (applicationIDs: readonly string[]) => [...new Set(applicationIDs)].filter((id) => id !== '0');

/**
 * Refuses rights that contradict each other and applications of others. `before` is the stored membership, if any;
 * `path` the member of the request with the rights.
 */
export async function checkRights(
  { query }: Database,
  organizationID: string,
  given: MemberRights,
  { before, path = 'organizationUser' }: { before?: MemberRow; path?: string } = {},
): Promise<void> {
  const stored = before && limitsOf(before);
  const isReadOnly = given.isReadOnly ?? stored?.isReadOnly ?? false;
  const ids = givenIDs(given.applicationIDs ?? stored?.applicationIDs ?? []);
  const { isAdmin, isDeviceAdmin, isGatewayAdmin } = given;
  if (isReadOnly && (isAdmin || isDeviceAdmin || isGatewayAdmin))
    throw atField(`${path}.isReadOnly`, refusal('READ_ONLY_WITH_ROLE'));
  if (ids.length > 0 && (isAdmin || isGatewayAdmin))
    throw atField(`${path}.applicationIDs`, refusal('LIMITED_WITH_ROLE'));
  // Deleted applications stay in the limit: without them it could become empty, which means all.
  const added = ids.filter((id) => !stored?.applicationIDs.includes(id));
  if (added.length === 0) return;
  const rows = await query
    .selectFrom('application')
    .select('id')
    .where('organization_id', '=', toRowID(organizationID))
    .where('id', 'in', added.map(toRowID))
    .execute();
  const own = new Set(rows.map(({ id }) => String(id)));
  const foreign = added.find((id) => !own.has(id));
  if (foreign !== undefined) throw atField(`${path}.applicationIDs`, refusal('NOT_OF_ORGANIZATION', { id: foreign }));
}
