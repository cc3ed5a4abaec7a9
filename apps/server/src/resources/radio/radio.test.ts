import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { operations, type PartOf, type RadioSettings } from '@hilltop/contract';
import { createDevice as createSimulatedDevice } from '@hilltop/simulator';
import { startServer } from '../../compose.ts';
import { sessionBody, sessionOf } from '../../network/session-body.ts';
import { admins, describeAccess, row } from '../../testing/access-matrix.ts';
import { createTestClient } from '../../testing/client.ts';
import { createTestStorage, databases } from '../../testing/databases.ts';
import { networkServerID } from '../../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, nwkKey, simulateGateway } from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { adminEmail, adminPassword, startTestApp, type TestApp } from '../../testing/test-app.ts';
import { testSettings } from '../../testing/test-settings.ts';
import { insertNetworkServer, unconnected } from '../network-server/store.ts';

const { radio, networkServer } = operations;
const extra = { frequency: 867_100_000, minDR: 0, maxDR: 5 };
/** What a new network server of EU868 adds to the three channels of the region. */
const eightChannels = [867_100_000, 867_300_000, 867_500_000, 867_700_000, 867_900_000].map((frequency) => {
  return { ...extra, frequency };
});

for (const kind of databases) {
  describe(`radio settings on ${kind}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(kind, { netID: '000013' });
    });
    after(() => app[Symbol.asyncDispose]());

    const add = async (more: object = {}) =>
      (await app.call(radio.create, { name: 'added', region: 'EU868', ...more })).id;
    const read = async (id: string) => (await app.call(radio.get, { networkServerID: id })).settings;
    const update = (id: string, settings: PartOf<RadioSettings>) =>
      app.call(radio.update, { networkServerID: id, settings });

    /** A gateway on a network server, and a device that is registered there, with their real radios. */
    async function field(id: string, { region, frequency }: { region: string; frequency?: number }) {
      const { organizationID, ...ids } = await createSurroundings(
        app,
        { networkServerID: id },
        { networkServerID: id, drMax: 5 },
      );
      const devEUI = await createDevice(app, { organizationID, ...ids });
      const gatewayID = randomBytes(8).toString('hex');
      const gateway = {
        id: gatewayID,
        name: gatewayID,
        organizationID,
        networkServerID: id,
        location: { latitude: 1 },
      };
      await app.call(operations.gateway.create, { gateway });
      const device = createSimulatedDevice({
        devEUI,
        joinEUI: '70b3d57ed0000001',
        nwkKey,
        region,
        adr: false,
        random: Math.random,
      });
      const link = await simulateGateway(app, gatewayID);
      /** The downlink that the device receives after its next uplink, on this frequency if one is given. */
      const arrived = async (transmission: ReturnType<typeof device.uplink>) => {
        link.receiveFrame(frequency ? { ...transmission, frequency } : transmission);
        const { phyPayload } = await link.nextDownlink(8000);
        return device.receive(phyPayload);
      };
      return { ids: { ...ids, gatewayID, devEUI }, link, device, arrived };
    }

    const commandsOf = (received: { kind: string; commands?: readonly { name: string }[] }) =>
      received.commands?.map(({ name }) => name);

    it('begin with the eight channels of EU868, the defaults and the choices', async () => {
      const { settings, defaults, plan } = await app.call(radio.get, { networkServerID });
      assert.deepEqual(settings, { enabledChannels: [], extraChannels: eightChannels, rejoinRequest: null });
      assert.deepEqual(defaults.extraChannels, [], 'network servers that exist already keep their channels');
      assert.deepEqual([defaults.rx2Frequency, defaults.rx2DataRate, defaults.netID], [869_525_000, 0, '000013']);
      assert.deepEqual([plan.region, plan.isFixed, plan.mostExtraChannels], ['EU868', false, 13]);
      assert.deepEqual(plan.channels[1], { index: 1, frequency: 868_300_000, minDR: 0, maxDR: 5, bandwidth: 125 });
      assert.equal(plan.dataRates[5]?.label, 'SF7 / 125 kHz');
    });

    it('have the eight channels on each new network server of EU868, allow removing them, and add none in other regions', async () => {
      const id = await add();
      assert.deepEqual((await read(id)).extraChannels, eightChannels);
      await update(id, { extraChannels: [] });
      assert.deepEqual((await read(id)).extraChannels, []);
      assert.deepEqual((await read(await add({ region: 'US915' }))).extraChannels, []);
    });

    it('are stored as given, and replaced as a whole', async () => {
      const id = await add();
      await update(id, { rx1Delay: 5, extraChannels: [extra], disableADR: false });
      const given = {
        rx1Delay: 5,
        disableADR: false,
        extraChannels: [extra],
        enabledChannels: [],
        rejoinRequest: null,
      };
      assert.deepEqual(await read(id), given);
      await update(id, { enabledChannels: [2, 0, 1] });
      assert.deepEqual(await read(id), { enabledChannels: [], extraChannels: [], rejoinRequest: null });
    });

    it('are refused at their fields when the region does not have such a value', async () => {
      const fieldsOf = async (settings: PartOf<RadioSettings>) =>
        (await refused(3, update(networkServerID, settings))).fieldViolations.map(({ field }) => field);
      assert.deepEqual(await fieldsOf({ rx2DataRate: 9 }), ['settings.rx2DataRate']);
      assert.deepEqual(await fieldsOf({ rx1Delay: 0 }), ['settings.rx1Delay']);
      assert.deepEqual(await fieldsOf({ netID: '13' }), ['settings.netID']);
      const channels = [extra, { ...extra, frequency: 915_000_000 }];
      assert.deepEqual(await fieldsOf({ extraChannels: channels }), ['settings.extraChannels[1].frequency']);
      const preview = app.call(radio.preview, { networkServerID, settings: { rx1DROffset: 6 } });
      assert.deepEqual((await refused(3, preview)).fieldViolations[0]?.field, 'settings.rx1DROffset');
    });

    it('reach devices with their next downlink, without a restart', async () => {
      const id = await add({ name: 'live' });
      const { device, link, arrived } = await field(id, { region: 'EU868' });
      await using _link = link;
      assert.equal((await arrived(device.joinRequest())).kind, 'joined');
      assert.deepEqual(commandsOf(await arrived(device.uplink({ fPort: 1, confirmed: true }))), []);

      const settings = { enabledChannels: [0, 1], rx2DataRate: 3 };
      const { effects, ...looked } = await app.call(radio.preview, { networkServerID: id, settings });
      assert.deepEqual(looked, { devices: 1, isPartial: false, endingSessions: 0 });
      assert.deepEqual(effects, [
        { command: 'LinkADRReq', devices: 1, refusing: 0 },
        { command: 'RXParamSetupReq', devices: 1, refusing: 0 },
      ]);
      await update(id, settings);
      const commands = commandsOf(await arrived(device.uplink({ fPort: 1, confirmed: true })));
      assert.deepEqual(commands, ['LinkADRReq', 'RXParamSetupReq']);
      await arrived(device.uplink({ fPort: 1, confirmed: true }));
      assert.deepEqual((await app.call(radio.preview, { networkServerID: id, settings })).effects, []);
    });

    it('show how many sessions a shorter lifetime would end', async () => {
      const id = await add({ name: 'silent' });
      const { device, link, arrived, ids } = await field(id, { region: 'EU868' });
      await using _link = link;
      await arrived(device.joinRequest());
      const { query } = app.parts.database;
      const rows = query.selectFrom('ns_session').select('body').where('dev_eui', '=', ids.devEUI);
      const { body } = await rows.executeTakeFirstOrThrow();
      const tenDaysAgo = Date.now() - 10 * 86_400_000;
      const silent = { ...sessionOf(body), activatedAt: tenDaysAgo, lastUplinkAt: null, lastDownlinkAt: null };
      await query
        .updateTable('ns_session')
        .set({ body: sessionBody(silent) })
        .where('dev_eui', '=', ids.devEUI)
        .execute();
      const endings = async (deviceSessionDays: number) =>
        (await app.call(radio.preview, { networkServerID: id, settings: { deviceSessionDays } })).endingSessions;
      assert.deepEqual([await endings(9), await endings(11), await endings(0)], [1, 0, 0]);
      assert.equal((await app.call(radio.get, { networkServerID: id })).defaults.deviceSessionDays, 31);
    });

    it('differ between network servers of one region', async () => {
      const [left, right] = [await add({ name: 'left', netID: '000001' }), await add({ name: 'right' })];
      await update(left, { netID: '000001', rx1Delay: 2 });
      for (const [id, delay, devAddr] of [
        [left, 2, /^0[23]/],
        [right, 1, /^2[67]/],
      ] as const) {
        const { device, link, arrived } = await field(id, { region: 'EU868' });
        await using _link = link;
        await arrived(device.joinRequest());
        assert.equal(device.session?.radio.rx1DelayMs, delay * 1000);
        assert.match(device.session?.devAddr ?? '', devAddr);
      }
    });

    it('add a network server with a sub-band, which receives at once and can be deleted when nothing uses it', async () => {
      const id = await add({ name: 'america', region: 'US915', subBand: 2 });
      const { networkServer: row, region } = await app.call(networkServer.get, { id });
      assert.deepEqual([row.server, region], ['embedded:US915', 'US915']);
      assert.deepEqual((await read(id)).enabledChannels, [8, 9, 10, 11, 12, 13, 14, 15, 65]);
      const { ids, device, link, arrived } = await field(id, { region: 'US915', frequency: 903_900_000 });
      await using _link = link;
      assert.equal((await arrived({ ...device.joinRequest(), dataRate: 0 })).kind, 'joined');

      const { message } = await refused(9, app.call(networkServer.delete, { id }));
      assert.match(message, /in use by service-profiles, device-profiles, and gateways/);
      await app.call(operations.device.delete, { devEUI: ids.devEUI });
      await app.call(operations.gateway.delete, { id: ids.gatewayID });
      await app.call(operations.application.delete, { id: ids.applicationID });
      await app.call(operations.deviceProfile.delete, { id: ids.deviceProfileID });
      await app.call(operations.serviceProfile.delete, { id: ids.serviceProfileID });
      await app.call(networkServer.delete, { id });
      await refused(5, app.call(radio.get, { networkServerID: id }));
      const left = await app.parts.database.query
        .selectFrom('ns_record')
        .select('id')
        .where('network_server_id', '=', Number(id))
        .execute();
      assert.deepEqual(left, []);
    });

    it('add no network server for an unknown region or sub-band', async () => {
      assert.equal((await refused(3, add({ region: 'MARS' }))).fieldViolations[0]?.field, 'region');
      assert.equal((await refused(3, add({ region: 'US915', subBand: 9 }))).fieldViolations[0]?.field, 'subBand');
      assert.equal((await refused(3, add({ subBand: 1 }))).fieldViolations[0]?.field, 'subBand');
      await refused(3, add({ name: ' ' }));
      await refused(3, add({ netID: 'xyz' }));
      const { result } = await app.call(radio.listRegions, {});
      assert.deepEqual(result.slice(0, 2), [
        { name: 'EU868', subBands: 0 },
        { name: 'US915', subBands: 8 },
      ]);
    });

    it('exist for embedded network servers only', async () => {
      const times = { created_at: new Date(), updated_at: new Date() };
      const remote = { ...unconnected, ...times, name: 'remote', server: 'ns.example.org:8000' };
      const id = String(await insertNetworkServer(app.parts.database, remote));
      await refused(9, app.call(radio.get, { networkServerID: id }));
      await refused(9, update(id, {}));
      await refused(5, app.call(radio.get, { networkServerID: '999' }));
    });

    it('let the network server that allows it receive an unregistered gateway, never in place of its own', async () => {
      const id = await add({ name: 'open' });
      const { device, link, arrived } = await field(id, { region: 'EU868' });
      await using _link = link;
      await arrived(device.joinRequest());
      await update(id, { allowUnknownGateways: true });
      await using stranger = await simulateGateway(app, randomBytes(8).toString('hex'));
      await stranger.receiveFrame(device.uplink({ fPort: 1, confirmed: true })).acknowledged;
      assert.equal(device.receive((await stranger.nextDownlink(8000)).phyPayload).kind, 'data');
      await using own = await simulateGateway(
        app,
        await createGateway(app, (await createSurroundings(app)).organizationID),
      );
      assert.equal(await own.receiveFrame(device.uplink({ fPort: 1 })).acknowledged, true);
    });
  });

  describe(`regions of the setting on ${kind}`, () => {
    it('become network servers once, with their sub-band, and are not created again', async () => {
      await using testStorage = await createTestStorage(kind);
      const run = async <T>(region: string, work: (call: TestApp['call']) => Promise<T>): Promise<T> => {
        const config = testSettings(testStorage, { adminPassword, region });
        const server = await startServer(config);
        await using _stop = { [Symbol.asyncDispose]: () => server.stop() };
        const client = createTestClient(`http://127.0.0.1:${server.httpPort}`);
        const token = await client.signIn(adminEmail, adminPassword);
        return await work((operation, input) => client.call(operation, input, token));
      };
      const listed = async (call: TestApp['call']) => (await call(networkServer.list, { limit: 9 })).result;
      const names = async (call: TestApp['call']) => (await listed(call)).map(({ name }) => name);

      await run('EU868,US915:2', async (call) => {
        assert.deepEqual(await names(call), ['EU868 (embedded)', 'US915 sub-band 2 (embedded)']);
        const [europe, america] = await listed(call);
        const { settings } = await call(radio.get, { networkServerID: america!.id });
        assert.deepEqual(settings.enabledChannels, [8, 9, 10, 11, 12, 13, 14, 15, 65]);
        await call(radio.update, { networkServerID: america!.id, settings: { ...settings, rx1Delay: 3 } });
        await call(networkServer.delete, { id: europe!.id });
      });
      await run('EU868,US915:2', async (call) => {
        const [america, ...others] = await listed(call);
        assert.equal(others.length, 0);
        assert.equal((await call(radio.get, { networkServerID: america!.id })).settings.rx1Delay, 3);
      });
      await run('AS923', async (call) => {
        assert.deepEqual(await names(call), ['AS923 (embedded)', 'US915 sub-band 2 (embedded)']);
      });
    });
  });

  describeAccess(kind, 'radio', [
    row(radio.get, () => ({ networkServerID }), admins),
    row(radio.update, () => ({ networkServerID, settings: {} }), admins),
    row(radio.preview, () => ({ networkServerID, settings: {} }), admins),
    row(radio.listRegions, () => ({}), admins),
    row(radio.create, () => ({ name: 'x', region: 'EU868' }), admins),
  ]);
}
