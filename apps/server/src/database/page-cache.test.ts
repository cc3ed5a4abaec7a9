import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { sql } from 'kysely';
import { nativeMemory } from '../native-memory.ts';
import { createDatabase } from './database.ts';
import { sqlite } from './sqlite.ts';

const rows = 5_000;
const isGlibc = process.platform === 'linux' && readFileSync('/proc/self/maps', 'utf8').includes('libc.so.6');
const residentMB = () => process.memoryUsage.rss() / 2 ** 20;

it('cached pages of SQLite are freed, and read again by the next query', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hilltop-pages-'));
  const database = createDatabase(sqlite(join(folder, 'test.db')), assert.ifError);
  const count = async () => {
    const { rows: found } = await database.execute<{ length: number }>({
      ...database.query.selectNoFrom(sql<number>`(select sum(length(text)) from page)`.as('length')).compile(),
    });
    return found[0]?.length;
  };
  try {
    await sql`create table page (text text)`.execute(database.query);
    await sql`insert into page with recursive n (i) as (select 1 union all select i + 1 from n where i < ${rows})
      select hex(randomblob(2000)) from n`.execute(database.query);
    assert.equal(await count(), rows * 4000);
    nativeMemory()?.trim();
    const before = residentMB();
    database.releasePageCache();
    nativeMemory()?.trim();
    const givenBack = before - residentMB();
    if (isGlibc) assert.ok(givenBack > 12, `${givenBack} MB were given back`);
    assert.equal(await count(), rows * 4000);
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
});

/** SQLite gives its temporary files such names, and removes them at once. */
const temporaryFiles = () =>
  readdirSync('/proc/self/fd').filter((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`).includes('etilqs_');
    } catch {
      return false;
    }
  });

it('pages that a savepoint of SQLite changes are in memory', { skip: process.platform !== 'linux' }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hilltop-savepoints-'));
  const engine = sqlite(join(folder, 'test.db'));
  const database = createDatabase(engine, assert.ifError);
  const changeAll = () =>
    database.transaction(() =>
      database.transaction(async () => {
        await sql`update page set text = text || 'x'`.execute(database.query);
        return temporaryFiles().length;
      }),
    );
  try {
    await sql`create table page (text text)`.execute(database.query);
    await sql`insert into page with recursive n (i) as (select 1 union all select i + 1 from n where i < 1000)
      select hex(randomblob(200)) from n`.execute(database.query);
    assert.ok((await changeAll()) > 0);
    engine.keepSavepointsInMemory!();
    assert.equal(await changeAll(), 0);
  } finally {
    await database.close();
    await rm(folder, { recursive: true });
  }
});
