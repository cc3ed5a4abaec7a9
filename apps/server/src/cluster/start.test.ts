import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { startServer } from '../compose.ts';
import { StartError } from '../start-error.ts';
import { createTestStorage } from '../testing/databases.ts';
import { adminPassword, noInstances, startInstances, type TestInstances } from '../testing/test-app.ts';
import { testSettings } from '../testing/test-settings.ts';

describe('the start of several instances', { skip: noInstances }, () => {
  let instances: TestInstances;
  before(async () => {
    instances = await startInstances(0);
  });
  after(() => instances[Symbol.asyncDispose]());

  const refused = (environment: Record<string, string>, words: RegExp) =>
    assert.rejects(instances.start(environment), (error: Error) => {
      assert.ok(error instanceof StartError);
      assert.match(error.message, words);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });

  it('creates the first records once when several instances start together', async () => {
    const apps = await Promise.all(['one', 'two', 'three'].map((instanceName) => instances.start({ instanceName })));
    const { query } = apps[0]!.parts.database;
    const users = await query.selectFrom('user').select('email').execute();
    const regions = await query.selectFrom('network_server').select('name').execute();
    assert.deepEqual([users.length, regions.map(({ name }) => name)], [1, ['EU868 (embedded)']]);
    const [{ cluster }] = [apps[0]!.parts];
    assert.deepEqual(new Set((await cluster.members()).map(({ name }) => name)), new Set(['one', 'two', 'three']));
  });

  it('is refused without Redis while another instance runs, with the name of the setting', () =>
    refused({ redisURL: '' }, /HILLTOP_REDIS_URL/));

  it('is refused with other settings or keys, with their names', async () => {
    await refused(
      { eventHistory: '11' },
      /^HILLTOP_EVENT_HISTORY is not the same here as at the instance "(one|two|three)"/,
    );
    const other = await mkdtemp(join(tmpdir(), 'hilltop-other-'));
    try {
      const keys = join(other, 'keys');
      await cp(instances.testStorage.dataDir, keys, { recursive: true });
      const key = join(other, 'a.key');
      await writeFile(key, `${'ab'.repeat(32)}\n`);
      await refused({ data: keys, tokenKeyFile: key }, /HILLTOP_TOKEN_KEY_FILE or token\.key/);
      await refused({ data: keys, encryptionKeyFile: key }, /encryption\.key/);
      const bare = join(other, 'bare');
      await refused({ data: bare }, /encryption\.key is missing/);
      await refused({ data: bare, encryptionKeyFile: join(keys, 'encryption.key') }, /token\.key is missing/);
      assert.deepEqual(
        (await readdir(bare)).filter((name) => name.endsWith('.key')),
        [],
      );
      await refused({ data: keys, tokenKeyFile: join(other, 'none.key') }, /HILLTOP_TOKEN_KEY_FILE is no good: ENOENT/);
    } finally {
      await rm(other, { recursive: true });
    }
  });

  it('is refused with another token key until a single process has used it', async () => {
    await using testStorage = await createTestStorage('postgres');
    const { dataDir: data } = testStorage;
    const start = async (environment: Record<string, string>) =>
      startServer(testSettings(testStorage, { adminPassword, redisURL: instances.redis.url, ...environment }));
    await (await start({})).stop();
    const tokenKeyFile = join(data, 'another.key');
    await writeFile(tokenKeyFile, `${'ab'.repeat(32)}\n`);
    await assert.rejects(start({ tokenKeyFile }), /HILLTOP_TOKEN_KEY_FILE .* without HILLTOP_REDIS_URL once/);
    await (await start({ tokenKeyFile, redisURL: '' })).stop();
    await (await start({ tokenKeyFile })).stop();
    await assert.rejects(start({}), /HILLTOP_TOKEN_KEY_FILE/);
  });

  it('succeeds while Redis is unavailable', async () => {
    await using _more = await instances.start({ redisURL: 'redis://127.0.0.1:1' });
  });
});
