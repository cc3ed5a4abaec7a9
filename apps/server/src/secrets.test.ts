import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadSecrets } from './secrets.ts';

describe('secrets', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-secrets-'));
  });
  after(() => rm(dir, { recursive: true }));

  const key = Uint8Array.fromHex('000102030405060708090a0b0c0d0e0f');

  it('decrypts what it sealed, also after a restart', async () => {
    const sealed = (await loadSecrets(dir)).seal(key, 'device.nwk_key:01');
    assert.equal(Buffer.from(sealed).indexOf(key), -1);
    assert.deepEqual((await loadSecrets(dir)).open(sealed, 'device.nwk_key:01'), key);
  });

  it('does not decrypt for another purpose or with a changed bit', async () => {
    const secrets = await loadSecrets(dir);
    const sealed = secrets.seal(key, 'device.nwk_key:01');
    assert.throws(() => secrets.open(sealed, 'device.nwk_key:02'));
    const changed = Uint8Array.from(sealed);
    changed[changed.length - 1]! ^= 1;
    assert.throws(() => secrets.open(changed, 'device.nwk_key:01'));
    assert.throws(() => secrets.open(sealed.subarray(0, 5), 'device.nwk_key:01'));
  });

  it('seals equal values differently', async () => {
    const { seal } = await loadSecrets(dir);
    const nonces = Array.from({ length: 100 }, () => seal(key, 'x').slice(0, 12).toHex());
    assert.equal(new Set(nonces).size, 100);
  });

  it('seals no bytes to no bytes', async () => {
    const secrets = await loadSecrets(dir);
    assert.equal(secrets.open(secrets.seal(new Uint8Array(), 'x'), 'x').length, 0);
  });

  it('makes its key files readable by the owner only', async () => {
    for (const file of await readdir(dir)) assert.equal((await stat(join(dir, file))).mode & 0o777, 0o600);
  });

  it('creates no key in place of a needed one', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'hilltop-secrets-'));
    const none = { encryptionKeyFile: '', tokenKeyFile: '' };
    for (const [setting, words] of [
      ['encryptionKeyFile', /encryption\.key is missing .* HILLTOP_ENCRYPTION_KEY_FILE/],
      ['tokenKeyFile', /token\.key is missing .* HILLTOP_TOKEN_KEY_FILE/],
    ] as const)
      await assert.rejects(loadSecrets(empty, none, [setting]), words);
    assert.deepEqual(await readdir(empty), []);
    await rm(empty, { recursive: true });
  });

  it('refuses a damaged key file', async () => {
    const broken = await mkdtemp(join(tmpdir(), 'hilltop-secrets-'));
    await writeFile(join(broken, 'encryption.key'), 'abc');
    await assert.rejects(loadSecrets(broken), /encryption\.key is damaged/);
    await rm(broken, { recursive: true });
  });
});
