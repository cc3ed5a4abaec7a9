import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { operations, type TrashKindName } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import { enact } from '../../events/effect.ts';
import { describeAccess, type PrincipalName, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { pendingEvent } from '../../testing/event.ts';
import { createDeviceProfile, createServiceProfile, createUser } from '../../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createMulticastGroup,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';
import { TrashRetention } from '../trash/retention.ts';

const { application, device, gateway, history, job, multicastGroup, organization, trash } = operations;

for (const database of databases) {
  describe(`trash on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      surroundings = await createSurroundings(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const entryOf = async (recordID: string) => {
      const { result } = await app.call(trash.list, { limit: 10, recordID });
      assert.ok(result[0], `nothing in the trash of ${recordID}`);
      return result[0];
    };
    const restore = async (recordID: string, token?: string) =>
      app.call(trash.restore, { id: (await entryOf(recordID)).id }, token);
    const restored = (restoredCount: number) => ({ restoredCount, refusedCount: 0, refused: [], jobID: '' });
    const jobEnded = async (id: string) => {
      for (;;) {
        const { job: found } = await app.call(job.get, { id });
        if (found.endedAt) return found;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const deviceCounts = async ({ organizationID, applicationID }: FieldContext) => {
      const { query } = app.parts.database;
      const ofOrganization = query.selectFrom('organization').select('device_count').where('id', '=', +organizationID);
      const ofApplication = query.selectFrom('application').select('device_count').where('id', '=', +applicationID);
      return [
        (await ofOrganization.executeTakeFirst())?.device_count,
        (await ofApplication.executeTakeFirst())?.device_count,
      ];
    };

    it('restores a device with its keys, tags and session, which goes on without a join', async () => {
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using radio = await simulateGateway(app, gatewayID);
      const details = { tags: { site: 'north' }, variables: { key: 'value' }, description: 'in the bed' };
      const { devEUI, start } = await createActivatedDevice(app, surroundings, details);
      const simulated = start();
      let sent = 0;
      const uplink = async () => {
        await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
        const frame = simulated.uplink({ fPort: 1 });
        radio.receiveFrame(frame);
        // The stream begins with earlier events.
        while ((JSON.parse((await events.next()).result!.payloadJSON) as { fCnt: number }).fCnt < sent);
        sent += 1;
        return frame;
      };
      await uplink();
      const second = await uplink();
      const wholly = async () => ({
        device: await app.call(device.get, { devEUI }),
        keys: await app.call(device.getKeys, { devEUI }),
        events: (await app.call(history.list, { devEUI, kinds: ['up'] })).result,
      });
      const before = await wholly();
      const { deviceActivation } = await app.call(device.getActivation, { devEUI });
      const counts = await deviceCounts(surroundings);

      await app.call(device.delete, { devEUI });
      await refused(5, app.call(device.get, { devEUI }));
      await refused(5, app.call(history.list, { devEUI }));
      const { result } = await app.call(device.list, { applicationID: surroundings.applicationID, limit: 100 });
      assert.ok(!result.some((one) => one.devEUI === devEUI));
      await app.parts.history.round({ isForced: true });
      const entry = await entryOf(devEUI);
      assert.deepEqual(
        [entry.kind, entry.name, entry.contents, entry.isPartial],
        ['DEVICE', before.device.device.name, [{ kind: 'DEVICE', count: 1 }], false],
      );
      assert.deepEqual(await restore(devEUI), restored(1));

      assert.deepEqual(await wholly(), before);
      assert.deepEqual(await deviceCounts(surroundings), counts);
      const activation = (await app.call(device.getActivation, { devEUI })).deviceActivation!;
      assert.equal(activation.fCntUp, 2);
      // A downlink may have been sent before the deletion.
      assert.ok(activation.nFCntDown >= deviceActivation!.nFCntDown + 100);
      // The network server refuses a frame of before, and accepts the next one.
      radio.receiveFrame(second);
      await uplink();
      const { result: events } = await app.call(history.list, { devEUI, kinds: ['up'] });
      const counters = events.map(({ payloadJSON }) => (JSON.parse(payloadJSON) as { fCnt: number }).fCnt);
      assert.deepEqual(counters, [2, 1, 0]);
      assert.equal((await app.call(trash.list, { limit: 10, recordID: devEUI })).totalCount, '0');
    });

    it('continues the session of a device with downlink counters that were not used', async () => {
      const { devEUI } = await createActivatedDevice(app, surroundings);
      const { deviceActivation: before } = await app.call(device.getActivation, { devEUI });
      await app.call(device.delete, { devEUI });
      await restore(devEUI);
      const { deviceActivation: then } = await app.call(device.getActivation, { devEUI });
      assert.deepEqual(then, { ...before, nFCntDown: 100, aFCntDown: 100 });
    });

    it('keeps the DevNonces of a device', async () => {
      const devEUI = await createDevice(app, surroundings);
      const { query } = app.parts.database;
      const of = { network_server_id: 1, dev_eui: devEUI, join_eui: '0000000000000001', join_type: 'join' };
      await query
        .insertInto('ns_activation')
        .values({ ...of, dev_nonce: 7, dev_addr: '01020304', at: 1 })
        .execute();
      const nonces = () =>
        query.selectFrom('ns_activation').select('dev_nonce').where('dev_eui', '=', devEUI).execute();
      await app.call(device.delete, { devEUI });
      assert.deepEqual(await nonces(), []);
      await restore(devEUI);
      assert.deepEqual(await nonces(), [{ dev_nonce: 7 }]);
    });

    it('says where another device has the EUI now, and hides the events of each from the other', async () => {
      const record = async () => {
        const events = [pendingEvent('up', devEUI, { fCnt: 1, fPort: 1, data: new Uint8Array() })];
        const run = async () => {
          await enact(app.parts.recorder.record({ about: 'a test', devEUI, events, at: new Date() }));
          return true;
        };
        await app.parts.database.commit({ run });
      };
      const eventCount = async () => (await app.call(history.list, { devEUI })).result.length;
      const devEUI = await createDevice(app, surroundings);
      await record();
      await app.call(device.delete, { devEUI });
      await createDevice(app, surroundings, { devEUI, name: 'another' });
      assert.equal(await eventCount(), 0);
      await record();
      assert.equal(await eventCount(), 1);
      const { id } = await entryOf(devEUI);
      const { name } = (await app.call(application.get, { id: surroundings.applicationID })).application!;
      const reason = `A device with this EUI exists now in ${name}. Delete it or change its EUI, then restore again.`;
      assert.deepEqual(await app.call(trash.restore, { id }), {
        restoredCount: 0,
        refusedCount: 1,
        refused: [{ kind: 'DEVICE', recordID: devEUI, name: devEUI, reason }],
        jobID: '',
      });
      const elsewhere = await createSurroundings(app);
      await app.call(device.delete, { devEUI });
      await createDevice(app, elsewhere, { devEUI });
      const { refused: hidden } = await app.call(trash.restore, { id });
      assert.match(hidden[0]!.reason, /^A device with this EUI exists now\. /);
      await app.call(device.delete, { devEUI });
      assert.deepEqual(await app.call(trash.restore, { id }), restored(1));
      assert.equal(await eventCount(), 0);
    });

    it('restores an application with devices, groups and integrations, which have their members and secrets', async () => {
      const own = await createSurroundings(app);
      const { applicationID } = own;
      const devEUIs = [];
      for (let count = 0; count < 3; count++) devEUIs.push(await createDevice(app, own));
      const groupID = await createMulticastGroup(app, { applicationID });
      await app.call(multicastGroup.addDevice, { multicastGroupID: groupID, devEUI: devEUIs[0]! });
      const integration = {
        applicationID,
        uplinkDataURL: 'http://example.org/hook',
        headers: [{ key: 'a', value: 'b' }],
      };
      await app.call(application.createHTTPIntegration, { integration });
      const wholly = async () => ({
        application: await app.call(application.get, { id: applicationID }),
        devices: (await app.call(device.list, { applicationID, limit: 10 })).result,
        group: (await app.call(multicastGroup.get, { id: groupID })).multicastGroup,
        members: (await app.call(device.list, { multicastGroupID: groupID, limit: 10 })).result,
        integration: await app.call(application.getHTTPIntegration, { applicationID }),
      });
      const { contents, days } = await app.call(trash.getContents, { applicationID });
      assert.deepEqual(
        [contents, days],
        [
          [
            { kind: 'DEVICE', count: 3 },
            { kind: 'INTEGRATION', count: 1 },
            { kind: 'MULTICAST_GROUP', count: 1 },
          ],
          30,
        ],
      );
      const before = await wholly();
      await app.call(application.delete, { id: applicationID });
      await refused(5, app.call(application.get, { id: applicationID }));
      assert.deepEqual(await restore(applicationID), restored(6));
      const fCnt = before.group!.fCnt + 100;
      assert.deepEqual(await wholly(), { ...before, group: { ...before.group, fCnt } });
      assert.deepEqual(await deviceCounts(own), [3, 3]);
    });

    it('restores an organization with members, profiles, gateways, applications and devices', async () => {
      const own = await createSurroundings(app);
      const { organizationID, applicationID } = own;
      const devEUI = await createDevice(app, own);
      const gatewayID = await createGateway(app, organizationID);
      const user = await createUser(app, { organizations: [{ organizationID, isAdmin: true }] });
      const wholly = async (token?: string) => ({
        organization: await app.call(organization.get, { id: organizationID }, token),
        device: await app.call(device.get, { devEUI }, token),
        gateway: await app.call(gateway.get, { id: gatewayID }, token),
        application: await app.call(application.get, { id: applicationID }, token),
      });
      const before = await wholly(user.token);
      await app.call(organization.delete, { id: organizationID });
      await refused(7, app.call(organization.get, { id: organizationID }, user.token));
      assert.deepEqual(await restore(organizationID), restored(6));
      assert.deepEqual(await wholly(user.token), before);
      assert.deepEqual(await deviceCounts(own), [1, 1]);
    });

    it('restores profiles and gateways', async () => {
      const { organizationID } = surroundings;
      const made = {
        DEVICE_PROFILE: await createDeviceProfile(app, { organizationID, tags: { a: 'b' } }),
        SERVICE_PROFILE: await createServiceProfile(app, { organizationID }),
        GATEWAY: await createGateway(app, organizationID),
      };
      const calls = {
        DEVICE_PROFILE: operations.deviceProfile,
        SERVICE_PROFILE: operations.serviceProfile,
        GATEWAY: gateway,
      };
      for (const [kind, id] of Object.entries(made) as [keyof typeof calls, string][]) {
        const { get, delete: remove } = calls[kind] as typeof gateway;
        const { createdAt: _created, updatedAt: _updated, ...before } = await app.call(get, { id });
        await app.call(remove, { id });
        await refused(5, app.call(get, { id }));
        assert.equal((await entryOf(id)).kind, kind satisfies TrashKindName);
        assert.deepEqual(await restore(id), restored(1));
        const { createdAt: _restored, updatedAt: _changed, ...after } = await app.call(get, { id });
        assert.deepEqual(after, before);
      }
    });

    it('restores what fits and names what does not', async () => {
      const own = await createSurroundings(app);
      const { applicationID, organizationID } = own;
      const [first, second] = [await createDevice(app, own), await createDevice(app, own)];
      await app.call(application.delete, { id: applicationID });
      const { organization: limits } = await app.call(organization.get, { id: organizationID });
      await app.call(organization.update, { organization: { ...limits, maxDeviceCount: 1 } });
      const { restoredCount, refused: refusals } = await restore(applicationID);
      assert.equal(restoredCount, 2);
      assert.match(refusals[0]!.reason, /reached its limit of 1 device/);
      assert.equal(refusals.length, 1);
      const { contents } = await entryOf(applicationID);
      assert.deepEqual(contents, [{ kind: 'DEVICE', count: 1 }]);
      await app.call(organization.update, { organization: { ...limits, maxDeviceCount: 0 } });
      assert.deepEqual(await restore(applicationID), restored(1));
      for (const devEUI of [first, second]) await app.call(device.get, { devEUI });
    });

    it('needs the rights to create the record at that moment', async () => {
      const own = await createSurroundings(app);
      const membership = { organizationID: own.organizationID, isDeviceAdmin: true };
      const user = await createUser(app, { organizations: [membership] });
      const devEUI = await createDevice(app, own);
      const gatewayID = await createGateway(app, own.organizationID);
      await app.call(device.delete, { devEUI });
      await app.call(gateway.delete, { id: gatewayID });
      const { result } = await app.call(trash.list, { organizationID: own.organizationID, limit: 10 }, user.token);
      assert.deepEqual(
        result.map(({ kind }) => kind),
        ['DEVICE'],
      );
      const { id } = await entryOf(gatewayID);
      await refused(7, app.call(trash.restore, { id }, user.token));
      await refused(7, app.call(trash.delete, { id }, user.token));
      assert.deepEqual(await restore(devEUI, user.token), restored(1));
    });

    it('restores a device for a device administrator limited to its application, who sees no other', async () => {
      const own = await createSurroundings(app);
      const other = await createDevice(app, {
        ...own,
        ...(await createSurroundings(app, {}, { organizationID: own.organizationID })),
      });
      const devEUI = await createDevice(app, own);
      const { organizationID, applicationID } = own;
      const user = await createUser(app, { organizations: [{ organizationID, isDeviceAdmin: true }] });
      const limit = (rights: object) =>
        app.call(organization.updateUser, {
          organizationUser: { organizationID, userID: user.id, applicationIDs: [applicationID], ...rights },
        });
      await limit({ isDeviceAdmin: true });
      await app.call(device.delete, { devEUI }, user.token);
      await app.call(device.delete, { devEUI: other });
      const listed = () => app.call(trash.list, { organizationID, limit: 10 }, user.token);
      const { result, totalCount } = await listed();
      assert.deepEqual([totalCount, result.map(({ recordID }) => recordID)], ['1', [devEUI]]);
      const { id } = await entryOf(other);
      await refused(7, app.call(trash.restore, { id }, user.token));
      await refused(7, app.call(trash.delete, { id }, user.token));
      assert.deepEqual(await restore(devEUI, user.token), restored(1));
      await limit({ isReadOnly: true });
      await refused(7, listed());
    });

    it('continues a deletion that was interrupted in the same entry, and restores what it had deleted', async () => {
      const own = await createSurroundings(app);
      const { applicationID } = own;
      for (let count = 0; count < 60; count++) await createDevice(app, own);
      const network = await app.parts.networks.of(1);
      const { deleteDevice } = network;
      let deleted = 0;
      const failing = mock.method(network, 'deleteDevice', (request: Parameters<typeof deleteDevice>[0]) =>
        ++deleted > 55 ? Promise.reject(new RpcError('Unavailable', 'gone')) : deleteDevice(request),
      );
      await refused(14, app.call(application.delete, { id: applicationID }));
      failing.mock.restore();
      const partial = await entryOf(applicationID);
      const remaining = Number((await app.call(device.list, { applicationID, limit: 1 })).totalCount);
      assert.ok(remaining >= 5 && remaining < 60, `${remaining} devices`);
      assert.deepEqual([partial.isPartial, partial.contents], [true, [{ kind: 'DEVICE', count: 60 - remaining }]]);
      await app.call(application.delete, { id: applicationID });
      const whole = await entryOf(applicationID);
      assert.deepEqual([whole.id, whole.isPartial], [partial.id, false]);
      assert.deepEqual(await restore(applicationID), restored(61));
      assert.deepEqual(await deviceCounts(own), [60, 60]);
    });

    it('restores many devices by a job while others send, and refuses what does not fit', async () => {
      const own = await createSurroundings(app);
      const { applicationID, organizationID } = own;
      const devEUIs: string[] = [];
      const create = async () => devEUIs.push(await createDevice(app, own));
      while (devEUIs.length < 210) await Promise.all(Array.from({ length: 10 }, create));
      await using radio = await simulateGateway(app, await createGateway(app, surroundings.organizationID));
      const { devEUI, start } = await createActivatedDevice(app, surroundings);
      const other = start();
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      /** Sends the uplinks of another device one after the other for as long as this takes. */
      const whileSending = async <T>(work: Promise<T>): Promise<T> => {
        let isOver = false;
        const sending = (async () => {
          while (!isOver) {
            radio.receiveFrame(other.uplink({ fPort: 1 }));
            await events.next();
          }
        })();
        const result = await work.finally(() => (isOver = true));
        await sending;
        return result;
      };
      await whileSending(app.call(application.delete, { id: applicationID }));
      await createDevice(app, surroundings, { devEUI: devEUIs[7]! });
      await app.parts.jobs.running.stop();
      const { jobID, ...containers } = await restore(applicationID);
      assert.deepEqual(containers, { restoredCount: 1, refusedCount: 0, refused: [] });
      assert.match((await refused(9, restore(applicationID))).message, /is being restored already/);
      app.parts.jobs.running.start();
      const done = await whileSending(jobEnded(jobID));
      assert.deepEqual([done.state, done.total, done.done, done.refused], ['DONE', 210, 209, 1]);
      const { result } = await app.call(job.listRows, { id: jobID, outcome: 'REFUSED', limit: 10 });
      assert.deepEqual(
        result.map(({ subject, reason }) => [subject, reason]),
        [[devEUIs[7], 'RESTORE_TAKEN']],
      );
      assert.deepEqual(await deviceCounts(own), [209, 209]);
      assert.equal((await app.call(job.list, { organizationID, limit: 1 })).result[0]!.id, jobID);
      assert.deepEqual((await entryOf(applicationID)).contents, [{ kind: 'DEVICE', count: 1 }]);
    });

    it('removes an entry on request, after its time, and the oldest of an organization that has too many', async () => {
      const own = await createSurroundings(app);
      const devEUIs = [];
      for (let count = 0; count < 3; count++) {
        const devEUI = await createDevice(app, own);
        await app.call(device.delete, { devEUI });
        devEUIs.push(devEUI);
      }
      const left = async () => {
        const { result } = await app.call(trash.list, { organizationID: own.organizationID, limit: 10 });
        return result.map(({ recordID }) => recordID);
      };
      assert.deepEqual(await left(), devEUIs.toReversed());
      await app.call(trash.delete, { id: (await entryOf(devEUIs[2]!)).id });
      assert.deepEqual(await left(), [devEUIs[1], devEUIs[0]]);
      const { bytes } = await app.parts.database.query
        .selectFrom('trash')
        .select('bytes')
        .where('record_id', '=', devEUIs[1]!)
        .executeTakeFirstOrThrow();
      const needs = { ...app.parts, steadyTime: { now: () => Date.now() } };
      const { query } = app.parts.database;
      const sizes = query.selectFrom('trash').select((eb) => eb.fn.max('bytes').as('most'));
      const { most } = await sizes.executeTakeFirstOrThrow();
      assert.ok(bytes > 0 && most >= bytes);
      await new TrashRetention({ ...needs, mostBytes: bytes + 10 }).round();
      assert.deepEqual(await left(), [devEUIs[1]]);
      const later = Date.now() + 31 * 86_400_000;
      await new TrashRetention({ ...needs, steadyTime: { now: () => later } }).round();
      assert.deepEqual(await left(), []);
    });
  });

  describe(`trash that is off on ${database}`, () => {
    it('deletes for good', async () => {
      await using app = await startTestApp(database, { trashDays: '0' });
      const surroundings = await createSurroundings(app);
      const devEUI = await createDevice(app, surroundings);
      await app.call(device.delete, { devEUI });
      await app.call(organization.delete, { id: surroundings.organizationID });
      const { totalCount, days } = await app.call(trash.list, { limit: 10 });
      assert.deepEqual([totalCount, days], ['0', 0]);
      const rows = await app.parts.database.query.selectFrom('trash_row').select('id').execute();
      assert.deepEqual(rows, []);
    });
  });

  const deviceAdmins: PrincipalName[] = [
    'deviceAdmin',
    'organizationAdmin',
    'globalAdmin',
    'adminKey',
    'organizationKey',
  ];
  const everyAdmin: PrincipalName[] = [...deviceAdmins, 'gatewayAdmin'];
  const deletedDevice = async ({ app, organizationID, applicationID }: Side) => {
    const deviceProfileID = await createDeviceProfile(app, { organizationID });
    const devEUI = await createDevice(app, { applicationID, deviceProfileID, organizationID, serviceProfileID: '' });
    await app.call(device.delete, { devEUI });
    const { result } = await app.call(trash.list, { limit: 1, recordID: devEUI });
    return { id: result[0]!.id };
  };
  describeAccess(database, 'trash', [
    row(trash.list, ({ organizationID }) => ({ organizationID }), everyAdmin),
    row(trash.list, () => ({}), ['globalAdmin', 'adminKey'], ['globalAdmin', 'adminKey']),
    row(trash.restore, deletedDevice, deviceAdmins),
    row(trash.delete, deletedDevice, deviceAdmins),
    row(trash.getContents, ({ organizationID }) => ({ organizationID }), [
      'organizationAdmin',
      'globalAdmin',
      'adminKey',
      'organizationKey',
    ]),
  ]);
}
