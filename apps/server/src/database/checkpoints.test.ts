import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { createDatabase, type Database } from './database.ts';
import { sqlite } from './sqlite.ts';
import { mostIdleLogBytes } from './sqlite-connection.ts';

describe('the log of the embedded database', () => {
  let folder: string;
  let path: string;
  let database: Database;
  let watcher: DatabaseSync;
  let written = 0;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hilltop-'));
    path = join(folder, 'some.db');
    database = createDatabase(sqlite(path), assert.ifError);
    await sql`create table thing (id integer primary key, bytes blob)`.execute(database.query);
    watcher = new DatabaseSync(path, { readOnly: true });
  });
  after(() => rm(folder, { recursive: true }));

  const state = () => watcher.prepare('pragma wal_checkpoint(noop)').get() as { log: number; checkpointed: number };

  async function write(pages: number): Promise<void> {
    await database.transaction(async () => {
      for (let n = 0; n < pages / 16; n += 1)
        await sql`insert into thing (bytes) values (${randomBytes(16 * 4096)})`.execute(database.query);
      written += pages / 16;
    });
  }

  async function allCopied(): Promise<void> {
    for (let at = state(); at.checkpointed < at.log; at = state()) await pause(5);
  }

  it('is not copied while it is short', async () => {
    await write(1600);
    await write(1600);
    assert.equal(state().checkpointed, 0);
  });

  it('is copied when it is long, and starts again', async () => {
    await write(1600);
    await allCopied();
    await write(160);
    assert.ok(state().log < 400, `${state().log} pages`);
  });

  it('is copied again after a reader prevented it', async () => {
    const reader = new DatabaseSync(path, { readOnly: true });
    reader.exec('begin');
    reader.prepare('select count(*) from thing').get();
    await write(4800);
    await write(4800);
    assert.ok(state().checkpointed < state().log);
    const longest = statSync(`${path}-wal`).size;
    assert.ok(longest > mostIdleLogBytes, `${longest} bytes`);
    reader.close();
    await write(4800);
    await allCopied();
    await write(160);
    assert.ok(state().log < 400, `${state().log} pages`);
    assert.equal(statSync(`${path}-wal`).size, mostIdleLogBytes);
  });

  it('starts again while others continue to write', async () => {
    let [longest, pages] = [0, 0];
    for (; state().log >= longest && pages < 15_000; pages += 320) {
      longest = state().log;
      await Promise.all([write(160), write(160)]);
    }
    assert.ok(pages < 15_000, `${state().log} pages`);
  });

  it('is removed when the database is closed, and no row is missing', async () => {
    watcher.close();
    await database.close();
    assert.equal(existsSync(`${path}-wal`), false);
    const read = new DatabaseSync(path, { readOnly: true });
    assert.deepEqual({ ...read.prepare('select count(*) as things from thing').get() }, { things: written });
    read.close();
  });
});
