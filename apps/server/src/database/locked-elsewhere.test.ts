import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { sql } from 'kysely';
import { createTestStorage } from '../testing/databases.ts';
import { createDatabase, type DatabaseEngine } from './database.ts';
import { sqlite } from './sqlite.ts';
import { isLocked } from './storage-failure.ts';

const insert = (engine: DatabaseEngine) => sql`insert into t values (1)`.compile(engine.kysely);

const writes: Record<string, (engine: DatabaseEngine) => Promise<unknown>> = {
  'a statement': async (engine) => engine.execute(insert(engine)),
  'a statement without a flush': async (engine) => engine.executeUnflushed(insert(engine)),
  'a transaction': async (engine) => {
    const transaction = await engine.begin();
    await transaction.execute(insert(engine));
    await transaction.commit();
  },
};

describe('while another process has the lock of SQLite', () => {
  for (const [name, write] of Object.entries(writes))
    it(`${name} waits, and the event loop goes on`, async () => {
      await using testStorage = await createTestStorage('sqlite');
      const path = join(testStorage.dataDir, 'test.db');
      const engine = sqlite(path);
      await sql`create table t (n integer)`.execute(engine.kysely);
      const other = new DatabaseSync(path);
      other.exec('begin immediate');

      const written = write(engine);
      await nextIteration();
      other.exec('commit');
      await written;

      assert.equal(other.prepare('select count(*) as n from t').get()!['n'], 1);
      other.close();
      await engine.kysely.destroy();
    });

  for (const isThreaded of [false, true])
    it(`calls that wait in line fail together after five seconds${isThreaded ? ', also with a thread' : ''}`, async () => {
      await using testStorage = await createTestStorage('sqlite');
      const path = join(testStorage.dataDir, 'test.db');
      let nowMs = 0;
      const pause = async () => {
        nowMs += 250;
      };
      const engine = sqlite(path, { isThreaded, lockTiming: { nowMs: () => nowMs, pause } });
      const database = createDatabase(engine, assert.ifError);
      await sql`create table t (n integer)`.execute(engine.kysely);
      const other = new DatabaseSync(path);
      other.exec('begin immediate');

      const write = async () => {
        await database.execute(insert(engine));
        return true;
      };
      const prepared = { statements: [{ query: insert(engine) }], onWritten: () => undefined };
      const answers = await Promise.allSettled([
        database.repeatableTransaction(write),
        database.repeatableTransaction(write),
        database.transaction(write),
        database.commit({ run: write, prepared }),
        database.commit({ run: write, prepared }),
        database.execute(insert(engine)),
      ]);
      for (const answer of answers) assert.ok(answer.status === 'rejected' && isLocked(answer.reason));
      assert.equal(nowMs, 5000);

      other.exec('commit');
      nowMs += 100;
      assert.ok(await database.commit({ run: write, prepared }));
      assert.equal(other.prepare('select count(*) as n from t').get()!['n'], 1);
      other.close();
      await database.close();
    });
});
