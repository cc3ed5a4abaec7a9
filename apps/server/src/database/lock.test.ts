import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createTestStorage, databases } from '../testing/databases.ts';
import { DatabaseInUse, lockFile, lockPostgres } from './lock.ts';

const never = () => assert.fail('Nobody else took it.');

describe('the lock of a database', () => {
  it('is held by one process on SQLite, until that releases it', async () => {
    await using testStorage = await createTestStorage('sqlite');
    const path = join(testStorage.dataDir, 'hilltop.lock');
    const lock = lockFile(path);
    assert.throws(() => lockFile(path), DatabaseInUse);
    await lock.release();
    await lockFile(path).release();
  });

  if (!databases.includes('postgres')) return;

  /** Ends the connections that hold the lock, like an operator or a restart of the server. */
  async function cut(client: pg.Client): Promise<void> {
    await client.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
      and database = (select oid from pg_database where datname = current_database())`);
  }

  it('is held by one process on PostgreSQL, and acquired again after its connection was lost', async () => {
    await using testStorage = await createTestStorage('postgres');
    const url = testStorage.databaseURL!;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const holder = async (): Promise<number | undefined> => {
      const { rows } = await client.query<{ pid: number }>(`select pid from pg_locks where locktype = 'advisory'
        and granted and database = (select oid from pg_database where datname = current_database())`);
      return rows[0]?.pid;
    };
    const lock = await lockPostgres(url, never);
    await assert.rejects(lockPostgres(url, never), DatabaseInUse);
    const before = await holder();
    await cut(client);
    let after = await holder();
    while (after === undefined || after === before) {
      await sleep(20);
      after = await holder();
    }
    await assert.rejects(lockPostgres(url, never), DatabaseInUse);
    await lock.release();
    await (await lockPostgres(url, never)).release();
    await client.end();
  });

  it('informs a process that has lost it to another on PostgreSQL', async () => {
    await using testStorage = await createTestStorage('postgres');
    const url = testStorage.databaseURL!;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const takenOver = Promise.withResolvers<void>();
    const lock = await lockPostgres(url, takenOver.resolve, 500);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    const granted = other.query('select pg_advisory_lock(20382112720121712)');
    const terminated = once(client, 'end');
    // The other process gets it next when it waits in the queue of the lock.
    const waiting = `select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`;
    while ((await client.query(waiting)).rowCount === 0) await sleep(10);
    await client.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())`);
    await Promise.all([granted, takenOver.promise]);
    await lock.release();
    await other.end();
    await client.end();
    await terminated;
  });
});
