import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTestDatabase, createTestStorage, databasesAndThreads, openTestDatabase } from '../testing/databases.ts';
import type { Database } from './database.ts';
import { createQueryCache } from './query-cache.ts';

/** A table with rows and a text by device, read through the cache and directly; `reads` counts. */
function cacheOn(database: Database, monotonicMs?: () => number) {
  const kept = createQueryCache<string>(
    database,
    [{ table: 'ns_queue_item', key: ['network_server_id', 'dev_eui'] }],
    100,
    monotonicMs,
  );
  let reads = 0;
  const read = async (devEUI: string) => {
    reads += 1;
    const of = database.query.selectFrom('ns_queue_item').where('dev_eui', '=', devEUI);
    const rows = await of.select('body').orderBy('id').execute();
    return rows.map(({ body }) => body).join();
  };
  const insert = (devEUI: string, id: string, body = id) =>
    database.query
      .insertInto('ns_queue_item')
      .values({ network_server_id: 1, dev_eui: devEUI, id, f_cnt: 0, body })
      .execute();
  const update = (id: string, change: { body?: string; dev_eui?: string }) =>
    database.query.updateTable('ns_queue_item').set(change).where('id', '=', id).execute();
  const remove = (id: string) => database.query.deleteFrom('ns_queue_item').where('id', '=', id).execute();
  const of = (devEUI: string) => kept.of(`1/${devEUI}`, () => read(devEUI));
  return { kept, of, insert, update, remove, reads: () => reads };
}

for (const { name, kind, threads } of databasesAndThreads) {
  describe(`cached results on ${name}`, () => {
    it('follow all writes', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { of, insert, update, remove } = cacheOn(database);
      const all = async () => [await of('a'), await of('b')];
      assert.deepEqual(await all(), ['', '']);
      await insert('a', 'x');
      assert.deepEqual(await all(), ['x', '']);
      await update('x', { body: 'y' });
      assert.deepEqual(await all(), ['y', '']);
      await update('x', { dev_eui: 'b' });
      assert.deepEqual(await all(), ['', 'y']);
      await remove('x');
      assert.deepEqual(await all(), ['', '']);
    });

    it('inside a transaction are those of the transaction, and outside the committed ones', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { of, insert } = cacheOn(database);
      assert.equal(await of('a'), '');
      const { promise: seen, resolve: goOn } = Promise.withResolvers<void>();
      const { promise: written, resolve: isWritten } = Promise.withResolvers<void>();
      const writing = database.transaction(async () => {
        await insert('a', 'x');
        assert.equal(await of('a'), 'x');
        isWritten();
        await seen;
        throw new Error('undone');
      });
      await written;
      assert.equal(await of('a'), '');
      goOn();
      await assert.rejects(writing, /undone/);
      assert.equal(await of('a'), '');
      await database.transaction(() => insert('a', 'y'));
      assert.equal(await of('a'), 'y');
    });

    it('are not stored when a write followed their read', async () => {
      await using database = await createTestDatabase(kind, undefined, undefined, threads);
      const { kept, insert } = cacheOn(database);
      assert.equal(await kept.of('1/a', () => Promise.resolve('')), '');
      await insert('a', 'x');
      const late = kept.of('1/a', async () => {
        await insert('a', 'y');
        return 'x';
      });
      assert.equal(await late, 'x');
      assert.equal(await kept.of('1/a', () => Promise.resolve('x,y')), 'x,y');
    });

    it('follow the writes of another process', async () => {
      await using testStorage = await createTestStorage(kind);
      await using ours = await openTestDatabase(testStorage, undefined, undefined, threads);
      await using theirs = await openTestDatabase(testStorage);
      let now = 0;
      const { of } = cacheOn(ours, () => now);
      const { insert } = cacheOn(theirs);
      assert.equal(await of('a'), '');
      await insert('a', 'x');
      // Another process is looked for every 50 ms.
      now += 50;
      assert.equal(await of('a'), 'x');
    });

    if (kind === 'sqlite') {
      it('are not read again', async () => {
        await using database = await createTestDatabase(kind, undefined, undefined, threads);
        const { of, insert, reads } = cacheOn(database);
        await of('a');
        await of('a');
        await insert('b', 'x');
        await of('a');
        assert.equal(reads(), 1);
      });

      it('are read each time when changes are not reported', async () => {
        await using database = await createTestDatabase(kind, undefined, undefined, threads);
        const isFull = () => {
          throw new Error('The disk is full.');
        };
        const { of, reads } = cacheOn({ ...database, isSettled: () => true, watch: isFull });
        await assert.rejects(of('a'), /full/);
        await assert.rejects(of('a'), /full/);
        assert.equal(reads(), 0);
      });

      it('are updated by a change with its transaction only', async () => {
        await using database = await createTestDatabase(kind, undefined, undefined, threads);
        const { kept, of, insert, update, reads } = cacheOn(database);
        await insert('a', 'x');
        assert.equal(await of('a'), 'x');
        const change = async (body: string) => {
          const changeKept = kept.changing('1/a');
          await update('x', { body });
          changeKept?.(() => body);
        };
        const committed = database.transaction(async () => {
          await change('y');
          assert.equal(kept.get('1/a'), undefined);
        });
        await committed;
        assert.equal(kept.get('1/a'), 'y');
        const undone = database.transaction(async () => {
          await change('z');
          throw new Error('undone');
        });
        await assert.rejects(undone, /undone/);
        assert.equal(kept.get('1/a'), undefined);
        assert.equal(await of('a'), 'y');
        await database.transaction(async () => {
          await change('z');
          await insert('a', 'z');
        });
        assert.equal(await of('a'), 'z,z');
        await database.transaction(async () => {
          const changeKept = kept.changing('1/a');
          await update('x', { body: 'x' });
          await insert('a', 'zz');
          changeKept?.(() => 'x');
        });
        assert.equal(await of('a'), 'x,z,zz');
        assert.equal(reads(), 4);
      });
    }
  });
}
