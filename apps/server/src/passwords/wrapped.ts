import { createHash } from 'node:crypto';
import { phcOf } from './argon2id.ts';
import { deriveLike, partsOf } from './pbkdf2.ts';

/**
 * A weak hash of version 3 is stored as `$v3$rounds$salt` and then the argon2id of its 64 bytes, as PHC text. An
 * attacker with a copy of the database must compute argon2id for each guess.
 */
const form = /^\$v3\$([1-9]\d{0,7})\$([A-Za-z0-9+/]+=*)(\$argon2id\$.+)$/;

/** The salt is the same for the same user and hash, so that a repeated import finds nothing changed. */
export async function wrapWeakHash(stored: string, userID: number): Promise<string> {
  const { rounds, salt, hash } = partsOf(stored);
  // Derived from the salt alone: a salt derived from the hash would let attackers test guesses without argon2id.
  const nonce = createHash('sha256').update(`v3/${userID}/${salt}`).digest().subarray(0, 16);
  return `$v3$${rounds}$${salt}${await phcOf(hash, nonce)}`;
}

export const isWrapped = (stored: string): boolean => form.test(stored);

/** The inner PHC text, and the PBKDF2 bytes of the password that it hashes. */
export async function unwrap(stored: string, password: string): Promise<{ phc: string; message: Buffer }> {
  const [, rounds, salt, phc = ''] = form.exec(stored)!;
  return { phc, message: await deriveLike(password, `PBKDF2$sha512$${rounds}$${salt}$AA==`) };
}
