import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase, databases } from '../testing/databases.ts';
import type { BatchArguments, BatchStatement } from './batch-statement.ts';
import { statement } from './statement.ts';
import { writeTogether } from './statement-batches.ts';

for (const kind of databases)
  describe(`statements of many callers on ${kind}`, () => {
    it('answer each caller, in a shared transaction and when reading', async (t) => {
      await using database = await createTestDatabase(kind);
      const insert = statement<{ id: number }>()({
        sql: ({ values }) =>
          `insert into metric_fact (subject, at, counters) ${values('$subject, $at, $counters')} returning id`,
        given: { subject: 'text', at: 'int8', counters: 'text' },
        batch: {},
      })(database);
      const move = statement<{ id: number; at: number }>()({
        sql: ({ from }) => `update metric_fact set at = $to ${from}
          where subject = $subject and at = $from returning id, at`,
        given: { subject: 'text', from: 'int8', to: 'int8' },
        batch: { rowKey: 'subject' },
      })(database);
      const remove = statement()({
        sql: ({ using }) => `delete from metric_fact ${using} where id = $id`,
        given: { id: 'int8' },
        batch: {},
      })(database);
      const read = statement<{ id: number; at: number }>()({
        sql: 'select id, at from metric_fact where subject = $subject order by id desc',
        given: { subject: 'text' },
        batch: {},
      })(database);

      const names = ['a', 'b', 'a', 'c "{,}\\', 'd'];
      const ids = new Map<number, string>();
      let runs = 0;
      const run = async (subject: string, at: number) => {
        runs += 1;
        const { id } = (await insert.first({ subject, at, counters: '{}' }))!;
        ids.set(id, subject);
        const moved = await move.first({ subject, from: at, to: at + 10 });
        assert.deepEqual(moved, { id, at: at + 10 });
        assert.equal(await move.run({ subject: 'nobody', from: 0, to: 1 }), 0);
        if (subject === 'd') assert.equal(await remove.run({ id }), 1);
        else assert.equal(await remove.run({ id: -1 }), 0);
        return true;
      };
      assert.deepEqual(await Promise.all(names.map((name, at) => database.commit({ run: () => run(name, at) }))), [
        ...names.map(() => true),
      ]);

      // After a shared failure each is tried alone, which would also be correct.
      assert.equal(runs, names.length);

      const reading = t.mock.method(database.query, 'executeQuery');
      const found = await Promise.all(['a', 'd', 'c "{,}\\', 'b'].map((subject) => read.all({ subject })));
      assert.deepEqual(
        found.map((rows) => rows.map(({ at }) => at)),
        [[12, 10], [], [13], [11]],
      );
      assert.equal(reading.mock.callCount(), kind === 'postgres' ? 1 : 0);
      for (const rows of found) for (const row of rows) assert.deepEqual(Object.keys(row), ['id', 'at']);
      for (const [id, subject] of ids) {
        const rows = await read.all({ subject });
        assert.equal(
          rows.some((row) => row.id === id),
          subject !== 'd',
        );
      }
    });

    it('change a row once for all callers that change it', async () => {
      await using database = await createTestDatabase(kind);
      await database.query
        .insertInto('metric')
        .values({ subject: 's', interval: '', start: 0, counters: '' })
        .execute();
      const count = statement<{ start: number }>()({
        sql: ({ from }) => `update metric set start = start + 1 ${from} where subject = $subject returning start`,
        given: { subject: 'text' },
        batch: { rowKey: 'subject' },
      })(database);
      const seen: number[] = [];
      const unit = async () => {
        seen.push((await count.first({ subject: 's' }))!.start);
        return true;
      };
      await Promise.all(Array.from({ length: 5 }, () => database.commit({ run: unit })));
      assert.deepEqual(seen, [1, 2, 3, 4, 5]);
    });

    it('may have arguments that are null for all', async () => {
      let fellApart = 0;
      await using database = await createTestDatabase(kind, undefined, () => (fellApart += 1));
      const insert = statement()({
        sql: ({ values }) => `insert into event (pos, at, application_id, dev_eui, seq, type, payload, previous)
          ${values("$at, $at, 1, '', 1, 'up', '{}', $previous")}`,
        given: { at: 'int8', previous: 'int8?' },
        batch: {},
      })(database);
      const write = (at: number) =>
        database.commit({ run: async () => (await insert.run({ at, previous: null })) === 1 });
      assert.deepEqual(await Promise.all([1, 2, 3].map(write)), [true, true, true]);
      assert.equal(fellApart, 0);
    });

    if (kind === 'sqlite') return;
    it('fail alone when they read', async () => {
      await using database = await createTestDatabase(kind);
      const read = statement<{ at: number }>()({
        sql: 'select at from metric_fact where subject = $subject',
        given: { subject: 'text' },
        batch: {},
      })(database);
      const [good, bad] = await Promise.allSettled(['a', 'no\0text'].map((subject) => read.all({ subject })));
      assert.deepEqual([good?.status, bad?.status], ['fulfilled', 'rejected']);
    });

    it('insert the rows of each caller alone when the statement for all fails', async () => {
      const split: number[] = [];
      await using database = await createTestDatabase(kind, undefined, (_error, callers) => split.push(callers));
      const insert = statement<{ subject: string }>()({
        sql: ({ values }) =>
          `insert into metric_fact (subject, at, counters) ${values("$subject, 1, '{}'")} returning subject`,
        given: { subject: 'text' },
        batch: {},
      })(database);
      const callers = [['a', 'b'], ['c', 'no\0text'], ['d']].map((subjects) =>
        Promise.resolve(insert.insert(subjects.map((subject) => ({ subject })))),
      );
      const outcomes = await Promise.allSettled(callers);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'rejected')),
        [[{ subject: 'a' }, { subject: 'b' }], 'rejected', [{ subject: 'd' }]],
      );
      assert.deepEqual(split, [3]);
      const rows = await database.query.selectFrom('metric_fact').select('subject').orderBy('subject').execute();
      assert.deepEqual(
        rows.map(({ subject }) => subject),
        ['a', 'b', 'd'],
      );
    });
  });

it('statements of many callers change rows in the same order everywhere, and each row once', async () => {
  const statements: unknown[][] = [];
  const forAll = (all: readonly BatchArguments[]) => all.map(({ row }) => row) as never;
  const batched: BatchStatement = {
    forAll,
    forOne: (args) => forAll([args]),
    rowKey: ({ row }) => row,
    sumOf: undefined,
    isReading: false,
    isInsert: false,
  };
  const batches = writeTogether((compiled) => {
    const rows = compiled as unknown as unknown[];
    statements.push(rows);
    return Promise.resolve({ rows: rows.map((row, at) => ({ caller: at + 1, row })) });
  });
  const wanted = ['d', 'a', 'c', 'b', 'a', 'd'];
  const answers = await Promise.all(wanted.map((row) => batches.run(batched, { row })));
  assert.deepEqual(statements, [
    ['a', 'b', 'c', 'd'],
    ['a', 'd'],
  ]);
  assert.deepEqual(
    answers.map(({ rows: [answer] }) => answer?.['row']),
    wanted,
  );

  statements.length = 0;
  const summed = { ...batched, sumOf: 'more', forAll: (all: readonly BatchArguments[]) => all as never };
  await Promise.all(wanted.map((row, at) => batches.run(summed, { row, more: at })));
  assert.deepEqual(statements, [
    [
      { row: 'a', more: 5 },
      { row: 'b', more: 3 },
      { row: 'c', more: 2 },
      { row: 'd', more: 5 },
    ],
  ]);
});
