import assert from 'node:assert/strict';
import { copyFile, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import pg from 'pg';
import pino from 'pino';
import { settings } from '../config.ts';
import { createMetrics } from '../metrics.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { fixtures } from '../testing/fixtures.ts';
import { startTestApp } from '../testing/test-app.ts';
import { checkFile, jsonColumns } from './check.ts';
import { checkDatabase } from './check-command.ts';
import { watchIntegrity } from './integrity.ts';
import { migrate } from './migrations.ts';
import { postgres } from './postgres.ts';
import { sqlite } from './sqlite.ts';

/** A database with some rows, intact or with one bit flipped in the text `where`. */
async function stored(testStorage: TestStorage, where?: string): Promise<string> {
  const file = join(testStorage.dataDir, 'hilltop.db');
  await copyFile(join(fixtures, '0.1.0-fab818e', 'sqlite', 'hilltop.db'), file);
  if (where === undefined) return file;
  const at = (await readFile(file)).indexOf(where);
  assert.ok(at >= 0);
  const handle = await open(file, 'r+');
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
  await handle.write(Uint8Array.of(buffer[0]! ^ 0x20), 0, 1, at);
  await handle.close();
  return file;
}

describe('a stored database', () => {
  it('passes when it is sound, also while it is in use', async () => {
    await using testStorage = await createTestStorage('sqlite');
    const file = await stored(testStorage);
    assert.deepEqual(checkFile(file), []);
    const user = new DatabaseSync(file);
    user.exec("pragma journal_mode = wal; begin immediate; update device set name = 'x'");
    assert.deepEqual(checkFile(file), []);
    user.close();
  });

  it('fails with a flipped bit in an index or in JSON, or when the file is not a database', async () => {
    await using testStorage = await createTestStorage('sqlite');
    assert.match(checkFile(await stored(testStorage, 'admin@hilltop')).join(), /^user: .*index/);
    assert.match(checkFile(await stored(testStorage, '{"rx_count"')).join(), /cannot be read in/);
    assert.match(checkFile(await stored(testStorage, 'SQLite format')).join(), /not a database/);
    assert.equal(checkFile(join(testStorage.dataDir, 'none.db')).length, 1);
  });

  it('is searched for JSON in existing columns', async () => {
    await using testStorage = await createTestStorage('sqlite');
    const file = await stored(testStorage);
    const engine = sqlite(file);
    await migrate(engine);
    await engine.kysely.destroy();
    const database = new DatabaseSync(file);
    for (const [table, columns] of Object.entries(jsonColumns)) {
      const there = database.prepare(`pragma table_info("${table}")`).all();
      for (const column of columns)
        assert.ok(
          there.some(({ name }) => name === column),
          `${table}.${column}`,
        );
    }
    database.close();
  });

  it('is checked after the start, and findings are reported', async () => {
    await using testStorage = await createTestStorage('sqlite');
    const reported = Promise.withResolvers<string>();
    const log = pino({ level: 'error' }, { write: reported.resolve });
    const metrics = createMetrics();
    const integrity = watchIntegrity(await stored(testStorage, 'admin@hilltop'), { log, metrics, delayMs: 0 });
    assert.match(await reported.promise, /damaged.*npm start -- --check/);
    assert.match(integrity.findings.join(), /^user: /);
    assert.match(await metrics.text(), /hilltop_database_findings [1-9]/);
    integrity.stop();

    await using app = await startTestApp('sqlite', {}, { integrity });
    const health = await app.fetch('/health');
    assert.equal(health.status, 200);
    assert.match(await health.text(), /damaged/);
  });

  for (const kind of databases) {
    it(`is read completely by --check on ${kind}`, async () => {
      await using testStorage = await createTestStorage(kind);
      const { databaseURL } = testStorage;
      const config = settings.parse({ data: testStorage.dataDir, databaseURL });
      if (databaseURL === undefined) {
        assert.match((await checkDatabase(config)).text, /^There is no database at [^\n]*: HILLTOP_DATA names/);
        await stored(testStorage);
      } else {
        const engine = postgres(databaseURL);
        await migrate(engine);
        await engine.kysely.destroy();
      }
      const { isSound, text } = await checkDatabase(config);
      assert.ok(isSound);
      assert.match(text, /is sound\.$/);
      if (databaseURL !== undefined) {
        const client = new pg.Client({ connectionString: databaseURL });
        await client.connect();
        await client.query("create type mood as enum ('calm'); create table broken (mood mood)");
        await client.query("insert into broken values ('calm'); delete from pg_enum where enumtypid = 'mood'::regtype");
        await client.end();
        const damaged = await checkDatabase(config);
        assert.ok(!damaged.isSound);
        assert.match(damaged.text, /restore a backup\.\n {2}broken: /);
        return;
      }
      await stored(testStorage, 'admin@hilltop');
      const damaged = await checkDatabase(config);
      assert.ok(!damaged.isSound);
      assert.match(damaged.text, /restore a backup\.\n {2}user: /);
    });
  }
});
