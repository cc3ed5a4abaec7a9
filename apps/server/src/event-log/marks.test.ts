import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { EventMarks } from './marks.ts';

const minuteMs = 60_000;

for (const kind of databases)
  it(`marks record the position of the log at a time, to ten minutes, on ${kind}`, async () => {
    await using database = await createTestDatabase(kind);
    const marks = new EventMarks(database.query);
    assert.equal(await marks.positionAt(minuteMs), 0);
    await marks.add(10 * minuteMs, 5);
    await marks.add(19 * minuteMs, 6);
    await marks.add(20 * minuteMs, 7);
    await marks.add(30 * minuteMs, 8);
    const positions = async () => {
      const all: number[] = [];
      for (const at of [9, 10, 19, 20, 29, 30, 99]) all.push(await marks.positionAt(at * minuteMs));
      return all;
    };
    assert.deepEqual(await positions(), [0, 5, 5, 7, 7, 8, 8]);
    // The last mark before that time is kept.
    await marks.removeBefore(25 * minuteMs);
    assert.deepEqual(await positions(), [0, 0, 0, 7, 7, 8, 8]);
    await marks.removeBefore(99 * minuteMs);
    assert.deepEqual(await positions(), [0, 0, 0, 0, 0, 8, 8]);
  });
