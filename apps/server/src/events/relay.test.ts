import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { dataRateOf, encodeForwardedUplink, region, relayFPort } from '@hilltop/lorawan';
import type { Gateway, Transmission } from '@hilltop/simulator';
import { createGatewayNames } from '../integrations/gateway-names.ts';
import { createApplication } from '../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  simulateDevice,
  simulateGateway,
} from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

interface Shown {
  refused?: { reason: string; sentence: string };
  relays?: { devEUI: string; name: string }[];
}

describe('the frame log of a device', () => {
  let app: TestApp;
  let own: FieldContext;
  let gateway: Gateway;
  before(async () => {
    app = await startTestApp('sqlite');
    own = await createSurroundings(app);
    gateway = await simulateGateway(app, await createGateway(app, own.organizationID));
  });
  after(async () => {
    await gateway.stop();
    await app[Symbol.asyncDispose]();
  });

  const watchFrames = (devEUI: string) => watch(app.url, `/api/devices/${devEUI}/frames`, app.adminToken);
  async function shownOf(frames: Awaited<ReturnType<typeof watchFrames>>): Promise<Shown> {
    const { phyPayloadJSON } = (await frames.next()).result!.uplinkFrame as { phyPayloadJSON: string };
    return JSON.parse(phyPayloadJSON) as Shown;
  }

  it('shows why a join-request was refused', async () => {
    const devEUI = await createDevice(app, own);
    await using frames = await watchFrames(devEUI);
    const other = `f${'0'.repeat(31)}`;
    await app.call(operations.device.updateKeys, { deviceKeys: { devEUI, nwkKey: other } });
    gateway.receiveFrame(simulateDevice(devEUI).joinRequest());
    const { refused } = await shownOf(frames);
    assert.equal(refused?.reason, 'WRONG_KEY');
    assert.match(refused.sentence, /another root key .* compare the keys/);
  });

  it('names the relay of an uplink, as does the event', async () => {
    const relayEUI = await createDevice(app, own, { name: 'relay-on-the-mast' });
    const relay = simulateDevice(relayEUI);
    gateway.receiveFrame(relay.joinRequest());
    assert.equal(relay.receive((await gateway.nextDownlink(8000)).phyPayload).kind, 'joined');

    const devEUI = await createDevice(app, own);
    await using frames = await watchFrames(devEUI);
    gateway.receiveFrame(relay.uplink({ fPort: relayFPort, data: forwarded(simulateDevice(devEUI).joinRequest()) }));
    assert.deepEqual((await shownOf(frames)).relays, [{ devEUI: relayEUI, name: 'relay-on-the-mast' }]);

    const names = createGatewayNames(app.parts.database, () => performance.now());
    assert.equal((await names([relayEUI], Number(own.applicationID))).get(relayEUI), 'relay-on-the-mast');
    const other = await createApplication(app);
    assert.equal((await names([relayEUI], Number(other))).size, 0, 'of another application');
  });
});

/** The forwarded uplink that a relay creates from a received transmission. */
function forwarded({ frequency, modulation, phyPayload }: Transmission): Uint8Array {
  const dataRate = dataRateOf(region('EU868'), modulation)!;
  return encodeForwardedUplink({ frequency, phyPayload, rssi: -101, snr: -3, worChannel: 0, dataRate });
}
