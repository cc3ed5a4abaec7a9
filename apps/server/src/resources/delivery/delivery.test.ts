import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTLSServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { type DeliveryAttempt, operations } from '@hilltop/contract';
import { buildEvent } from '../../events/event.ts';
import { admins, describeAccess, type PrincipalName, readers, row, type Side } from '../../testing/access-matrix.ts';
import { createAuthority } from '../../testing/certificates.ts';
import type { CallError } from '../../testing/client.ts';
import { databases } from '../../testing/databases.ts';
import { createAPIKey, createApplication } from '../../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext } from '../../testing/field.ts';
import { sampleIntegrations } from '../../testing/integrations.ts';
import { goOfflineAndOnline, reportStats } from '../../testing/mqtt.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const { delivery, application, gatewayIntegration } = operations;
const kind = 'HTTP';

/** The server of a customer: the requests it received, and its responses. */
async function startSink() {
  const got: { eventID: string; replay: string | undefined; body: string }[] = [];
  const signed: { url: string; isSigned: boolean }[] = [];
  let answer = (_request: IncomingMessage, response: ServerResponse) => void response.end();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const replay = request.headers['hilltop-replay'] as string | undefined;
    got.push({ eventID: String(request.headers['webhook-id']), replay, body });
    signed.push({ url: String(request.url), isSigned: 'webhook-signature' in request.headers });
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=canary-query`,
    got,
    signed,
    answer: (next: typeof answer) => {
      answer = next;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The sending threads, the newest last. */
const sendingThreads: Worker[] = [];
process.on('worker', (worker) => {
  if (worker.threadName === 'sending') sendingThreads.push(worker);
});

async function until<T>(look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (let tries = 0; tries < 1000; tries += 1) {
    const found = await look();
    if (found) return found;
    await pause(20);
  }
  return assert.fail('it never came');
}

for (const database of databases) {
  describe(`deliveries on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database, { outgoingAllow: '127.0.0.1' });
    });
    after(() => app[Symbol.asyncDispose]());

    const setUp = async (change: object = {}) => {
      const surroundings: FieldContext = await createSurroundings(app);
      const { applicationID } = surroundings;
      const sink = await startSink();
      const devEUI = await createDevice(app, surroundings);
      const headers = [{ key: 'Authorization', value: 'Bearer canary-header' }];
      const integration = { ...sampleIntegrations.HTTP, applicationID, headers, eventEndpointURL: sink.url, ...change };
      await app.call(application.createHTTPIntegration, { integration });
      const status = async () => (await app.call(delivery.overview, { applicationID })).result[0];
      await until(status);
      return { applicationID, devEUI, sink, status, chosen: { applicationID, kind } };
    };

    const happen = async (devEUI: string, events = 1, details: object = {}) => {
      const { database: db, devices, recorder } = app.parts;
      const device = (await devices.of(devEUI))!;
      const at = new Date();
      const made = Array.from({ length: events }, (_, fCnt) => buildEvent('up', device, at, { fCnt, ...details }));
      await db.transaction(() => recorder.record({ about: 'test', devEUI, at, events: made }).write());
    };

    it('lose no event when the sending thread ends, and keep their order', async () => {
      const { devEUI, sink, status } = await setUp();
      await using _ = sink;
      sink.answer((_request, response) => {
        if (sink.got.length === 3) void sendingThreads.at(-1)!.terminate();
        else response.end();
      });
      await happen(devEUI, 6);
      await until(() => sink.got.length === 7);
      const counters = sink.got.map(({ body }) => (JSON.parse(body) as { fCnt: number }).fCnt);
      assert.deepEqual(counters, [0, 1, 2, 2, 3, 4, 5]);
      const { state, parked } = (await status())!;
      assert.deepEqual([state, parked], ['HEALTHY', 0]);
    });

    it('can be queried before they run: at a start, and just after the integration was created', async () => {
      const { chosen, sink } = await setUp();
      await using _ = sink;
      const { delivery: engine } = app.parts;
      await engine.stop();
      try {
        const asked = app.call(delivery.log, { ...chosen, limit: 1 });
        await pause(200);
        await engine.start();
        await asked;
        await engine.stop();
        await refused(14, app.call(delivery.log, { ...chosen, limit: 1 }));
      } finally {
        await engine.start();
      }
      const { applicationID } = await createSurroundings(app);
      const integration = { ...sampleIntegrations.HTTP, applicationID, eventEndpointURL: sink.url };
      await app.call(application.createHTTPIntegration, { integration });
      await app.call(delivery.log, { applicationID, kind, limit: 1 });
    });

    it('are sent, and appear in the status', async () => {
      const { devEUI, sink, status, chosen } = await setUp();
      await using _ = sink;
      await happen(devEUI, 5);
      await until(() => sink.got.length === 5);
      const counters = sink.got.map(({ body }) => (JSON.parse(body) as { fCnt: number }).fCnt);
      assert.deepEqual(counters, [0, 1, 2, 3, 4]);
      const one = await until(async () => {
        const now = await status();
        return now?.behindEvents === 0 && now.inFlight === 0 && now;
      });
      assert.deepEqual(
        [one.state, one.kind, one.keepOrder, one.maxInFlight, one.hours.length],
        ['HEALTHY', kind, true, 32, 24],
      );
      const { result } = await app.call(delivery.log, { ...chosen, limit: 10, outcome: 'DELIVERED' });
      assert.deepEqual([result[0]!.eventID, result[0]!.status, result[0]!.devEUI], [sink.got[0]!.eventID, 200, devEUI]);
      const { result: events } = await app.call(delivery.ofDevice, { devEUI });
      assert.deepEqual(
        events.map(({ eventID, deliveries }) => [eventID, deliveries]),
        sink.got.map(({ eventID }) => [eventID, [{ kind, place: 'DELIVERED', message: '' }]]).reverse(),
      );
      const { result: all } = await app.call(delivery.all, { limit: 100 });
      assert.ok(all.some(({ applicationID }) => applicationID === chosen.applicationID));
    });

    it('are watched: first the stored attempts, then each new one, until the integration is removed', async () => {
      const { applicationID, devEUI, sink, chosen } = await setUp();
      await using _ = sink;
      const log = async () => (await app.call(delivery.log, { ...chosen, limit: 10 })).result;
      const stream = (query = '') =>
        watch<DeliveryAttempt>(
          app.url,
          `/api/applications/${applicationID}/deliveries/HTTP/live${query}`,
          app.adminToken,
        );
      await happen(devEUI);
      const [storedAttempt] = await until(async () => {
        const lines = await log();
        return lines.length > 0 && lines;
      });
      await using live = await stream();
      await using given = await stream('?outcome=PARKED');
      await using others = await stream(`?devEUI=${'f'.repeat(16)}`);
      assert.deepEqual((await live.next()).result, storedAttempt);
      sink.answer((_request, response) => void response.writeHead(400).end());
      await happen(devEUI);
      const next = (await live.next()).result!;
      assert.deepEqual([next.outcome, next.status, next.line], ['PARKED', 400, storedAttempt!.line + 1]);
      assert.deepEqual((await given.next()).result, next);
      assert.equal((await live.next()).result!.outcome, 'STATE');
      await using again = await stream();
      assert.deepEqual(
        [(await again.next()).result, (await again.next()).result, (await again.next()).result!.line],
        [storedAttempt, next, next.line + 1],
      );
      await app.call(application.deleteHTTPIntegration, { applicationID });
      await live.closed;
      await assert.rejects(others.next(), /closed/);
      await until(async () => (await (await stream()).next()).error?.grpcCode === 5);
    });

    it('send events of gateways to the integration of an organization, in order, signed, and as chosen', async () => {
      await using sink = await startSink();
      const { organizationID, applicationID } = await createSurroundings(app);
      const gatewayID = await createGateway(app, organizationID);
      const foreignID = await createGateway(app, (await createSurroundings(app)).organizationID);
      const chosen = { applicationID: '0', organizationID, kind: 'GATEWAY_HTTP' };
      const headers = [{ key: 'Authorization', value: 'Bearer canary-header' }];
      const integration = { organizationID, headers, eventEndpointURL: sink.url, eventTypes: ['stats', 'offline'] };
      await refused(5, app.call(delivery.log, { ...chosen, limit: 1 }));
      await app.call(gatewayIntegration.create, { integration });
      assert.deepEqual((await app.call(gatewayIntegration.get, { organizationID })).integration, {
        ...integration,
        headers: [{ key: 'Authorization', value: '(unchanged)' }],
      });
      await app.call(gatewayIntegration.makeSigningSecret, { organizationID });
      const status = async () => (await app.call(delivery.overview, { applicationID: '0', organizationID })).result[0];
      await until(status);
      await reportStats(app, foreignID, 9);
      await reportStats(app, gatewayID, 1);
      await goOfflineAndOnline(app, gatewayID);
      await reportStats(app, gatewayID, 2);
      await until(() => sink.got.length === 3);
      const bodies = sink.got.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
      assert.deepEqual(
        bodies.map((body) => [body['gatewayID'], body['organizationID'], body['reason'] ?? body['rxPacketsReceived']]),
        [1, 'no PULL_DATA for 90 s', 2].map((what) => [gatewayID, organizationID, what]),
      );
      assert.deepEqual(
        sink.signed.map(({ url, isSigned }) => [url, isSigned]),
        ['stats', 'offline', 'stats'].map((type) => [`/hook?event=${type}&key=canary-query`, true]),
      );
      const again = await app.call(delivery.sendAgain, { ...chosen, eventID: sink.got[1]!.eventID });
      assert.equal(again.delivered, true);
      assert.equal(sink.got[3]!.body, sink.got[1]!.body);
      const { result } = await app.call(delivery.log, { ...chosen, limit: 10, outcome: 'DELIVERED' });
      assert.equal(result[0]!.devEUI, gatewayID);
      const now = (await status())!;
      assert.deepEqual(
        [now.applicationID, now.organizationID, now.kind, now.state],
        ['0', organizationID, 'GATEWAY_HTTP', 'HEALTHY'],
      );
      const { result: all } = await app.call(delivery.all, { limit: 100, organizationID });
      assert.ok(all.some((one) => one.kind === 'GATEWAY_HTTP'));
      assert.deepEqual((await app.call(delivery.overview, { applicationID })).result, []);
      await refused(3, app.call(delivery.overview, { applicationID, organizationID }));
      await refused(5, app.call(delivery.log, { applicationID: `-${organizationID}`, kind: chosen.kind, limit: 1 }));
      const { events } = await app.call(delivery.startReplay, {
        ...chosen,
        from: '2020-01-01T00:00:00Z',
        to: new Date().toISOString(),
        countOnly: true,
      });
      assert.equal(events, 4);
    });

    it('to an organization are tested with samples, saved or not, and end with it', async () => {
      await using sink = await startSink();
      const { organizationID } = await createSurroundings(app);
      const gatewayID = await createGateway(app, organizationID);
      const chosen = { applicationID: '0', organizationID, kind: 'GATEWAY_HTTP' };
      const integration = { organizationID, headers: [], eventEndpointURL: sink.url, eventTypes: ['offline'] };
      const unsaved = { ...chosen, configJSON: JSON.stringify({ ...integration, eventTypes: [] }) };
      const first = await app.call(delivery.test, { ...unsaved, eventType: 'stats' });
      assert.deepEqual([first.delivered, first.isMadeUp], [true, true]);
      assert.match(sink.got[0]!.body, /"gatewayName":"test-gateway".*"rxPacketsReceived":0/);
      const wrong = await app.call(delivery.test, { ...unsaved, eventType: 'up' });
      assert.deepEqual([wrong.delivered, wrong.requests], [false, 0]);
      await app.call(gatewayIntegration.create, { integration });
      await app.call(delivery.test, chosen);
      assert.match(sink.got[1]!.body, /"reason":"This is a test."/);
      await reportStats(app, gatewayID);
      const { database: db } = app.parts;
      const own = db.query.selectFrom('event').select('pos').where('dev_eui', '=', gatewayID);
      assert.deepEqual(await own.execute(), [], 'nobody wants statistics');

      await app.call(operations.organization.delete, { id: organizationID });
      const rows = db.query
        .selectFrom('integration')
        .select('id')
        .where('organization_id', '=', Number(organizationID));
      assert.deepEqual(await rows.execute(), []);
      await until(() => app.parts.delivery.find(-Number(organizationID), 'GATEWAY_HTTP') === undefined);
      const { result } = await app.call(operations.trash.list, { limit: 100 });
      const { id } = result.find(({ recordID }) => recordID === organizationID)!;
      await app.call(operations.trash.restore, { id });
      await until(
        async () => (await app.call(delivery.overview, { applicationID: '0', organizationID })).result.length === 1,
      );
      assert.deepEqual(
        (await app.call(gatewayIntegration.get, { organizationID })).integration.eventEndpointURL,
        sink.url,
      );
    });

    it('are shown only to users with the right', async () => {
      const { applicationID, sink } = await setUp();
      await using _ = sink;
      const path = `/api/applications/${applicationID}/deliveries/HTTP/live`;
      const key = await createAPIKey(app, { applicationID: await createApplication(app) });
      for (const [token, code] of [
        [null, 16],
        [key.token, 7],
      ] as const) {
        await using stranger = await watch(app.url, path, token);
        assert.equal((await stranger.next()).error?.grpcCode, code);
      }
    });

    it('that are refused wait, and the response is shown without secrets', async () => {
      const { devEUI, sink, status, chosen } = await setUp();
      await using _ = sink;
      sink.answer((_request, response) => void response.writeHead(400).end('no field canary-header in it'));
      await happen(devEUI, 1);
      await until(async () => (await status())?.state === 'DEGRADED');
      const { parked, reason, nextTryAt } = (await status())!;
      assert.equal(parked, 1);
      assert.match(reason, /refused the event \(400\)/);
      assert.ok(nextTryAt);
      const { result: where } = await app.call(delivery.ofDevice, { devEUI });
      assert.deepEqual(where[0]!.deliveries[0]!.place, 'WAITING');
      const { result: log } = await app.call(delivery.log, { ...chosen, limit: 100, outcome: 'PARKED' });
      assert.deepEqual(
        log.map(({ status: code, excerpt, attempt }) => [code, excerpt, attempt]),
        [[400, 'no field ••• in it', 1]],
      );
      assert.doesNotMatch(JSON.stringify(log), /canary/);
    });

    it('of events that are too large are dead letters: listed, retried, deleted', async () => {
      const { devEUI, sink, status, chosen } = await setUp();
      await using _ = sink;
      await happen(devEUI, 1, { objectJSON: JSON.stringify({ text: 'x'.repeat(300_000) }) });
      await happen(devEUI, 1);
      await until(() => sink.got.length === 1);
      const { totalCount, result } = await app.call(delivery.listDead, { ...chosen, limit: 10 });
      assert.deepEqual([totalCount, result[0]!.devEUI, result[0]!.attempts], ['1', devEUI, 1]);
      assert.match(result[0]!.message, /larger than 256 kB/);
      assert.equal((await status())!.dead, 1);
      const { result: where } = await app.call(delivery.ofDevice, { devEUI });
      assert.deepEqual(
        where.map(({ deliveries }) => deliveries[0]!.place),
        ['DELIVERED', 'DEAD'],
      );
      const { events } = await app.call(delivery.retryDead, { ...chosen, eventIDs: [result[0]!.eventID] });
      assert.equal(events, 1);
      const again = () => app.call(delivery.listDead, { ...chosen, limit: 10 });
      await until(async () => (await again()).result[0]?.attempts === 2);
      assert.equal((await app.call(delivery.deleteDead, chosen)).events, 1);
      assert.deepEqual(await again(), { totalCount: '0', result: [] });
    });

    it('are tested without being sent, as saved or with changed settings', async () => {
      const { applicationID, sink, chosen } = await setUp();
      await using _ = sink;
      const first = await app.call(delivery.test, chosen);
      assert.deepEqual([first.delivered, first.status, first.isMadeUp, first.requests], [true, 200, true, 1]);
      assert.match(sink.got[0]!.body, /test-device/);
      assert.match(first.sent, /^POST http:\/\/127\.0\.0\.1:\d+\/hook .*test-device/s);
      assert.doesNotMatch(first.sent, /canary/);
      sink.answer((_request, response) => void response.writeHead(401).end('who is Bearer canary-header?'));
      const given = { ...sampleIntegrations.HTTP, eventEndpointURL: sink.url, marshaler: 'PROTOBUF' };
      const second = await app.call(delivery.test, {
        ...chosen,
        configJSON: JSON.stringify({ ...given, headers: [] }),
      });
      assert.deepEqual([second.delivered, second.status], [false, 401]);
      assert.match(second.message, /rejects the credentials/);
      assert.doesNotMatch(second.excerpt, /canary/);
      const nowhere = { ...given, headers: [], eventEndpointURL: '' };
      const third = await app.call(delivery.test, { ...chosen, configJSON: JSON.stringify(nowhere) });
      assert.deepEqual([third.delivered, third.requests], [false, 0]);
      assert.match(third.message, /^Nothing was sent/);
      await refused(3, app.call(delivery.test, { ...chosen, configJSON: '[' }));
      await refused(5, app.call(delivery.test, { applicationID, kind: 'INFLUXDB' }));
      const stopped = until(async () => {
        try {
          await app.call(delivery.test, chosen);
        } catch (error) {
          return (error as { code?: number }).code === 8 || String(error).includes('Too many');
        }
      });
      assert.ok(await stopped);
    });

    it('are not counted as delivered without an address', async () => {
      const { devEUI, sink, status, chosen } = await setUp({ eventEndpointURL: '' });
      await using _ = sink;
      await happen(devEUI);
      await until(async () => (await status())?.behindEvents === 0);
      const { state, lacksAddress, lastSuccessAt } = (await status())!;
      assert.deepEqual([state, lacksAddress, lastSuccessAt], ['HEALTHY', true, null]);
      assert.equal((await app.call(delivery.log, { ...chosen, limit: 1 })).totalCount, '0');
    });

    it('are suspended and resumed', async () => {
      const { devEUI, sink, status, chosen } = await setUp();
      await using _ = sink;
      await app.call(delivery.suspend, chosen);
      assert.equal((await status())!.state, 'SUSPENDED');
      await happen(devEUI, 2);
      await until(async () => (await status())?.behindEvents === 2);
      assert.equal(sink.got.length, 0);
      await app.call(delivery.resume, { ...chosen, from: 'NOW' });
      await happen(devEUI, 1);
      await until(() => sink.got.length === 1);
      await app.call(delivery.suspend, chosen);
      await happen(devEUI, 2);
      await app.call(delivery.resume, chosen);
      await until(() => sink.got.length === 3);
      assert.equal((await status())!.state, 'HEALTHY');
      await app.call(delivery.setOptions, { ...chosen, keepOrder: false, maxInFlight: 4 });
      assert.deepEqual([(await status())!.keepOrder, (await status())!.maxInFlight], [false, 4]);
      await refused(3, app.call(delivery.setOptions, { ...chosen, keepOrder: true, maxInFlight: 33 }));
    });

    it('are repeated one by one, with the response of the endpoint', async () => {
      const { devEUI, sink, status, chosen } = await setUp();
      await using _ = sink;
      await happen(devEUI, 1);
      await until(() => sink.got.length === 1);
      const { eventID } = sink.got[0]!;
      sink.answer((_request, response) => void response.writeHead(503).end());
      const failed = await app.call(delivery.sendAgain, { ...chosen, eventID });
      assert.deepEqual([failed.delivered, failed.status], [false, 503]);
      assert.match(failed.message, /503/);
      assert.equal((await status())!.state, 'HEALTHY', 'what a person tries is no sign');
      sink.answer((_request, response) => void response.end());
      const arrived = await app.call(delivery.sendAgain, { ...chosen, eventID });
      assert.deepEqual([arrived.delivered, arrived.status, arrived.message], [true, 200, '']);
      assert.deepEqual(
        sink.got.map((one) => one.eventID),
        [eventID, eventID, eventID],
      );
      const { result } = await app.call(delivery.log, { ...chosen, limit: 10, outcome: 'REPLAYED' });
      assert.deepEqual(
        result.map((one) => [one.eventID, one.status]),
        [
          [eventID, 200],
          [eventID, 503],
        ],
      );
      const other = await setUp();
      await using __ = other.sink;
      await refused(5, app.call(delivery.sendAgain, { ...chosen, eventID: `${devEUI}-1-1` }));
      for (const strange of ['', 'nothing', `${devEUI}-x-y`])
        await refused(3, app.call(delivery.sendAgain, { ...chosen, eventID: strange }));
      await refused(5, app.call(delivery.sendAgain, { ...other.chosen, eventID }));
    });

    it('show the content of their event, to callers with access to its application', async () => {
      const { devEUI, sink, chosen } = await setUp();
      await using _ = sink;
      await happen(devEUI, 1);
      await until(() => sink.got.length === 1);
      const { eventID, body } = sink.got[0]!;
      const shown = await app.call(delivery.event, { ...chosen, eventID });
      assert.deepEqual([shown.eventType, shown.devEUI], ['up', devEUI]);
      assert.equal(JSON.parse(shown.payloadJSON).fCnt, JSON.parse(body).fCnt);
      const other = await setUp();
      await using __ = other.sink;
      await refused(5, app.call(delivery.event, { ...other.chosen, eventID }));
      await refused(5, app.call(delivery.event, { ...chosen, eventID: `${devEUI}-1-1` }));
      await refused(3, app.call(delivery.event, { ...chosen, eventID: 'nothing' }));
    });

    it('that succeed when they are repeated are no dead letters any more', async () => {
      const { devEUI, sink, status, chosen } = await setUp();
      await using _ = sink;
      await happen(devEUI, 1);
      await until(() => sink.got.length === 1);
      const { eventID } = sink.got[0]!;
      const { id } = app.parts.delivery.find(Number(chosen.applicationID), kind)!;
      const now = new Date();
      await app.parts.database.query
        .insertInto('delivery_parked')
        .values({
          integration_id: id,
          application_id: Number(chosen.applicationID),
          pos: 1,
          dev_eui: devEUI,
          event_id: eventID,
          type: 'up',
          at: now,
          dead_at: now,
          payload: '{}',
          done: '[]',
          attempts: 1,
          failures: 1,
          next_at: now,
          status: 400,
          message: 'no',
        })
        .execute();
      assert.equal((await status())!.dead, 1);
      await app.call(delivery.sendAgain, { ...chosen, eventID });
      assert.equal((await status())!.dead, 0);
    });

    it('are listed by organization, on request only those in trouble', async () => {
      const { applicationID, sink, chosen } = await setUp();
      await using _ = sink;
      const { application: made } = await app.call(application.get, { id: applicationID });
      const { organizationID } = made;
      const another = await setUp();
      await using __ = another.sink;
      await app.call(delivery.suspend, another.chosen);
      const namesOf = async (request: object) => {
        const { totalCount, result } = await app.call(delivery.all, { limit: 1000, ...request });
        assert.equal(totalCount, String(result.length));
        return result;
      };
      const ofOrganization = await namesOf({ organizationID });
      assert.deepEqual(
        ofOrganization.map((one) => [one.applicationID, one.applicationName, one.organizationID]),
        [[applicationID, made.name, organizationID]],
      );
      assert.deepEqual(await namesOf({ organizationID, onlyTroubled: true }), []);
      await app.call(delivery.suspend, chosen);
      assert.deepEqual(
        (await namesOf({ organizationID, onlyTroubled: true })).map(({ state }) => state),
        ['SUSPENDED'],
      );
      const everywhere = await namesOf({ onlyTroubled: true });
      assert.ok(everywhere.some((one) => one.applicationID === another.applicationID));
      assert.ok(everywhere.every(({ state }) => state !== 'HEALTHY'));
    });

    it('are replayed for a time in the past', async () => {
      const { devEUI, sink, chosen } = await setUp();
      await using _ = sink;
      const from = new Date(Date.now() - 1000).toISOString();
      await happen(devEUI, 20);
      await until(() => sink.got.length === 20);
      const to = new Date(Date.now() + 1000).toISOString();
      const range = { ...chosen, from, to };
      const counted = await app.call(delivery.startReplay, { ...range, countOnly: true });
      assert.deepEqual([counted.id, counted.events], ['', 20]);
      const other = { devEUI: 'ffffffffffffffff', countOnly: true };
      assert.equal((await app.call(delivery.startReplay, { ...range, ...other })).events, 0);
      assert.equal(
        (await app.call(delivery.startReplay, { ...range, eventTypes: ['join'], countOnly: true })).events,
        0,
      );
      const { id } = await app.call(delivery.startReplay, range);
      await refused(9, app.call(delivery.startReplay, range));
      const replays = async () => (await app.call(delivery.listReplays, chosen)).result;
      const done = await until(async () => (await replays()).find((one) => one.state === 'DONE'));
      assert.deepEqual([done.id, done.events, done.sent, done.failed], [id, 20, 20, 0]);
      const [live, again] = [sink.got.slice(0, 20), sink.got.slice(20)];
      assert.deepEqual(
        again.map(({ eventID, replay }) => [eventID, replay]),
        live.map(({ eventID }) => [eventID, id]),
      );
      sink.answer(() => undefined);
      const second = await app.call(delivery.startReplay, range);
      await until(() => sink.got.length > 40);
      await app.call(delivery.cancelReplay, { ...chosen, id: second.id });
      assert.deepEqual(
        (await replays()).map(({ state }) => state),
        ['CANCELLED', 'DONE'],
      );
      await refused(5, app.call(delivery.cancelReplay, { ...chosen, id: crypto.randomUUID() }));
    });

    it('limit how often events are counted, because each count reads the whole log', async () => {
      const { sink, chosen } = await setUp();
      await using _ = sink;
      const range = { ...chosen, from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', countOnly: true };
      let counts = 0;
      const isRefused = async () => {
        try {
          await app.call(delivery.startReplay, range);
          counts += 1;
          return false;
        } catch (error) {
          return (error as CallError).code === 8;
        }
      };
      await until(isRefused);
      assert.ok(counts >= 60, `${counts} were answered`);
    });

    it('report problems of an endpoint as soon as the first event does not arrive', async () => {
      const { cert, key } = await (await createAuthority()).issue('server');
      const servers = {
        sealed: createTLSServer({ cert, key }),
        plain: createServer((_request, response) => void response.end()),
        moved: createServer(
          (_request, response) => void response.writeHead(301, { location: 'https://elsewhere.example/x' }).end(),
        ),
      };
      await using stack = new AsyncDisposableStack();
      const portOf: Record<string, number> = {};
      for (const [name, server] of Object.entries(servers)) {
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        portOf[name] = (server.address() as AddressInfo).port;
        stack.defer(() => {
          server.closeAllConnections();
          server.close();
        });
      }
      for (const [url, state, outcome, message] of [
        [`https://127.0.0.1:${portOf['sealed']}/`, 'HEALTHY', 'RETRIED', /authority nobody knows/],
        [`https://127.0.0.1:${portOf['plain']}/`, 'HEALTHY', 'RETRIED', /does not speak TLS/],
        [`http://127.0.0.1:${portOf['moved']}/`, 'HEALTHY', 'RETRIED', /moved to elsewhere\.example/],
        ['http://10.0.0.1/', 'SUSPENDED', 'STATE', /suspended: .*HILLTOP_OUTGOING_ALLOW/],
        ['http://169.254.169.254/latest', 'SUSPENDED', 'STATE', /suspended: 169\.254\.169\.254 leads to/],
      ] as const) {
        const { devEUI, sink, status, chosen } = await setUp({ eventEndpointURL: url });
        await using _ = sink;
        await happen(devEUI);
        const [line] = await until(async () => {
          const { result } = await app.call(delivery.log, { ...chosen, limit: 10, outcome });
          return result.length > 0 && result;
        });
        assert.match(line!.message, message);
        assert.equal((await status())!.state, state);
        assert.equal((await status())!.behindEvents, 1, 'it waits');
      }
    });

    it('end when their integration is deleted', async () => {
      const { applicationID, devEUI, sink, status } = await setUp();
      await using _ = sink;
      await app.call(application.deleteHTTPIntegration, { applicationID });
      await until(async () => (await status()) === undefined);
      await happen(devEUI, 1);
      await refused(5, app.call(delivery.log, { applicationID, kind }));
      assert.equal(sink.got.length, 0);
    });
  });

  const administrators: PrincipalName[] = [
    'organizationAdmin',
    'globalAdmin',
    'adminKey',
    'organizationKey',
    'applicationKey',
  ];
  const made = new Set<string>();
  const chosen = async ({ app, applicationID }: Side) => {
    if (!made.has(`${app.url} ${applicationID}`)) {
      made.add(`${app.url} ${applicationID}`);
      await app.call(application.createHTTPIntegration, { integration: { ...sampleIntegrations.HTTP, applicationID } });
      await until(async () => (await app.call(delivery.overview, { applicationID })).result.length === 1);
    }
    return { applicationID, kind };
  };
  const past = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z', countOnly: true };
  const none = '5cc5c5d0-5a5a-4a5a-8a5a-5a5a5a5a5a5a';
  describeAccess(database, 'deliveries', [
    row(delivery.overview, chosen, administrators),
    row(delivery.log, chosen, administrators),
    row(delivery.suspend, chosen, administrators),
    row(delivery.resume, chosen, administrators),
    row(delivery.setOptions, async (side) => ({ ...(await chosen(side)), maxInFlight: 8 }), administrators),
    row(delivery.startReplay, async (side) => ({ ...(await chosen(side)), ...past }), administrators),
    row(delivery.listReplays, chosen, administrators),
    row(delivery.listDead, chosen, administrators),
    row(delivery.retryDead, chosen, administrators),
    row(delivery.deleteDead, chosen, administrators),
    row(delivery.all, () => ({ limit: 1 }), admins, admins),
    row(delivery.all, ({ organizationID }) => ({ limit: 1, organizationID }), [
      'organizationAdmin',
      'globalAdmin',
      'adminKey',
      'organizationKey',
    ]),
    row(
      delivery.sendAgain,
      async (side) => ({ ...(await chosen(side)), eventID: `${'0'.repeat(16)}-1-1` }),
      administrators,
    ),
    row(
      delivery.event,
      async (side) => ({ ...(await chosen(side)), eventID: `${'0'.repeat(16)}-1-1` }),
      administrators,
    ),
    row(
      delivery.ofDevice,
      async ({ app, organizationID, applicationID }) => {
        const { deviceProfileID } = await createSurroundings(app, { organizationID }, { organizationID });
        const surroundings = { organizationID, serviceProfileID: '', deviceProfileID, applicationID };
        return { devEUI: await createDevice(app, surroundings) };
      },
      [...readers, 'applicationKey'],
    ),
    row(
      delivery.overview,
      ({ organizationID }) => ({ applicationID: '0', organizationID }),
      administrators.filter((name) => name !== 'applicationKey'),
    ),
    row(
      delivery.test,
      ({ organizationID }) => ({
        applicationID: '0',
        organizationID,
        kind: 'GATEWAY_HTTP',
        eventType: 'up',
        configJSON: JSON.stringify({ eventEndpointURL: 'https://example.org' }),
      }),
      administrators.filter((name) => name !== 'applicationKey'),
    ),
    row(delivery.cancelReplay, async (side) => ({ ...(await chosen(side)), id: none }), administrators),
    row(delivery.test, async (side) => ({ ...(await chosen(side)), configJSON: '' }), administrators),
  ]);
}
