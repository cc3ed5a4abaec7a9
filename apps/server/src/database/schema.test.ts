import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { instanceCount } from '../testing/databases.ts';
import { startTestApp } from '../testing/test-app.ts';

// What the schema is, SQLite tells.
if (instanceCount === 0)
  it('has an index that begins with each column that points at another table', async () => {
    await using app = await startTestApp('sqlite');
    const { query } = app.needs.database;
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
