import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { statement } from './statement.ts';

for (const kind of databases)
  describe(`transactions at the same time on ${kind}`, () => {
    const row = (subject: string) => ({ subject, interval: 'DAY', start: 0, counters: '{}' });

    for (const manner of ['transaction', 'sharedTransaction'] as const)
      it(`succeed and fail separately, with their actions after the commit (${manner})`, async () => {
        await using database = await createTestDatabase(kind);
        const { query } = database;
        const caller = new AsyncLocalStorage<number>();
        const acts: number[] = [];
        const insert = (nth: number) =>
          database.query
            .insertInto('metric')
            .values(row(`of ${nth}`))
            .execute();
        const outcomes = await Promise.allSettled(
          Array.from({ length: 40 }, (_, nth) =>
            caller.run(nth, () =>
              database[manner](async () => {
                await insert(nth);
                database.afterCommit(() => acts.push(nth));
                if (nth % 3 === 1) throw new Error(`no ${nth}`);
                await database.transaction(() =>
                  database.query
                    .insertInto('metric')
                    .values(row(`below ${nth}`))
                    .execute(),
                );
                // A duplicate fails in the database, not in the work.
                if (nth % 3 === 2) await insert(nth);
                return caller.getStore();
              }),
            ),
          ),
        );
        const stay = outcomes.flatMap((_, nth) => (nth % 3 === 0 ? [nth] : []));
        for (const [nth, outcome] of outcomes.entries()) {
          if (nth % 3 === 0) assert.deepEqual(outcome, { status: 'fulfilled', value: nth });
          else assert.equal(outcome.status, 'rejected');
          if (nth % 3 === 1)
            assert.match(String(outcome.status === 'rejected' && outcome.reason), new RegExp(`no ${nth}$`));
        }
        const stored = await query.selectFrom('metric').select('subject').execute();
        assert.deepEqual(
          stored.map(({ subject }) => subject).toSorted(),
          stay.flatMap((nth) => [`below ${nth}`, `of ${nth}`]).toSorted(),
        );
        assert.deepEqual(
          acts.toSorted((one, other) => one - other),
          stay,
        );
      });

    it('share one on PostgreSQL that changes a row once for all of them, and not when each is tried alone', async () => {
      await using database = await createTestDatabase(kind);
      await database.query.insertInto('metric').values(row('sum')).execute();
      const add = statement()({
        sql: ({ from }) => `update metric set start = start + $more ${from}
          where subject = $subject and start + $more <= 7`,
        given: { subject: 'text', more: 'int8' },
        batch: { rowKey: 'subject', sumOf: 'more' },
      })(database);
      const keys: (object | undefined)[] = [];
      const adding = () =>
        database.sharedTransaction(async () => {
          keys.push(database.transactionKey);
          if ((await add.run({ subject: 'sum', more: 1 })) === 0) throw new Error('full');
        });
      const five = () => Promise.allSettled(Array.from({ length: 5 }, adding));
      assert.deepEqual(new Set((await five()).map(({ status }) => status)), new Set(['fulfilled']));
      assert.deepEqual([new Set(keys).size, keys.length], [1, 5]);
      const outcomes = (await five()).map(({ status }) => status);
      assert.deepEqual(outcomes, ['fulfilled', 'fulfilled', 'rejected', 'rejected', 'rejected']);
      assert.equal((await database.query.selectFrom('metric').select('start').executeTakeFirstOrThrow()).start, 7);
    });

    if (kind === 'postgres')
      it('hold no locks for each other when one of them has failed', async () => {
        await using database = await createTestDatabase(kind);
        const keys: (object | undefined)[] = [];
        const outcomes = await Promise.allSettled(
          Array.from({ length: 8 }, (_, nth) =>
            database.sharedTransaction(async () => {
              keys[nth] = database.transactionKey;
              if (nth === 2) throw new Error('no');
            }),
          ),
        );
        assert.deepEqual(
          outcomes.flatMap(({ status }, nth) => (status === 'rejected' ? [nth] : [])),
          [2],
        );
        assert.notEqual(keys[3], keys[2]);
        assert.notEqual(keys[1], keys[4]);
        // Those that are not near the failed one are still written together.
        assert.equal(new Set(keys.slice(4)).size, 1);
      });

    if (kind === 'sqlite')
      it('are tried separately when their shared transaction is rolled back', async () => {
        await using database = await createTestDatabase(kind);
        let runs = 0;
        const outcomes = await Promise.allSettled(
          Array.from({ length: 6 }, (_, nth) =>
            database.transaction(async () => {
              await database.query
                .insertInto('metric')
                .values(row(`of ${nth}`))
                .execute();
              runs += 1;
              // Like a full disk.
              if (nth === 3) await sql`rollback`.execute(database.query);
            }),
          ),
        );
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
        );
        assert.equal(runs, 10);
        const stored = await database.query.selectFrom('metric').select('subject').orderBy('subject').execute();
        assert.deepEqual(
          stored.map(({ subject }) => subject),
          ['of 0', 'of 1', 'of 2', 'of 4', 'of 5'],
        );
      });
  });
