import type { Database } from './database/database.ts';
import type { Secrets } from './secrets.ts';

/** The purpose with which the token key of version 3 is sealed. */
export const tokenKeyOfV3Purpose = 'import_v3.token_key';

/** Undefined when nothing was imported from version 3. */
export async function loadTokenKeyOfV3({ query }: Database, secrets: Secrets): Promise<Uint8Array | undefined> {
  const row = await query.selectFrom('import_v3').select('token_key').executeTakeFirst();
  return row && row.token_key.length > 0 ? secrets.open(row.token_key, tokenKeyOfV3Purpose) : undefined;
}
