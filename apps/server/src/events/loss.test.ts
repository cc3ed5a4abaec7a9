import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EventNote, operations } from '@hilltop/contract';
import { as, create } from '@hilltop/protobuf';
import { startGateway } from '@hilltop/simulator';
import { systemClock } from '../clock.ts';
import { startServer } from '../compose.ts';
import { elapsedSince } from '../database/elapsed-time.ts';
import { startServerRun } from '../database/server-runs.ts';
import { createApplicationServer } from '../network/application-server.ts';
import { createTestClient } from '../testing/client.ts';
import { createMigratedStorage, createTestDatabase, databases } from '../testing/databases.ts';
import { createActivatedDevice, createGateway, createSurroundings } from '../testing/field.ts';
import { adminEmail, adminPassword, type TestApp } from '../testing/test-app.ts';
import { testSettings } from '../testing/test-settings.ts';
import { watch } from '../testing/watch.ts';
import { enact } from './effect.ts';
import { lossOf } from './loss.ts';

const minuteMs = 60_000;

/** A clock that a test moves; `set` moves the time of day only. */
function movableClock() {
  let [aheadMs, setMs] = [0, 0];
  return {
    clock: {
      ...systemClock,
      now: () => new Date(Date.now() + aheadMs + setMs),
      monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    },
    pass: (ms: number) => {
      aheadMs += ms;
    },
    set: (ms: number) => {
      setMs += ms;
    },
  };
}

it('distinguishes frames that were sent in a stop of the server, and a jump of the counter, from loss', () => {
  const step = { isReset: false, sinceMs: 10 * minuteMs };
  const at = 100 * minuteMs;
  const stops = [
    { from: 91.5 * minuteMs, to: 93.5 * minuteMs },
    { from: 96 * minuteMs, to: 97 * minuteMs },
  ];
  assert.deepEqual(lossOf({ ...step, skipped: 9 }, at, stops), { lost: 9, lostWhileStopped: 4 });
  assert.deepEqual(lossOf({ ...step, skipped: 9 }, at, [{ from: 0, to: 90 * minuteMs }]), { lost: 9 });
  assert.deepEqual(lossOf({ ...step, skipped: 1000 }, at, []), { lost: 1000 });
  assert.deepEqual(lossOf({ ...step, skipped: 1001 }, at, stops), { counterJump: 1001 });
  assert.deepEqual(lossOf({ ...step, skipped: 0, isReset: true }, at, stops), { counterReset: true });
  assert.deepEqual(lossOf({ ...step, skipped: -1 }, at, stops), { lost: -1 });
  assert.deepEqual(lossOf({ ...step, skipped: 0 }, at, stops), {});
});

