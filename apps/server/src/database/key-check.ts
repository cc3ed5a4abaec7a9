import { createHmac } from 'node:crypto';
import type { Database } from './database.ts';

/** Settings that name the file of a key. */
type KeyFileSetting = 'encryptionKeyFile' | 'tokenKeyFile';

interface EncryptionKey {
  seal: (plain: Uint8Array, purpose: string) => Uint8Array;
  open: (sealed: Uint8Array, purpose: string) => Uint8Array;
}

const purpose = 'key_check';
const known = new TextEncoder().encode('hilltop');

/** The keys that must exist, because this database was used with them: new ones must not be created. */
export async function keysNeeded({ query }: Database, { isAlone }: { isAlone: boolean }): Promise<KeyFileSetting[]> {
  const row = await query.selectFrom('key_check').select('token_mark').executeTakeFirst();
  if (!row) return [];
  return row.token_mark === null || isAlone ? ['encryptionKeyFile'] : ['encryptionKeyFile', 'tokenKeyFile'];
}

/**
 * Whether the encryption key is the one this database was written with: it decrypts a known text that the first start
 * sealed. Without this check a lost key file would be replaced by a new one, and all sealed values would be lost
 * unnoticed.
 */
export async function isKeyOf(database: Database, secrets: EncryptionKey): Promise<boolean> {
  const row = await database.query.selectFrom('key_check').select('sealed').executeTakeFirst();
  if (!row) {
    await database.query
      .insertInto('key_check')
      .values({ id: 1, sealed: secrets.seal(known, purpose) })
      .execute();
    return true;
  }
  return isSealedWith(secrets, row.sealed);
}

/** Whether the known text of a database was sealed with this key. */
export function isSealedWith({ open }: Pick<EncryptionKey, 'open'>, sealed: Uint8Array): boolean {
  try {
    return Buffer.from(open(sealed, purpose)).equals(known);
  } catch {
    return false;
  }
}

/** By which a changed key that signs tokens is recognized. */
export const markOfTokenKey = (tokenKey: Uint8Array): string =>
  createHmac('sha256', tokenKey).update('hilltop').digest('base64url');

/**
 * Whether this key signed earlier tokens. A single process may have a new one, which ends all sessions; among several
 * instances one with another key would refuse the sessions of the others.
 */
export async function isTokenKeyOf(
  { query }: Database,
  { tokenKey }: { tokenKey: Uint8Array },
  { isAlone }: { isAlone: boolean },
): Promise<boolean> {
  const mark = markOfTokenKey(tokenKey);
  const { token_mark: known } = await query.selectFrom('key_check').select('token_mark').executeTakeFirstOrThrow();
  if (known === mark) return true;
  if (known !== null && !isAlone) return false;
  await query.updateTable('key_check').set({ token_mark: mark }).execute();
  return true;
}
