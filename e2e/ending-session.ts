import { createTokens } from '../apps/server/src/http/tokens.ts';
import { loadSecrets } from '../apps/server/src/secrets.ts';
import type { Hilltop } from './hilltop.ts';
import type { Person } from './world.ts';

/** A token of the person's session that is an hour old and ends in a moment. */
export async function endingSoon({ data }: Hilltop, { token, email }: Person, inMs: number): Promise<string> {
  const { sid, id } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  const { tokenKey } = await loadSecrets(data);
  const [createdAt, expiresAt] = [-3_600_000, inMs].map((ms) => new Date(Date.now() + ms)) as [Date, Date];
  return createTokens(tokenKey, () => new Date()).ofSession({ id: sid, userID: id, email, createdAt, expiresAt });
}
