import assert from 'node:assert/strict';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { filesIn } from '../data-directory.ts';
import {
  createMigratedStorage,
  createTestDatabase,
  databasesAndThreads,
  openTestDatabase,
} from '../testing/databases.ts';
import { watchWriterThreads } from '../testing/writer-threads.ts';
import type { Database } from './database.ts';
import { createQueryCache } from './query-cache.ts';
import { statement } from './statement.ts';
import { isStorageFailure } from './storage-failure.ts';
import type { PreparedResult, PreparedStatement } from './unit.ts';

const insertRow = statement()({
  sql: 'insert into ns_queue_item (network_server_id, dev_eui, id, f_cnt, body) values (1, $devEUI, $id, 0, $body)',
  given: { devEUI: 'text', id: 'text', body: 'text' },
});

const updateRow = statement<{ body: string; dev_eui: string }>()({
  sql: 'update ns_queue_item set body = $body where id = $id returning body, dev_eui',
  given: { id: 'text', body: 'text' },
});

/** Writes and reads rows of one table, and notes whether a unit ran the long way. */
function rowsIn(database: Database) {
  const ran: string[] = [];
  const inserting = (id: string, devEUI = 'a'): PreparedStatement => ({
    query: insertRow(database).query({ devEUI, id, body: id }),
  });
  const updating = (id: string, body: string, mustChange = 1): PreparedStatement => ({
    query: updateRow(database).query({ id, body }),
    mustChange,
  });
  const commit = async (about: string, statements: PreparedStatement[], runAnswers = true) => {
    let results: readonly PreparedResult[] = [];
    const run = async () => {
      ran.push(about);
      return runAnswers;
    };
    const onWritten = (written: readonly PreparedResult[]) => {
      results = written;
    };
    const isWritten = await database.commit({ run, prepared: { statements, onWritten } });
    return { isWritten, results };
  };
  const stored = async () => {
    const rows = await database.query.selectFrom('ns_queue_item').select(['id', 'body']).orderBy('id').execute();
    return Object.fromEntries(rows.map(({ id, body }) => [id, body]));
  };
  return { ran, inserting, updating, commit, stored };
}

