import { createHash } from 'node:crypto';
import { phcOf } from './argon2id.ts';
import { deriveLike, partsOf } from './pbkdf2.ts';

/**
 * A weak hash of version 3 is not stored as it was: `$v3$rounds$salt` and then argon2id over its 64 bytes, as PHC text. Who
 * gets a copy of the database has to go through argon2id for each guess.
 */
const form = /^\$v3\$([1-9]\d{0,7})\$([A-Za-z0-9+/]+=*)(\$argon2id\$.+)$/;

/** The same for the same user and hash, so that a move that is repeated finds nothing changed. */
export async function wrapWeakHash(stored: string, userID: number): Promise<string> {
  const { rounds, salt, hash } = partsOf(stored);
  // Of the salt alone: made of the hash it would let guesses be tried without argon2id.
  const nonce = createHash('sha256').update(`v3/${userID}/${salt}`).digest().subarray(0, 16);
  return `$v3$${rounds}$${salt}${await phcOf(hash, nonce)}`;
}

export const isWrapped = (stored: string): boolean => form.test(stored);

/** The PHC text within, and what of the password it is the hash of. */
export async function unwrap(stored: string, password: string): Promise<{ phc: string; message: Buffer }> {
  const [, rounds, salt, phc = ''] = form.exec(stored)!;
  return { phc, message: await deriveLike(password, `PBKDF2$sha512$${rounds}$${salt}$AA==`) };
}
