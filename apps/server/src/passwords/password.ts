import { randomBytes, timingSafeEqual } from 'node:crypto';
import { cost, derive, phcOf } from './argon2id.ts';
import { createDerivationQueue } from './derivation-queue.ts';
import { compareWithPBKDF2, isPBKDF2 } from './pbkdf2.ts';
import { isWrapped, unwrap } from './wrapped.ts';

/** Passwords are hashed with argon2id (RFC 9106) and stored as PHC text `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`. */

/** A password that nobody can guess, to be shown once. */
export const generatePassword = (): string => randomBytes(12).toString('base64url');

/** Hashes a password for a signed-in caller. Throws code 8 when too many wait. */
export async function hashPassword(password: string, who: string): Promise<string> {
  return queues.known.run(who, () => phcOf(password, randomBytes(16)));
}

/**
 * Throws code 8 when too many wait. Takes the same time whether the account has a password or not, so that nobody
 * learns which accounts exist: while `earlier` is an earlier form of hash that some user still has, every call computes
 * that form, too.
 */
export async function isPassword(
  password: string,
  stored: string | null,
  { kind, who }: PasswordCaller,
  earlier?: string,
): Promise<boolean> {
  return queues[kind].run(who, async () => {
    if (stored !== null && isWrapped(stored)) {
      const within = await unwrap(stored, password);
      const [expected, actual] = await compareWithArgon2(within.message, within.phc);
      return timingSafeEqual(actual, expected);
    }
    const isEarlier = isEarlierForm(stored);
    const [expected, actual] = await compareWithArgon2(password, stored);
    const isRight = timingSafeEqual(actual, expected) && phc.test(stored ?? '');
    const compared = isEarlier ? stored : earlier;
    if (compared && isWrapped(compared)) await unwrap(compared, password);
    if (!compared || !isPBKDF2(compared)) return isRight;
    const [storedOne, actualOne] = await compareWithPBKDF2(password, compared);
    return isEarlier ? timingSafeEqual(storedOne, actualOne) : isRight;
  });
}

/** Whether a correct password should be hashed again. */
export function isEarlierForm(stored: string | null): stored is string {
  return stored !== null && (isPBKDF2(stored) || isWrapped(stored));
}

async function compareWithArgon2(
  password: string | Buffer,
  stored: string | null,
): Promise<[stored: Buffer, actual: Buffer]> {
  const [, memory, passes, parallelism, salt, hash] = phc.exec(stored ?? '') ?? phc.exec(unmatchable())!;
  const expected = Buffer.from(hash!, 'base64');
  const actual = await derive('argon2id', {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    message: password,
    nonce: Buffer.from(salt!, 'base64'),
    tagLength: expected.length,
  });
  return [expected, actual];
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** A hash that no password has, with the cost of those that are stored. */
const unmatchable = () =>
  `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Each derivation takes 19 MiB and a thread that files and name lookups need too. So two run at once: one for known
 * callers (signed in, or on a known device) and one for all others. A flood of guesses delays only itself.
 */
const queues = { known: createDerivationQueue(), unknown: createDerivationQueue() };

/** The caller of a derivation: `who` is an account, a caller or a network. */
export interface PasswordCaller {
  kind: keyof typeof queues;
  who: string;
}
