import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createFakeClock, type FakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import type { Database } from '../database/database.ts';
import type { ServerStop } from '../database/server-runs.ts';
import { createTestDatabase, databases } from '../testing/databases.ts';
import { insertGatewayRows, insertListOwners } from '../testing/listed-rows.ts';
import { GatewayOutageMonitor, type GatewayTransition } from './monitor.ts';
import { GatewaySignWriter } from './signs.ts';

const id = '0a0b0c0d0e0f1011';
const quiet = { info: () => undefined, error: () => undefined };

async function insertGatewayOwners(database: Database, now: Date) {
  const { organizations, networkServerID } = await insertListOwners(database, now);
  return { organization_id: organizations[0]!.id, network_server_id: networkServerID };
}

for (const kind of databases)
  describe(`outages of gateways on ${kind}`, () => {
    let database: Database & AsyncDisposable;
    let clock: FakeClock;
    let started: number;
    let transitions: string[];
    let isFailing: boolean;
    let counts: Record<string, number>;
    let owners: { organization_id: number; network_server_id: number };

    beforeEach(async () => {
      database = await createTestDatabase(kind);
      clock = createFakeClock();
      started = clock.now().getTime();
      transitions = [];
      isFailing = false;
      counts = {};
      owners = await insertGatewayOwners(database, clock.now());
      await insertGatewayRows(database, [{ id, ...owners }], clock.now());
    });

    afterEach(() => database[Symbol.asyncDispose]());

    const metrics = {
      count: (name: string, _labels = {}, by = 1) => {
        counts[name] = (counts[name] ?? 0) + by;
      },
    };
    const second = (at: Date | null) => (at ? (at.getTime() - started) / 1000 : null);
    const createWriter = () => new GatewaySignWriter({ database, clock, log: quiet, metrics });
    const recordTransition = async ({ gatewayID, state, at, reason }: GatewayTransition) => {
      assert.equal(gatewayID, id);
      if (isFailing) throw new Error('the event was not written');
      transitions.push(`${state} ${second(at)} ${reason}`.trim());
    };
    const createMonitor = (
      stops: readonly ServerStop[] = [],
      onGatewayTransition: (transition: GatewayTransition) => Promise<void> | void = recordTransition,
    ) =>
      new GatewayOutageMonitor({
        database,
        clock,
        steadyTime: { now: () => clock.now().getTime() },
        serverRuns: { stops },
        log: quiet,
        metrics,
        onGatewayTransition: async (transition) => onGatewayTransition(transition),
      });
    /** Start, end and reason of each outage, in seconds. */
    const outages = async () => {
      const rows = await database.query.selectFrom('gateway_outage').selectAll().orderBy('started_at').execute();
      return rows.map(({ started_at, ended_at, reason }) => [second(started_at), second(ended_at), reason]);
    };

    /** Time passes with rounds of both parts, as they run in a server. */
    function createServer(stops?: readonly ServerStop[]) {
      const writer = createWriter();
      const monitor = createMonitor(stops);
      const step = async () => {
        await writer.flush();
        await monitor.round();
      };
      return {
        writer,
        step,
        pass: async (seconds: number, each: () => void = () => undefined) => {
          for (let at = 0; at < seconds; at += 10) {
            each();
            await step();
            await clock.advance(10_000);
          }
          await step();
        },
      };
    }
    const pulling = (writer: GatewaySignWriter) => () => writer.received(id, 'semtech-udp');

    it('begin with the last sign of life when nothing is received for 90 s, and end with the next one', async () => {
      const { writer, pass } = createServer();
      await pass(10);
      await pass(30, pulling(writer));
      assert.deepEqual(transitions, ['ONLINE 10']);
      await pass(60);
      assert.deepEqual(await outages(), []);
      await pass(40);
      assert.deepEqual(await outages(), [[30, null, 'no PULL_DATA for 90 s']]);
      await pass(600);
      await pass(20, pulling(writer));
      assert.deepEqual(await outages(), [[30, 740, 'no PULL_DATA for 90 s']]);
      assert.deepEqual(transitions, ['ONLINE 10', 'OFFLINE 30 no PULL_DATA for 90 s', 'ONLINE 740']);
      assert.equal(counts['gateway_outages'], 1);
    });

    it('of 10,000 gateways that come and go need one entry in memory for each that exists', async () => {
      const many = Array.from({ length: 10_000 }, (_, at) => at.toString(16).padStart(16, '0'));
      const now = clock.now();
      await insertGatewayRows(
        database,
        many.map((gateway) => ({ id: gateway, ...owners })),
        now,
      );
      let seen = 0;
      const monitor = createMonitor([], () => {
        seen += 1;
      });
      const set = (change: { last_seen_at: Date }) => database.query.updateTable('gateway').set(change).execute();
      await monitor.round();
      for (let time = 0; time < 3; time += 1) {
        await set({ last_seen_at: clock.now() });
        await monitor.round();
        await clock.advance(600_000);
        await monitor.round();
        assert.equal(monitor.watchedCount, many.length + 1);
      }
      assert.equal(seen, 3 * 2 * (many.length + 1));
      await database.query.deleteFrom('gateway').where('id', '!=', id).execute();
      await monitor.round();
      assert.equal(monitor.watchedCount, 1);
    });

    it('are stored only with their event', async () => {
      const { writer, step, pass } = createServer();
      await pass(10);
      await pass(30, pulling(writer));
      isFailing = true;
      await assert.rejects(pass(600), /not written/);
      assert.deepEqual(await outages(), []);
      isFailing = false;
      await step();
      assert.equal((await outages()).length, 1);
      assert.deepEqual(transitions, ['ONLINE 10', 'OFFLINE 30 no PULL_DATA for 90 s']);
    });

    it('have the reason why the connection ended, unless it is there again within 90 s', async () => {
      const { writer, pass } = createServer();
      for (const [link, end] of [
        ['basics-station', 'websocket closed (1006)'],
        ['mqtt', 'MQTT last will'],
      ] as const) {
        await pass(20, () => writer.received(id, link));
        writer.ended(id, end);
        await pass(60);
        writer.received(id, link);
        await pass(20);
        writer.ended(id, end);
        await pass(120);
      }
      const stored = await outages();
      assert.deepEqual(
        stored.map(([, , reason]) => reason),
        ['websocket closed (1006)', 'MQTT last will'],
      );
    });

    it('wait for three statistics intervals of the gateway-profile, except after the end of the connection', async () => {
      const now = clock.now();
      const profile = { id: 'p', name: 'p', network_server_id: owners.network_server_id };
      await database.query
        .insertInto('gateway_profile')
        .values({ ...profile, stats_interval_ms: 300_000, created_at: now, updated_at: now })
        .execute();
      await database.query.updateTable('gateway').set({ gateway_profile_id: 'p' }).execute();
      const { writer, pass } = createServer();
      await pass(20, () => writer.received(id, 'mqtt'));
      await pass(880);
      assert.deepEqual(await outages(), []);
      await pass(30);
      assert.deepEqual(await outages(), [[10, null, 'no MQTT message for 900 s']]);
      await pass(20, () => writer.received(id, 'mqtt'));
      writer.ended(id, 'MQTT last will');
      await pass(110);
      assert.deepEqual((await outages()).at(-1)?.[2], 'MQTT last will');
    });

    it('wait for five minutes when only statistics of a remote network-server arrive', async () => {
      const { writer, pass } = createServer();
      await pass(20, () => writer.received(id, 'remote'));
      await pass(280);
      assert.deepEqual(await outages(), []);
      await pass(40);
      assert.deepEqual(await outages(), [[10, null, 'no statistics for 300 s']]);
    });

    it('do not begin because the server was stopped', async () => {
      const first = createServer();
      await first.pass(20, pulling(first.writer));
      const from = clock.now().getTime();
      await clock.advance(3_600_000);
      const to = clock.now().getTime();
      const { writer, pass, step } = createServer([{ from, to }]);
      await pass(80);
      assert.deepEqual(await outages(), []);
      writer.received(id, 'semtech-udp');
      await step();
      await pass(60);
      assert.deepEqual(await outages(), []);
    });

    it('begin with the start of the server when a gateway has not come back', async () => {
      const first = createServer();
      await first.pass(20, pulling(first.writer));
      const from = clock.now().getTime();
      await clock.advance(3_600_000);
      const second = createServer([{ from, to: clock.now().getTime() }]);
      await second.pass(100);
      assert.deepEqual(await outages(), [[3620, null, 'no PULL_DATA for 90 s']]);
    });

    it('stay open over a restart, until something is received from the gateway', async () => {
      const first = createServer();
      await first.pass(20, pulling(first.writer));
      await first.pass(120);
      const { writer, pass } = createServer([{ from: started + 140_000, to: started + 140_000 }]);
      await pass(200);
      assert.deepEqual(await outages(), [[10, null, 'no PULL_DATA for 90 s']]);
      await pass(20, pulling(writer));
      assert.deepEqual((await outages()).at(0)?.[1], 340);
    });

    it('are at most 50 a day for one gateway: the last one goes on', async () => {
      const { writer, pass } = createServer();
      for (let times = 0; times < 53; times += 1) {
        await pass(20, pulling(writer));
        await pass(100);
      }
      const stored = await outages();
      assert.equal(stored.length, 50);
      assert.deepEqual([counts['gateway_outages'], counts['gateway_outages_joined']], [50, 3]);
      assert.equal(stored.at(-1)?.[1], null);
      await pass(20, pulling(writer));
      assert.notEqual((await outages()).at(-1)?.[1], null);
    });

    it('do not follow a clock that is set', async () => {
      const { writer, pass } = createServer();
      await pass(30, pulling(writer));
      clock.set(3_600_000);
      await pass(60, pulling(writer));
      clock.set(-7_200_000);
      await pass(120, pulling(writer));
      assert.deepEqual(await outages(), []);
    });

    it('need the silence of all instances, and are stored once', async () => {
      const [writer, other] = [createWriter(), createWriter()];
      const monitors = [createMonitor(), createMonitor()];
      const round = async () => {
        await Promise.all([writer.flush(), other.flush()]);
        await Promise.all(monitors.map((monitor) => monitor.round()));
        await clock.advance(10_000);
      };
      writer.received(id, 'semtech-udp');
      await round();
      for (let at = 0; at < 20; at += 1) {
        other.received(id, 'semtech-udp');
        await round();
      }
      writer.received(id, 'mqtt');
      await clock.advance(1000);
      other.received(id, 'semtech-udp');
      await other.flush(true);
      // The earlier sign does not replace the later one.
      await writer.flush(true);
      const row = database.query.selectFrom('gateway').select(['heard_at', 'heard_link']);
      assert.deepEqual({ ...(await row.executeTakeFirst()) }, { heard_at: clock.now(), heard_link: 'semtech-udp' });
      assert.deepEqual(await outages(), []);
      for (let at = 0; at < 11; at += 1) await round();
      assert.deepEqual(await outages(), [[211, null, 'no PULL_DATA for 90 s']]);
      assert.deepEqual(transitions.filter((one) => one.startsWith('OFFLINE')).length, 1);
    });

    it('are removed after 400 days', async () => {
      const at = (days: number) => new Date(started - days * 86_400_000);
      const row = (from: number, to: number | null) => ({
        gateway_id: id,
        started_at: at(from),
        ended_at: to === null ? null : at(to),
        reason: '',
      });
      await database.query
        .insertInto('gateway_outage')
        .values([row(500, 401), row(400.5, 399), row(390, null)])
        .execute();
      await createMonitor().round();
      assert.equal((await outages()).length, 2);
    });
  });

