import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type JobKindName, operations } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import type { KyselyPlugin } from 'kysely';
import { pino } from 'pino';
import { systemClock } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import type { Principal } from '../../identity/principals.ts';
import { createTestDatabase, databases } from '../../testing/databases.ts';
import { createJobs, type Jobs } from './jobs.ts';
import type { JobKind } from './kind.ts';
import { removeOldJobs } from './retention.ts';
import { loadJob } from './store.ts';

const administrator = { kind: 'user', id: '1', email: 'a@example.org', sessionID: '', isAdmin: true, isActive: true };
const admin: NonNullable<Principal> = { ...administrator, kind: 'user', memberships: [] };
const dayMs = 86_400_000;

/** Jobs of one test kind that writes a fact for each row. `run` may do more, in the same transaction. */
async function open(
  kind: (typeof databases)[number],
  rows: number,
  run: JobKind['run'] = async () => undefined,
  perPage = 100,
) {
  const database = await createTestDatabase(kind);
  const starter: { principal: NonNullable<Principal> | undefined } = { principal: admin };
  const noMetrics = { count: () => undefined, gauge: () => undefined };
  const test = (on: Database): JobKind => ({
    access: () => [{ operation: operations.networkServer.delete, request: {} }],
    audit: () => ({ subject: 'device', operation: 'device.update' }),
    subjects: async function* () {
      for (let at = 0; at < rows; at += perPage)
        yield Array.from({ length: Math.min(perPage, rows - at) }, (_, n) => ({ subject: `row ${at + n}`, name: '' }));
    },
    run: async (row, ...rest) => {
      await addFact(on, row.subject);
      return run(row, ...rest);
    },
    undo: async ({ subject }) => {
      await addFact(on, `undo ${subject}`);
      return undefined;
    },
  });
  const addFact = ({ query }: Database, subject: string) =>
    query
      .insertInto('metric_fact')
      .values({ subject, at: 1, counters: '' } as never)
      .execute();
  const instance = ({ on = database as Database, clock = systemClock } = {}): Jobs =>
    createJobs(
      {
        ...{ database: on, clock, metrics: noMetrics, log: pino({ level: 'silent' }), config: { auditDays: 1 } },
        principals: { find: () => Promise.resolve(starter.principal) },
        steadyTime: { now: () => Date.now() },
      },
      { ENABLE_DEVICES: test(on) },
    );
  const create = (jobs: Jobs, more: { requestID?: string; organizationID?: number | null; parameters?: object } = {}) =>
    jobs.create({ kind: 'ENABLE_DEVICES' as JobKindName, organizationID: null, parameters: {}, ...more }, admin);
  /** The job when it is in one of these states. */
  const reached = async (id: string, ...states: string[]) => {
    for (;;) {
      const job = await loadJob(database, id);
      if (states.includes(job.state)) return job;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  const facts = async () =>
    (await database.query.selectFrom('metric_fact').select('subject').execute()).map((one) => one.subject);
  return { database, starter, instance, create, reached, facts, [Symbol.asyncDispose]: database[Symbol.asyncDispose] };
}

/**
 * A database whose owner calls `interrupt` after each of its statements and before each of its transactions, with the
 * number of this step. On SQLite nobody else writes during a transaction, so that `isInside` steps must not wait.
 */
function interrupted(database: Database, interrupt: (step: number, isInside: boolean) => Promise<void>): Database {
  let steps = 0;
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      await interrupt(++steps, database.transactionKey !== undefined);
      return result;
    },
  };
  return new Proxy(database, {
    get: (target, name: keyof Database) => {
      if (name === 'query') return target.query.withPlugin(plugin);
      if (name !== 'transaction') return target[name];
      return async <T>(work: () => Promise<T>) => {
        await interrupt(++steps, target.transactionKey !== undefined);
        return target.transaction(work);
      };
    },
  });
}

const countsOf = ({ total, done, refused, failed }: Awaited<ReturnType<typeof loadJob>>) => [
  total,
  done,
  refused,
  failed,
];

