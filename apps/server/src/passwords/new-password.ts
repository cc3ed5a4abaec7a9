import { readFile } from 'node:fs/promises';
import { atField, refusal } from '@hilltop/contract';

/** One of these words, alone or followed by digits and signs. */
const guessedWords = /^(hilltop|chirpstack|lorawan|loraserver)[\d\W]*$/;

/**
 * Refuses, with code 3, what attackers try first: the most common passwords, the user's own address, the name of the
 * product and words of its trade. The contract checks the length.
 */
export async function checkNewPassword(password: string, email: string): Promise<void> {
  const guess = password.toLowerCase();
  if ((await commonPasswords()).has(guess)) throw atField('password', refusal('COMMON_PASSWORD'));
  const address = email.toLowerCase();
  if (guess === address || guess === address.split('@')[0] || guessedWords.test(guess))
    throw atField('password', refusal('GUESSABLE_PASSWORD'));
}

let loading: Promise<ReadonlySet<string>> | undefined;

/** Loaded when a user first chooses a password. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  loading ??= readFile(new URL('./common-passwords.txt', import.meta.url), 'utf8').then(
    (text) => new Set(text.split('\n').filter((line) => line !== '' && !line.startsWith('# '))),
  );
  return loading;
}
