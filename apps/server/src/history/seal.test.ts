import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it, mock } from 'node:test';
import { inspect } from 'node:util';
import type { Worker } from 'node:worker_threads';
import type { Clock } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { systemClock } from '../clock.ts';
import { isDiskFull } from '../database/storage-failure.ts';
import { formatCursor, noGaps } from '../event-log/cursor.ts';
import type { Metrics } from '../metrics.ts';
import { databases } from '../testing/databases.ts';
import { openHistoryLog } from '../testing/history-log.ts';
import { type CutRequest, cut } from './cut.ts';
import { keyOf } from './event-key.ts';
import { createHistory } from './history.ts';
import { seal, sealedPosition } from './seal.ts';
import { sealedPart } from './sealed-part.ts';
import type { HistorySettings } from './settings.ts';
import { shortenedSince } from './shortened.ts';
import { DamagedHistory, type HistoryStores, openStores, renameDamaged } from './stores.ts';
import type { WrittenPage } from './worker-calls.ts';

const start = Date.UTC(2026, 0, 1);
const noLimits = { history: true, historyDays: 0, historyEvents: 0, historySize: 1e12, seriesDays: 0 };
const keepAll: CutRequest = {
  ...{ before: undefined, seriesBefore: undefined, perDevice: 0 },
  ...{ mostBytes: Number.POSITIVE_INFINITY, isDiskLow: false },
};

