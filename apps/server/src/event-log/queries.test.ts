import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { noGaps } from './cursor.ts';
import { cursorAt } from './queries.ts';

for (const kind of databases)
  it(`the cursor of a time is never after an event that readers have not seen yet on ${kind}`, async () => {
    await using database = await createTestDatabase(kind);
    const { query } = database;
    const rows = [1000, 2000, 3000, 4000].map((at, index) => ({
      pos: index + 1,
      at,
      application_id: 1,
      dev_eui: '0a',
      seq: index,
      type: 'up',
      payload: '{}',
    }));
    await query.insertInto('event').values(rows).execute();
    const positionAt = async (ms: number, newest: number) =>
      (await cursorAt(query, new Date(ms), { pos: newest, gaps: noGaps })).pos;
    assert.equal(await positionAt(3000, 4), 2);
    assert.equal(await positionAt(2001, 4), 2);
    assert.equal(await positionAt(9000, 4), 4);
    assert.equal(await positionAt(4000, 1), 1);
    assert.equal(await positionAt(9000, 1), 1);
  });