for (const kind of databases) {
  describe(`runs of the server on ${kind}`, () => {
    it('leave the times in which no instance ran, and old ones are removed beyond the newest hundred', async () => {
      await using database = await createTestDatabase(kind);
      const { clock, pass } = movableClock();
      const live = new Set<string>();
      const begin = (id: string) => {
        live.add(id);
        return startServerRun({ database, clock, cluster: { id, isLive: (other) => live.has(other) } });
      };
      const minutes = (runs: Awaited<ReturnType<typeof begin>>) =>
        runs.stops.map(({ from, to }) => Math.round((to - from) / minuteMs));

      const first = await begin('one');
      assert.deepEqual(minutes(first), []);
      pass(10 * minuteMs);
      const beside = await begin('two');
      assert.deepEqual(minutes(beside), []);
      await first.stop();
      live.delete('one');
      pass(5 * minuteMs);
      await beside.stop();
      live.delete('two');
      pass(7 * minuteMs);
      const later = await begin('three');
      assert.deepEqual(minutes(later), [7]);
      await later.stop();
      live.delete('three');
      const days = 31 * 1440;
      pass(days * minuteMs);
      const last = await begin('four');
      assert.deepEqual(minutes(last), [7, days]);
      await last.stop();
      live.delete('four');
      const at = clock.now().getTime();
      const newer = Array.from({ length: 99 }, (_, nth) => ({
        ...{ id: `${nth}`, instance: 'others' },
        ...{ started_at: at, seen_at: at + 1 },
      }));
      await database.query.insertInto('server_run').values(newer).execute();
      pass(minuteMs);
      await (await begin('five')).stop();
      const stored = await database.query.selectFrom('server_run').select('instance').distinct().execute();
      assert.deepEqual(stored.map(({ instance }) => instance).sort(), ['five', 'four', 'others']);
    });

    it('leave a stop although the clock showed the year 2100 before or meanwhile', async () => {
      await using database = await createTestDatabase(kind);
      const { clock, pass, set } = movableClock();
      const begin = () => startServerRun({ database, clock, cluster: { id: 'one', isLive: () => true } });
      const minutesSince = (runs: Awaited<ReturnType<typeof begin>>, at: number) =>
        Math.round(elapsedSince(runs.time(), at).ms / minuteMs);
      const years = 74 * 365 * 1440 * minuteMs;
      /** Stops the server for ten minutes, in which the clock is set. */
      const restart = async (running: Awaited<ReturnType<typeof begin>>, setMs: number) => {
        await running.stop();
        pass(10 * minuteMs);
        set(setMs);
        return begin();
      };

      const first = await begin();
      const before = clock.now().getTime();
      pass(5 * minuteMs);
      const ahead = await restart(first, years);
      assert.equal(minutesSince(ahead, before), 5);
      const inFuture = clock.now().getTime();
      pass(5 * minuteMs);
      const stillAhead = await restart(ahead, 0);
      assert.deepEqual([minutesSince(stillAhead, before), minutesSince(stillAhead, inFuture)], [10, 5]);
      // It is set right while the server runs, and by an hour while it is stopped.
      set(-years);
      pass(minuteMs);
      assert.ok(minutesSince(stillAhead, before) <= 11, 'without the stop that the clock showed in 2100');
      assert.equal(minutesSince(stillAhead, inFuture), 6);
      const right = await restart(stillAhead, 60 * minuteMs);
      pass(3 * minuteMs);
      assert.ok(minutesSince(right, before) <= 14, 'without the time in which no server ran');
      assert.ok(minutesSince(right, inFuture) <= 9);
      await right.stop();
    });

    it('leave what the clock skipped, and that it was set back, over a restart', async () => {
      await using database = await createTestDatabase(kind);
      const { clock, pass, set } = movableClock();
      const begin = () => startServerRun({ database, clock, cluster: { id: 'one', isLive: () => true } });
      const from = clock.now().getTime();
      const minutesSince = (runs: Awaited<ReturnType<typeof begin>>, at = from) =>
        Math.round(elapsedSince(runs.time(), at).ms / minuteMs);

      const first = await begin();
      pass(10 * minuteMs);
      await first.heartbeat();
      set(600 * minuteMs);
      pass(5 * minuteMs);
      await first.heartbeat();
      pass(5 * minuteMs);
      assert.equal(minutesSince(first), 20);
      await first.stop();
      const second = await begin();
      pass(10 * minuteMs);
      assert.equal(minutesSince(second), 30);
      // Right again: nothing was skipped in the end.
      const ahead = clock.now().getTime();
      set(-600 * minuteMs);
      pass(10 * minuteMs);
      assert.deepEqual([minutesSince(second), minutesSince(second, ahead)], [40, 10]);
      await second.stop();
      const third = await begin();
      pass(10 * minuteMs);
      assert.equal(minutesSince(third, ahead), 20);
      await third.stop();
    });

    it('know the age of times when the clock was set forward and then back by more', async () => {
      await using database = await createTestDatabase(kind);
      const { clock, pass, set } = movableClock();
      const begin = () => startServerRun({ database, clock, cluster: { id: 'one', isLive: () => true } });
      const first = await begin();
      const from = clock.now().getTime();
      const age = (runs: Awaited<ReturnType<typeof begin>>, at: number) =>
        Math.round(elapsedSince(runs.time(), at).ms / minuteMs);
      pass(10 * minuteMs);
      await first.heartbeat();
      set(60 * minuteMs);
      await first.heartbeat();
      pass(10 * minuteMs);
      const skippedTo = clock.now().getTime();
      await first.heartbeat();
      set(-120 * minuteMs);
      pass(10 * minuteMs);
      await first.heartbeat();
      assert.deepEqual([age(first, from), age(first, skippedTo)], [30, 10]);
      const none = [age(first, clock.now().getTime() + 1000), age(first, skippedTo + 300 * minuteMs)];
      assert.deepEqual(none, [0, 0], 'written just now, and never shown');
      await first.stop();
      // The order of earlier runs is not known: the one that showed a time counts, and what passes since the restart.
      const second = await begin();
      pass(10 * minuteMs);
      assert.deepEqual([age(second, from), age(second, skippedTo)], [20, 20]);
      assert.equal(age(second, from + 30 * minuteMs), 10);
      await second.stop();
    });

    it('know the age of times that an instance with a clock ahead has written, without a restart', async () => {
      await using database = await createTestDatabase(kind);
      const { clock, pass } = movableClock();
      const fast = { ...clock, now: () => new Date(clock.now().getTime() + 60 * minuteMs) };
      const begin = (id: string, of: typeof clock) =>
        startServerRun({ database, clock: of, cluster: { id, isLive: () => true } });
      const right = await begin('right', clock);
      const peer = await begin('peer', fast);
      const heartbeats = async () => {
        await peer.heartbeat();
        await right.heartbeat();
      };
      await heartbeats();
      const written = fast.now().getTime();
      const age = () => Math.round(elapsedSince(right.time(), written).ms / minuteMs);
      // Newer than its last heartbeat: it may be of this moment.
      assert.equal(age(), 0);
      pass(10 * minuteMs);
      await heartbeats();
      assert.equal(age(), 10);
      // The other one ends; its clock was ahead all the same.
      await peer.stop();
      await right.heartbeat();
      pass(20 * minuteMs);
      await right.heartbeat();
      assert.equal(age(), 30);
      await right.stop();
    });

    it('leave what the clock skipped while the database was away', async () => {
      await using database = await createTestDatabase(kind);
      const { clock, pass, set } = movableClock();
      let isAway = false;
      const query = () => {
        if (isAway) throw new Error('The database is away.');
        return database.query;
      };
      const unreliable: typeof database = Object.create(database, { query: { get: query } });
      const begin = () => startServerRun({ database: unreliable, clock, cluster: { id: 'one', isLive: () => true } });
      const from = clock.now().getTime();

      const first = await begin();
      pass(10 * minuteMs);
      await first.heartbeat();
      set(600 * minuteMs);
      isAway = true;
      await assert.rejects(first.heartbeat());
      isAway = false;
      pass(5 * minuteMs);
      await first.stop();
      const second = await begin();
      assert.equal(Math.round(elapsedSince(second.time(), from).ms / minuteMs), 15);
      await second.stop();
    });
  });
}

