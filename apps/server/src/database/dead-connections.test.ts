import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { createTestStorage, databases } from '../testing/databases.ts';
import { createDatabase } from './database.ts';
import { postgres } from './postgres.ts';
import { Unreachable } from './unreachable.ts';

/** A firewall between `url` and its clients. It silently drops all packets of connections that it has forgotten. */
async function behindFirewall(url: string) {
  const behind = new URL(url);
  const sockets = new Set<Socket>();
  const forgotten = new WeakSet<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    const pass = (from: Socket, to: Socket) => {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (bytes) => void (forgotten.has(from) || to.write(bytes)));
      from.on('close', () => void (forgotten.has(from) || to.destroy()));
    };
    pass(client, upstream);
    pass(upstream, client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    forget: () => sockets.forEach((socket) => forgotten.add(socket)),
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

for (const kind of databases.filter((one) => one !== 'sqlite'))
  describe(`connections without an answer on ${kind}`, () => {
    async function open() {
      await using begun = new AsyncDisposableStack();
      const testStorage = begun.use(await createTestStorage(kind));
      const firewall = begun.use(await behindFirewall(testStorage.databaseURL!));
      const database = createDatabase(postgres(firewall.url, { unheardMs: 400 }), (error) =>
        assert.fail(String(error)),
      );
      begun.defer(database.close);
      const parts = begun.move();
      return { firewall, database, [Symbol.asyncDispose]: () => parts.disposeAsync() };
    }
    const pidOf = ({ query }: Awaited<ReturnType<typeof open>>['database']) =>
      sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(query).then(({ rows }) => rows[0]!.pid);

    it('are closed when a firewall forgets them, and new ones replace them', async () => {
      await using parts = await open();
      const { firewall, database } = parts;
      const first = await pidOf(database);
      firewall.forget();
      await assert.rejects(database.ping(), Unreachable);
      assert.notEqual(await pidOf(database), first);
    });

    it('are closed in the middle of a transaction, too', async () => {
      await using parts = await open();
      const { firewall, database } = parts;
      const work = database.transaction(async () => {
        await database.ping();
        firewall.forget();
        await database.ping();
      });
      await assert.rejects(work, Unreachable);
      await database.ping();
    });

    it('stay open while the database works for them, however long', async () => {
      await using parts = await open();
      const { database } = parts;
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(2)`.execute(database.query);
      assert.equal(await pidOf(database), rows[0]!.pid);
    });
  });