for (const kind of databases)
  describe(`a job on ${kind}`, () => {
    it('does each row once when two instances run it, and one of them ends again and again', async () => {
      await using opened = await open(kind, 350);
      const { instance, create, reached, facts } = opened;
      const [steady, other] = [instance(), instance()];
      const { id } = await create(steady);
      steady.running.start();
      for (let ends = 0; ends < 5; ends++) {
        other.running.start();
        await other.running.stop();
      }
      other.running.start();
      const job = await reached(id, 'DONE');
      await Promise.all([steady.running.stop(), other.running.stop()]);
      assert.deepEqual(countsOf(job), [350, 350, 0, 0]);
      const done = await facts();
      assert.deepEqual([done.length, new Set(done).size], [350, 350]);
    });

    it('does each row once when its owner is killed, at whatever step', async () => {
      await using opened = await open(kind, 6, undefined, 4);
      const { database, instance, create, reached, facts } = opened;
      let wasKilled = true;
      for (let last = 1; wasKilled; last++) {
        wasKilled = false;
        const { promise: killed, resolve } = Promise.withResolvers<void>();
        const kill = async (step: number) => {
          if (step < last) return;
          wasKilled = true;
          resolve();
          throw new Error('killed');
        };
        const owner = instance({ on: interrupted(database, kill) });
        const { id } = await create(instance());
        owner.running.start();
        await Promise.race([killed, reached(id, 'DONE')]);
        const next = instance();
        next.running.start();
        const job = await reached(id, 'DONE');
        await Promise.all([owner.running.stop(), next.running.stop()]);
        assert.deepEqual([last, ...countsOf(job)], [last, 6, 6, 0, 0]);
        const done = await facts();
        assert.deepEqual([last, done.length, new Set(done).size], [last, 6, 6]);
        await database.query.deleteFrom('metric_fact').execute();
      }
    });

    it('gets nothing from an owner that goes on after the next one has begun or ended', async () => {
      await using opened = await open(kind, 6, undefined, 4);
      const { database, instance, create, reached, facts } = opened;
      let wasFrozen = true;
      for (let last = 1; wasFrozen; last++) {
        wasFrozen = false;
        const { promise: frozen, resolve: freeze } = Promise.withResolvers<void>();
        const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
        const wait = async (step: number, isInside: boolean) => {
          if (step < last || isInside) return;
          wasFrozen = true;
          freeze();
          await thawed;
        };
        const owner = instance({ on: interrupted(database, wait) });
        const { id } = await create(instance());
        owner.running.start();
        await Promise.race([frozen, reached(id, 'DONE')]);
        // The next owner draws its epoch, claims the job, and then does more in each run of this loop.
        const thawAfter = 3 + (last % 20);
        const thawAt = async (step: number) => {
          if (step === thawAfter) thaw();
        };
        const next = instance({ on: interrupted(database, thawAt) });
        next.running.start();
        const job = await reached(id, 'DONE');
        thaw();
        await Promise.all([owner.running.stop(), next.running.stop()]);
        assert.deepEqual([last, ...countsOf(job)], [last, 6, 6, 0, 0]);
        assert.deepEqual(await loadJob(database, id), job);
        const rows = database.query.selectFrom('job_row').select('outcome').where('job_id', '=', id);
        assert.deepEqual((await rows.execute()).map(({ outcome }) => outcome).join(), Array(6).fill('DONE').join());
        const done = await facts();
        assert.deepEqual([last, done.length, new Set(done).size], [last, 6, 6]);
        await database.query.deleteFrom('metric_fact').execute();
      }
    });

    it('is continued by the owner of the lease when a runner with a greater epoch has claimed it and ended', async () => {
      await using opened = await open(kind, 3);
      const { database, instance, create, reached } = opened;
      const fast = {
        ...systemClock,
        monotonicMs: () => systemClock.monotonicMs() * 1000,
        after: (ms: number, work: () => void) => systemClock.after(ms / 1000, work),
      };
      const owner = instance({ clock: fast });
      const epochOf = async () => (await database.query.selectFrom('installation').select('job_epoch').execute())[0]!;
      owner.running.start();
      while ((await epochOf()).job_epoch === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const { id } = await database.transaction(async () => {
        const created = await create(instance());
        await database.query.updateTable('job').set({ state: 'RUNNING', epoch: 50 }).execute();
        return created;
      });
      const job = await reached(id, 'DONE');
      await owner.running.stop();
      assert.ok(job.epoch > 50);
      assert.equal((await epochOf()).job_epoch, job.epoch);
    });

    it('does the rest after a restart, from where it was', async () => {
      let ran = 0;
      const { promise: halfway, resolve } = Promise.withResolvers<void>();
      await using opened = await open(kind, 300, async () => {
        ran += 1;
        if (ran === 150) resolve();
        return undefined;
      });
      const { instance, create, reached, facts } = opened;
      const before = instance();
      const { id } = await create(before);
      before.running.start();
      await halfway;
      await before.running.stop();
      const between = (await facts()).length;
      assert.ok(between >= 100 && between < 300, String(between));
      const after = instance();
      after.running.start();
      assert.deepEqual(countsOf(await reached(id, 'DONE')), [300, 300, 0, 0]);
      await after.running.stop();
      assert.equal(new Set(await facts()).size, 300);
    });

    it('pauses when the network server is away, tries those rows again, and goes on when resumed', async () => {
      let isAway = true;
      await using opened = await open(kind, 120, async ({ subject }) => {
        if (isAway && Number(subject.slice(4)) >= 50) throw new RpcError('Unavailable', 'eu868 does not respond.');
        return undefined;
      });
      const { instance, create, reached, facts } = opened;
      const jobs = instance();
      const { id } = await create(jobs);
      jobs.running.start();
      const paused = await reached(id, 'PAUSED');
      assert.equal(paused.problem, 'eu868 does not respond.');
      // Rows that failed before a slower row succeeded are not among the last twenty: they stay failed.
      assert.deepEqual([paused.done, paused.refused, paused.failed < 20], [50, 0, true]);
      assert.equal((await facts()).length, 50);
      isAway = false;
      await jobs.resume(id);
      const job = await reached(id, 'DONE');
      assert.deepEqual([job.done + job.failed, job.problem], [120, '']);
      await jobs.running.stop();
    });

    it('refuses the rest when the starter loses the right, and runs nothing for a starter who is gone', async () => {
      await using opened = await open(kind, 250, async ({ subject }) => {
        if (subject === 'row 60') opened.starter.principal = { ...admin, kind: 'user', isAdmin: false } as never;
        return undefined;
      });
      const { instance, create, reached, starter } = opened;
      const jobs = instance();
      const { id } = await create(jobs);
      jobs.running.start();
      const { total, done, refused } = await reached(id, 'DONE');
      assert.ok(total === 250 && done + refused === 250 && done > 50 && done < 200, `${done} done`);
      starter.principal = undefined;
      const second = await create(jobs);
      assert.deepEqual(countsOf(await reached(second.id, 'DONE')), [250, 0, 250, 0]);
      await jobs.running.stop();
    });

    it('does nothing more once it was stopped', async () => {
      const { promise: begun, resolve } = Promise.withResolvers<void>();
      await using opened = await open(kind, 5000, async () => {
        resolve();
        return undefined;
      });
      const { instance, create, reached, facts } = opened;
      const jobs = instance();
      const { id } = await create(jobs);
      jobs.running.start();
      await begun;
      await jobs.stop(id);
      const done = (await facts()).length;
      await jobs.running.stop();
      assert.ok(done < 5000);
      assert.equal((await facts()).length, done);
      assert.equal((await reached(id, 'STOPPED')).done, done);
      await assert.rejects(jobs.stop(id), { reason: 'JOB_ENDED' });
    });

    it('is the first one when a request is repeated, and one of few unfinished ones', async () => {
      await using opened = await open(kind, 1);
      const jobs = opened.instance();
      const { id } = await opened.create(jobs, { requestID: 'a' });
      assert.equal((await opened.create(jobs, { requestID: 'a' })).id, id);
      await assert.rejects(opened.create(jobs, { requestID: 'a', parameters: { other: 1 } }), {
        reason: 'JOB_REQUEST_USED',
      });
      for (let more = 1; more < 20; more++) await opened.create(jobs);
      await assert.rejects(opened.create(jobs), { reason: 'TOO_MANY_JOBS' });
    });

    it('is removed after 30 days, and cannot be undone after 7', async () => {
      await using opened = await open(kind, 3, async () => ({ before: 1, after: 2 }));
      const { database, instance, create, reached } = opened;
      const jobs = instance();
      const { id } = await create(jobs);
      jobs.running.start();
      await reached(id, 'DONE');
      await jobs.running.stop();
      const rows = database.query.selectFrom('job_row').select('before');
      await removeOldJobs(database, Date.now() + 6 * dayMs);
      assert.deepEqual(await rows.execute(), [{ before: '1' }, { before: '1' }, { before: '1' }]);
      await removeOldJobs(database, Date.now() + 8 * dayMs);
      assert.deepEqual(await rows.execute(), [{ before: null }, { before: null }, { before: null }]);
      await assert.rejects(jobs.undo(id, admin), { reason: 'JOB_NOT_UNDOABLE' });
      await removeOldJobs(database, Date.now() + 31 * dayMs);
      assert.deepEqual([await rows.execute(), await database.query.selectFrom('job').select('id').execute()], [[], []]);
    });
  });
