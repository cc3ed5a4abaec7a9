import { createTokens } from '../../http/tokens.ts';
import type { Needs } from '../../needs.ts';
import type { UserRow } from '../user/store.ts';

const defaultMinutes = 24 * 60;

/** Opens a session for a person who has shown who they are, and answers its token. */
export async function openSession(
  { database, secrets, clock }: Pick<Needs, 'database' | 'secrets' | 'clock'>,
  user: UserRow,
): Promise<string> {
  const createdAt = clock.now();
  const minutes = user.session_ttl_minutes || defaultMinutes;
  const session = { id: crypto.randomUUID(), createdAt, expiresAt: new Date(createdAt.getTime() + minutes * 60_000) };
  await database.transaction(async () => {
    await database.query.deleteFrom('session').where('expires_at', '<', createdAt).execute();
    await database.query
      .insertInto('session')
      .values({ id: session.id, user_id: user.id, created_at: createdAt, expires_at: session.expiresAt })
      .execute();
  });
  return createTokens(secrets.tokenKey, () => clock.now()).ofSession({
    ...session,
    userID: user.id,
    email: user.email,
  });
}

/** Ends a session: its token is good for nothing from now on. `id` is the user's. */
export async function endSession(
  { database, principals }: Pick<Needs, 'database' | 'principals'>,
  { sessionID, id }: { sessionID: string; id: string },
): Promise<void> {
  await database.query.deleteFrom('session').where('id', '=', sessionID).execute();
  principals.changed(id);
}
