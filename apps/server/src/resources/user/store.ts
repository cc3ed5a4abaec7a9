import { type Operations, refusal, type SortableBy, type User, type UserListItem } from '@hilltop/contract';
import { type Selectable, sql } from 'kysely';
import { countBy } from '../../database/count-by.ts';
import type { Database } from '../../database/database.ts';
import { isInList } from '../../database/in-list.ts';
import { alphabetical, type Orders, plain, readInOrder, type SortedPage } from '../../database/order.ts';
import { countOf } from '../../database/page.ts';
import { isCalled } from '../../database/search.ts';
import { toRowID } from '../../identifiers.ts';
import { recordsOf } from '../records.ts';
import type { UserTable } from './tables.ts';

export type UserRow = Selectable<UserTable>;

type Field = SortableBy<Operations['user']['list']>;

const orders: Orders<Field> = {
  by: {
    id: plain('user.id'),
    email: alphabetical('user.email'),
    isActive: plain('user.is_active'),
    isAdmin: plain('user.is_admin'),
    createdAt: plain('user.created_at'),
  },
  usual: 'email',
  key: 'user.id',
};

export interface UserFilter extends SortedPage<Field> {
  search: string;
  include: readonly ('counts' | 'secondFactor')[];
}

const listed = ['id', 'email', 'session_ttl_minutes', 'is_admin', 'is_active', 'created_at', 'updated_at'] as const;

/** A page of users, usually by e-mail. */
export async function listUsers(database: Database, { search, include, ...page }: UserFilter) {
  const { query, kind } = database;
  const users = query.selectFrom('user').where(isCalled('user.email', search));
  const found = await readInOrder(kind, orders, page, {
    rows: users.select(listed),
    count: () => countOf(users),
    toItem: toListItem,
  });
  const ids = found.result.map(idOf);
  const counts = include.includes('counts')
    ? await countBy(database, ['organization_user', 'user_id'], ids)
    : undefined;
  const withFactor = include.includes('secondFactor') ? await usersWithSecondFactor(database, ids) : undefined;
  const result = found.result.map((item) => ({
    ...item,
    ...(counts && { organizationCount: counts.get(idOf(item)) ?? 0 }),
    ...(withFactor && { hasSecondFactor: withFactor.has(idOf(item)) }),
  }));
  return { ...found, result };
}

async function usersWithSecondFactor({ query, kind }: Database, ids: readonly number[]): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const rows = await query
    .selectFrom('second_factor')
    .select('user_id')
    .where(isInList(kind, 'user_id', ids))
    .where('confirmed_at', 'is not', null)
    .execute();
  return new Set(rows.map((row) => row.user_id));
}

const idOf = ({ id }: { id: string }) => Number(id);

/** Memberships and sessions are removed by foreign keys. */
export const {
  load: loadUser,
  insert: insertUser,
  update: updateUser,
  remove: deleteUser,
} = recordsOf('user', 'user', toRowID);

export async function findUserByEmail({ query }: Database, email: string): Promise<UserRow | undefined> {
  return query.selectFrom('user').selectAll().where('email', '=', email).executeTakeFirst();
}

/**
 * Addresses that differ in case only belong to one person, although version 3 let two users have them: then the user
 * with the given spelling comes first.
 */
export async function findUserByAnyCase({ query }: Database, email: string): Promise<UserRow | undefined> {
  const lower = sql<boolean>`lower(email) = ${email.toLowerCase()}`;
  const isExact = sql`case when email = ${email} then 0 else 1 end`;
  return query.selectFrom('user').selectAll().where(lower).orderBy(isExact).orderBy('id').executeTakeFirst();
}

/** The hash of a user that is still stored as in version 3; undefined when there is none. */
export async function earlierPassword({ query }: Database): Promise<string | undefined> {
  // Hashes with many rounds first, because they take the longest.
  const rows = query
    .selectFrom('user')
    .select('password_hash')
    .where((where) => where.or([where('password_hash', 'like', 'PBKDF2$%'), where('password_hash', 'like', '$v3$%')]))
    .orderBy('password_hash', 'desc')
    .limit(1);
  return (await rows.executeTakeFirst())?.password_hash ?? undefined;
}

/** The columns of a new password. A generated one must be changed before anything else. */
export const chosenPassword = (hash: string) => ({ password_hash: hash, has_generated_password: false });
export const generatedPassword = (hash: string) => ({ password_hash: hash, has_generated_password: true });

/** Stores a new hash of the same password, unless the password was changed meanwhile. */
export async function renewPassword({ query }: Database, id: number, stored: string, hash: string): Promise<void> {
  const users = query.updateTable('user').set({ password_hash: hash });
  await users.where('id', '=', id).where('password_hash', '=', stored).execute();
}

/**
 * Refuses to remove the last administrator who can sign in, since nobody could create another one. Locks the others, so
 * that two administrators cannot remove each other at once.
 */
export async function refuseWithoutAdministrator({ query, kind }: Database, leaving: number): Promise<void> {
  const others = await query
    .selectFrom('user')
    .select('id')
    .where('is_admin', '=', true)
    .where('is_active', '=', true)
    .where('id', '!=', leaving)
    .$if(kind === 'postgres', (users) => users.forUpdate())
    .execute();
  if (others.length === 0) throw refusal('LAST_ADMIN');
}

/** Ends all sessions of the user. */
export async function endSessions({ query }: Database, userID: number): Promise<void> {
  await query.deleteFrom('session').where('user_id', '=', userID).execute();
}

/** The columns that the API may change. */
export function toRow(user: User, now: Date) {
  return {
    email: user.email,
    is_admin: user.isAdmin,
    is_active: user.isActive,
    session_ttl_minutes: user.sessionTTL,
    note: user.note,
    updated_at: now,
  };
}

export function fromRow(row: UserRow): User {
  return {
    id: String(row.id),
    sessionTTL: row.session_ttl_minutes,
    isAdmin: row.is_admin,
    isActive: row.is_active,
    email: row.email,
    note: row.note,
  };
}

function toListItem(row: Pick<UserRow, (typeof listed)[number]>): UserListItem {
  return {
    id: String(row.id),
    email: row.email,
    sessionTTL: row.session_ttl_minutes,
    isAdmin: row.is_admin,
    isActive: row.is_active,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
