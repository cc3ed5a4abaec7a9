import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemClock } from '../clock.ts';
import { createTestDatabase } from '../testing/databases.ts';
import { noGaps } from './cursor.ts';
import { sqliteCommits } from './sqlite.ts';
import { createTail } from './tail.ts';

const row = { at: 1000, application_id: 1, dev_eui: '0a', seq: 1, type: 'up', payload: '{}' };

it('a tail reads again when rows were committed while it read', async () => {
  const reads: PromiseWithResolvers<void>[] = [];
  let last = 0;
  const commits = {
    newest: async () => ({ pos: 0, gaps: noGaps }),
    since: async ({ pos }: { pos: number }) => {
      const upTo = last;
      const reading = Promise.withResolvers<void>();
      reads.push(reading);
      await reading.promise;
      const rows = Array.from({ length: upTo - pos }, (_, n) => ({ ...row, pos: pos + n + 1 }));
      return { rows, cursor: { pos: upTo, gaps: noGaps }, isMore: false };
    },
    committed: () => {},
  };
  const tail = await createTail(commits, systemClock);
  const commit = () => {
    last += 1;
    tail.hint();
  };
  commit();
  const first = tail.fill();
  const same = tail.fill();
  commit();
  const later = [tail.fill(), tail.fill()];
  reads[0]!.resolve();
  await Promise.all([first, same]);
  assert.equal(tail.newest().arrival, 1);
  await new Promise(setImmediate);
  assert.equal(reads.length, 2);
  reads[1]!.resolve();
  await Promise.all(later);
  assert.deepEqual([tail.newest().arrival, tail.newest().cursor.pos], [2, 2]);
});

it('a tail that failed to read reads again', async () => {
  let isAway = true;
  const commits = {
    newest: async () => ({ pos: 0, gaps: noGaps }),
    since: async () => {
      if (isAway) throw new Error('away');
      return { rows: [{ ...row, pos: 1 }], cursor: { pos: 1, gaps: noGaps }, isMore: false };
    },
    committed: () => {},
  };
  const tail = await createTail(commits, systemClock);
  tail.hint();
  await assert.rejects(tail.fill(), /away/);
  isAway = false;
  await tail.fill();
  assert.equal(tail.newest().arrival, 1);
});

it('returns only rows on disk, on SQLite', async () => {
  await using database = await createTestDatabase('sqlite');
  const commits = await sqliteCommits(database);
  const cursor = await commits.newest();
  const { pos } = await database.query.insertInto('event').values(row).returning('pos').executeTakeFirstOrThrow();
  const shown = async () => (await commits.since(cursor, 10)).rows.map((one) => one.pos);
  assert.deepEqual(await shown(), []);
  commits.committed({ ...row, pos });
  await database.query.insertInto('event').values(row).execute();
  assert.deepEqual(await shown(), [pos]);
});

it('returns each row once and in order, in whatever order commits are reported, on SQLite', async () => {
  await using database = await createTestDatabase('sqlite');
  const commits = await sqliteCommits(database);
  let cursor = await commits.newest();
  const shown: number[] = [];
  const look = async (limit: number) => {
    const step = await commits.since(cursor, limit);
    shown.push(...step.rows.map(({ pos }) => pos));
    ({ cursor } = step);
    return step.isMore;
  };
  const all: number[] = [];
  for (const [hinted, limit] of [
    [[0, 1, 2], 10],
    [[2, 1, 0], 10],
    [[1], 10],
    [[0, 2], 1],
    [[0, 1, 2, 3, 4, 5], 2],
    [[], 10],
    [[3, 0], 10],
  ] as const) {
    const made: number[] = [];
    for (let n = 0; n < Math.max(0, ...hinted) + 1; n++) {
      const { pos } = await database.query.insertInto('event').values(row).returning('pos').executeTakeFirstOrThrow();
      made.push(pos);
    }
    for (const at of hinted) commits.committed({ ...row, pos: made[at]! });
    if (hinted.length > 0) all.push(...made);
    else await database.query.deleteFrom('event').where('pos', 'in', made).execute();
    while (await look(limit));
  }
  assert.deepEqual(shown, all);
});

it('does not read rows again from SQLite that were just written', async () => {
  await using database = await createTestDatabase('sqlite');
  const commits = await sqliteCommits(database);
  const cursor = await commits.newest();
  await commits.since(cursor, 10);
  const { pos } = await database.query.insertInto('event').values(row).returning('pos').executeTakeFirstOrThrow();
  commits.committed({ ...row, pos });
  await database.query.deleteFrom('event').execute();
  assert.deepEqual((await commits.since(cursor, 10)).rows, [{ ...row, pos }]);
});
