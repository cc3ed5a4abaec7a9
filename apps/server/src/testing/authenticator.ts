import { stepAt, totpOf } from '../resources/second-factor/totp.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The bytes of base32 (RFC 4648). */
export function bytesOfBase32(text: string): Uint8Array {
  const bits = text
    .split('')
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

/** What an authenticator app with this secret shows at a time. */
export function codeAt(secret: string, time: Date): string {
  return totpOf(bytesOfBase32(secret), stepAt(time));
}
