import { createHash, randomBytes } from 'node:crypto';
import { base32Of } from './base32.ts';

const recoveryCodeCount = 10;

/** New codes such as `abcd-efgh-ijkl-mnop`: 80 random bits each. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () =>
    base32Of(randomBytes(10))
      .toLowerCase()
      .replaceAll(/.{4}(?=.)/g, '$&-'),
  );
}

/** How a code is stored. It is random and long, so a plain hash cannot be guessed. */
export function hashOfRecoveryCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
