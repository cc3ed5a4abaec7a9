import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { systemClock } from '../clock.ts';
import { instanceCount } from '../testing/databases.ts';
import { createServiceProfile } from '../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, simulateDevice, simulateGateway } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

describe('a whole second', () => {
  const second = new Date('2026-11-21T10:15:30.000Z');
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite', {}, { clock: { ...systemClock, now: () => second } });
  });
  after(() => app[Symbol.asyncDispose]());

  it('has no fraction in answers', async () => {
    const { organizationID } = await createSurroundings(app);
    const id = await createServiceProfile(app, { organizationID });
    const profile = await app.call(operations.serviceProfile.get, { id });
    const list = await app.call(operations.serviceProfile.list, { organizationID, limit: 10 });
    const times = [profile, ...list.result].flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]);
    assert.deepEqual(new Set(times), new Set(['2026-11-21T10:15:30Z']));
  });

  // Several instances use the clock of the database.
  if (instanceCount === 0)
    it('has none in events and frames', async () => {
      const surroundings = await createSurroundings(app);
      const devEUI = await createDevice(app, surroundings);
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      await using frames = await watch(app.url, `/api/gateways/${gatewayID}/frames`, app.adminToken);
      const device = simulateDevice(devEUI);
      gateway.receiveFrame(device.joinRequest());
      const accept = await gateway.nextDownlink(8000);
      assert.equal(device.receive(accept.phyPayload).kind, 'joined');
      gateway.receiveFrame(device.uplink({ fPort: 10, data: Uint8Array.of(1) }));
      for (const { result } of [await events.next(), await events.next()]) {
        const { publishedAt } = JSON.parse(result!.payloadJSON) as { publishedAt: string };
        assert.deepEqual([result!.publishedAt, publishedAt], ['2026-11-21T10:15:30Z', '2026-11-21T10:15:30Z']);
      }
      const request = (await frames.next()).result!.uplinkFrame as { publishedAt?: string } | undefined;
      assert.equal(request?.publishedAt, '2026-11-21T10:15:30Z');
    });
});
