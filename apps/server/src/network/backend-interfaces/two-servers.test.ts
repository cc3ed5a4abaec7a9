import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import {
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  simulateDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const keks = '000013=00112233445566778899aabbccddeeff,as=ffeeddccbbaa99887766554433221100';

/** One server has the keys of a device, the other its gateways; only Backend Interfaces connect them. */
describe('a device whose keys are at another server', () => {
  let keeper: TestApp;
  let network: TestApp;
  let there: FieldContext;
  let here: FieldContext;
  before(async () => {
    const shared = { joinServerKEK: keks, joinServerASLabel: 'as' };
    keeper = await startTestApp('sqlite', { ...shared, joinServer: '127.0.0.1:0' });
    const url = `http://127.0.0.1:${keeper.joinServerPort}`;
    const joinServers = JSON.stringify([{ joinEUI: '70b3d57ed0000000/40', url }]);
    network = await startTestApp('sqlite', { ...shared, netID: '000013', joinServers });
    [there, here] = [await createSurroundings(keeper), await createSurroundings(network)];
  });
  after(async () => {
    await network[Symbol.asyncDispose]();
    await keeper[Symbol.asyncDispose]();
  });

  it('joins, and its uplinks are decrypted', async () => {
    const devEUI = await createDevice(keeper, there);
    const { applicationID, deviceProfileID } = here;
    await network.call(operations.device.create, { device: { devEUI, name: 'd', applicationID, deviceProfileID } });
    await using gateway = await simulateGateway(network, await createGateway(network, here.organizationID));
    await using events = await watch(network.url, `/api/devices/${devEUI}/events`, network.adminToken);
    const device = simulateDevice(devEUI);
    gateway.receiveFrame(device.joinRequest());
    assert.equal(device.receive((await gateway.nextDownlink(8000)).phyPayload).kind, 'joined');
    gateway.receiveFrame(device.uplink({ fPort: 2, data: Uint8Array.of(1, 2, 3) }));
    assert.equal((await events.next()).result?.type, 'join');
    const { result } = await events.next();
    assert.equal((JSON.parse(result!.payloadJSON) as { data: string }).data, 'AQID');
  });

  it('causes an error event when no join server has its keys', async () => {
    const devEUI = 'aaaaaaaaaaaaaaaa';
    const { applicationID, deviceProfileID } = here;
    await network.call(operations.device.create, { device: { devEUI, name: 'x', applicationID, deviceProfileID } });
    await using gateway = await simulateGateway(network, await createGateway(network, here.organizationID));
    await using events = await watch(network.url, `/api/devices/${devEUI}/events`, network.adminToken);
    gateway.receiveFrame(simulateDevice(devEUI).joinRequest());
    const { result } = await events.next();
    assert.equal(result?.type, 'error');
    assert.match(result.payloadJSON, /The join-server 127\.0\.0\.1:\d+ refused: Other, The device has no root keys/);
  });
});
