import assert from 'node:assert/strict';
import { it } from 'node:test';
import { seededRandom } from '@hilltop/simulator';
import { sql } from 'kysely';
import { createMigratedStorage, createTestDatabase, databases, openTestDatabase } from '../testing/databases.ts';
import { statement } from './statement.ts';

/** The first write of each unit, which is rolled back when the unit loses. */
const before = { subject: 'before', at: 0, counters: '{}' };

for (const kind of databases)
  it(`lets exactly one of racing units win on ${kind}, whatever else they write`, async () => {
    await using database = await createTestDatabase(kind);
    const random = seededRandom(7);
    const below = (most: number) => Math.floor(random() * most);
    const rows = Array.from({ length: 12 }, (_, row) => ({ subject: `race ${row}`, revision: 0, wins: 0 }));
    for (const { subject } of rows)
      await database.query.insertInto('metric').values({ subject, interval: '', start: 0, counters: '' }).execute();
    /** Increments the revision of a row, like saving a session; the writes before and after belong to it. */
    const racer = (subject: string, revision: number) => ({
      run: async () => {
        await database.query.insertInto('metric_fact').values(before).execute();
        const { numUpdatedRows } = await database.query
          .updateTable('metric')
          .set({ start: revision + 1 })
          .where('subject', '=', subject)
          .where('start', '=', revision)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await database.query.insertInto('metric_fact').values({ subject, at: revision, counters: '{}' }).execute();
        return true;
      },
    });
    for (let round = 0; round < 15; round++) {
      const commits = Array.from({ length: 2 + below(60) }, async () => {
        const row = rows[below(rows.length)]!;
        if (await database.commit(racer(row.subject, row.revision))) row.wins += 1;
      });
      // Sometimes one of them fails.
      const failing = round % 5 === 0 && database.commit({ run: () => Promise.reject(new Error('stop')) });
      await Promise.all(commits);
      if (failing) await assert.rejects(failing, { message: 'stop' });
      for (const row of rows) row.revision = row.wins;
    }
    for (const { subject, wins } of rows) {
      const facts = await database.query
        .selectFrom('metric_fact')
        .where('subject', '=', subject)
        .select('at')
        .execute();
      assert.deepEqual(
        facts.map(({ at }) => at).toSorted((a, b) => a - b),
        Array.from({ length: wins }, (_, revision) => revision),
      );
      const stored = await database.query
        .selectFrom('metric')
        .select('start')
        .where('subject', '=', subject)
        .executeTakeFirstOrThrow();
      assert.equal(stored.start, wins);
    }
    const stored = await database.query
      .selectFrom('metric_fact')
      .where('subject', '=', before.subject)
      .select('id')
      .execute();
    assert.equal(
      stored.length,
      rows.reduce((sum, { wins }) => sum + wins, 0),
    );
  });

for (const kind of databases)
  it(`keeps the order of changes to one row in consecutive batches on ${kind}`, async () => {
    await using database = await createTestDatabase(kind);
    const { query } = database;
    const subjects = Array.from({ length: 8 }, (_, row) => `row ${row}`);
    for (const subject of subjects)
      await query.insertInto('metric').values({ subject, interval: '', start: 0, counters: '' }).execute();
    const move = statement()({
      sql: ({ from }) => `update metric set start = $to ${from} where subject = $subject and start = $from`,
      given: { subject: 'text', from: 'int8', to: 'int8' },
      batch: { rowKey: 'subject' },
    })(database);
    const note = statement()({
      sql: ({ values }) => `insert into metric_fact (subject, at, counters) ${values("$subject, $at, '{}'")}`,
      given: { subject: 'text', at: 'int8' },
      batch: {},
    })(database);
    /** Two of them change each row, and continue from its current value. */
    const racer = async (subject: string) => {
      for (let at = 0; at < 25; ) {
        const run = async () => {
          const [moved] = await Promise.all([move.run({ subject, from: at, to: at + 1 }), note.run({ subject, at })]);
          return moved === 1;
        };
        await database.commit({ run });
        at = (await query.selectFrom('metric').select('start').where('subject', '=', subject).executeTakeFirstOrThrow())
          .start;
      }
    };
    await Promise.all([...subjects, ...subjects].map(racer));
    for (const subject of subjects) {
      const facts = await query
        .selectFrom('metric_fact')
        .where('subject', '=', subject)
        .select('at')
        .orderBy('id')
        .execute();
      assert.deepEqual(
        facts.map(({ at }) => at),
        Array.from({ length: 25 }, (_, at) => at),
      );
    }
  });

if (databases.includes('postgres')) {
  it('repeats a whole batch that the locks of another process ended', async () => {
    const batchErrors: unknown[] = [];
    await using testStorage = await createMigratedStorage('postgres');
    const one = await openTestDatabase(testStorage, assert.ifError, (error) => batchErrors.push(error));
    const other = await openTestDatabase(testStorage, assert.ifError);
    for (const subject of ['a', 'b'])
      await one.query.insertInto('metric').values({ subject, interval: '', start: 0, counters: '' }).execute();
    const move = (database: typeof one, subject: string) =>
      database.query
        .updateTable('metric')
        .set((row) => ({ start: sql<number>`${row.ref('start')} + 1` }))
        .where('subject', '=', subject)
        .execute();
    const [isHeld, isWanted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = other.transaction(async () => {
      await move(other, 'b');
      isHeld.resolve();
      await isWanted.promise;
      await move(other, 'a');
    });
    await isHeld.promise;
    const units = ['a', 'b'].map((subject) => ({
      run: async () => {
        await move(one, subject);
        if (subject === 'a') isWanted.resolve();
        return true;
      },
    }));
    assert.deepEqual(await Promise.all(units.map((unit) => one.commit(unit))), [true, true]);
    await holding;
    const rows = await one.query.selectFrom('metric').select('start').orderBy('subject').execute();
    assert.deepEqual([rows.map(({ start }) => start), batchErrors], [[2, 2], []]);
    await Promise.all([one.close(), other.close()]);
  });
}

it('writes all others when the connection ends in the middle of a batch, and reports it', async (t) => {
  if (!databases.includes('postgres')) return t.skip('no PostgreSQL');
  const splitSizes: number[] = [];
  await using database = await createTestDatabase('postgres', assert.ifError, (_error, units) =>
    splitSizes.push(units),
  );
  const unit = (subject: string, ending = false) => ({
    run: async () => {
      await database.query.insertInto('metric_fact').values({ subject, at: 0, counters: '{}' }).execute();
      if (ending) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.query);
      return true;
    },
  });
  const names = Array.from({ length: 30 }, (_, index) => `unit ${String(index).padStart(2, '0')}`);
  const answers = await Promise.allSettled(names.map((name, index) => database.commit(unit(name, index === 9))));
  const written = await database.query.selectFrom('metric_fact').select('subject').orderBy('subject').execute();
  assert.equal(answers[9]?.status, 'rejected');
  assert.deepEqual(
    written.map(({ subject }) => subject),
    names.filter((_, index) => answers[index]?.status === 'fulfilled'),
  );
  assert.equal(written.length, 29);
  assert.deepEqual(splitSizes, [30]);
});