describe('signs of life of gateways', () => {
  it('are bounded, and counted when they are dropped before they are written', async () => {
    await using database = await createTestDatabase('sqlite');
    let dropped = 0;
    const metrics = { count: () => void (dropped += 1) };
    const writer = new GatewaySignWriter({ database, clock: createFakeClock(), log: quiet, metrics, mostGateways: 2 });
    for (const gatewayID of ['1', '2', '3']) writer.received(gatewayID, 'mqtt');
    assert.equal(dropped, 1);
  });

  it('are not the end of connections that the server closes when it stops', async () => {
    await using database = await createTestDatabase('sqlite');
    const clock = createFakeClock();
    const owners = await insertGatewayOwners(database, clock.now());
    await insertGatewayRows(database, [{ id, ...owners }], clock.now());
    const writer = new GatewaySignWriter({ database, clock, log: quiet, metrics: { count: () => undefined } });
    writer.received(id, 'basics-station');
    await writer.stop();
    writer.ended(id, 'websocket closed (1001)');
    await writer.flush(true);
    const row = database.query.selectFrom('gateway').select(['heard_at', 'heard_link', 'link_end']);
    assert.deepEqual(
      { ...(await row.executeTakeFirst()) },
      { heard_at: clock.now(), heard_link: 'basics-station', link_end: null },
    );
  });
});
