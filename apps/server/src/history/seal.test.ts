import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { filesIn } from '../data-directory.ts';
import { createMigratedStorage, databases, openTestDatabase } from '../testing/databases.ts';
import { type CutRequest, cut } from './cut.ts';
import { seal } from './seal.ts';
import { sealedPart } from './sealed-part.ts';
import { DamagedHistory, type HistoryStores, openStores, setAside } from './stores.ts';

const start = Date.UTC(2026, 0, 1);
const keepAll: CutRequest = { before: undefined, mostBytes: Number.POSITIVE_INFINITY, isDiskLow: false };

for (const kind of databases) {
  /** A log with devices, and the stores of its history. */
  async function prepare() {
    const parts = new AsyncDisposableStack();
    const storage = parts.use(await createMigratedStorage(kind));
    const { query } = parts.use(await openTestDatabase(storage));
    const { databaseFile, historyFile } = filesIn(storage.dataDir);
    const settings = { databaseURL: storage.databaseURL ?? '', databaseFile, historyFile };
    let opened = await openStores(settings);
    parts.defer(() => opened.close());
    // Sealing reads only these columns; a whole device needs a dozen other records.
    if (kind === 'sqlite') await sql`pragma foreign_keys = off`.execute(query);
    await sql`drop table device ${sql.raw(kind === 'postgres' ? 'cascade' : '')}`.execute(query);
    await sql`create table device (dev_eui text primary key, log_from bigint not null)`.execute(query);
    let pos = 0;
    return {
      query,
      settings,
      stores: () => opened,
      reopen: async () => {
        await opened.close();
        opened = await openStores(settings);
      },
      last: () => pos,
      addDevice: (devEUI: string, logFrom = 0) => sql`insert into device values (${devEUI}, ${logFrom})`.execute(query),
      /** Appends events to the log; the number of an event is its time as well. */
      append: async (devEUI: string, seqs: readonly number[], payloadSize = 10) => {
        for (const seq of seqs) {
          pos += 1;
          const row = { pos, at: start + seq, application_id: 1, dev_eui: devEUI, seq, type: 'up' };
          await query
            .insertInto('event')
            .values({ ...row, payload: JSON.stringify('x'.repeat(payloadSize)), note: '{"lost":1}' })
            .execute();
        }
      },
      sealAll: (perDevice = 0) => seal(opened, { upTo: pos, now: start, perDevice, isForced: true }),
      sealed: (devEUI: string, above = 0) => sealedOf(opened, devEUI, above),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  }

  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  describe(`sealed events on ${kind}`, () => {
    it('are complete and in order after the process ends at any step', async () => {
      await using history = await prepare();
      for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
      for (const devEUI of ['0a', '0b']) await history.append(devEUI, range(1, 300));
      for (const [index, step] of (['read', 'block written', 'committed'] as const).entries()) {
        for (const devEUI of ['0a', '0b']) await history.append(devEUI, range(301 + index * 10, 310 + index * 10));
        const request = { upTo: history.last(), now: start, perDevice: 0, isForced: true };
        const ended = seal(history.stores(), request, (reached) => {
          if (reached === step) throw new Error('ended');
        });
        await assert.rejects(ended, /ended/);
        await history.reopen();
      }
      await history.sealAll();
      await history.append('0a', [331]);
      await history.sealAll();
      assert.deepEqual([await history.sealed('0a'), await history.sealed('0b')], [range(1, 331), range(1, 330)]);
      const state = await history
        .stores()
        .blocks!.read.selectFrom('history_state')
        .selectAll()
        .executeTakeFirstOrThrow();
      const sums = await history
        .stores()
        .blocks!.read.selectFrom('event_block')
        .select(({ fn }) => [fn.sum('count').as('events'), sql<number>`sum(length(bytes) + 150)`.as('bytes')])
        .executeTakeFirstOrThrow();
      assert.deepEqual([state.events, state.bytes], [Number(sums.events), Number(sums.bytes)]);
    });

    it('wait in the log until there are many, or the oldest is an hour old', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', [1, 2]);
      const round = (now: number) => seal(history.stores(), { upTo: history.last(), now, perDevice: 0 });
      assert.deepEqual(await round(start + 3_600_000), { position: 0, sealed: 0, removed: 0, waiting: 2 });
      assert.deepEqual(await round(start + 3_600_001), { position: 2, sealed: 2, removed: 0, waiting: 0 });
    });

    it('are limited for each device, by age, and by size', async () => {
      await using history = await prepare();
      for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
      await history.append('0a', range(1, 1000));
      await history.append('0b', range(1001, 1010));
      await history.sealAll(500);
      assert.deepEqual([(await history.sealed('0a')).length, (await history.sealed('0b')).length], [744, 10]);
      const byAge = await cut(history.stores(), { ...keepAll, before: start + 600 });
      assert.deepEqual([byAge.removed, byAge.events], [{ age: 256, size: 0, device: 0 }, 498]);
      const bySize = await cut(history.stores(), { ...keepAll, mostBytes: byAge.bytes - 1 });
      assert.equal(bySize.removed.size, 256);
      assert.deepEqual(await history.sealed('0a'), range(769, 1000));
      const byDisk = await cut(history.stores(), { ...keepAll, isDiskLow: true });
      assert.deepEqual([byDisk.removed.size, await history.sealed('0a')], [232, []]);
      assert.deepEqual(await history.sealed('0b'), range(1001, 1010));
    });

    it('of a deleted device are removed, and a new one with its DevEUI has none of them', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', range(1, 5));
      await history.sealAll();
      await history.append('0a', range(6, 9));
      const from = history.last();
      await history.query.deleteFrom('device').execute();
      await history.addDevice('0a', from);
      await history.append('0a', range(10, 12));
      await history.sealAll();
      assert.deepEqual(
        [await history.sealed('0a', from), await history.sealed('0a')],
        [
          [10, 11, 12],
          [1, 2, 3, 4, 5, 10, 11, 12],
        ],
      );
      assert.equal((await cut(history.stores(), keepAll)).removed.device, 5);
      assert.deepEqual(await history.sealed('0a'), [10, 11, 12]);
      await history.query.deleteFrom('device').execute();
      assert.equal((await cut(history.stores(), keepAll)).removed.device, 3);
    });

    if (kind === 'sqlite') {
      it('in a damaged file are set aside, and a new file begins with the log', async () => {
        await using history = await prepare();
        await history.addDevice('0a');
        await history.append('0a', range(1, 5));
        await history.sealAll();
        const { historyFile, databaseFile } = history.settings;
        await history.stores().close();
        await writeFile(historyFile, 'this is not a database'.repeat(1000));
        await assert.rejects(openStores(history.settings), DamagedHistory);
        const aside = setAside(historyFile, new Date(start));
        assert.equal(aside, `${historyFile}.broken-2026-01-01T00-00-00-000Z`);
        await history.reopen();
        await history.sealAll();
        assert.deepEqual(await history.sealed('0a'), range(1, 5));
        const files = await readdir(join(databaseFile, '..'));
        assert.ok(files.includes('history.db') && files.some((name) => name.startsWith('history.db.broken-')));
      });

      it('of a time after the backup that was restored are removed, so that new events are sealed', async () => {
        await using history = await prepare();
        for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
        await history.append('0a', range(1, 5));
        await history.sealAll();
        await history.append('0b', range(6, 9));
        await history.sealAll();
        await history.query.deleteFrom('event').where('pos', '>', 5).execute();
        await sql`update sqlite_sequence set seq = 5 where name = 'event'`.execute(history.query);
        assert.equal((await cut(history.stores(), keepAll)).removed.device, 4);
        assert.deepEqual([await history.sealed('0a'), await history.sealed('0b')], [range(1, 5), []]);
        const { sealed_pos } = await history
          .stores()
          .blocks!.read.selectFrom('history_state')
          .select('sealed_pos')
          .executeTakeFirstOrThrow();
        assert.equal(sealed_pos, 5);
      });
    }
  });
}

/** The numbers of the sealed events of a device, read in both directions. */
async function sealedOf({ blocks }: HistoryStores, devEUI: string, above: number): Promise<number[]> {
  const part = sealedPart(blocks!.read, { devEUI, above, kinds: ['up'] });
  const older: number[] = [];
  for await (const { seq, note } of part.older(undefined)) {
    assert.equal(note, '{"lost":1}');
    older.push(seq);
  }
  const newer: number[] = [];
  for await (const { seq } of part.newer({ at: 0, seq: 0 })) newer.push(seq);
  assert.deepEqual(newer, older.toReversed());
  return newer;
}