describe('lost uplinks', () => {
  it('are counted exactly over losses, a reset, a stop of the server, a jump and a new session', async () => {
    await using storage = await createMigratedStorage('sqlite');
    const { clock, pass } = movableClock();
    let stop = () => Promise.resolve();
    await using _last = { [Symbol.asyncDispose]: () => stop() };
    const start = async () => {
      const server = await startServer(testSettings(storage, { adminPassword }), { clock });
      const client = createTestClient(`http://127.0.0.1:${server.httpPort}`);
      const adminToken = await client.signIn(adminEmail, adminPassword);
      stop = server.stop;
      return {
        url: `http://127.0.0.1:${server.httpPort}`,
        adminToken,
        udpPort: server.udpPort!,
        parts: server.needs,
        call: (operation, input, token = adminToken) => client.call(operation, input, token),
      } as TestApp;
    };
    let app = await start();
    const surroundings = await createSurroundings(app);
    const gatewayID = await createGateway(app, surroundings.organizationID);
    let gateway: Awaited<ReturnType<typeof startGateway>> | undefined;
    await using _gateway = { [Symbol.asyncDispose]: async () => gateway?.[Symbol.asyncDispose]() };
    const connect = async () => {
      await gateway?.[Symbol.asyncDispose]();
      gateway = await startGateway({ server: `127.0.0.1:${app.udpPort}`, gatewayID });
      await gateway.online();
    };
    await connect();
    const activated = await createActivatedDevice(app, surroundings, { skipFCntCheck: true });
    const { devEUI } = activated;
    let device = activated.start();

    let sent = 0;
    const frame = () => {
      pass(minuteMs);
      sent += 1;
      // After a reset, the very bytes of the first frame would be a late copy of it.
      return device.uplink({ fPort: 1, data: Uint8Array.of(sent >> 8, sent) });
    };
    const lose = (count: number) => {
      for (let n = 0; n < count; n++) frame();
    };
    const hear = async () => {
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      const next = frame();
      const known = await app.call(operations.history.list, { devEUI, kinds: ['up'] });
      gateway!.receiveFrame(next);
      for (let seen = 0; seen <= known.result.length; ) {
        const { result } = await events.next();
        if (result?.type === 'up') seen += 1;
      }
      const { result } = await app.call(operations.history.list, { devEUI, kinds: ['up'], limit: 1 });
      const note = JSON.parse(result[0]!.noteJSON) as EventNote;
      const { lost, lostWhileStopped, counterJump, counterReset } = note;
      return { lost, lostWhileStopped, counterJump, counterReset };
    };
    const nothing = { lost: undefined, lostWhileStopped: undefined, counterJump: undefined, counterReset: undefined };

    assert.deepEqual(await hear(), nothing);
    lose(2);
    assert.deepEqual(await hear(), { ...nothing, lost: 2 });
    const marks = () =>
      app.parts.database.query
        .selectFrom('device')
        .select(['lost_bits', 'codec_error_bits', 'sole_gateway', 'usual_gap_ms'])
        .where('dev_eui', '=', devEUI)
        .executeTakeFirstOrThrow();
    // The first gap, of three minutes, is the usual one.
    const { usual_gap_ms: usualGapMs, ...others } = await marks();
    assert.deepEqual(others, { lost_bits: 0b0110, codec_error_bits: 0, sole_gateway: gatewayID });
    assert.equal(Math.round(usualGapMs! / minuteMs), 3);
    device = activated.start();
    assert.deepEqual(await hear(), { ...nothing, counterReset: true });
    assert.deepEqual(await hear(), nothing);

    await stop();
    lose(5);
    pass(minuteMs / 2);
    app = await start();
    await connect();
    pass(-minuteMs / 2);
    lose(1);
    assert.deepEqual(await hear(), { ...nothing, lost: 6, lostWhileStopped: 5 });
    assert.equal((await marks()).lost_bits, 0b0110_0010);

    lose(1001);
    assert.deepEqual(await hear(), { ...nothing, counterJump: 1001 });
    const { deviceActivation } = await app.call(operations.device.getActivation, { devEUI });
    const { devAddr } = await app.call(operations.device.getRandomDevAddr, { devEUI });
    await app.call(operations.device.activate, { deviceActivation: { ...deviceActivation, devAddr, fCntUp: 0 } });
    device = activated.start();
    device.session!.devAddr = devAddr;
    lose(3);
    assert.deepEqual(await hear(), nothing);

    // A remote network server reports only the counter.
    const remote = createApplicationServer(app.parts);
    const devEui = Uint8Array.fromHex(devEUI);
    const hearRemote = async (fCnt: number) => {
      const effect = await remote.handleUplinkData(create(as.HandleUplinkDataRequest, { devEui, fCnt, fPort: 1 }));
      await app.parts.database.commit({ run: () => enact(effect).then(() => true) });
      const { result } = await app.call(operations.history.list, { devEUI, kinds: ['up'], limit: 1 });
      const { lost, counterReset } = JSON.parse(result[0]!.noteJSON || '{}') as EventNote;
      return [lost, counterReset];
    };
    assert.deepEqual(await hearRemote(8), [4, undefined]);
    assert.deepEqual(await hearRemote(0), [undefined, true]);
    assert.deepEqual(await hearRemote(1), [undefined, undefined]);
  });
});
