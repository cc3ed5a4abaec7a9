import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import type { State } from '@hilltop/network-server';
import { systemClock } from '../clock.ts';
import { buildEvent } from '../events/event.ts';
import { readHistory } from '../events/history.ts';
import { createNetworkState } from '../network/state.ts';
import type { CallError } from '../testing/client.ts';
import { createApplication, createUser } from '../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createReceivedDevice,
  createSurroundings,
  type FieldContext,
  simulateDevice,
  simulateGateway,
} from '../testing/field.ts';
import { sampleIntegrations } from '../testing/integrations.ts';
import { refused } from '../testing/refused.ts';
import { noInstances, startInstances, type TestApp, type TestInstances } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

type Writing = Parameters<State['commit']>[0]['writes'][number];

/** The server of a customer; it records the ids of the events it receives. */
async function startSink() {
  const got: string[] = [];
  const server = createServer((request, response) => {
    got.push(String(request.headers['webhook-id']));
    request.resume();
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    got,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function until<T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (let tries = 0; tries < 500; tries += 1) {
    const found = await look();
    if (found) return found;
    await pause(20);
  }
  return assert.fail('it never came');
}

/** Records an event of a device at `app`. */
async function happen({ parts }: TestApp, devEUI: string, fCnt: number): Promise<void> {
  const device = (await parts.devices.of(devEUI))!;
  const at = new Date();
  const events = [buildEvent('up', device, at, { fCnt })];
  await parts.database.transaction(() => parts.recorder.record({ about: 'test', devEUI, at, events }).write());
}

describe('two instances', { skip: noInstances }, () => {
  let instances: TestInstances;
  let one: TestApp;
  let other: TestApp;
  let surroundings: FieldContext;
  let devEUI: string;
  before(async () => {
    instances = await startInstances(2, { outgoingAllow: '127.0.0.1' });
    [one, other] = instances.apps as [TestApp, TestApp];
    surroundings = await createSurroundings(one);
    devEUI = await createDevice(one, surroundings);
    await until(() => [one, other].every(({ parts }) => parts.cluster.live().length === 2));
  });
  after(() => instances[Symbol.asyncDispose]());

  it('show live events of both', async () => {
    await using watching = await watch(other.url, `/api/devices/${devEUI}/events`, other.adminToken);
    await happen(one, devEUI, 1);
    await happen(other, devEUI, 2);
    const counters = [await watching.next(), await watching.next()].map(
      ({ result }) => (JSON.parse(result!.payloadJSON) as { fCnt: number }).fCnt,
    );
    assert.deepEqual(counters, [1, 2]);
  });

  it('show pages of the stored events of both without a gap, sealed or not', async () => {
    const both = await createDevice(one, surroundings);
    const counters = Array.from({ length: 45 }, (_, fCnt) => fCnt);
    for (const fCnt of counters) {
      await happen(fCnt % 3 === 0 ? one : other, both, fCnt);
      // What one of them has sealed is in blocks, the rest in the log.
      if (fCnt === 29) for (const { parts } of [one, other]) await parts.history.round({ isForced: true });
    }
    for (const app of [one, other]) {
      const found: number[] = [];
      for (let before = ''; ; ) {
        const page = await app.call(operations.history.list, { devEUI: both, kinds: ['up'], limit: 7, before });
        found.push(...page.result.map(({ payloadJSON }) => (JSON.parse(payloadJSON) as { fCnt: number }).fCnt));
        if (page.older === '') break;
        before = page.older;
      }
      assert.deepEqual(found, counters.toReversed());
    }
    const blocks = one.parts.database.query.selectFrom('event_block').select('dev_eui').where('dev_eui', '=', both);
    assert.ok((await blocks.execute()).length > 0, 'some are sealed');
  });

  it('show frames that either received, after those of the frame log', async () => {
    const gatewayID = await createGateway(one, surroundings.organizationID);
    await using gateway = await simulateGateway(one, gatewayID);
    const received = await createReceivedDevice(one, surroundings, gateway);
    const paths = [`/api/gateways/${gatewayID}/frames`, `/api/devices/${received}/frames`];
    for (const path of paths) {
      await using watching = await watch(other.url, path, other.adminToken);
      const { result } = await watching.next();
      assert.equal(result?.uplinkFrame?.rxInfo[0]?.gatewayID, Buffer.from(gatewayID, 'hex').toString('base64'), path);
    }
    await using there = await watch(other.url, paths[0]!, other.adminToken);
    await there.next();
    await using elsewhere = await simulateGateway(other, gatewayID);
    for (const from of [elsewhere, gateway]) {
      const devEUI = randomBytes(8).toString('hex');
      from.receiveFrame(simulateDevice(devEUI).joinRequest());
      await until(async () => (await there.next()).result?.uplinkFrame?.phyPayloadJSON.includes(devEUI));
    }
  });

  it('count sign-in attempts together, and separately while Redis is unavailable', async () => {
    const { email, password } = await createUser(one);
    let tries = 0;
    for (const refusing = new Set<TestApp>(); refusing.size < 2; tries += 1) {
      const app = [one, other][tries % 2]!;
      const { code } = await app.signIn(email, 'wrong password').then(assert.fail, (error: CallError) => error);
      assert.ok(code === 16 || code === 8);
      if (code === 8) refusing.add(app);
    }
    // 10 and one more at each. An overloaded Redis that does not answer in time allows some more, but not twice as
    // many.
    assert.ok(tries < 20, `${tries} tries`);
    await refused(8, one.signIn(email, password));
    const { email: another } = await createUser(one);
    await instances.redis.stop();
    for (const app of [one, other]) {
      for (let tries = 0; tries < 10; tries += 1) await refused(16, app.signIn(another, 'wrong password'));
      await refused(8, app.signIn(another, 'wrong password'));
    }
    await instances.redis.start();
    const answers = () =>
      Promise.all([one, other].map(({ parts }) => parts.bus.askPeers('stored-frames', { log: '' }, 200)));
    await until(async () => (await answers()).every(({ length }) => length === 1));
  });

  it('list each other with their load, and report that Redis is unavailable', async () => {
    const ofTwo = async (app: TestApp) => (await app.call(operations.instance.list, { limit: 10 })).result;
    for (const app of [one, other]) {
      const result = await ofTwo(app);
      assert.deepEqual(new Set(result.map(({ name }) => name)), new Set(['instance 1', 'instance 2']));
      assert.ok(result.every(({ figures, listens }) => figures !== null && listens[0]?.startsWith('HTTP 127.0.0.1')));
      assert.equal(result.find(({ isAnswering }) => isAnswering)?.id, app.parts.cluster.id);
    }
    const away = () =>
      Promise.all([one, other].map(async (app) => (await app.call(operations.instance.getSurroundings, {})).away));
    await until(async () => (await away()).every((what) => what.length === 0));
    await instances.redis.stop();
    await until(async () => (await away()).every((what) => what.join() === 'REDIS'));
    const silent = await ofTwo(one);
    assert.deepEqual(
      silent.map(({ isAnswering, figures }) => isAnswering === (figures !== null)),
      [true, true],
    );
    await instances.redis.start();
    await until(async () => (await away()).every((what) => what.length === 0));
    await until(async () => (await ofTwo(one)).every(({ figures }) => figures !== null));
  });

  it('process an uplink once while Redis is paused, stopped or empty', async () => {
    const { redis } = instances;
    const gatewayID = await createGateway(one, surroundings.organizationID);
    await using gateway = await simulateGateway(one, gatewayID);
    const bothHear = () =>
      until(async () => {
        const asked = [one, other].map(({ parts }) => parts.bus.askPeers('instance-figures', {}, 200));
        return (await Promise.all(asked)).every(({ length }) => length === 1);
      });
    const badDays: [begin: () => unknown, end: () => unknown][] = [
      [redis.pause, redis.resume],
      [redis.stop, redis.start],
      [() => one.parts.redis!.run((commands) => commands.flushall(), 1_000), () => undefined],
    ];
    for (const [begin, end] of badDays) {
      await bothHear();
      await begin();
      const received = await createReceivedDevice(one, surroundings, gateway);
      const { query } = other.parts.database;
      await until(async () => (await query.selectFrom('ns_journal').select('id').execute()).length === 0);
      await end();
      const events = await readHistory(other.parts.database, received, 10);
      assert.deepEqual(
        events.map(({ type }) => type),
        ['up'],
      );
    }
    await bothHear();
  });

  it('agree on a counter reset although the clock of one is an hour behind', async () => {
    const now = () => new Date(Date.now() - 3_600_000);
    await using behind = await instances.start({}, { clock: { ...systemClock, now } });
    const gatewayID = await createGateway(one, surroundings.organizationID);
    await using gateway = await simulateGateway(one, gatewayID);
    const { devEUI, start } = await createActivatedDevice(one, surroundings, { skipFCntCheck: true });
    await using events = await watch(one.url, `/api/devices/${devEUI}/events`, one.adminToken);
    const device = start();
    for (let times = 0; times < 2; times += 1) {
      gateway.receiveFrame(device.uplink({ fPort: 1 }));
      await events.next();
    }
    // A device sends nothing before its receive windows are over.
    await pause(1_100);
    await using elsewhere = await simulateGateway(behind, gatewayID);
    elsewhere.receiveFrame(start().uplink({ fPort: 1 }));
    const { payloadJSON = '' } = (await events.next()).result ?? {};
    assert.equal((JSON.parse(payloadJSON) as { fCnt: number }).fCnt, 0);
  });

  it('start and stop network servers that were added and removed at the other', async () => {
    const { id } = await one.call(operations.radio.create, { name: 'added', region: 'US915' });
    assert.equal((await other.call(operations.networkServer.get, { id })).region, 'US915');
    const { settings } = await other.call(operations.radio.get, { networkServerID: id });
    const notified = Promise.withResolvers<void>();
    await one.parts.bus.subscribeToPeers('network-server-changed', '', () => notified.resolve());
    await other.call(operations.radio.update, { networkServerID: id, settings });
    await notified.promise;
    await one.call(operations.networkServer.delete, { id });
    await until(() =>
      other.parts.networks.of(Number(id)).then(
        () => false,
        (error: Error) => /There is no network-server/.test(error.message),
      ),
    );
  });

  it('share the deliveries of applications, and list all of them', async () => {
    await using sink = await startSink();
    const devices: string[] = [];
    const actives = () => [one, other].map(({ parts }) => parts.delivery.listAll().length) as [number, number];
    while (actives().includes(0)) {
      const its = await createSurroundings(one);
      const { applicationID } = its;
      const integration = { ...sampleIntegrations.HTTP, applicationID, headers: [], eventEndpointURL: sink.url };
      await one.call(operations.application.createHTTPIntegration, { integration });
      devices.push(await createDevice(one, its));
      await until(() => actives()[0] + actives()[1] === devices.length);
    }
    const lists = await Promise.all([one, other].map((app) => app.call(operations.delivery.all, { limit: 100 })));
    assert.deepEqual(lists[0], lists[1]);
    assert.deepEqual([lists[0]!.totalCount, lists[0]!.result.length], [String(devices.length), devices.length]);
    const [second] = (await one.call(operations.delivery.all, { limit: 1, offset: 1 })).result;
    assert.deepEqual(second, lists[0]!.result[1]);
    for (const devEUI of devices) await happen(one, devEUI, 1);
    await until(() => sink.got.length >= devices.length);
    await using third = await instances.start();
    await until(() => one.parts.cluster.live().length === 3);
    await third[Symbol.asyncDispose]();
    const { result: afterwards } = await one.call(operations.delivery.all, { limit: 100 });
    assert.equal(new Set(afterwards.map(({ applicationID }) => applicationID)).size, afterwards.length);
    for (const app of [one, other]) {
      const [event] = await until(async () => {
        const { result } = await app.call(operations.delivery.ofDevice, { devEUI: devices[0]! });
        return result[0]?.deliveries[0]?.place === 'DELIVERED' && result;
      });
      assert.equal(event!.deliveries.length, 1);
    }
    assert.equal(new Set(sink.got).size, devices.length);
    assert.equal(sink.got.length, devices.length);
    for (const { applicationID } of lists[0]!.result)
      await other.call(operations.application.deleteHTTPIntegration, { applicationID });
  });

  it('deliver each event once, manage deliveries at any instance, and take over from one that ended', async () => {
    await using sink = await startSink();
    const { applicationID } = surroundings;
    const integration = { ...sampleIntegrations.HTTP, applicationID, headers: [], eventEndpointURL: sink.url };
    await other.call(operations.application.createHTTPIntegration, { integration });
    const overviews = () =>
      Promise.all([one, other].map((app) => app.call(operations.delivery.overview, { applicationID })));
    await until(async () => (await overviews()).every(({ result }) => result.length === 1));
    for (const [index, app] of [one, other, one, other].entries()) await happen(app, devEUI, 10 + index);
    await until(() => sink.got.length >= 4);
    const [first, second] = await until(async () => {
      const current = await overviews();
      return current.every(({ result }) => result[0]!.behindEvents === 0 && result[0]!.inFlight === 0) && current;
    });
    assert.deepEqual(first, second);
    const chosen = { applicationID, kind: 'HTTP' };
    await one.call(operations.delivery.suspend, chosen);
    await other.call(operations.delivery.resume, { ...chosen, from: 'WHERE_IT_STOPPED' });
    await Promise.all(
      [one, other].map((app) => refused(5, app.call(operations.delivery.suspend, { ...chosen, kind: 'INFLUXDB' }))),
    );

    await using third = await instances.start();
    await until(() => third.parts.cluster.live().length === 3);
    await happen(third, devEUI, 20);
    await until(() => sink.got.length >= 5);
    assert.equal(new Set(sink.got).size, 5);
    assert.equal(sink.got.length, 5);
  });

  it('refuse a deleted user at once', async () => {
    const { id, token } = await createUser(one);
    await other.call(operations.internal.profile, {}, token);
    const notified = Promise.withResolvers<void>();
    await other.parts.bus.subscribe('access-changed', id, () => notified.resolve());
    await one.call(operations.user.delete, { id });
    await notified.promise;
    await refused(16, other.call(operations.internal.profile, {}, token));
  });

  it('end the stream of a user whose limit was set at the other', async () => {
    const { organizationID } = surroundings;
    const { id: userID, token } = await createUser(one, { organizations: [{ organizationID }] });
    await using watching = await watch(other.url, `/api/devices/${devEUI}/events`, token);
    const applicationIDs = [await createApplication(one, { organizationID })];
    const organizationUser = { organizationID, userID, applicationIDs };
    await one.call(operations.organization.updateUser, { organizationUser });
    for (;;) {
      const { error } = await watching.next();
      if (!error) continue;
      assert.equal(error.grpcCode, 7);
      break;
    }
  });

  it('refuse an ended session before the call that ended it is answered', async () => {
    const { email, password, token } = await createUser(one);
    const ending = await one.signIn(email, password);
    const { result } = await one.call(operations.session.list, { limit: 10 }, token);
    const { id } = result.find(({ isCurrent }) => !isCurrent)!;
    await other.call(operations.internal.profile, {}, ending);
    instances.redis.pause();
    const ended = one.call(operations.session.end, { id }, token);
    const asked = ended.then(() => other.call(operations.internal.profile, {}, ending));
    setTimeout(instances.redis.resume, 200);
    await refused(16, asked);
  });

  it('count devices at once that were created at the other', async () => {
    const { applicationID } = surroundings;
    const count = async () =>
      (await other.call(operations.device.list, { applicationID, limit: 1, search: 'weather' })).totalCount;
    assert.equal(await count(), '0');
    const notified = Promise.withResolvers<void>();
    await other.parts.bus.subscribe('devices-changed', '', () => notified.resolve());
    await createDevice(one, surroundings, { name: 'weather' });
    await notified.promise;
    assert.equal(await count(), '1');
  });

  it('read records of a network server at once that were written at the other', async () => {
    const [here, there] = [one, other].map(({ parts }) => createNetworkState(parts, 1)) as [State, State];
    const write = (one: Writing) => here.commit({ writes: [one], effects: [] });
    const save = (of: 'gateway' | 'serviceProfile', id: string, value: object) =>
      write({ kind: 'saveRecord', of, id, value: value as never });
    await save('serviceProfile', 'a', { drMax: 1 });
    assert.deepEqual(await there.get('serviceProfile', 'a'), { drMax: 1 });
    assert.equal(await there.get('gateway', 'made later'), null);
    const notified = Promise.withResolvers<void>();
    await other.parts.bus.subscribe('record-changed', '', ({ id }) => id === 'made later' && notified.resolve());
    await save('serviceProfile', 'a', { drMax: 2 });
    await save('gateway', 'made later', { id: 'made later' });
    await notified.promise;
    assert.deepEqual(await there.get('serviceProfile', 'a'), { drMax: 2 });
    assert.deepEqual(await there.get('gateway', 'made later'), { id: 'made later' });
  });
});
