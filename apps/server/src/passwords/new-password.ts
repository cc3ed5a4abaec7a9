import { readFile } from 'node:fs/promises';
import { atField, refusal } from '@hilltop/contract';

/** Alone, or with digits and signs after it. */
const guessedWords = /^(hilltop|chirpstack|lorawan|loraserver)[\d\W]*$/;

/**
 * Refuses, with code 3, what guessers try first: the most common passwords, the person's own address, the name of the
 * product and words of its trade. How long one must be is for the contract to say.
 */
export async function checkNewPassword(password: string, email: string): Promise<void> {
  const guess = password.toLowerCase();
  if ((await commonPasswords()).has(guess)) throw atField('password', refusal('COMMON_PASSWORD'));
  const address = email.toLowerCase();
  if (guess === address || guess === address.split('@')[0] || guessedWords.test(guess))
    throw atField('password', refusal('GUESSABLE_PASSWORD'));
}

let loading: Promise<ReadonlySet<string>> | undefined;

/** Loaded when somebody first chooses a password. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= readFile(new URL('./common-passwords.txt', import.meta.url), 'utf8').then(
    (text) => new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('# '))),
  );
  return loading;
}
