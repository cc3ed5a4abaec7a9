import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

/** Passwords as version 3 kept them: `PBKDF2$sha512$rounds$salt$hash`, both in base64. They are only ever checked. */

const derive = promisify(pbkdf2);
const form = /^PBKDF2\$sha512\$([1-9]\d{0,7})\$([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]+=*)$/;
/** What anybody could make the server count through is bounded. */
const mostRounds = 10_000_000;
const keyLength = 64;

export function isPBKDF2(stored: string): boolean {
  return roundsOf(stored) > 0;
}

/** 0 for what is none, or has more rounds than are counted here. */
export function roundsOf(stored: string): number {
  const [, rounds = '0', , hash = ''] = form.exec(stored) ?? [];
  const isUsable = Number(rounds) <= mostRounds && Buffer.from(hash, 'base64').length === keyLength;
  return isUsable ? Number(rounds) : 0;
}

/** The 64 bytes of this password with the salt and rounds of that text. */
export function deriveLike(password: string, stored: string): Promise<Buffer> {
  const [, rounds, salt = ''] = form.exec(stored)!;
  return derive(password, Buffer.from(salt, 'base64'), Number(rounds), keyLength, 'sha512');
}

/** Of a text of this form: its rounds, its salt as it stands there, and the hash. */
export function partsOf(stored: string): { rounds: number; salt: string; hash: Buffer } {
  const [, rounds, salt = '', hash = ''] = form.exec(stored)!;
  return { rounds: Number(rounds), salt, hash: Buffer.from(hash, 'base64') };
}

/** The hash that is stored, and the one this password has with the same salt and rounds. */
export async function compareWithPBKDF2(password: string, stored: string): Promise<[stored: Buffer, actual: Buffer]> {
  return [partsOf(stored).hash, await deriveLike(password, stored)];
}
