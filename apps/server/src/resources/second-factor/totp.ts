import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { base32Of } from './base32.ts';

/** Time-based one-time passwords (RFC 6238) as all authenticator apps have them: SHA-1, 30 s. */

const stepSeconds = 30;
/** Codes of this many steps before and after now are accepted: clocks of phones differ by some seconds. */
const toleratedSteps = 1;

/** As long as the output of the hash (RFC 4226 §4). */
export const createTOTPSecret = (): Uint8Array => randomBytes(20);

export const stepAt = (now: Date): number => Math.floor(now.getTime() / 1000 / stepSeconds);

/** The code of a time step (RFC 4226 §5.3). */
export function totpOf(secret: Uint8Array, step: number, digits = 6): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The time step near now whose code this is; undefined when there is none. */
export function matchingStep(secret: Uint8Array, code: string, now: Date): number | undefined {
  const given = Buffer.from(code);
  const current = stepAt(now);
  let found: number | undefined;
  for (let step = current - toleratedSteps; step <= current + toleratedSteps; step++) {
    const expected = Buffer.from(totpOf(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found = step;
  }
  return found;
}

/** What the QR code for an authenticator app contains (Key URI format). */
export function totpURI(secret: Uint8Array, { account, issuer }: { account: string; issuer: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32Of(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
