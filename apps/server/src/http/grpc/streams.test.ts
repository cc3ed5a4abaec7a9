import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { ClientReadableStream } from '@grpc/grpc-js';
import { operations } from '@hilltop/contract';
import { storedEvent } from '../../testing/event.ts';
import { createAPIKey, createApplication, createUser } from '../../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createReceivedDevice,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../../testing/field.ts';
import { createPublishedClient, type Refused } from '../../testing/published-client.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { streamEventLogs, streamFrameLogs } = operations.device;

describe('streams by gRPC', () => {
  let app: TestApp;
  let client: ReturnType<typeof createPublishedClient>;
  let surroundings: FieldContext;
  before(async () => {
    app = await startTestApp('sqlite');
    client = createPublishedClient(app.url);
    surroundings = await createSurroundings(app);
  });
  after(async () => {
    client[Symbol.dispose]();
    await app[Symbol.asyncDispose]();
  });

  /** The code with which a stream ended. */
  async function endOf(stream: ClientReadableStream<unknown>): Promise<number> {
    const [error] = (await once(stream.resume(), 'error')) as [Refused];
    return error.code;
  }

  it('begin with metadata, and continue with live events', async () => {
    const devEUI = await createDevice(app, surroundings);
    const stream = client.watch(streamEventLogs, { devEUI }, app.adminToken);
    await once(stream, 'metadata');
    const items: Record<string, unknown>[] = [];
    stream.on('data', (item) => items.push(client.itemOf(streamEventLogs, item) as Record<string, unknown>));
    stream.on('error', () => undefined);
    const event = storedEvent(devEUI, '1-1');
    // The server has accepted the stream but may not have subscribed yet, so events are repeated until one arrives.
    while (items.length === 0) {
      app.parts.bus.publish('device-event', devEUI, event);
      await new Promise(setImmediate);
    }
    assert.deepEqual([items[0]!['type'], items[0]!['streamID']], [event.type, '1-1']);
    stream.cancel();
  });

  it('show frames like REST', async () => {
    const gatewayID = await createGateway(app, surroundings.organizationID);
    await using gateway = await simulateGateway(app, gatewayID);
    const devEUI = await createReceivedDevice(app, surroundings, gateway);
    const rest = await app.fetch(`/api/devices/${devEUI}/frames`, {
      headers: { authorization: `Bearer ${app.adminToken}` },
    });
    const reader = rest.body!.pipeThrough(new TextDecoderStream()).getReader();
    const [first = ''] = (await reader.read()).value!.split('\n');
    await reader.cancel();
    const stream = client.watch(streamFrameLogs, { devEUI }, app.adminToken);
    const [item] = (await once(stream, 'data')) as [never];
    stream.on('error', () => undefined).cancel();
    const { uplinkFrame, downlinkFrame } = (JSON.parse(first) as { result: Record<string, Record<string, unknown>> })
      .result;
    const shown = client.itemOf(streamFrameLogs, item) as Record<string, Record<string, unknown>>;
    assert.deepEqual(Object.keys(shown), uplinkFrame ? ['uplinkFrame'] : ['downlinkFrame']);
    assert.deepEqual(Object.values(shown)[0], uplinkFrame ?? downlinkFrame);
  });

  it('refuse callers as REST does', async () => {
    const devEUI = '0102030405060708';
    assert.equal(await endOf(client.watch(streamEventLogs, { devEUI }, app.adminToken)), 5);
    assert.equal(await endOf(client.watch(streamEventLogs, { devEUI: 'zz' }, app.adminToken)), 3);
    assert.equal(await endOf(client.watch(streamEventLogs, {}, app.adminToken)), 3);
    assert.equal(await endOf(client.watch(streamFrameLogs, { devEUI }, null)), 16);
    const { token } = await createAPIKey(app, { organizationID: surroundings.organizationID });
    assert.equal(await endOf(client.watch(streamFrameLogs, { devEUI }, token)), 7);
  });

  it('end with the API key that opened them', async () => {
    const devEUI = await createDevice(app, surroundings);
    const { id, token } = await createAPIKey(app, { isAdmin: true });
    const stream = client.watch(streamEventLogs, { devEUI }, token);
    const ended = endOf(stream);
    await once(stream, 'metadata');
    await app.call(operations.internal.deleteAPIKey, { id });
    assert.equal(await ended, 16);
  });

  it('end when the caller is limited to other applications', async () => {
    const { organizationID } = surroundings;
    const devEUI = await createDevice(app, surroundings);
    const { id: userID, token } = await createUser(app, { organizations: [{ organizationID }] });
    const stream = client.watch(streamEventLogs, { devEUI }, token);
    const ended = endOf(stream);
    await once(stream, 'metadata');
    const applicationIDs = [await createApplication(app, { organizationID })];
    await app.call(operations.organization.updateUser, {
      organizationUser: { organizationID, userID, applicationIDs },
    });
    assert.equal(await ended, 7);
  });

  it('release their resources when they are cancelled', async () => {
    const devEUI = await createDevice(app, surroundings);
    const { bus } = app.parts;
    const subscribe = bus.subscribe.bind(bus);
    let listening = 0;
    bus.subscribe = async (...given) => {
      const stop = await subscribe(...given);
      listening += 1;
      return () => {
        listening -= 1;
        stop();
      };
    };
    const streams = Array.from({ length: 200 }, () => client.watch(streamEventLogs, { devEUI }, app.adminToken));
    await Promise.all(
      streams.map((stream) =>
        once(
          stream.on('error', () => undefined),
          'metadata',
        ),
      ),
    );
    while (listening < 400) await new Promise(setImmediate);
    for (const stream of streams) stream.cancel();
    while (listening > 0) await new Promise(setImmediate);
    bus.subscribe = subscribe;
  });

  it('end with code 14 when the server stops, and later calls are refused', async () => {
    await using other = await startTestApp('sqlite');
    const devEUI = await createDevice(other, await createSurroundings(other));
    using otherClient = createPublishedClient(other.url);
    const stream = otherClient.watch(streamEventLogs, { devEUI }, other.adminToken);
    const ended = endOf(stream);
    await once(stream, 'metadata');
    await other[Symbol.asyncDispose]();
    assert.equal(await ended, 14);
    await assert.rejects(otherClient.call(operations.internal.profile, {}, other.adminToken), { code: 14 });
  });
});
