import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { streamItemOf } from '../events/event.ts';
import { storedEvent } from '../testing/event.ts';
import { createAPIKey, createApplication, createUser } from '../testing/factories.ts';
import { createDevice, createSurroundings, type FieldContext } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

describe('live streams', () => {
  let app: TestApp;
  let surroundings: FieldContext;
  let devEUI: string;
  before(async () => {
    app = await startTestApp('sqlite');
    surroundings = await createSurroundings(app);
    devEUI = await createDevice(app, surroundings);
  });
  after(() => app[Symbol.asyncDispose]());

  const path = () => `/api/devices/${devEUI}/events`;
  const event = (seq: number) => storedEvent(devEUI, `1-${seq}`);
  const item = (seq: number) => streamItemOf(event(seq));

  it('accept the sub-protocol and deliver published events', async () => {
    await using events = await watch(app.url, path(), app.adminToken);
    const first = events.next();
    // The socket opens before the server has subscribed, so the event is repeated.
    const timer = setInterval(() => app.parts.bus.publish('device-event', devEUI, event(1)), 20);
    assert.deepEqual(await first, { result: item(1) });
    clearInterval(timer);
  });

  const refusals: [name: string, code: number, http: number, open: () => ReturnType<typeof watch>][] = [
    ['no token', 16, 401, () => watch(app.url, path(), null)],
    ['a forged token', 16, 401, () => watch(app.url, path(), 'eyJhbGciOiJIUzI1NiJ9.e30.AAAA')],
    ['an unknown device', 5, 404, () => watch(app.url, '/api/devices/ffffffffffffffff/frames', app.adminToken)],
    [
      'events of an unknown device',
      5,
      404,
      () => watch(app.url, '/api/devices/ffffffffffffffff/events', app.adminToken),
    ],
    ['a bad EUI', 3, 400, () => watch(app.url, '/api/devices/xyz/events', app.adminToken)],
    [
      'a page of another site',
      7,
      403,
      () => watch(app.url, path(), app.adminToken, { Origin: 'https://evil.example' }),
    ],
  ];
  for (const [name, grpcCode, httpCode, open] of refusals) {
    it(`refuse ${name} with a message, then close`, async () => {
      await using socket = await open();
      const { error } = await socket.next();
      assert.deepEqual([error?.grpcCode, error?.httpCode], [grpcCode, httpCode]);
      assert.ok(error?.message && error.httpStatus);
      await socket.closed;
    });
  }

  it('report an unknown subject, then close', async () => {
    for (const unknown of ['/api/nothing', '/api/devices/0102030405060708/everything']) {
      const socket = new WebSocket(app.url.replace('http', 'ws') + unknown, ['Bearer', app.adminToken]);
      const [message] = (await once(socket, 'message')) as [Buffer];
      assert.equal(message.toString(), 'Not Found');
      await once(socket, 'close');
    }
  });

  it('close connections that send invalid frames, without a log line', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
    await using other = await startTestApp('sqlite', {}, { log });
    const there = `/api/devices/${await createDevice(other, await createSurroundings(other))}/events`;
    const brokenFrame = (socket: WebSocket) =>
      (socket as unknown as { _socket: Socket })._socket.write(Buffer.from('ffffffff', 'hex'));
    for (const sendNonsense of [(socket: WebSocket) => socket.send('x'.repeat(100_000)), brokenFrame]) {
      const socket = new WebSocket(other.url.replace('http', 'ws') + there, ['Bearer', other.adminToken]);
      await once(socket, 'open');
      sendNonsense(socket);
      await once(socket, 'close');
    }
    assert.equal((await other.fetch('/health')).status, 200);
    assert.deepEqual(
      lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 40),
      [],
    );
  });

  it('accept the token as a cookie without a sub-protocol', async () => {
    const cookie = (token: string) => ({ Cookie: `a=b; token=${token}` });
    await using events = await watch(app.url, path(), null, cookie(app.adminToken));
    const timer = setInterval(() => app.parts.bus.publish('device-event', devEUI, event(4)), 20);
    assert.ok((await events.next()).result);
    await using chosen = await watch(app.url, path(), app.adminToken, cookie('of-another-program'));
    assert.ok((await chosen.next()).result);
    clearInterval(timer);
    await using refused = await watch(app.url, path(), null, cookie('of-another-program'));
    assert.equal((await refused.next()).error?.grpcCode, 16);
  });

  it('accept a page of their own site', async () => {
    const origin = { Origin: app.url };
    await using events = await watch(app.url, path(), app.adminToken, origin);
    const timer = setInterval(() => app.parts.bus.publish('device-event', devEUI, event(2)), 20);
    assert.ok((await events.next()).result);
    clearInterval(timer);
  });

  it('refuse callers that may not see the device', async () => {
    const { token } = await createUser(app);
    await using events = await watch(app.url, path(), token);
    assert.equal((await events.next()).error?.grpcCode, 7);
  });

  it('end when the caller loses the right, signs out or is deleted', async () => {
    const { organizationID } = surroundings;
    const user = await createUser(app, { organizations: [{ organizationID }] });
    await using events = await watch(app.url, path(), user.token);
    await app.call(operations.organization.deleteUser, { organizationID, userID: user.id });
    assert.equal((await events.next()).error?.grpcCode, 7);
    await events.closed;

    const leaving = await createUser(app, { organizations: [{ organizationID }] });
    await using left = await watch(app.url, path(), leaving.token);
    const headers = { Authorization: `Bearer ${leaving.token}` };
    await app.fetch('/api/internal/logout', { method: 'POST', headers });
    assert.equal((await left.next()).error?.grpcCode, 16);

    const key = await createAPIKey(app, { organizationID });
    await using revoked = await watch(app.url, path(), key.token);
    await app.call(operations.internal.deleteAPIKey, { id: key.id });
    assert.equal((await revoked.next()).error?.grpcCode, 16);

    const other = await createUser(app, { organizations: [{ organizationID }] });
    await using watching = await watch(app.url, path(), other.token);
    await app.call(operations.user.delete, { id: other.id });
    assert.equal((await watching.next()).error?.grpcCode, 16);
  });

  it('end when the caller is limited to other applications, and go on for a read-only caller', async () => {
    const { organizationID, applicationID } = surroundings;
    const { id: userID, token } = await createUser(app, { organizations: [{ organizationID }] });
    const change = (rights: object) =>
      app.call(operations.organization.updateUser, { organizationUser: { organizationID, userID, ...rights } });
    await using events = await watch(app.url, path(), token);
    await change({ isReadOnly: true, applicationIDs: [applicationID] });
    const received = events.next();
    let isReceived = false;
    void received.then(() => {
      isReceived = true;
    });
    while (!isReceived) {
      app.parts.bus.publish('device-event', devEUI, event(8));
      await new Promise(setImmediate);
    }
    assert.deepEqual((await received).result, item(8));
    await change({ applicationIDs: [await createApplication(app, { organizationID })] });
    for (;;) {
      const { error } = await events.next();
      if (!error) continue;
      assert.equal(error.grpcCode, 7);
      break;
    }
    await events.closed;
  });

  it('end when the session expires', async () => {
    const { organizationID } = surroundings;
    const { id, token } = await createUser(app, { organizations: [{ organizationID }] });
    await using events = await watch(app.url, path(), token);
    await app.parts.database.query
      .updateTable('session')
      .set({ expires_at: new Date(0) })
      .where('user_id', '=', Number(id))
      .execute();
    assert.equal((await events.next()).error?.grpcCode, 16);
    await events.closed;
  });

  it('are also served as a plain response, one object per line', async () => {
    const stop = new AbortController();
    const headers = { Authorization: `Bearer ${app.adminToken}` };
    const timer = setInterval(() => app.parts.bus.publish('device-event', devEUI, event(3)), 20);
    const response = await app.fetch(path(), { headers, signal: stop.signal });
    clearInterval(timer);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /application\/json/);
    const { value } = await response.body!.getReader().read();
    assert.deepEqual(JSON.parse(Buffer.from(value!).toString().split('\n')[0]!), { result: item(3) });
    stop.abort();

    const refused = await app.fetch(path());
    assert.equal(refused.status, 401);
    assert.equal(((await refused.json()) as { error: { grpcCode: number } }).error.grpcCode, 16);
  });
});

describe('live streams while the server stops', () => {
  it('receive an error and are closed', async () => {
    const app = await startTestApp('sqlite');
    const devEUI = await createDevice(app, await createSurroundings(app));
    await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
    await app[Symbol.asyncDispose]();
    assert.equal((await events.next()).error?.grpcCode, 14);
    await events.closed;
  });
});
