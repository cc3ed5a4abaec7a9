import { createTokens } from '../identity/tokens.ts';
import { loadSecrets } from '../secrets.ts';

/** A token of the same session as `token`, an hour old and ending in `inMs`; `data` is the server's directory. */
export async function endingToken(data: string, token: string, email: string, inMs: number): Promise<string> {
  const { sid, id } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
  const { tokenKey } = await loadSecrets(data);
  const [createdAt, expiresAt] = [-3_600_000, inMs].map((ms) => new Date(Date.now() + ms)) as [Date, Date];
  return createTokens(tokenKey, () => new Date()).ofSession({ id: sid, userID: id, email, createdAt, expiresAt });
}
