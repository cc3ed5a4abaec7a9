import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

/** Password hashes of version 3: `PBKDF2$sha512$rounds$salt$hash`, salt and hash in base64. They are only compared. */

const derive = promisify(pbkdf2);
const form = /^PBKDF2\$sha512\$([1-9]\d{0,7})\$([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]+=*)$/;
/** The most rounds that the server computes for a stored hash. */
const mostRounds = 10_000_000;
const keyLength = 64;

export function isPBKDF2(stored: string): boolean {
  return roundsOf(stored) > 0;
}

/** The number of rounds; 0 when the text is not such a hash or has too many rounds. */
export function roundsOf(stored: string): number {
  const [, rounds = '0', , hash = ''] = form.exec(stored) ?? [];
  const isUsable = Number(rounds) <= mostRounds && Buffer.from(hash, 'base64').length === keyLength;
  return isUsable ? Number(rounds) : 0;
}

/** The 64 bytes derived from a password with the salt and rounds of the text. */
export function deriveLike(password: string, stored: string): Promise<Buffer> {
  const [, rounds, salt = ''] = form.exec(stored)!;
  return derive(password, Buffer.from(salt, 'base64'), Number(rounds), keyLength, 'sha512');
}

/** The number of rounds, the salt as text, and the hash. */
export function partsOf(stored: string): { rounds: number; salt: string; hash: Buffer } {
  const [, rounds, salt = '', hash = ''] = form.exec(stored)!;
  return { rounds: Number(rounds), salt, hash: Buffer.from(hash, 'base64') };
}

/** The stored hash, and the hash of this password with the same salt and rounds. */
export async function compareWithPBKDF2(password: string, stored: string): Promise<[stored: Buffer, actual: Buffer]> {
  return [partsOf(stored).hash, await deriveLike(password, stored)];
}
