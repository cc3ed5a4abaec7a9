import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DeviceKeys, operations, type PartOf, type ResponseOf } from '@hilltop/contract';
import type { Gateway } from '@hilltop/simulator';
import { describeAccess, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createDeviceProfile, createServiceProfile, createUser } from '../../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  nwkKey,
  simulateDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { device, joinDoctor } = operations;
type Answer = ResponseOf<typeof joinDoctor.get>;
type Simulated = ReturnType<typeof simulateDevice>;

const reversed = (hex: string) => Uint8Array.fromHex(hex).toReversed().toHex();
const otherKey = 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff';
const zeros = '0'.repeat(32);

for (const database of databases) {
  describe(`join doctor on ${database}`, () => {
    let app: TestApp;
    let gateway: Gateway;
    let field: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      field = await createSurroundings(app);
      gateway = await simulateGateway(app, await createGateway(app, field.organizationID));
    });
    after(async () => {
      await gateway.stop();
      await app[Symbol.asyncDispose]();
    });

    const ask = (devEUI: string, token?: string) => app.call(joinDoctor.get, { devEUI }, token);
    /** Asks again until the answer shows what happened. */
    const askUntil = async (devEUI: string, isThere: (answer: Answer) => boolean) => {
      for (;;) {
        const answer = await ask(devEUI);
        if (isThere(answer)) return answer;
      }
    };
    /** Sends a join-request, and answers what the doctor says about it. */
    const request = async (simulated: Simulated, devEUI = simulated.devEUI, through = gateway) => {
      const { requests } = await ask(devEUI);
      through.receiveFrame(simulated.joinRequest(), { rssi: -118, snr: -3 });
      return await askUntil(devEUI, (answer) => answer.requests[0]?.at !== requests[0]?.at);
    };
    const findings = ({ checks }: Answer) =>
      checks.filter(({ state }) => state === 'PROBLEM').map(({ finding, fix }) => `${finding} ${fix}`);
    const finding = (answer: Answer, name: string) => answer.checks.find((check) => check.finding === name);
    const joins = async (simulated: Simulated) => {
      gateway.receiveFrame(simulated.joinRequest());
      const { phyPayload } = await gateway.nextDownlink();
      simulated.receive(phyPayload);
      assert.ok(simulated.session);
      gateway.receiveFrame(simulated.uplink());
      await askUntil(simulated.devEUI, ({ verdict }) => verdict === 'JOINED');
    };
    const setKeys = (deviceKeys: PartOf<DeviceKeys> & { devEUI: string }) =>
      app.call(device.updateKeys, { deviceKeys });
    const plainDevice = async () => {
      const devEUI = await createDevice(app, field);
      await app.call(device.deleteKeys, { devEUI });
      return devEUI;
    };

    it('waits for a new device, and reports a joined one', async () => {
      const devEUI = await createDevice(app, field);
      const { verdict, checks, requests } = await ask(devEUI);
      assert.deepEqual([verdict, requests], ['WAITING', []]);
      const received = checks.find(({ check }) => check === 'RECEIVED');
      assert.deepEqual([received?.state, received?.finding], ['WAITING', 'NOT_RECEIVED']);
      assert.match(received?.text ?? '', new RegExp(`\\(EU868\\) has received a join-request of ${devEUI} since 20`));
      await joins(simulateDevice(devEUI));
      assert.deepEqual(findings(await ask(devEUI)), []);
    });

    it('finds missing keys', async () => {
      const devEUI = await plainDevice();
      const answer = await request(simulateDevice(devEUI));
      assert.deepEqual(findings(answer), ['NO_KEYS SET_KEYS']);
      assert.deepEqual(answer.requests[0]?.outcome, 'NO_ROOT_KEYS');
      assert.deepEqual(
        answer.requests[0]?.gateways.map(({ gatewayID, rssi }) => [gatewayID, rssi]),
        [[gateway.gatewayID, -118]],
      );
      await app.call(device.createKeys, { deviceKeys: { devEUI, nwkKey } });
      await joins(simulateDevice(devEUI));
    });

    it('finds a disabled device', async () => {
      const devEUI = await createDevice(app, field, { isDisabled: true });
      assert.deepEqual(findings(await request(simulateDevice(devEUI))), ['DISABLED ENABLE']);
      const { device: stored } = await app.call(device.get, { devEUI });
      await app.call(device.update, { device: { ...stored, isDisabled: false } });
      await joins(simulateDevice(devEUI));
    });

    it('finds a device-profile for ABP', async () => {
      const { organizationID } = field;
      const deviceProfileID = await createDeviceProfile(app, { organizationID, supportsJoin: false });
      const devEUI = await createDevice(app, { ...field, deviceProfileID });
      assert.deepEqual(findings(await request(simulateDevice(devEUI))), ['ABP_PROFILE OPEN_PROFILE']);
      const { device: stored } = await app.call(device.get, { devEUI });
      await app.call(device.update, { device: { ...stored, deviceProfileID: field.deviceProfileID } });
      await joins(simulateDevice(devEUI));
    });

    it('finds an EUI in the other byte order', async () => {
      const devEUI = await createDevice(app, field);
      gateway.receiveFrame(simulateDevice(reversed(devEUI)).joinRequest());
      const answer = await askUntil(devEUI, (one) => findings(one).length > 0);
      assert.deepEqual(findings(answer), ['EUI_REVERSED RECREATE']);
      assert.equal(finding(answer, 'EUI_REVERSED')?.parameters['eui'], reversed(devEUI));
      await createDevice(app, field, { devEUI: reversed(devEUI) });
      await joins(simulateDevice(reversed(devEUI)));
    });

    it('finds a device that sends its DevEUI as JoinEUI', async () => {
      const devEUI = await createDevice(app, field);
      const sent = { devEUI: '70b3d57ed0001234', joinEUI: devEUI };
      const simulated = simulateDevice(sent.devEUI);
      app.parts.unknownDevices.note(
        { ...sent, devNonce: 1, receptions: [{ gatewayID: gateway.gatewayID, rssi: -90, snr: 1 }] },
        { networkServerID: 1, region: 'EU868' },
      );
      await app.parts.unknownDevices.save();
      const answer = await ask(devEUI);
      assert.deepEqual(findings(answer), ['EUI_EXCHANGED RECREATE']);
      await createDevice(app, field, { devEUI: sent.devEUI });
      await joins(simulated);
    });

    it('names no device that only gateways of other organizations received', async () => {
      const devEUI = await createDevice(app, field);
      const gatewayID = await createGateway(app, (await createSurroundings(app)).organizationID);
      app.parts.unknownDevices.note(
        { devEUI: '70b3d57ed0005678', joinEUI: devEUI, devNonce: 1, receptions: [{ gatewayID, rssi: -90, snr: 1 }] },
        { networkServerID: 1, region: 'EU868' },
      );
      await app.parts.unknownDevices.save();
      assert.equal(finding(await ask(devEUI), 'EUI_EXCHANGED'), undefined);
    });

    it('finds a key in the other byte order', async () => {
      const devEUI = await plainDevice();
      await app.call(device.createKeys, { deviceKeys: { devEUI, nwkKey: reversed(nwkKey) } });
      const answer = await request(simulateDevice(devEUI));
      assert.deepEqual(findings(answer), ['KEY_REVERSED USE_KEY']);
      await setKeys({ devEUI, nwkKey });
      assert.equal(finding(await ask(devEUI), 'KEY_CORRECTED')?.state, 'WAITING');
      await joins(simulateDevice(devEUI));
    });

    it('finds exchanged keys', async () => {
      const devEUI = await createDevice(app, field);
      await setKeys({ devEUI, nwkKey: otherKey, appKey: nwkKey });
      assert.deepEqual(findings(await request(simulateDevice(devEUI))), ['KEYS_EXCHANGED USE_KEY']);
      await setKeys({ devEUI, nwkKey, appKey: otherKey });
      await joins(simulateDevice(devEUI));
    });

    it('finds the key of another device of the application, and says which to callers who may see keys', async () => {
      const other = await createDevice(app, field, { name: 'meter-17' });
      await setKeys({ devEUI: other, nwkKey: otherKey });
      const devEUI = await createDevice(app, field);
      const answer = await request(simulateDevice(devEUI, '1.0.3', otherKey));
      assert.deepEqual(findings(answer), ['KEY_OF_OTHER USE_KEY']);
      assert.deepEqual(finding(answer, 'KEY_OF_OTHER')?.parameters, { name: 'meter-17', other });
      const { organizationID } = field;
      const member = await createUser(app, { organizations: [{ organizationID }] });
      assert.deepEqual(findings(await ask(devEUI, member.token)), ['KEY_WRONG NONE']);
      await setKeys({ devEUI, nwkKey: otherKey });
      await joins(simulateDevice(devEUI, '1.0.3', otherKey));
    });

    it('finds a key of zeros, and a wrong one', async () => {
      const devEUI = await createDevice(app, field);
      assert.deepEqual(findings(await request(simulateDevice(devEUI, '1.0.3', zeros))), ['KEY_OF_ZEROS NONE']);
      const wrong = simulateDevice(devEUI, '1.0.3', 'ab'.repeat(16));
      assert.deepEqual(findings(await request(wrong)), ['KEY_WRONG SET_KEYS']);
      await setKeys({ devEUI, nwkKey: 'ab'.repeat(16) });
      await joins(wrong);
    });

    it('finds a used DevNonce', async () => {
      const { organizationID } = field;
      const deviceProfileID = await createDeviceProfile(app, { organizationID, macVersion: '1.0.4' });
      const devEUI = await createDevice(app, { ...field, deviceProfileID });
      await joins(simulateDevice(devEUI, '1.0.4', nwkKey, 100));
      const reset = simulateDevice(devEUI, '1.0.4', nwkKey, 1);
      const answer = await request(reset);
      assert.deepEqual(findings(answer), ['DEV_NONCE_USED CLEAR_DEV_NONCES']);
      assert.equal(finding(answer, 'DEV_NONCE_USED')?.parameters['devNonce'], '2');
      await app.call(device.clearDeviceNonces, { devEUI });
      await joins(reset);
    });

    it('finds gateways that are private to another service-profile', async () => {
      const { organizationID } = field;
      const serviceProfileID = await createServiceProfile(app, { organizationID, gwsPrivate: true });
      const id = await createGateway(app, organizationID);
      const { gateway: stored } = await app.call(operations.gateway.get, { id });
      await app.call(operations.gateway.update, { gateway: { ...stored, serviceProfileID } });
      await using hidden = await simulateGateway(app, id);
      const devEUI = await createDevice(app, field);
      const answer = await request(simulateDevice(devEUI), devEUI, hidden);
      assert.deepEqual(findings(answer), ['PRIVATE_GATEWAYS NONE']);
      assert.deepEqual(answer.requests[0]?.gateways, []);
      await app.call(operations.gateway.update, { gateway: { ...stored, serviceProfileID: '' } });
      await joins(simulateDevice(devEUI));
    });

    it('finds a gateway that refuses to send', async () => {
      const id = await createGateway(app, field.organizationID);
      await using late = await simulateGateway(app, id, { txAck: () => 'TOO_LATE' });
      const devEUI = await createDevice(app, field);
      await request(simulateDevice(devEUI), devEUI, late);
      const answer = await askUntil(devEUI, (one) => findings(one).length > 0);
      assert.deepEqual(findings(answer), ['GATEWAY_REFUSED OPEN_GATEWAY']);
      assert.deepEqual(finding(answer, 'GATEWAY_REFUSED')?.parameters, {
        ...{ name: `gateway-${id}`, gatewayID: id, status: 'TOO_LATE', refused: '1', accepted: '1' },
      });
      await joins(simulateDevice(devEUI));
    });

    it('finds a device that does not receive its join-accepts', async () => {
      const devEUI = await createDevice(app, field);
      const simulated = simulateDevice(devEUI);
      const accepted = async (times: number) => {
        gateway.receiveFrame(simulated.joinRequest(), { rssi: -118, snr: -3 });
        await gateway.nextDownlink();
        return await askUntil(
          devEUI,
          ({ requests }) => requests.length === times && (requests[0]?.answers.length ?? 0) > 0,
        );
      };
      assert.equal((await accepted(1)).verdict, 'WAITING');
      const answer = await accepted(2);
      assert.deepEqual(findings(answer), ['DID_NOT_GO_ON NONE']);
      assert.deepEqual(finding(answer, 'DID_NOT_GO_ON')?.parameters, { accepted: '2', rssi: '-118' });
      await joins(simulateDevice(devEUI));
    });

    it('finds a device that still sends with its former session', async () => {
      const devEUI = await createDevice(app, field);
      const simulated = simulateDevice(devEUI);
      await joins(simulated);
      const devAddr = simulated.session!.devAddr;
      await app.call(device.deactivate, { devEUI });
      gateway.receiveFrame(simulated.uplink());
      const answer = await askUntil(devEUI, (one) => finding(one, 'FORMER_SESSION') !== undefined);
      assert.equal(finding(answer, 'FORMER_SESSION')?.parameters['devAddr'], devAddr);
      await joins(simulateDevice(devEUI));
    });

    it('shows the last ten join-requests, the latest first', async () => {
      const devEUI = await plainDevice();
      const simulated = simulateDevice(devEUI);
      for (let sent = 0; sent < 12; sent += 1) await request(simulated);
      const { requests } = await ask(devEUI);
      assert.equal(requests.length, 10);
      assert.deepEqual(
        requests.map(({ at }) => at),
        requests.map(({ at }) => at).toSorted((one, other) => (one! < other! ? 1 : -1)),
      );
    });
  });

  describeAccess(database, 'join doctor', [
    row(
      joinDoctor.get,
      async ({ app, organizationID, applicationID }) => {
        const deviceProfileID = await createDeviceProfile(app, { organizationID });
        return { devEUI: await createDevice(app, { ...({} as FieldContext), applicationID, deviceProfileID }) };
      },
      [...readers, 'applicationKey'],
    ),
  ]);
}
