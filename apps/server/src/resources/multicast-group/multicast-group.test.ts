import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { type MulticastGroup, operations, type PartOf } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import { createDevice as createSimulatedDevice } from '@hilltop/simulator';
import { describeAccess, type PrincipalName, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases, instanceCount } from '../../testing/databases.ts';
import { createApplication, createDeviceProfile, networkServerID } from '../../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createMulticastGroup,
  createReceivedDevice,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { application, device, multicastGroup } = operations;
const unknown = '00000000-0000-4000-8000-000000000000';
const keys = { mcNwkSKey: '1'.repeat(32), mcAppSKey: '2'.repeat(32) };

for (const database of databases) {
  describe(`multicast-group on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(database, { queueItems: '4' });
      surroundings = await createSurroundings(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const create = (change: PartOf<MulticastGroup> = {}) =>
      createMulticastGroup(app, { ...change, applicationID: change.applicationID ?? surroundings.applicationID });
    const read = async (id: string) => (await app.call(multicastGroup.get, { id })).multicastGroup;
    const network = () => app.parts.networks.of(Number(networkServerID));
    const members = async (id: string) =>
      (await app.call(device.list, { multicastGroupID: id, limit: 100 })).result.map(({ devEUI }) => devEUI).sort();

    it('is returned as it was created and changed', async () => {
      const { applicationID } = surroundings;
      const given = {
        name: 'street lights',
        applicationID,
        mcAddr: '01020304',
        ...keys,
        fCnt: 10,
        groupType: 'CLASS_B' as const,
        dr: 3,
        frequency: 868_100_000,
        pingSlotPeriod: 64,
      };
      const { id } = await app.call(multicastGroup.create, { multicastGroup: given });
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
      const { multicastGroup: made, createdAt, updatedAt } = await app.call(multicastGroup.get, { id });
      assert.deepEqual(made, { id, ...given });
      assert.equal(createdAt, updatedAt);

      const changed = { ...given, id, name: 'lamps', groupType: 'CLASS_C' as const, fCnt: 11, mcAddr: '0a0b0c0d' };
      const elsewhere = await createApplication(app, surroundings);
      await app.call(multicastGroup.update, { multicastGroup: { ...changed, applicationID: elsewhere } });
      assert.deepEqual(await read(id), changed);

      await app.call(multicastGroup.delete, { id });
      await refused(5, app.call(multicastGroup.get, { id }));
      const at = await network();
      await assert.rejects(at.getMulticastGroup({ id: Uint8Array.fromHex(id.replaceAll('-', '')) }), {
        code: 'NotFound',
      });
    });

    it('refuses what is not valid', async () => {
      await refused(3, create({ name: ' ' }));
      await refused(3, create({ name: 'x'.repeat(101) }));
      await refused(3, create({ mcAddr: '' }));
      await refused(3, create({ mcAddr: '010203' }));
      await refused(3, create({ mcAppSKey: '' }));
      await refused(3, create({ mcAppSKey: '00'.repeat(15) }));
      await refused(3, create({ mcNwkSKey: '00'.repeat(17) }));
      await refused(3, create({ mcNwkSKey: 'x'.repeat(32) }));
      await refused(3, create({ frequency: 915_000_000 }));
      await refused(3, create({ dr: 15 }));
      await refused(3, create({ groupType: 'CLASS_B', pingSlotPeriod: 33 }));
      await refused(5, create({ applicationID: '999999' }));
      await refused(5, app.call(multicastGroup.get, { id: unknown }));
      await refused(5, app.call(multicastGroup.delete, { id: unknown }));
      await refused(
        5,
        app.call(multicastGroup.update, { multicastGroup: { ...(await read(await create())), id: unknown } }),
      );
    });

    it('never decreases its counter under the same address and keys', async () => {
      const id = await create({ fCnt: 10 });
      const group = await read(id);
      const update = (change: PartOf<MulticastGroup>) =>
        app.call(multicastGroup.update, { multicastGroup: { ...group, ...change } });
      await update({ fCnt: 4, name: 'renamed' });
      assert.deepEqual([(await read(id)).fCnt, (await read(id)).name], [10, 'renamed']);
      await update({ fCnt: 4, mcAppSKey: '3'.repeat(32) });
      assert.equal((await read(id)).fCnt, 10, 'the network key is the same');
      await update({ fCnt: 4, mcAppSKey: '3'.repeat(32), mcNwkSKey: '4'.repeat(32) });
      assert.equal((await read(id)).fCnt, 10, 'the application key is the same');
      await update({ fCnt: 4, mcAppSKey: '5'.repeat(32), mcNwkSKey: '6'.repeat(32) });
      assert.equal((await read(id)).fCnt, 4);
      await update({ fCnt: 3, mcAddr: '0e0e0e0e', mcAppSKey: '5'.repeat(32), mcNwkSKey: '6'.repeat(32) });
      assert.equal((await read(id)).fCnt, 3);
    });

    it('has devices of its application, each once', async () => {
      const id = await create();
      const [a, b] = [await createDevice(app, surroundings), await createDevice(app, surroundings)];
      for (const devEUI of [a, b]) await app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI });
      assert.deepEqual(await members(id), [a, b].sort());
      await refused(6, app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI: a }));
      await refused(5, app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI: 'ffffffffffffff00' }));
      await refused(5, app.call(multicastGroup.addDevice, { multicastGroupID: unknown, devEUI: a }));
      const other = await createSurroundings(app);
      const stranger = await createDevice(app, other);
      const { message } = await refused(
        9,
        app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI: stranger }),
      );
      assert.match(message, /another application/);

      await app.call(multicastGroup.removeDevice, { multicastGroupID: id, devEUI: a });
      assert.deepEqual(await members(id), [b]);
      await refused(5, app.call(multicastGroup.removeDevice, { multicastGroupID: id, devEUI: a }));
      const page = await app.call(device.list, { multicastGroupID: id, limit: 0 });
      assert.deepEqual(page, { totalCount: '1', result: [] });
    });

    it('loses a device that is deleted or moves to another application', async () => {
      const id = await create();
      const [a, b] = [await createDevice(app, surroundings), await createDevice(app, surroundings)];
      for (const devEUI of [a, b]) await app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI });
      await app.call(device.delete, { devEUI: a });
      assert.deepEqual(await members(id), [b]);
      const elsewhere = await createApplication(app, surroundings);
      const { deviceProfileID } = surroundings;
      const moved = { devEUI: b, name: 'moved', applicationID: elsewhere, deviceProfileID };
      await app.call(device.update, { device: moved });
      assert.deepEqual(await members(id), []);
      const { query } = app.parts.database;
      const left = query.selectFrom('ns_multicast_member').selectAll().where('dev_eui', 'in', [a, b]);
      assert.deepEqual(await left.execute(), []);
    });

    it('is deleted with its application, at the network server too', async () => {
      const applicationID = await createApplication(app, surroundings);
      const id = await create({ applicationID });
      const devEUI = await createDevice(app, { ...surroundings, applicationID });
      await app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI });
      await app.call(application.delete, { id: applicationID });
      await refused(5, app.call(multicastGroup.get, { id }));
      const at = await network();
      const known = at.getMulticastGroup({ id: Uint8Array.fromHex(id.replaceAll('-', '')) });
      await assert.rejects(known, { code: 'NotFound' });
      const { query } = app.parts.database;
      assert.deepEqual(
        await query.selectFrom('multicast_group_device').selectAll().where('dev_eui', '=', devEUI).execute(),
        [],
      );
    });

    it('is listed by name, by owner, by its devices and by text', async () => {
      const { organizationID, applicationID, serviceProfileID, ...options } = await createSurroundings(app);
      const [plum, apple] = [
        await create({ applicationID, name: 'Plum' }),
        await create({ applicationID, name: 'apple' }),
      ];
      const other = await createApplication(app, { organizationID, serviceProfileID });
      const pear = await create({ applicationID: other, name: 'pear' });
      const devEUI = await createDevice(app, { organizationID, applicationID, serviceProfileID, ...options });
      await app.call(multicastGroup.addDevice, { multicastGroupID: plum, devEUI });
      const list = async (request: object) => {
        const { totalCount, result } = await app.call(multicastGroup.list, { limit: 10, ...request });
        return [totalCount, ...result.map(({ id }) => id)];
      };
      assert.deepEqual(await list({ applicationID }), ['2', apple, plum]);
      assert.deepEqual(await list({ organizationID }), ['3', apple, pear, plum]);
      assert.deepEqual(await list({ serviceProfileID }), ['3', apple, pear, plum]);
      assert.deepEqual(await list({ organizationID, limit: 1, offset: 1 }), ['3', pear]);
      assert.deepEqual(await list({ organizationID, limit: 0 }), ['3']);
      assert.deepEqual(await list({ devEUI }), ['1', plum]);
      assert.deepEqual(await list({ organizationID, search: 'P' }), ['3', apple, pear, plum]);
      assert.deepEqual(await list({ organizationID, search: 'LU' }), ['1', plum]);
      assert.deepEqual(await list({ applicationID, devEUI, search: 'apple' }), ['0']);
      const { result } = await app.call(multicastGroup.list, { applicationID: other, limit: 1 });
      assert.equal(result[0]?.applicationID, other);
      assert.match(result[0]?.applicationName ?? '', /^application-/);
    });

    // Skipped with several instances: the test changes one server in its own process.
    if (instanceCount === 0)
      it('is not stored when the network server refuses it, and can be deleted when it is missing there', async () => {
        const at = await network();
        const failing = mock.method(at, 'createMulticastGroup', () =>
          Promise.reject(new RpcError('Unavailable', 'Away.')),
        );
        const { applicationID } = await createSurroundings(app);
        await refused(14, create({ applicationID }));
        failing.mock.restore();
        assert.equal((await app.call(multicastGroup.list, { applicationID })).totalCount, '0');
        const id = await create({ applicationID });
        await at.deleteMulticastGroup({ id: Uint8Array.fromHex(id.replaceAll('-', '')) });
        await app.call(multicastGroup.delete, { id });
      });

    it('sends queued downlinks by the gateway that receives its devices, and lists them until then', async () => {
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      const devEUI = await createReceivedDevice(app, surroundings, gateway);
      const id = await create({ ...keys, fCnt: 7, mcAddr: '01020304' });
      const enqueue = (item: object = {}) =>
        app.call(multicastGroup.enqueue, {
          multicastQueueItem: { multicastGroupID: id, fPort: 10, data: 'AQID', ...item },
        });
      const { message } = await refused(9, enqueue());
      assert.match(message, /no devices/);
      await app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI });
      await refused(3, enqueue({ fPort: 0 }));
      await refused(3, enqueue({ fPort: 225 }));
      await refused(3, enqueue({ data: Buffer.alloc(52).toString('base64') }));
      const counters = (await Promise.all([enqueue(), enqueue(), enqueue()])).map(({ fCnt }) => fCnt);
      assert.deepEqual(new Set(counters), new Set([7, 8, 9]));
      assert.equal((await read(id)).fCnt, 10);

      let downlink = await gateway.nextDownlink();
      // The device may get an answer to its uplink first.
      while (!downlink.txpk.imme) downlink = await gateway.nextDownlink();
      const { txpk, phyPayload } = downlink;
      assert.deepEqual([txpk.imme, txpk.freq, txpk.datr], [true, 869.525, 'SF12BW125']);
      const group = { mcAddr: '01020304', nwkSKey: keys.mcNwkSKey, appSKey: keys.mcAppSKey, fCnt: 7 };
      const session = { devAddr: '01020305', keys: { nwkSKey: keys.mcNwkSKey, appSKey: keys.mcAppSKey } };
      const lamp = createSimulatedDevice({ devEUI, session, region: 'EU868', groups: [group] });
      const received = lamp.receive(phyPayload);
      assert.ok(received.kind === 'data', JSON.stringify(received));
      assert.deepEqual([received.fCnt, received.fPort, received.data], [7, 10, Uint8Array.of(1, 2, 3)]);

      const { multicastQueueItems } = await app.call(multicastGroup.listQueue, { multicastGroupID: id });
      assert.deepEqual(multicastQueueItems.at(-1), { multicastGroupID: id, fCnt: 9, fPort: 10, data: 'AQID' });
      await app.call(multicastGroup.flushQueue, { multicastGroupID: id });
      assert.deepEqual((await app.call(multicastGroup.listQueue, { multicastGroupID: id })).multicastQueueItems, []);
    });

    it('limits its queue', async () => {
      const gatewayID = await createGateway(app, surroundings.organizationID);
      const id = await create();
      {
        await using gateway = await simulateGateway(app, gatewayID);
        const devEUI = await createReceivedDevice(app, surroundings, gateway);
        await app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI });
      }
      const enqueue = () =>
        app.call(multicastGroup.enqueue, { multicastQueueItem: { multicastGroupID: id, fPort: 1, data: 'AQ==' } });
      for (let n = 0; n < 4; n += 1) await enqueue();
      const { message } = await refused(9, enqueue());
      assert.match(message, /^4 downlinks wait/);
    });

    it('drops its queue when its application key changes', async () => {
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      const devEUI = await createReceivedDevice(app, surroundings, gateway);
      const id = await create();
      await app.call(multicastGroup.addDevice, { multicastGroupID: id, devEUI });
      const item = { multicastGroupID: id, fPort: 1, data: 'AQ==' };
      for (const fPort of [1, 2]) await app.call(multicastGroup.enqueue, { multicastQueueItem: { ...item, fPort } });
      await app.call(multicastGroup.update, { multicastGroup: { ...(await read(id)), mcAppSKey: '7'.repeat(32) } });
      assert.deepEqual((await app.call(multicastGroup.listQueue, { multicastGroupID: id })).multicastQueueItems, []);
    });

    it('keeps its keys sealed', async () => {
      const id = await create(keys);
      const { query } = app.parts.database;
      const { mc_app_s_key } = await query
        .selectFrom('multicast_group')
        .select('mc_app_s_key')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.ok(!mc_app_s_key.toHex().includes(keys.mcAppSKey));
    });
  });

  const changers: PrincipalName[] = ['deviceAdmin', 'organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey'];
  const lookers: PrincipalName[] = [...readers, 'applicationKey'];
  const made = async ({ app, applicationID }: Side) => createMulticastGroup(app, { applicationID });
  const one = async (side: Side) => ({ id: await made(side) });
  const ofOne = async (side: Side) => ({ multicastGroupID: await made(side) });
  const makeDevice = async ({ app, organizationID, applicationID }: Side) => {
    const deviceProfileID = await createDeviceProfile(app, { organizationID });
    return createDevice(app, { organizationID, serviceProfileID: '', deviceProfileID, applicationID });
  };
  const withDevice = async (side: Side) => ({ ...(await ofOne(side)), devEUI: await makeDevice(side) });
  describeAccess(database, 'multicast-group', [
    row(multicastGroup.list, ({ applicationID }) => ({ applicationID }), lookers),
    row(multicastGroup.list, ({ organizationID }) => ({ organizationID }), readers),
    row(multicastGroup.list, async (side) => ({ devEUI: await makeDevice(side) }), lookers),
    row(multicastGroup.list, () => ({}), ['globalAdmin'], ['globalAdmin']),
    row(multicastGroup.get, one, lookers),
    row(
      multicastGroup.create,
      ({ applicationID }) => ({
        multicastGroup: { name: 'g', applicationID, mcAddr: '01020304', ...keys, frequency: 868_100_000 },
      }),
      changers,
    ),
    row(
      multicastGroup.update,
      async (side) => {
        const { multicastGroup: group } = await side.app.call(multicastGroup.get, await one(side));
        return { multicastGroup: group };
      },
      changers,
    ),
    row(multicastGroup.delete, one, changers),
    row(multicastGroup.addDevice, withDevice, changers),
    row(multicastGroup.removeDevice, withDevice, changers),
    row(multicastGroup.listQueue, ofOne, readers),
    row(
      multicastGroup.enqueue,
      async (side) => ({ multicastQueueItem: { ...(await ofOne(side)), fPort: 1, data: 'AQ==' } }),
      readers,
    ),
    row(multicastGroup.flushQueue, ofOne, readers),
  ]);
}
