import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, databases, instanceCount } from '../testing/databases.ts';
import { startTestApp } from '../testing/test-app.ts';

// SQLite reports the schema.
if (instanceCount === 0)
  it('has an index that begins with each foreign key column', async () => {
    await using app = await startTestApp('sqlite');
    const { query } = app.parts.database;
    const { rows } = await sql<{ column: string }>`
    select tables.name || '.' || keys."from" as "column"
    from sqlite_master as tables, pragma_foreign_key_list(tables.name) as keys
    where tables.type = 'table' and keys.seq = 0 and not exists (
      select 1 from pragma_index_list(tables.name) as indexes, pragma_index_info(indexes.name) as parts
      where parts.seqno = 0 and parts.name = keys."from"
    )
    order by 1`.execute(query);
    assert.deepEqual(
      rows.map(({ column }) => column),
      [],
    );
  });

if (databases.includes('postgres'))
  it('limits the pending list that each search on PostgreSQL reads', async () => {
    await using database = await createTestDatabase('postgres');
    const { rows } = await sql<{ name: string; options: string[] | null }>`
      select relname as name, reloptions as options from pg_class
      where relkind = 'i' and relam = (select oid from pg_am where amname = 'gin')`.execute(database.query);
    assert.ok(rows.some(({ name }) => name === 'device_tags'));
    for (const { name, options } of rows) assert.deepEqual(options, ['gin_pending_list_limit=128'], name);
  });
