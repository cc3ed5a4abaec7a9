import type { Clock } from '@hilltop/network-server';
import { type AuditDependencies, writeAudit } from '../../audit/write.ts';
import type { Database } from '../../database/database.ts';
import type { Context } from '../../http/call.ts';
import type { Principals } from '../../identity/principals.ts';
import type { UserSessionSettings } from '../../identity/settings.ts';
import { createTokens } from '../../identity/tokens.ts';
import type { Secrets } from '../../secrets.ts';
import type { UserRow } from '../user/store.ts';

const defaultMinutes = 24 * 60;
/** The most characters of a user agent that are stored. */
const longestAgent = 256;
/** The most sessions of one user: a program that signs in for each call replaces its oldest ones. */
const mostOfOne = 1_000;

export interface OpenSessionDependencies extends AuditDependencies {
  config: UserSessionSettings & AuditDependencies['config'];
  clock: Clock;
  secrets: Secrets;
  principals: Principals;
}

/** Opens a session for an authenticated user and resolves with its token. */
export async function openSession(
  needs: OpenSessionDependencies,
  user: UserRow,
  { address, headers, isSingleSignOn = false }: Pick<Context, 'address' | 'headers'> & { isSingleSignOn?: boolean },
): Promise<string> {
  const { database, secrets, clock, config, principals } = needs;
  const createdAt = clock.now();
  const wanted = user.session_ttl_minutes || defaultMinutes;
  const minutes = config.sessionMaxMinutes === 0 ? wanted : Math.min(wanted, config.sessionMaxMinutes);
  const session = { id: crypto.randomUUID(), createdAt, expiresAt: new Date(createdAt.getTime() + minutes * 60_000) };
  const row = {
    id: session.id,
    user_id: user.id,
    created_at: createdAt,
    expires_at: session.expiresAt,
    last_used_at: createdAt,
    address,
    agent: (headers['user-agent'] ?? '').slice(0, longestAgent).toWellFormed(),
    is_single_sign_on: isSingleSignOn,
  };
  await database.transaction(async () => {
    const { query } = database;
    await query.deleteFrom('session').where('expires_at', '<', createdAt).execute();
    const oldest = query
      .selectFrom('session')
      .select('id')
      .where('user_id', '=', user.id)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(mostOfOne)
      .offset(mostOfOne - 1);
    const { numDeletedRows } = await query.deleteFrom('session').where('id', 'in', oldest).executeTakeFirst();
    if (numDeletedRows > 0n) principals.changed(String(user.id));
    await query.insertInto('session').values(row).execute();
    const person = { id: String(user.id), name: user.email };
    const actor = { kind: 'USER', ...person } as const;
    await writeAudit(needs, { actor, address, operation: 'internal.login', subject: { kind: 'user', ...person } });
  });
  return createTokens(secrets.tokenKey, () => clock.now()).ofSession({
    ...session,
    userID: user.id,
    email: user.email,
  });
}

/**
 * Ends a session, whose token is invalid from now on. `id` is the id of the user. Resolves with whether there was one.
 */
export async function endSession(
  { database, principals }: { database: Database; principals: Principals },
  { sessionID, id }: { sessionID: string; id: string },
): Promise<boolean> {
  const { numDeletedRows } = await database.query
    .deleteFrom('session')
    .where('id', '=', sessionID)
    .where('user_id', '=', Number(id))
    .executeTakeFirst();
  if (numDeletedRows > 0n) principals.changed(id);
  return numDeletedRows > 0n;
}

/** Ends all sessions of a user except one. */
export async function endOtherSessions(
  { database, principals }: { database: Database; principals: Principals },
  { sessionID, id }: { sessionID: string; id: string },
): Promise<void> {
  await database.query.deleteFrom('session').where('user_id', '=', Number(id)).where('id', '!=', sessionID).execute();
  principals.changed(id);
}
