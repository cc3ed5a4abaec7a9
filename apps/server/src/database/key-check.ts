import type { Secrets } from '../secrets.ts';
import type { Database } from './database.ts';

const purpose = 'key_check';
const known = new TextEncoder().encode('hilltop');

/**
 * Whether the encryption key is the one this database was written with: it opens a known text sealed at the first
 * start. A lost key file would otherwise be replaced by a new one, and everything sealed before it be lost unnoticed.
 */
export async function isKeyOf(database: Database, secrets: Secrets): Promise<boolean> {
  const row = await database.query.selectFrom('key_check').select('sealed').executeTakeFirst();
  if (!row) {
    await database.query
      .insertInto('key_check')
      .values({ id: 1, sealed: secrets.seal(known, purpose) })
      .execute();
    return true;
  }
  try {
    return Buffer.from(secrets.open(row.sealed, purpose)).equals(known);
  } catch {
    return false;
  }
}
