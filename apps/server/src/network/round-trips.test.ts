import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { systemClock } from '../clock.ts';
import { createDatabase } from '../database/database.ts';
import { migrate } from '../database/migrations.ts';
import { postgres } from '../database/postgres.ts';
import { declaredStatements, statement, textsOf } from '../database/statement.ts';
import type { ServerEffect } from '../events/effect.ts';
import { createSecrets } from '../secrets.ts';
import { createTestStorage, databases } from '../testing/databases.ts';
import { createNetworkState } from './state.ts';

const key = new Uint8Array(32).fill(7);
const secrets = createSecrets({ encryptionKey: key, tokenKey: key });

/** Counts the round trips to the database. */
async function countingWays(url: string) {
  const behind = new URL(url);
  const sockets = new Set<Socket>();
  const counted = { ways: 0 };
  const server = createServer((client) => {
    const upstream = connect(Number(behind.port), behind.hostname);
    let isAnswered = true;
    const pass = (from: Socket, to: Socket, seen: () => void) => {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (bytes) => {
        seen();
        to.write(bytes);
      });
      from.on('close', () => to.destroy());
    };
    pass(client, upstream, () => {
      if (isAnswered) counted.ways += 1;
      isAnswered = false;
    });
    pass(upstream, client, () => {
      isAnswered = true;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) }).href,
    async waysOf(work: () => Promise<unknown>): Promise<number> {
      const before = counted.ways;
      await work();
      return counted.ways - before;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

for (const kind of databases.filter((one) => one !== 'sqlite'))
  describe(`round trips to the database on ${kind}`, () => {
    it('are one for received copies and for reads of one moment, and two for all changes of uplinks and of a downlink', async () => {
      await using testStorage = await createTestStorage(kind);
      const plain = postgres(testStorage.databaseURL!);
      await migrate(plain);
      await plain.kysely.destroy();
      await using relay = await countingWays(testStorage.databaseURL!);
      const database = createDatabase(postgres(relay.url), (error) => assert.fail(String(error)));
      try {
        const state = createNetworkState({ database, secrets, clock: systemClock }, 1);
        const count = statement()({
          sql: ({ values }) => `insert into metric_fact (subject, at, counters) ${values("$subject, 0, '{}'")}`,
          given: { subject: 'text' },
          batch: {},
        })(database);
        const effectOf = (subject: string): ServerEffect => ({
          about: 'a test',
          write: async () => void (await count.run({ subject })),
        });
        const copies = ['one', 'two', 'three'];
        const received = () => Promise.all(copies.map((copy) => state.receive([copy])));
        await received();
        let ids: number[] = [];
        assert.equal(await relay.waysOf(async () => (ids = (await received()).flat())), 1);

        const changed = () =>
          Promise.all(
            ids.map((id) =>
              state.commit({
                writes: [
                  { kind: 'askDue', work: { kind: 'queue', key: String(id) }, at: 1 },
                  { kind: 'finish', ids: [id], isGuarded: true },
                ],
                effects: [effectOf(String(id))],
              }),
            ),
          );
        assert.equal(await relay.waysOf(async () => assert.deepEqual(await changed(), [true, true, true])), 2);
        assert.deepEqual(await state.unfinished(ids[0]! - 1, 10), []);
        // The losing transactions are rolled back, and their uplinks are processed again.
        assert.deepEqual(await changed(), [false, false, false]);
        const answered = () =>
          state.commit({
            writes: [
              { kind: 'deleteQueueItem', devEUI: '0102030405060708', id: 'sent' },
              { kind: 'settleDue', claim: { kind: 'queue', key: '0102030405060708', turn: 1 }, next: null },
            ],
            effects: ['txack', 'SENT'].map((subject) => ({ ...effectOf(subject), isSentAtOnce: true })),
          });
        assert.equal(await relay.waysOf(answered), 2);
        const { length } = await database.query.selectFrom('metric_fact').selectAll().execute();
        assert.equal(length, ids.length + 2);
        const devEUI = '0102030405060708';
        const read = () => Promise.all([state.queue(devEUI), state.sessions(devEUI)]);
        assert.equal(await relay.waysOf(read), 1);
      } finally {
        await database.close();
      }
    });

    it('looks records up by their key before the first statistics after an import', async () => {
      await using testStorage = await createTestStorage(kind);
      const engine = postgres(testStorage.databaseURL!);
      const { kysely } = engine;
      await migrate(engine);
      try {
        await sql`insert into ns_record (network_server_id, kind, id, body)
          select 1, 'device', number::text, '' from generate_series(1, 1000) as number`.execute(kysely);
        const declaration = declaredStatements.find((one) => String(one.sql).startsWith('select body from ns_record'))!;
        const [, text] = textsOf(declaration, 'postgres');
        const plan = await kysely.connection().execute(async (connection) => {
          await sql`set plan_cache_mode = force_generic_plan`.execute(connection);
          await sql`prepare look_up as ${sql.raw(text!)}`.execute(connection);
          return await sql`explain execute look_up(null, null, null)`.execute(connection);
        });
        assert.match(JSON.stringify(plan.rows), /Index Cond: .*network_server_id = .*kind = .*id = /);
      } finally {
        await kysely.destroy();
      }
    });
  });