for (const kind of databases) {
  /** A log with devices, and the stores of its history. */
  async function prepare() {
    const log = await openHistoryLog(kind);
    const { settings, stores, last } = log;
    return {
      ...log,
      /** Appends events to the log; the number of an event is its time as well. */
      append: (devEUI: string, seqs: readonly number[], payloadSize = 10) =>
        log.append(
          devEUI,
          seqs.map((seq) => {
            const payload = JSON.stringify(randomBytes(payloadSize).toString('hex'));
            return { at: start + seq, seq, type: 'up', payload, note: '{"lost":1}' };
          }),
        ),
      sealAll: (perDevice = 0) => seal(stores(), { upTo: last(), now: start, perDevice, isForced: true }),
      sealed: (devEUI: string, above = 0) => sealedOf(stores(), devEUI, above),
      since: (devEUI: string, above: number) => sealedPartOf(stores(), devEUI, above).since(),
      state: async () => {
        const state = stores().blocks!.read.selectFrom('history_state').select(['events', 'bytes']);
        return { ...(await state.executeTakeFirstOrThrow()) };
      },
      /** What `state` must be. */
      sums: async () => {
        const { events, bytes } = await stores()
          .blocks!.read.selectFrom('event_block')
          .select(({ fn }) => [fn.sum('count').as('events'), sql<number>`sum(length(bytes) + 150)`.as('bytes')])
          .executeTakeFirstOrThrow();
        return { events: Number(events), bytes: Number(bytes) };
      },
      /** Every write of the position stores one less. */
      breakPosition: async () => {
        const { write } = stores().blocks!;
        if (kind === 'sqlite')
          await sql`create trigger one_less after update of sealed_pos on history_state
            begin update history_state set sealed_pos = new.sealed_pos - 1; end`.execute(write);
        else {
          await sql`create function one_less() returns trigger language plpgsql as
            $$ begin new.sealed_pos := new.sealed_pos - 1; return new; end $$`.execute(write);
          await sql`create trigger one_less before update of sealed_pos on history_state
            for each row execute function one_less()`.execute(write);
        }
        const onTable = sql.raw(kind === 'postgres' ? 'on history_state' : '');
        return { repair: () => sql`drop trigger one_less ${onTable}`.execute(write) };
      },
      /** Every write fails as with a full disk: SQLite through its page limit, PostgreSQL through a trigger. */
      fillDisk: async () => {
        const { write } = stores().blocks!;
        if (kind === 'sqlite') {
          await sql`pragma max_page_count = 1`.execute(write);
          return { free: () => sql`pragma max_page_count = 1000000`.execute(write) };
        }
        await sql`create function full_disk() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(write);
        await sql`create trigger full_disk before insert or update on event_block
          for each row execute function full_disk()`.execute(write);
        return { free: () => sql`drop trigger full_disk on event_block`.execute(write) };
      },
      /** The history of a server with this log, two hours later. */
      run: (
        owner: AsyncDisposableStack,
        limits: Partial<HistorySettings> = {},
        clock: Pick<Clock, 'monotonicMs'> = systemClock,
      ) => {
        const counted = new Map<string, number>();
        const logged: string[] = [];
        const note = (fields: object, text: string) => void logged.push(`${text} ${inspect(fields)}`);
        const count = (name: string, labels: object = {}, by = 1) => {
          for (const key of [name, `${name} ${Object.values(labels).join(' ')}`])
            counted.set(key, (counted.get(key) ?? 0) + by);
        };
        const running = createHistory({
          config: { ...noLimits, ...limits, databaseURL: settings.databaseURL },
          files: settings,
          eventLog: {
            end: () => Promise.resolve(formatCursor({ pos: last(), gaps: noGaps })),
            retain: () => () => undefined,
          },
          steadyTime: { now: () => start + 7_200_000, moveOn: () => Promise.resolve(0) },
          clock,
          log: { error: note, warn: note } as unknown as Logger,
          metrics: { count, gauge: () => undefined } as unknown as Metrics,
        });
        owner.defer(() => running.close());
        return { running, logged, counts: (name: string) => counted.get(name) ?? 0 };
      },
    };
  }

  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  describe(`sealed events on ${kind}`, () => {
    it('are there once when the position is one too low, and sealing stops instead of going round', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', range(1, 300));
      await using parts = new AsyncDisposableStack();
      const { repair } = await history.breakPosition();
      const { running, logged, counts } = history.run(parts);
      const attempts: number[] = [];
      for (let round = 0; round < 24; round += 1) {
        const before = counts('history_rounds_failed');
        await running.round();
        if (counts('history_rounds_failed') > before) attempts.push(round);
      }
      assert.deepEqual(attempts, [0, 1, 3, 7, 15, 23]);
      assert.equal(logged.length, 1);
      assert.match(logged[0]!, /makes no progress at position 299/);
      assert.deepEqual(await history.sealed('0a'), range(1, 300));
      await repair();
      await history.append('0a', [301]);
      for (let round = 0; round < 8; round += 1) await running.round();
      assert.equal(counts('history_rounds_failed'), 6);
      assert.deepEqual(await history.sealed('0a'), range(1, 301));
      assert.deepEqual(await history.sums(), await history.state());
    });

    it('wait in the log until there are many, or the oldest is an hour old', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', [1, 2]);
      const round = (now: number) => seal(history.stores(), { upTo: history.last(), now, perDevice: 0 });
      assert.deepEqual(await round(start + 3_600_000), {
        position: 0,
        sealed: 0,
        removed: 0,
        omitted: 0,
        waiting: 2,
        isStuck: false,
      });
      assert.deepEqual(await round(start + 3_600_001), {
        position: 2,
        sealed: 2,
        removed: 0,
        omitted: 0,
        waiting: 0,
        isStuck: false,
      });
    });

    it('are limited for each device, by age, and by size', async () => {
      await using history = await prepare();
      for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
      await history.append('0a', range(1, 1000));
      await history.append('0b', range(1001, 1010));
      await history.sealAll(500);
      assert.deepEqual([(await history.sealed('0a')).length, (await history.sealed('0b')).length], [744, 10]);
      const byAge = await cut(history.stores(), { ...keepAll, before: start + 768 });
      assert.deepEqual([byAge.removed, byAge.events], [{ age: 256, size: 0, device: 0, count: 0 }, 498]);
      const bySize = await cut(history.stores(), { ...keepAll, mostBytes: byAge.bytes - 1 });
      assert.equal(bySize.removed.size, 256);
      assert.deepEqual(await history.sealed('0a'), range(769, 1000));
      const byDisk = await cut(history.stores(), { ...keepAll, isDiskLow: true });
      assert.deepEqual([byDisk.removed.size, await history.sealed('0a')], [232, []]);
      assert.deepEqual(await history.sealed('0b'), range(1001, 1010));
    });

    it('are too many when the size is reached before the days, until there is room or they are old enough', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', range(1, 50));
      await history.sealAll();
      const { bytes } = await history.state();
      const dayMs = 86_400_000;
      const fullSince = (historySize: number, days: number) =>
        shortenedSince(history.stores(), { historyDays: 30, historySize }, start + days * dayMs);
      assert.equal(await fullSince(bytes / 0.9 + 2, 10), undefined);
      assert.equal(await fullSince(bytes / 0.9 - 2, 10), start + 50);
      assert.equal(await fullSince(bytes / 0.9 - 2, 28), start + 50);
      assert.equal(await fullSince(bytes / 0.9 - 2, 30), undefined);
    });

    it('are limited for each device by the first round with a lower setting, without new events', async () => {
      await using history = await prepare();
      for (const devEUI of ['0a', '0b', '0c']) await history.addDevice(devEUI);
      for (const [index, devEUI] of ['0a', '0b', '0c'].entries())
        await history.append(devEUI, range(1, 1000 * (index % 2) + 300));
      await history.sealAll();
      const lefts = async () => {
        const sealed = await Promise.all(['0a', '0b', '0c'].map((devEUI) => history.sealed(devEUI)));
        return sealed.map((seqs) => [seqs[0], seqs.length]);
      };
      const many = { first: [1, 300], second: [1, 1300] };
      const few = { first: [1, 300], second: [1025, 276] };
      for (const [historyEvents, left, removed] of [
        [2000, many, 0],
        [256, few, 1024],
      ] as const) {
        await using parts = new AsyncDisposableStack();
        const { running, counts } = history.run(parts, { historyEvents });
        await running.round();
        assert.deepEqual(await lefts(), [left.first, left.second, left.first]);
        assert.equal(counts('history_events_removed count'), removed);
      }
      assert.deepEqual(await history.sums(), await history.state());
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
      assert.equal(await history.since('0a', from), start + 10);
      assert.equal((await cut(history.stores(), keepAll)).removed.device, 5);
      assert.deepEqual(await history.sealed('0a'), [10, 11, 12]);
      await history.query.deleteFrom('device').execute();
      assert.equal((await cut(history.stores(), keepAll)).removed.device, 3);
    });

    it('are sealed once by two instances, in turn or at the same time', async () => {
      await using history = await prepare();
      await using parts = new AsyncDisposableStack();
      await history.addDevice('0a');
      const open = async () => {
        const stores = await openStores(history.settings);
        parts.defer(() => stores.close());
        return stores;
      };
      const instances = [await open(), await open()];
      const request = () => ({ upTo: history.last(), now: start, perDevice: 0, isForced: true });
      for (let turn = 0; turn < 4; turn += 1) {
        await history.append('0a', range(turn * 70 + 1, turn * 70 + 70));
        await seal(instances[turn % 2]!, request());
      }
      await history.append('0a', range(281, 350));
      const ends = await Promise.allSettled(instances.map((instance) => seal(instance, request())));
      assert.ok(ends.some(({ status }) => status === 'fulfilled'));
      await history.append('0a', range(351, 400));
      const both = await Promise.allSettled(instances.map((instance) => seal(instance, request())));
      assert.ok(both.some(({ status }) => status === 'fulfilled'));
      assert.deepEqual(await history.sealed('0a'), range(1, 400));
      assert.deepEqual(await history.sums(), await history.state());
    });

    it('wait in the log while the disk is full', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', range(1, 5));
      await history.sealAll();
      const disk = await history.fillDisk();
      await history.append('0a', range(6, 300), 2000);
      const error = await history.sealAll().then(
        () => assert.fail('was sealed'),
        (reason: unknown) => reason,
      );
      assert.ok(isDiskFull(error), String(error));
      assert.deepEqual([await history.sealed('0a'), await sealedPosition(history.stores())], [range(1, 5), 5]);
      await disk.free();
      await history.sealAll();
      assert.deepEqual(await history.sealed('0a'), range(1, 300));
    });

    it('go on from the position after the worker ended, which fails the call in flight only', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', range(1, 200));
      await using parts = new AsyncDisposableStack();
      let now = 0;
      const { running, logged, counts } = history.run(parts, {}, { monotonicMs: () => now });
      const endings: Worker[] = [];
      const note = (worker: Worker) => void endings.push(worker);
      process.on('worker', note);
      parts.defer(() => void process.off('worker', note));
      const read = () => running.read({ devEUI: '0a', last: history.last(), above: 0, filter: {}, limit: 50 });
      await running.round({ isForced: true });
      await history.append('0a', range(201, 400));
      for (const call of [read, () => running.round({ isForced: true })]) {
        now += 1000;
        await read();
        const worker = endings.at(-1)!;
        const posted = Promise.withResolvers<void>();
        mock.method(worker, 'postMessage', posted.resolve);
        const inFlight = assert.rejects(call(), { code: 14, reason: 'HISTORY_BUSY' });
        await posted.promise;
        await worker.terminate();
        await inFlight;
      }
      await assert.rejects(read(), { reason: 'HISTORY_BUSY' }, 'a thread starts at most once a second');
      now += 1000;
      assert.deepEqual(numbersIn(await read()), range(351, 400).toReversed());
      await running.round({ isForced: true });
      assert.deepEqual(await history.sealed('0a'), range(1, 400));
      assert.deepEqual([counts('history_workers_lost'), endings.length], [2, 3]);
      assert.match(logged[0]!, /the history worker has ended/);
    });

    it('are read for each caller in turn, and a caller may have 30 calls waiting', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append('0a', range(1, 20));
      await using parts = new AsyncDisposableStack();
      const { running } = history.run(parts, {});
      const request = { devEUI: '0a', last: history.last(), above: 0, filter: {}, limit: 5 };
      const ended: string[] = [];
      const read = async (caller: string) => {
        await running.read(request, caller);
        ended.push(caller);
      };
      const greedy = Array.from({ length: 30 }, () => read('a'));
      const refused = assert.rejects(read('a'), { code: 14, reason: 'HISTORY_BUSY' });
      await Promise.all([...greedy, read('b'), refused]);
      // On PostgreSQL a call on another connection can take as long as several.
      assert.ok(ended.indexOf('b') < 15, ended.join(' '));
      await read('a');
    });

    if (kind === 'sqlite') {
      it('in a damaged page begin again with the log: the worker renames the file and reports it', async () => {
        await using history = await prepare();
        await history.addDevice('0a');
        await history.append('0a', range(1, 300), 500);
        await history.sealAll();
        const { historyFile } = history.settings;
        for (const damage of ['page', 'header'] as const) {
          await history.reopen();
          await sql`pragma wal_checkpoint(truncate)`.execute(history.stores().blocks!.write);
          await history.stores().close();
          await using parts = new AsyncDisposableStack();
          const size = (await stat(historyFile)).size;
          await using file = await open(historyFile, 'r+');
          const from = damage === 'page' ? 4096 : 0;
          await file.write(new Uint8Array(size - from).fill(0xff), 0, size - from, from);
          const { running, logged, counts } = history.run(parts);
          // A damaged page is noticed by its first use.
          await running.round({ isForced: true }).catch(() => undefined);
          await running.round({ isForced: true });
          assert.equal(counts('history_files_damaged'), 1, damage);
          assert.ok(logged.some((line) => line.startsWith('the history file was damaged and is renamed')));
        }
        await history.reopen();
        assert.deepEqual(await history.sealed('0a'), range(1, 300));
        const files = await readdir(dirname(historyFile));
        assert.equal(files.filter((name) => /^history\.db\.broken-[^w]*Z$/.test(name)).length, 2);
      });

      it('in a damaged file begin again with the log in a new file', async () => {
        await using history = await prepare();
        await history.addDevice('0a');
        await history.append('0a', range(1, 5));
        await history.sealAll();
        const { historyFile, databaseFile } = history.settings;
        await history.stores().close();
        await writeFile(historyFile, 'this is not a database'.repeat(1000));
        await assert.rejects(openStores(history.settings), DamagedHistory);
        const renamedTo = renameDamaged(historyFile, new Date(start));
        assert.equal(renamedTo, `${historyFile}.broken-2026-01-01T00-00-00-000Z`);
        await history.reopen();
        await history.sealAll();
        assert.deepEqual(await history.sealed('0a'), range(1, 5));
        const files = await readdir(join(databaseFile, '..'));
        assert.ok(files.includes('history.db') && files.some((name) => name.startsWith('history.db.broken-')));
      });

      it('in a file that cannot be used are not read, and the error says what to do', async () => {
        await using history = await prepare();
        const { historyFile } = history.settings;
        await history.stores().close();
        await rm(historyFile, { force: true });
        await mkdir(historyFile);
        await assert.rejects(
          openStores(history.settings),
          /history\.db cannot be used: EISDIR.*move the file away: a new one begins/,
        );
        await rmdir(historyFile);
        await history.reopen();
      });

      it('of a time after the backup that was restored are removed, so that new events are sealed', async () => {
        await using history = await prepare();
        for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
        await history.append('0a', range(1, 5));
        await history.sealAll();
        await history.append('0b', range(6, 9));
        await history.append('0a', range(10, 14));
        await history.sealAll();
        await sql`update device set last_event = 5 where dev_eui = '0a'`.execute(history.query);
        await sql`update device set last_event = null where dev_eui = '0b'`.execute(history.query);
        await history.query.deleteFrom('event').where('pos', '>', 5).execute();
        await sql`update sqlite_sequence set seq = 5 where name = 'event'`.execute(history.query);
        assert.equal((await cut(history.stores(), keepAll)).removed.device, 9);
        assert.deepEqual(await history.sums(), await history.state());
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

const numbersIn = ({ json }: WrittenPage) =>
  (JSON.parse(json) as { streamID: string }[]).map(({ streamID }) => keyOf(streamID).seq);

const sealedPartOf = ({ kind, blocks }: HistoryStores, devEUI: string, above: number, kinds: string[] = []) =>
  sealedPart({ kind, query: blocks!.read }, { devEUI, above, kinds });

/** The numbers of the sealed events of a device, read in both directions. */
async function sealedOf(stores: HistoryStores, devEUI: string, above: number): Promise<number[]> {
  const part = sealedPartOf(stores, devEUI, above, ['up']);
  const older: number[] = [];
  for await (const events of part.older(undefined))
    for (const { seq, note } of events) {
      assert.equal(note, '{"lost":1}');
      older.push(seq);
    }
  const newer: number[] = [];
  for await (const events of part.newer({ at: 0, seq: 0 })) for (const { seq } of events) newer.push(seq);
  assert.deepEqual(newer, older.toReversed());
  return newer;
}
