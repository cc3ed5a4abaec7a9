import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { ApiError } from '@hilltop/contract';
import { checkNewPassword } from './new-password.ts';

const refusal = (password: string, email = 'ada.lovelace@example.org') =>
  checkNewPassword(password, email).then(
    () => '',
    (error: unknown) => (error as ApiError).message,
  );

it('refuses the most common passwords, in any notation', async () => {
  for (const common of ['password', 'PassWord', '12345678', '1q2w3e4r', 'iloveyou', 'qwertyuiop'])
    assert.match(await refusal(common), /among the most common ones/, common);
});

it('refuses the e-mail address, the name of the product and words of its trade', async () => {
  const addresses = ['ada.lovelace@example.org', 'Ada.Lovelace'];
  const words = ['Hilltop', 'hilltop!', 'hilltop2026', 'chirpstack', 'ChirpStack1', 'lorawan1', 'LoRaWAN-2026'];
  for (const guessed of [...addresses, ...words]) assert.match(await refusal(guessed), /easy to guess/, guessed);
  await checkNewPassword('lovelace engine', 'ada.lovelace@example.org');
});

it('refuses a password at its field', async () => {
  await assert.rejects(checkNewPassword('password', 'ada@example.org'), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.fieldViolations[0]?.field], [3, 'password']);
    return true;
  });
});

it('accepts everything else', async () => {
  for (const good of [
    'correct horse',
    'æøå ÆØÅ 漢字漢字',
    '        x',
    'a long password',
    'test password',
    '# comment',
  ])
    assert.equal(await refusal(good), '', good);
});

it('compares with a list of thousands, in lower case, each of the minimum length', () => {
  const lines = readFileSync(new URL('./common-passwords.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  const passwords = lines.filter((line) => !line.startsWith('# '));
  assert.ok(passwords.length > 8000);
  assert.equal(new Set(passwords).size, passwords.length);
  for (const one of passwords) assert.ok(one === one.toLowerCase() && one.length >= 8, one);
});
