import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { toApiError } from '../http/errors.ts';
import { createTestDatabase, createTestStorage, databases } from '../testing/databases.ts';
import { createDatabase } from './database.ts';
import { postgres } from './postgres.ts';
import { Unreachable } from './unreachable.ts';

for (const kind of databases.filter((one) => one !== 'sqlite')) {
  describe(`a database that stops answering on ${kind}`, () => {
    it('is reported as such, and tried again by the next call', async () => {
      await using database = await createTestDatabase(kind);
      const waiting = sql`select pg_sleep(60)`.execute(database.query);
      const ended = assert.rejects(waiting, (error) => {
        const { code, message } = toApiError(error);
        return code === 14 && message.startsWith('The database does not respond');
      });
      const end = sql<{ ended: boolean }>`select pg_terminate_backend(pid) as ended from pg_stat_activity
        where datname = current_database() and query like 'select pg_sleep%'`;
      while ((await end.execute(database.query)).rows.length === 0);
      await ended;
      await database.ping();
    });

    it('is not asked for a connection by every caller while it provides none', async (t) => {
      let [asked, isAway] = [0, true];
      await using testStorage = await createTestStorage(kind);
      const behind = new URL(testStorage.databaseURL!);
      const starting = createServer((socket) => {
        asked += 1;
        socket.on('error', () => undefined);
        if (isAway) return void socket.destroy();
        const upstream = connect(Number(behind.port), behind.hostname);
        upstream.on('error', () => undefined).on('close', () => socket.destroy());
        socket.on('close', () => upstream.destroy());
        socket.pipe(upstream).pipe(socket);
      }).listen(0, '127.0.0.1');
      await once(starting, 'listening');
      const { port } = starting.address() as AddressInfo;
      const url = Object.assign(new URL(behind), { port: String(port), hostname: '127.0.0.1' }).href;
      const database = createDatabase(postgres(url), (error) => assert.fail(String(error)));
      let nowMs = performance.now();
      t.mock.method(performance, 'now', () => nowMs);
      const callAll = () => Promise.allSettled(Array.from({ length: 50 }, () => database.ping()));
      await assert.rejects(database.ping(), Unreachable);
      assert.equal(asked, 1);
      for (const call of await callAll()) assert.ok(call.status === 'rejected' && call.reason instanceof Unreachable);
      assert.equal(asked, 1);
      isAway = false;
      nowMs += 1_000;
      await database.ping();
      for (const { status } of await callAll()) assert.equal(status, 'fulfilled');
      await database.close();
      starting.close();
    });

    it('may end a connection in the middle of a transaction, which affects nothing else', async () => {
      await using database = await createTestDatabase(kind);
      const isLost = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<number>();
      const work = database.transaction(async () => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(database.query);
        begun.resolve(rows[0]!.pid);
        await isLost.promise;
        await database.ping();
      });
      await sql`select pg_terminate_backend(${await begun.promise}::int)`.execute(database.query);
      const left = sql<{ pid: number }>`select pid from pg_stat_activity where pid = ${await begun.promise}`;
      while ((await left.execute(database.query)).rows.length > 0);
      isLost.resolve();
      await assert.rejects(work, Unreachable);
      await database.ping();
    });

    it('does not let others wait for a transaction of a paused instance', async () => {
      await using testStorage = await createTestStorage(kind);
      const open = () =>
        createDatabase(postgres(testStorage.databaseURL!, { silentMs: 300 }), (error) => assert.fail(String(error)));
      const [still, other] = [open(), open()];
      await sql`create table place (at integer primary key)`.execute(other.query);
      const take = ({ query }: typeof still) => sql`insert into place values (1)`.execute(query);
      const hasChanged = Promise.withResolvers<void>();
      const goesOn = Promise.withResolvers<void>();
      const transaction = still.transaction(async () => {
        await take(still);
        hasChanged.resolve();
        await goesOn.promise;
        await still.ping();
      });
      await hasChanged.promise;
      await take(other);
      goesOn.resolve();
      await assert.rejects(transaction, Unreachable);
      await still.ping();
      await Promise.all([still.close(), other.close()]);
    });
  });
}