for (const { name, kind, threads } of databasesAndThreads.filter(({ kind }) => kind === 'sqlite')) {
  describe(`prepared units on ${name}`, () => {
    it('are written together, and get the results of their statements', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { inserting, updating, commit, stored, ran } = rowsIn(database);
      const [first, second] = await Promise.all([
        commit('first', [inserting('x'), updating('x', 'changed')]),
        commit('second', [inserting('y')]),
      ]);
      assert.deepEqual([first.isWritten, second.isWritten, ran], [true, true, []]);
      assert.deepEqual(first.results[1], [{ body: 'changed', dev_eui: 'a' }]);
      const ids = [first.results[0], second.results[0]].map(Number);
      assert.equal(ids[1]! - ids[0]!, 1);
      assert.deepEqual(await stored(), { x: 'changed', y: 'y' });
    });

    it('run the long way when a guard or a statement fails, and write nothing before', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { inserting, updating, commit, stored, ran } = rowsIn(database);
      const guarded = await commit('guarded', [inserting('x'), updating('missing', 'changed')], false);
      assert.deepEqual([guarded.isWritten, guarded.results], [false, []]);
      const failing = await commit('failing', [inserting('y'), { query: { sql: 'no statement', parameters: [] } }]);
      assert.equal(failing.isWritten, true);
      assert.deepEqual([ran, await stored()], [['guarded', 'failing'], {}]);
    });

    it('and transactions see the writes of each other', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { inserting, updating, commit, stored } = rowsIn(database);
      for (let round = 0; round < 20; round += 1) {
        const id = `row ${round}`;
        await commit('insert', [inserting(id)]);
        await database.transaction(async () => {
          assert.equal((await stored())[id], id);
          await database.query
            .updateTable('ns_queue_item')
            .set({ body: 'by a transaction' })
            .where('id', '=', id)
            .execute();
        });
        const written = await commit('update', [updating(id, 'by a unit')]);
        assert.deepEqual(written.results, [[{ body: 'by a unit', dev_eui: 'a' }]]);
      }
    });

    it('change cached results when they are committed, those of rows read meanwhile as well', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { inserting, updating, commit } = rowsIn(database);
      const cache = createQueryCache<string>(database, [{ table: 'ns_queue_item', key: ['dev_eui'] }], 10);
      const read = async () => {
        const rows = await database.query
          .selectFrom('ns_queue_item')
          .where('dev_eui', '=', 'a')
          .select('body')
          .execute();
        return rows.map(({ body }) => body).join();
      };
      const cached = () => cache.of('a', read);
      const late = commit('before the cache', [inserting('x')]);
      // The unit is sent, and the thread starts: nothing is written yet.
      await new Promise((resolve) => setImmediate(resolve));
      await cached();
      await late;
      assert.equal(await cached(), 'x');
      for (let round = 0; round < 50; round += 1) {
        const writing = commit('update', [updating('x', `round ${round}`)]);
        // Reads before, while and after the unit is written.
        while ((await cached()) !== `round ${round}`) await new Promise((resolve) => setImmediate(resolve));
        await writing;
        assert.equal(await cached(), `round ${round}`);
      }
    });

    it('update a cached result that they change', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { inserting, updating } = rowsIn(database);
      const cache = createQueryCache<string>(database, [{ table: 'ns_queue_item', key: ['dev_eui'] }], 10);
      await database.commit({
        run: () => Promise.reject(new Error('long way')),
        prepared: { statements: [inserting('x'), inserting('y', 'b')], onWritten: () => undefined },
      });
      for (const devEUI of ['a', 'b']) await cache.of(devEUI, () => Promise.resolve('read'));
      const changeCached = ['a', 'b'].map((devEUI) => cache.changing(devEUI));
      const change = (nth: number, id: string) =>
        database.commit({
          run: () => Promise.reject(new Error('long way')),
          prepared: {
            statements: [updating(id, 'changed')],
            onWritten: () => changeCached[nth]?.((former) => `${former}, changed`),
          },
        });
      await Promise.all([change(0, 'x'), change(1, 'y')]);
      assert.deepEqual([cache.get('a'), cache.get('b')], ['read, changed', 'read, changed']);
    });

    it('do not hide the writes of another process', async () => {
      await using testStorage = await createMigratedStorage(kind);
      await using ours = await openTestDatabase(testStorage, undefined, undefined, threads);
      await using theirs = await openTestDatabase(testStorage);
      const { inserting, commit } = rowsIn(ours);
      await commit('first', [inserting('x')]);
      const before = ours.writtenElsewhere();
      await commit('ours', [inserting('y')]);
      await ours.transaction(() => ours.query.deleteFrom('ns_queue_item').where('id', '=', 'y').execute());
      assert.equal(ours.writtenElsewhere(), before);
      await rowsIn(theirs).commit('theirs', [rowsIn(theirs).inserting('z')]);
      assert.notEqual(ours.writtenElsewhere(), before);
    });

    it('do not hide what another process writes while a transaction of ours waits and is then rolled back', async () => {
      await using testStorage = await createMigratedStorage(kind);
      await using ours = await openTestDatabase(testStorage, undefined, undefined, threads);
      await rowsIn(ours).commit('first', [rowsIn(ours).inserting('x')]);
      const before = ours.writtenElsewhere();
      using theirs = new DatabaseSync(filesIn(testStorage.dataDir).databaseFile);
      theirs.exec("begin immediate; update ns_queue_item set body = 'theirs'");
      const refused = ours.transaction(() => Promise.reject(new Error('refused')));
      await nextTurn();
      theirs.exec('commit');
      await assert.rejects(refused, /refused/);
      assert.notEqual(ours.writtenElsewhere(), before);
    });
  });
}

describe('the thread that writes to SQLite', () => {
  it('ends: the batch under way fails like storage, and the next units are written', async () => {
    using threads = watchWriterThreads();
    await using database = await createTestDatabase('sqlite', undefined, undefined, 2);
    const { inserting, commit, stored, ran } = rowsIn(database);
    await commit('first', [inserting('a')]);
    const [thread] = threads.started;
    const ended = once(thread!, 'exit');
    const failing = commit('under way', [inserting('b')]);
    await new Promise((resolve) => setImmediate(resolve));
    void thread!.terminate();
    const outcome = await failing.then(
      () => 'written',
      (error: unknown) => isStorageFailure(error),
    );
    assert.ok(outcome === true || outcome === 'written', String(outcome));
    await ended;
    await commit('after the end', [inserting('c')]);
    await database.transaction(() => database.query.updateTable('ns_queue_item').set({ body: 'all' }).execute());
    assert.deepEqual([ran, Object.keys(await stored()).filter((id) => id !== 'b')], [[], ['a', 'c']]);
  });
});
