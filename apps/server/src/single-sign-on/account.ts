import { refusal } from '@hilltop/contract';
import type { Database } from '../database/database.ts';
import { Violation } from '../database/violation.ts';
import { isInvited } from '../resources/invitation/store.ts';
import {
  endSessions,
  findUserByEmail,
  insertUser,
  loadUser,
  type UserRow,
  updateUser,
} from '../resources/user/store.ts';
import type { ProviderClaims } from './provider.ts';

/** The identity at the provider, as far as an account here depends on it. */
interface Person {
  externalID: string;
  email: string;
}

/**
 * Throws code 9 without an e-mail address, or with an unverified one, unless the settings assume that it is verified.
 */
export function personOf(claims: ProviderClaims, assumeVerified: boolean): Person {
  const { sub, email, email_verified: verified } = claims;
  if (typeof email !== 'string' || !email.includes('@')) throw refusal('SIGN_ON_NO_EMAIL');
  // Some providers write the boolean as text.
  if (!assumeVerified && verified !== true && verified !== 'true') throw refusal('SIGN_ON_EMAIL_UNVERIFIED');
  return { externalID: sub, email };
}

interface AccountDependencies {
  database: Database;
  principals: { changed: (id: string) => void };
  now: () => Date;
  /** Whether unknown people become users; invited ones always do. */
  registration: boolean;
}

/**
 * The account of a person: the one that signed in with the same identity before, else the one with this e-mail address
 * and no identity yet, else a new one. The claims of the provider replace stored ones. Throws code 5 when there is no
 * account, 6 when the address or its account belongs to somebody else, 16 when the account is not active.
 */
export async function accountOf(
  needed: AccountDependencies,
  person: Person,
): Promise<{ user: UserRow; isNew: boolean }> {
  const { database } = needed;
  try {
    return await database.transaction(async () => {
      const known = (await findByExternalID(database, person)) ?? (await findUnclaimed(database, person));
      if (known) return { user: await refresh(needed, known, person), isNew: false };
      return { user: await register(needed, person), isNew: true };
    });
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    throw refusal('SIGN_ON_EMAIL_TAKEN', { email: person.email });
  }
}

function findByExternalID({ query }: Database, { externalID }: Person): Promise<UserRow | undefined> {
  return query.selectFrom('user').selectAll().where('external_id', '=', externalID).executeTakeFirst();
}

/**
 * Providers reassign addresses but not `sub` (OpenID Connect Core 1.0 §5.7): the next holder of an address gets no
 * account by it.
 */
async function findUnclaimed(database: Database, { email }: Person): Promise<UserRow | undefined> {
  const user = await findUserByEmail(database, email);
  if (user && user.external_id !== null) throw refusal('SIGN_ON_FOREIGN_ACCOUNT', { email });
  return user;
}

async function refresh(
  { database, principals, now }: AccountDependencies,
  user: UserRow,
  person: Person,
): Promise<UserRow> {
  if (!user.is_active) throw refusal('INACTIVE');
  const isUnproven = user.has_unproven_address;
  const current = {
    email: person.email,
    external_id: person.externalID,
    email_verified: true,
    // The holder of the invitation link chose the password, and is not known to be this person.
    ...(isUnproven && { has_unproven_address: false, password_hash: null }),
  };
  const isSame = user.email === current.email && user.external_id === current.external_id && user.email_verified;
  if (isSame && !isUnproven) return user;
  await updateUser(database, user.id, { ...current, updated_at: now() });
  if (user.email !== current.email || isUnproven) await endSessions(database, user.id);
  principals.changed(String(user.id));
  return { ...user, ...current };
}

async function register({ database, now, registration }: AccountDependencies, person: Person): Promise<UserRow> {
  const at = now();
  if (!registration && !(await isInvited(database, person.email, at)))
    throw refusal('SIGN_ON_NO_USER', { email: person.email });
  const id = await insertUser(database, {
    email: person.email,
    external_id: person.externalID,
    email_verified: true,
    password_hash: null,
    is_admin: false,
    is_active: true,
    session_ttl_minutes: 0,
    note: '',
    created_at: at,
    updated_at: at,
  });
  return loadUser(database, String(id));
}
