import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { DatabaseInUse, lockPostgres } from '../database/lock.ts';
import { migrate } from '../database/migrations.ts';
import { postgres } from '../database/postgres.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { firstOutput } from '../testing/first-output.ts';
import type { Cluster } from './cluster.ts';
import { SettingsMismatch } from './join.ts';
import { enterPostgres } from './postgres.ts';
import { lockKey } from './rendezvous.ts';

const log = pino({ level: 'silent' });
const holder = fileURLToPath(new URL('testing/hold-leases.ts', import.meta.url));
const names = Array.from({ length: 12 }, (_, number) => `job ${number}`);

describe('several instances on one PostgreSQL', { skip: !databases.includes('postgres') && 'no PostgreSQL' }, () => {
  let testStorage: TestStorage;
  const url = () => testStorage.databaseURL!;
  before(async () => {
    testStorage = await createTestStorage('postgres');
    const engine = postgres(url());
    await migrate(engine);
    await engine.kysely.destroy();
  });
  after(() => testStorage[Symbol.asyncDispose]());

  async function entrance(name: string, now?: () => number) {
    const self = { name, version: '1.0.0', startedAt: new Date() };
    const one = await enterPostgres({
      url: url(),
      self,
      log,
      now,
      takenOver: () => assert.fail('nobody takes it'),
      beatMs: 50,
    });
    return { ...one, [Symbol.asyncDispose]: one.close };
  }

  async function entered(name: string, agreement: Record<string, string> = {}) {
    const { join: enter, close, ...rest } = await entrance(name);
    return { ...rest, ...(await enter(agreement)), [Symbol.asyncDispose]: close };
  }

  /** Records the leases that the instance has, and reports each change. */
  function holding(cluster: Cluster) {
    const held = new Set<string>();
    let changed = Promise.withResolvers<void>();
    const change = () => {
      changed.resolve();
      changed = Promise.withResolvers();
    };
    for (const name of names)
      cluster.lease(name, async (signal) => {
        held.add(name);
        change();
        if (!signal.aborted) await once(signal, 'abort');
        held.delete(name);
        change();
      });
    return {
      held,
      until: async (is: () => boolean) => {
        while (!is()) await changed.promise;
      },
    };
  }

  it('see instances start and end', async () => {
    await using one = await entered('one');
    {
      await using two = await entered('two');
      assert.deepEqual(two.live(), [one.id, two.id]);
      while (one.live().length < 2) await new Promise<void>((resolve) => one.onChange(resolve));
      assert.equal(one.isLive(two.id), true);
      assert.deepEqual(
        (await one.members()).map(({ name }) => name),
        ['one', 'two'],
      );
    }
    while (one.live().length > 1) await new Promise<void>((resolve) => one.onChange(resolve));
    assert.deepEqual(one.live(), [one.id]);
  });

  it('share leases, never hold one twice, and take over those of an ended instance', async () => {
    await using one = await entered('one');
    const ofOne = holding(one);
    await ofOne.until(() => ofOne.held.size === names.length);
    let ofTwo: ReturnType<typeof holding>;
    {
      await using two = await entered('two');
      ofTwo = holding(two);
      await ofTwo.until(() => ofOne.held.size + ofTwo.held.size === names.length && ofTwo.held.size > 0);
      assert.ok(ofOne.held.isDisjointFrom(ofTwo.held));
    }
    await ofOne.until(() => ofOne.held.size === names.length);
    assert.equal(ofTwo.held.size, 0);
  });

  it('acquire no part while an instance holds the whole, nor the whole while one holds a part', async () => {
    const older = new pg.Client(url());
    await older.connect();
    const takeWhole = async (): Promise<boolean> => {
      const { rows } = await older.query<{ got: boolean }>(`select pg_try_advisory_lock(${lockKey('whole')}) as got`);
      return rows[0]!.got;
    };
    try {
      assert.equal(await takeWhole(), true);
      await using one = await entered('one');
      await using two = await entered('two');
      const got: string[] = [];
      let changed = Promise.withResolvers<void>();
      for (const { name, lease } of [one, two])
        for (let part = 0; part < 12; part += 1) {
          const work = async (signal: AbortSignal) => {
            got.push(name);
            changed.resolve();
            changed = Promise.withResolvers();
            await once(signal, 'abort');
          };
          lease(`part ${part}`, work, 'whole');
        }
      await sleep(400);
      assert.deepEqual(got, []);
      await older.query('select pg_advisory_unlock_all()');
      while (got.length < 12) await changed.promise;
      assert.equal(await takeWhole(), false);
    } finally {
      await older.end();
    }
  });

  it('start one after the other', async () => {
    const order: string[] = [];
    await using first = await entrance('first');
    const second = entrance('second').then(async (two) => {
      order.push('second');
      await two.join({});
      await two.close();
    });
    await sleep(50);
    order.push('first');
    await first.join({});
    await second;
    assert.deepEqual(order, ['first', 'second']);
  });

  it('run work while no instance starts, or skip it', async () => {
    await using one = await entered('one');
    {
      await using _starting = await entrance('two');
      assert.equal(await one.whileNobodyStarts(() => assert.fail('somebody starts')), undefined);
    }
    const order: string[] = [];
    let starting: Promise<void> | undefined;
    const answer = await one.whileNobodyStarts(async () => {
      starting = entrance('two').then(async ({ close }) => {
        order.push('started');
        await close();
      });
      await sleep(50);
      order.push('done');
      return 'an answer';
    });
    assert.equal(answer, 'an answer');
    await starting;
    assert.deepEqual(order, ['done', 'started']);
  });

  it('need equal settings while others are live', async () => {
    {
      await using _one = await entered('one', { HILLTOP_REGION: 'a', HILLTOP_NET_ID: 'same' });
      await using other = await entrance('other');
      await assert.rejects(other.join({ HILLTOP_REGION: 'b', HILLTOP_NET_ID: 'same' }), (error: SettingsMismatch) => {
        assert.ok(error instanceof SettingsMismatch);
        assert.deepEqual([error.setting, error.other.name], ['HILLTOP_REGION', 'one']);
        return true;
      });
    }
    await using _other = await entered('other', { HILLTOP_REGION: 'b' });
  });

  it('measure the offset of their clocks to the database clock', async () => {
    await using right = await entered('right');
    assert.equal(right.clockOffMs(), 0);
    for (const hours of [1, -1]) {
      let offMs = hours * 3_600_000;
      await using one = await entrance('wrong', () => Date.now() + offMs);
      const wrong = await one.join({});
      assert.ok(Math.abs(wrong.clockOffMs() + offMs) < 60_000, `${wrong.clockOffMs()} ms`);
      offMs = 0;
      while (wrong.clockOffMs() !== 0) await sleep(10);
    }
  });

  it('exclude a single-process server from the database, and are excluded by it', async () => {
    {
      await using _one = await entered('one');
      await assert.rejects(
        lockPostgres(url(), () => undefined),
        DatabaseInUse,
      );
    }
    const lock = await lockPostgres(url(), () => undefined);
    await assert.rejects(entrance('one'), DatabaseInUse);
    await lock.release();
  });

  it('lose all leases when their connection ends, and acquire them again', async () => {
    await using one = await entered('one');
    const ofOne = holding(one);
    await ofOne.until(() => ofOne.held.size === names.length);
    const operator = new pg.Client({ connectionString: url() });
    await operator.connect();
    await operator.query(`select pg_terminate_backend(pid) from (select distinct pid from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())) as held`);
    await operator.end();
    await ofOne.until(() => ofOne.held.size === 0);
    await ofOne.until(() => ofOne.held.size === names.length);
    assert.deepEqual(one.live(), [one.id]);
  });

  it('still count peers as live after the database ended the connections of all', async () => {
    await using one = await entered('one');
    await using two = await entered('two');
    while (one.live().length < 2) await new Promise<void>((resolve) => one.onChange(resolve));
    const missed: string[] = [];
    for (const { name, live, onChange } of [one, two])
      onChange(() => {
        if (live().length < 2) missed.push(name);
      });
    const operator = new pg.Client(url());
    await operator.connect();
    const present = async () => {
      const { rows } = await operator.query<{ pid: number }>(`select distinct pid from pg_locks
        where locktype = 'advisory' and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())`);
      return rows.map(({ pid }) => pid);
    };
    const before = await present();
    // At once: an instance that stays connected longer would correctly consider the other dead.
    await operator.query('select pg_terminate_backend(pid) from unnest($1::int[]) as present (pid)', [before]);
    for (let now: number[] = []; now.length < 2 || now.some((pid) => before.includes(pid)); now = await present())
      await sleep(20);
    assert.deepEqual(missed, []);
    await operator.end();
  });

  for (const signal of ['SIGKILL', 'SIGSTOP'] as const)
    it(`take over from an instance that ${signal === 'SIGKILL' ? 'was killed' : 'is paused'}`, async () => {
      await using one = await entered('one');
      const ofOne = holding(one);
      const child: ChildProcess = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', holder, url(), ...names],
        {
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      );
      const exited = once(child, 'exit');
      await firstOutput(child);
      await ofOne.until(() => ofOne.held.size < names.length);
      child.kill(signal);
      await ofOne.until(() => ofOne.held.size === names.length);
      child.kill('SIGKILL');
      await exited;
    });
});
