import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { backupProblem } from '../../backup/runs.ts';
import { BackupSchedule } from '../../backup/schedule.ts';
import { createLog } from '../../log.ts';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createDevice, createSurroundings } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { storage } = operations;
const hourMs = 3_600_000;

for (const kind of databases)
  describe(`the storage on ${kind}`, () => {
    let app: TestApp;
    let directory: string;
    let now = Date.parse('2026-01-01T00:00:00Z');
    const start = now;
    before(async () => {
      directory = await mkdtemp(join(tmpdir(), 'hilltop-backups-'));
      app = await startTestApp(kind, { historyDays: '12' });
    });
    after(async () => {
      await app[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    });

    const scheduleIn = (backupDir: string) => {
      const { config, database, metrics } = app.parts;
      const settings = { ...config, backupDir, backupEvery: 24 * hourMs, backupKeep: 2 };
      const log = createLog({ logLevel: 'silent' });
      const schedule = new BackupSchedule({
        config: settings,
        database,
        clock: { now: () => new Date(now) },
        instance: 'this one',
        log,
        metrics: { count: metrics.count, gauge: () => undefined },
      });
      return { schedule, problem: () => backupProblem(database, settings, now) };
    };
    const files = async () => (await readdir(directory)).sort();
    const backups = async () => (await app.call(storage.get, {})).backups;

    it('is answered with sizes, oldest times, limits and settings', async () => {
      const surroundings = await createSurroundings(app);
      const devEUI = await createDevice(app, surroundings);
      await app.call(operations.device.delete, { devEUI });
      const { parts, isEmbedded, diskBytes, freeBytes, backupDirectory } = await app.call(storage.get, {});
      assert.deepEqual([isEmbedded, backupDirectory], [kind === 'sqlite', '']);
      assert.ok(freeBytes > 0 && diskBytes > freeBytes);
      const of = (name: string) => parts.find(({ part }) => part === name)!;
      assert.deepEqual(
        parts.map(({ part }) => part),
        ['DATABASE', 'EVENT_LOG', 'HISTORY', 'SERIES', 'TRASH', 'AUDIT'],
      );
      assert.ok(of('DATABASE').isSizeKnown && of('DATABASE').bytes > 100_000);
      assert.equal(of('AUDIT').isSizeKnown, kind === 'postgres');
      assert.deepEqual([of('HISTORY').limitDays, of('HISTORY').limitBytes], [12, 1e10]);
      assert.ok(of('TRASH').bytes > 0 && Date.parse(of('TRASH').oldestAt!) > 0);
      assert.ok(of('AUDIT').oldestAt);
      assert.deepEqual(of('TRASH').settings, ['HILLTOP_TRASH_DAYS']);
    });

    it('has a backup each interval, and the newest of them', async () => {
      const { schedule, problem } = scheduleIn(directory);
      await writeFile(join(directory, 'of-somebody-else.backup'), '');
      await schedule.round();
      const [first] = await backups();
      assert.equal(first?.problem, '');
      assert.equal(first.bytes, (await stat(join(directory, first.file))).size);
      now += 23 * hourMs;
      await schedule.round();
      assert.equal((await backups()).length, 1);
      for (let day = 0; day < 2; day += 1) {
        now += 24 * hourMs;
        await schedule.round();
      }
      const kept = (await backups()).map(({ file }) => file);
      assert.equal(kept.length, 2);
      assert.deepEqual(await files(), [...kept.toReversed(), 'of-somebody-else.backup']);
      assert.equal(await problem(), undefined);
    });

    it('reports a backup that fails, and tries again in an hour', async () => {
      const missing = join(directory, 'missing');
      const { schedule, problem } = scheduleIn(missing);
      now += 24 * hourMs;
      const failedAt = now;
      await schedule.round();
      const text = `The directory ${missing} (HILLTOP_BACKUP_DIR) does not exist.`;
      assert.deepEqual(await problem(), { since: failedAt, text });
      now += hourMs / 2;
      await schedule.round();
      now += hourMs / 2;
      await schedule.round();
      assert.deepEqual(
        (await backups()).map((one) => one.problem),
        [text, text, '', ''],
      );
      assert.deepEqual(await problem(), { since: failedAt, text });
      now += hourMs;
      await scheduleIn(directory).schedule.round();
      assert.equal(await problem(), undefined);
    });

    it('reports a backup that an earlier process did not finish, and one that is late', async () => {
      const { schedule, problem } = scheduleIn(directory);
      const { query } = app.parts.database;
      now += 48 * hourMs + 1;
      assert.equal((await problem())?.text, 'No backup was written in time.');
      const begun = { file: 'hilltop-begun.backup', instance: 'this one', started_at: now };
      await query
        .insertInto('backup')
        .values({ ...begun, ended_at: null, bytes: 0, problem: '' })
        .execute();
      await schedule.start();
      await schedule.stop();
      assert.equal((await problem())?.text, 'The server stopped while it wrote this backup.');
      assert.ok(now > start);
    });
  });

describeAccess('sqlite', 'the storage', [row(storage.get, () => ({}), admins, admins)]);
