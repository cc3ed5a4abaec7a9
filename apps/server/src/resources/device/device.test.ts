import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { operations } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import { systemClock } from '../../clock.ts';
import { describeAccess, type PrincipalName, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases, instanceCount } from '../../testing/databases.ts';
import {
  createAPIKey,
  createApplication,
  createDeviceProfile,
  createOrganization,
  createServiceProfile,
  networkServerID,
} from '../../testing/factories.ts';
import { createDevice, createSurroundings, type FieldContext, nwkKey } from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { insertKeys } from './keys.ts';

const { device } = operations;
const unknown = 'ffffffffffffff00';
let counted = 0;
const freshEUI = () => (0xd0_0000_0000 + (counted += 1)).toString(16).padStart(16, '0');

for (const database of databases) {
  describe(`device on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      surroundings = await createSurroundings(app);
    });
    after(() => app[Symbol.asyncDispose]());

    it('stores its description here and its radio settings at the network server', async () => {
      const { applicationID, deviceProfileID } = surroundings;
      const given = {
        devEUI: freshEUI(),
        name: 'soil-1',
        applicationID,
        description: 'in the bed',
        deviceProfileID,
        skipFCntCheck: true,
        referenceAltitude: 12.5,
        variables: { place: 'bed' },
        tags: { site: 'north' },
        isDisabled: true,
      };
      await app.call(device.create, { device: given });
      const { device: read, ...status } = await app.call(device.get, { devEUI: given.devEUI });
      assert.deepEqual(read, given);
      assert.deepEqual(status, {
        lastSeenAt: null,
        deviceStatusBattery: 256,
        deviceStatusMargin: 256,
        location: null,
      });
    });

    it('gets its EUI as name when none is given, and keeps an existing name', async () => {
      const devEUI = await createDevice(app, surroundings, { name: '  ' });
      const { device: read } = await app.call(device.get, { devEUI });
      assert.equal(read.name, devEUI);
      await refused(3, app.call(device.update, { device: { ...read, name: ' ' } }));
    });

    it('refuses a name that is not words, numbers and dashes, unless an older version stored it', async () => {
      const { applicationID, deviceProfileID } = surroundings;
      const description = 'The name may only contain words, numbers and dashes.';
      for (const name of ['soil 1', 'sôil', ' soil', 'soil/1']) {
        const given = { devEUI: freshEUI(), name, applicationID, deviceProfileID };
        const { fieldViolations } = await refused(3, app.call(device.create, { device: given }));
        assert.deepEqual(fieldViolations, [{ field: 'device.name', description }]);
      }
      const devEUI = await createDevice(app, surroundings, { name: 'Soil_1-b' });
      const { device: read } = await app.call(device.get, { devEUI });
      await refused(3, app.call(device.update, { device: { ...read, name: 'soil 2' } }));
      const rows = app.parts.database.query.updateTable('device').where('dev_eui', '=', devEUI);
      await rows.set({ name: 'soil 1' }).execute();
      await app.call(device.update, { device: { ...read, name: 'soil 1', description: 'in the bed' } });
      const { device: changed } = await app.call(device.get, { devEUI });
      assert.deepEqual([changed.name, changed.description], ['soil 1', 'in the bed']);
    });

    it('is replaced by an update', async () => {
      const devEUI = await createDevice(app, surroundings, { tags: { a: 'b' }, skipFCntCheck: true });
      const { applicationID, deviceProfileID } = surroundings;
      await app.call(device.update, { device: { devEUI, name: 'other', applicationID, deviceProfileID } });
      const { device: read } = await app.call(device.get, { devEUI });
      assert.deepEqual([read.name, read.tags, read.skipFCntCheck], ['other', {}, false]);
    });

    it('moves only between applications with the same service-profile', async () => {
      const { organizationID, serviceProfileID, deviceProfileID } = surroundings;
      const devEUI = await createDevice(app, surroundings);
      const count = async (id: string) => (await app.call(device.list, { applicationID: id })).totalCount;
      const alike = await createApplication(app, { organizationID, serviceProfileID });
      const before = Number(await count(surroundings.applicationID));
      await app.call(device.update, { device: { devEUI, name: 'moved', applicationID: alike, deviceProfileID } });
      assert.deepEqual([await count(alike), await count(surroundings.applicationID)], ['1', String(before - 1)]);
      const other = await createApplication(app, {
        organizationID,
        serviceProfileID: await createServiceProfile(app, { organizationID }),
      });
      const move = app.call(device.update, { device: { devEUI, name: 'x', applicationID: other, deviceProfileID } });
      await refused(3, move);
    });

    it('refuses what is not valid', async () => {
      const { applicationID, deviceProfileID } = surroundings;
      const create = (change: object) =>
        app.call(device.create, { device: { devEUI: freshEUI(), applicationID, deviceProfileID, ...change } });
      await refused(3, create({ devEUI: '0102' }));
      await refused(3, create({ name: 'x'.repeat(101) }));
      await refused(3, create({ deviceProfileID: await createDeviceProfile(app) }));
      await refused(5, create({ deviceProfileID: crypto.randomUUID() }));
      await refused(5, create({ applicationID: '999999' }));
      const taken = await createDevice(app, surroundings, { name: 'taken' });
      await refused(6, create({ devEUI: taken }));
      await refused(6, create({ name: 'taken' }));
      await refused(5, app.call(device.get, { devEUI: unknown }));
      await refused(5, app.call(device.delete, { devEUI: unknown }));
    });

    it('counts against the quota of its organization, until it is deleted', async () => {
      const organizationID = await createOrganization(app, { maxDeviceCount: 1 });
      const serviceProfileID = await createServiceProfile(app, { organizationID });
      const deviceProfileID = await createDeviceProfile(app, { organizationID });
      const applicationID = await createApplication(app, { organizationID, serviceProfileID });
      const small = { organizationID, serviceProfileID, deviceProfileID, applicationID };
      const devEUI = await createDevice(app, small);
      await refused(9, createDevice(app, small));
      assert.equal((await app.call(device.list, { applicationID })).totalCount, '1');
      await app.call(device.delete, { devEUI });
      assert.equal((await app.call(device.list, { applicationID })).totalCount, '0');
      await createDevice(app, small);
    });

    it('is created together with others, each of which can be refused alone', async () => {
      const small = await createSurroundings(app);
      const { organizationID, applicationID } = small;
      const { organization } = operations;
      const { organization: whole } = await app.call(organization.get, { id: organizationID });
      await app.call(organization.update, { organization: { ...whole, maxDeviceCount: 20 } });
      const some = Array.from({ length: 8 }, freshEUI);
      const make = (devEUIs: readonly string[]) =>
        Promise.allSettled(
          devEUIs.map(async (devEUI) => createDevice(app, small, { devEUI, tags: { of: `"${devEUI}"` } })),
        );
      const count = async (outcomes: PromiseSettledResult<string>[]) => [
        outcomes.filter(({ status }) => status === 'fulfilled').length,
        Number((await app.call(device.list, { applicationID })).totalCount),
      ];
      assert.deepEqual(await count(await make(some)), [8, 8]);
      const again = await make([some[3]!, ...Array.from({ length: 7 }, freshEUI), some[5]!]);
      assert.deepEqual(await count(again), [7, 15]);
      for (const one of again) if (one.status === 'rejected') assert.match(String(one.reason), /code: 6/);
      const twin = freshEUI();
      assert.deepEqual(await count(await make([twin, twin, freshEUI()])), [2, 17]);
      const last = await make(Array.from({ length: 6 }, freshEUI));
      assert.deepEqual(await count(last), [3, 20]);
      for (const devEUI of some) {
        const { device: read } = await app.call(device.get, { devEUI });
        assert.deepEqual([read.name, read.tags], [devEUI, { of: `"${devEUI}"` }]);
        const { deviceKeys } = await app.call(device.getKeys, { devEUI });
        assert.equal(deviceKeys.nwkKey, nwkKey);
        // Finds each, whether the text index has it yet or not.
        const found = await app.call(device.list, { applicationID, search: devEUI.slice(2), limit: 1 });
        assert.equal(found.totalCount, '1');
      }
    });

    it('is on every page of its own application, whatever the page size', async () => {
      const [ownApplication, otherApplication] = [await createSurroundings(app), await createSurroundings(app)];
      const names = Array.from({ length: 24 }, (_, nth) => `Page-${String(nth).padStart(2, '0')}`);
      for (const name of names)
        for (const context of [ownApplication, otherApplication])
          await createDevice(app, context, { name: context === ownApplication ? name : name.toLowerCase() });
      for (let limit = 1; limit <= names.length + 1; limit++)
        for (const offset of [0, 3, 20]) {
          const { totalCount, result } = await app.call(device.list, {
            applicationID: ownApplication.applicationID,
            limit,
            offset,
          });
          assert.equal(totalCount, '24');
          assert.deepEqual(
            result.map(({ name }) => name),
            names.slice(offset, offset + limit),
          );
        }
    });

    // Skipped with several instances: the test changes one server in its own process.
    if (instanceCount === 0)
      it('is not stored when the network server refuses it', async () => {
        const network = await app.parts.networks.of(Number(networkServerID));
        const count = async () => (await app.call(device.list, surroundings)).totalCount;
        const before = await count();
        const failing = mock.method(network, 'createDevice', () => Promise.reject(new Error('out of order')));
        const devEUI = freshEUI();
        await refused(13, createDevice(app, surroundings, { devEUI }));
        failing.mock.restore();
        assert.equal(await count(), before);
        await createDevice(app, surroundings, { devEUI });
      });

    it('is deleted with its application, at the network server too', async () => {
      const { organizationID, serviceProfileID } = surroundings;
      const applicationID = await createApplication(app, { organizationID, serviceProfileID });
      const devEUI = await createDevice(app, { ...surroundings, applicationID });
      await app.call(operations.application.delete, { id: applicationID });
      await refused(5, app.call(device.get, { devEUI }));
      const network = await app.parts.networks.of(Number(networkServerID));
      await assert.rejects(network.getDevice({ devEui: Uint8Array.fromHex(devEUI) }), { code: 'NotFound' });
    });

    it('is listed by name, found by name, EUI or tags, with the true count', async () => {
      const context = await createSurroundings(app);
      const { applicationID, serviceProfileID } = context;
      const plum = await createDevice(app, context, { name: 'Plum', tags: { site: 'north', kind: 'tree' } });
      for (const name of ['cherry', 'apple', 'banana'])
        await createDevice(app, context, { name, tags: { site: 'south' } });
      const names = async (request: object) => {
        const { totalCount, result } = await app.call(device.list, { applicationID, limit: 10, ...request });
        return [totalCount, ...result.map((one) => one.name)];
      };
      assert.deepEqual(await names({ limit: 0 }), ['4']);
      assert.deepEqual(await names({ limit: 2, offset: 1 }), ['4', ...(await names({})).slice(2, 4)]);
      assert.deepEqual(await names({ search: 'AN' }), ['1', 'banana']);
      assert.deepEqual(await names({ search: plum.slice(2, 12) }), ['1', 'Plum']);
      assert.deepEqual(await names({ serviceProfileID, applicationID: '0' }), await names({}));
      assert.deepEqual(await names({ serviceProfileID: crypto.randomUUID() }), ['0']);
      assert.deepEqual(await names({ multicastGroupID: crypto.randomUUID() }), ['0']);
      const response = await app.fetch(
        `/api/devices?limit=9&applicationID=${applicationID}&tags[site]=north&tags[kind]=tree`,
        {
          headers: { Authorization: `Bearer ${app.adminToken}` },
        },
      );
      const { totalCount, result } = (await response.json()) as { totalCount: string; result: { devEUI: string }[] };
      assert.deepEqual([totalCount, result.map((one) => one.devEUI)], ['1', [plum]]);
    });

    it('is listed in the same order from both ends', async () => {
      const context = await createSurroundings(app);
      const names = ['a', 'B', 'c', 'D', 'e', 'F', 'g'];
      for (const name of names.toReversed()) await createDevice(app, context, { name });
      for (let offset = 0; offset <= 8; offset += 1)
        for (const limit of [0, 1, 2, 3, 7, 10]) {
          const page = { applicationID: context.applicationID, limit, offset };
          const { totalCount, result } = await app.call(operations.device.list, page);
          assert.deepEqual(
            [totalCount, result.map(({ name }) => name)],
            ['7', names.slice(offset, offset + limit)],
            JSON.stringify(page),
          );
        }
    });

    it('shows the battery level it reported', async () => {
      const context = await createSurroundings(app);
      const devEUI = await createDevice(app, context);
      const shown = async (change: object) => {
        await app.parts.database.query.updateTable('device').set(change).where('dev_eui', '=', devEUI).execute();
        const [item] = (await app.call(device.list, { applicationID: context.applicationID, limit: 1 })).result;
        const { deviceStatusBattery: battery, deviceStatusBatteryLevel: level } = item!;
        const { deviceStatusBatteryLevelUnavailable: unavailable, deviceStatusExternalPowerSource: external } = item!;
        return { battery, level, unavailable, external, margin: item!.deviceStatusMargin };
      };
      const never = { battery: 255, level: 0, unavailable: true, external: false, margin: 256 };
      assert.deepEqual(await shown({ margin: null }), never);
      const half = { battery: 75, level: 75.59, unavailable: false, external: false, margin: -3 };
      assert.deepEqual(await shown({ battery_level: 75.59, margin: -3 }), half);
      const plugged = { battery: 0, level: 0, unavailable: false, external: true, margin: -3 };
      assert.deepEqual(await shown({ battery_level: null, external_power_source: true }), plugged);
    });

    it('has keys, sealed where they are stored', async () => {
      const { applicationID, deviceProfileID } = surroundings;
      const devEUI = freshEUI();
      await refused(5, app.call(device.createKeys, { deviceKeys: { devEUI, nwkKey } }));
      await app.call(device.create, { device: { devEUI, applicationID, deviceProfileID } });
      await refused(5, app.call(device.getKeys, { devEUI }));
      await refused(5, app.call(device.updateKeys, { deviceKeys: { devEUI, nwkKey } }));
      await refused(3, app.call(device.createKeys, { deviceKeys: { devEUI, nwkKey: '00' } }));
      await app.call(device.createKeys, { deviceKeys: { devEUI, nwkKey: nwkKey.toUpperCase() } });
      const description = `The device ${devEUI} has keys already. Replace them by PUT /api/devices/${devEUI}/keys.`;
      const again = await refused(6, app.call(device.createKeys, { deviceKeys: { devEUI, nwkKey } }));
      assert.deepEqual(again.fieldViolations, [{ field: 'deviceKeys.devEUI', description }]);
      const { deviceKeys } = await app.call(device.getKeys, { devEUI });
      assert.deepEqual(deviceKeys, { devEUI, nwkKey, appKey: '0'.repeat(32), genAppKey: '' });
      const { query } = app.parts.database;
      const stored = query.selectFrom('device_keys').selectAll().where('dev_eui', '=', devEUI);
      assert.ok(!(await stored.executeTakeFirstOrThrow()).nwk_key.toHex().includes(nwkKey));
      await query.updateTable('device_keys').set({ join_nonce: 7 }).where('dev_eui', '=', devEUI).execute();
      await app.call(device.updateKeys, { deviceKeys: { devEUI, nwkKey, appKey: 'f'.repeat(32) } });
      assert.equal((await app.call(device.getKeys, { devEUI })).deviceKeys.appKey, 'f'.repeat(32));
      assert.equal((await stored.executeTakeFirstOrThrow()).join_nonce, 7);
      await app.call(device.deleteKeys, { devEUI });
      await refused(5, app.call(device.deleteKeys, { devEUI }));
    });

    it('new keys of a device begin above each JoinNonce of its earlier keys, after a minute', async () => {
      const devEUI = freshEUI();
      const { applicationID, deviceProfileID } = surroundings;
      await app.call(device.create, { device: { devEUI, applicationID, deviceProfileID } });
      const { database, secrets } = app.parts;
      const deviceKeys = { devEUI, nwkKey: 'a'.repeat(32), appKey: '', genAppKey: '' };
      const nonceSetAt = async (now: string) => {
        const clock = { ...systemClock, now: () => new Date(now) };
        await insertKeys({ database, secrets, clock }, deviceKeys);
        const row = database.query.selectFrom('device_keys').select('join_nonce').where('dev_eui', '=', devEUI);
        const { join_nonce } = await row.executeTakeFirstOrThrow();
        await app.call(device.deleteKeys, { devEUI });
        return join_nonce;
      };
      assert.equal(await nonceSetAt('1970-01-01T00:00:00Z'), 0);
      const [first, second] = [await nonceSetAt('2026-11-28T03:00:00Z'), await nonceSetAt('2026-11-28T03:01:00Z')];
      assert.deepEqual([first, second], [476_820, 476_821]);
      assert.equal(await nonceSetAt('2100-01-01T00:00:00Z'), 0xff_00_00);
    });

    it('new keys begin above each JoinNonce of earlier keys also when these used many, and so do restored ones', async () => {
      const { query } = app.parts.database;
      const deviceKeys = { devEUI: freshEUI(), nwkKey: 'a'.repeat(32), appKey: '', genAppKey: '' };
      const { devEUI } = deviceKeys;
      const { applicationID, deviceProfileID } = surroundings;
      const create = () => app.call(device.create, { device: { devEUI, applicationID, deviceProfileID } });
      const nonce = async () => {
        const row = query.selectFrom('device_keys').select('join_nonce').where('dev_eui', '=', devEUI);
        return (await row.executeTakeFirstOrThrow()).join_nonce;
      };
      const join = async (times: number) => {
        const last = (await nonce()) + times;
        await query.updateTable('device_keys').set({ join_nonce: last }).where('dev_eui', '=', devEUI).execute();
        return last;
      };
      const restore = async () => {
        const { result } = await app.call(operations.trash.list, { recordID: devEUI, limit: 10 });
        // The oldest one: its keys have used the fewest.
        await app.call(operations.trash.restore, { id: result.at(-1)!.id });
      };

      await create();
      await app.call(device.createKeys, { deviceKeys });
      const first = await join(5000);
      await app.call(device.deleteKeys, { devEUI });
      await app.call(device.createKeys, { deviceKeys });
      assert.equal(await nonce(), first);
      const second = await join(10);
      await app.call(device.delete, { devEUI });
      await create();
      await app.call(device.createKeys, { deviceKeys });
      assert.equal(await nonce(), second);
      const third = await join(10);
      await app.call(device.delete, { devEUI });
      await restore();
      assert.equal(await nonce(), third);
      // As if a minute later: new keys would begin above it.
      await query.updateTable('device_keys').set({ join_nonce: 7 }).where('dev_eui', '=', devEUI).execute();
      await query.deleteFrom('former_join_nonce').execute();
      await app.call(device.deleteKeys, { devEUI });
      assert.deepEqual(await query.selectFrom('former_join_nonce').selectAll().execute(), []);
    });

    it('is activated by personalization, and deactivated', async () => {
      const devEUI = await createDevice(app, surroundings);
      await refused(5, app.call(device.getActivation, { devEUI }));
      const { devAddr } = await app.call(device.getRandomDevAddr, { devEUI });
      assert.match(devAddr, /^[0-9a-f]{8}$/);
      const activation = {
        devEUI,
        devAddr,
        appSKey: '1'.repeat(32),
        nwkSEncKey: '2'.repeat(32),
        sNwkSIntKey: '2'.repeat(32),
        fNwkSIntKey: '2'.repeat(32),
        fCntUp: 10,
        nFCntDown: 11,
        aFCntDown: 12,
      };
      await refused(3, app.call(device.activate, { deviceActivation: { ...activation, appSKey: '' } }));
      await app.call(device.activate, { deviceActivation: activation });
      const read = (await app.call(device.getActivation, { devEUI })).deviceActivation;
      assert.deepEqual({ ...read, aFCntDown: 12 }, activation);
      const { organizationID } = surroundings;
      const keysSeenBy = async (access: 'READ' | 'READ_AND_SEND') => {
        const { token } = await createAPIKey(app, { organizationID, access });
        const { devAddr: address, ...of } = (await app.call(device.getActivation, { devEUI }, token)).deviceActivation;
        return [address, of.appSKey, of.nwkSEncKey, of.sNwkSIntKey, of.fNwkSIntKey];
      };
      assert.deepEqual(await keysSeenBy('READ'), [devAddr, '', '', '', ''], 'who cannot send sees no session keys');
      const { appSKey, nwkSEncKey, sNwkSIntKey, fNwkSIntKey } = activation;
      assert.deepEqual(await keysSeenBy('READ_AND_SEND'), [devAddr, appSKey, nwkSEncKey, sNwkSIntKey, fNwkSIntKey]);
      assert.deepEqual(await app.call(device.clearDeviceNonces, { devEUI }), {});
      assert.deepEqual(await app.call(device.deactivate, { devEUI }), {});
      assert.deepEqual(await app.call(device.deactivate, { devEUI }), {});
      await refused(5, app.call(device.getActivation, { devEUI }));
    });

    // Skipped with several instances: the test changes one server in its own process.
    if (instanceCount === 0)
      it('reports a network server that could not deactivate or forget, and succeeds when there was nothing to do', async (t) => {
        const devEUI = await createDevice(app, surroundings);
        const network = await app.parts.networks.of(Number(networkServerID));
        const fails = (code: 'Unavailable' | 'NotFound') => () => Promise.reject(new RpcError(code, 'It says so.'));
        for (const [method, operation] of [
          ['deactivateDevice', device.deactivate],
          ['clearDeviceNonces', device.clearDeviceNonces],
        ] as const) {
          const { mock } = t.mock.method(network, method, fails('Unavailable'));
          await refused(14, app.call(operation, { devEUI }));
          mock.mockImplementation(fails('NotFound'));
          assert.deepEqual(await app.call(operation, { devEUI }), {});
          mock.restore();
        }
      });

    it('has statistics for any period', async () => {
      const devEUI = await createDevice(app, surroundings);
      const at = Date.now();
      const counters = {
        rx_count: 2,
        gw_rssi_sum: -100,
        gw_snr_sum: 5,
        rx_dr_5: 2,
        rx_freq_868100000: 2,
        error_OTAA: 1,
      };
      await app.parts.statistics.record(`device:${devEUI}`, at, counters);
      const stats = (change: object) =>
        app.call(device.getStats, {
          devEUI,
          interval: 'day',
          startTimestamp: new Date(at - 86_400_000).toISOString(),
          endTimestamp: new Date(at).toISOString(),
          ...change,
        });
      const { result } = await stats({});
      const [empty, today] = result;
      assert.equal(result.length, 2);
      assert.deepEqual([empty?.rxPackets, empty?.gwRssi, empty?.errors], [0, 0, {}]);
      assert.deepEqual(
        { ...today, timestamp: null },
        {
          timestamp: null,
          rxPackets: 2,
          gwRssi: -50,
          gwSnr: 2.5,
          rxPacketsPerFrequency: { 868100000: 2 },
          rxPacketsPerDr: { 5: 2 },
          errors: { OTAA: 1 },
        },
      );
      await refused(3, stats({ interval: 'FORTNIGHT' }));
      await refused(3, stats({ interval: 'MINUTE', startTimestamp: '2000-01-01T00:00:00Z' }));
      await refused(3, stats({ startTimestamp: 'yesterday' }));
      await refused(5, stats({ devEUI: unknown }));
    });
  });

  const changers: PrincipalName[] = [
    'deviceAdmin',
    'organizationAdmin',
    'globalAdmin',
    'adminKey',
    'organizationKey',
    'applicationKey',
  ];
  const lookers: PrincipalName[] = [...readers, 'applicationKey'];
  const made = async ({ app, organizationID, applicationID }: Side) => {
    const deviceProfileID = await createDeviceProfile(app, { organizationID });
    const devEUI = freshEUI();
    await createDevice(app, { organizationID, serviceProfileID: '', deviceProfileID, applicationID }, { devEUI });
    return { devEUI, name: devEUI, applicationID, deviceProfileID };
  };
  const one = async (side: Side) => ({ devEUI: (await made(side)).devEUI });
  const keys = async (side: Side) => ({ deviceKeys: { ...(await one(side)), nwkKey } });
  const now = new Date().toISOString();

  describeAccess(database, 'device', [
    row(device.list, ({ applicationID }) => ({ applicationID }), lookers),
    row(device.list, () => ({}), ['globalAdmin'], ['globalAdmin']),
    row(device.get, one, lookers),
    row(
      device.create,
      async ({ app, organizationID, applicationID }) => {
        const deviceProfileID = await createDeviceProfile(app, { organizationID });
        return { device: { devEUI: freshEUI(), applicationID, deviceProfileID } };
      },
      changers,
    ),
    row(device.update, async (side) => ({ device: await made(side) }), changers),
    row(device.delete, one, changers),
    row(device.getKeys, one, changers),
    row(device.createKeys, keys, changers),
    row(device.updateKeys, keys, changers),
    row(device.deleteKeys, one, changers),
    row(
      device.activate,
      async (side) => ({
        deviceActivation: {
          ...(await one(side)),
          devAddr: '01020304',
          appSKey: nwkKey,
          nwkSEncKey: nwkKey,
          sNwkSIntKey: nwkKey,
          fNwkSIntKey: nwkKey,
        },
      }),
      changers,
    ),
    row(device.deactivate, one, changers),
    row(device.clearDeviceNonces, one, changers),
    row(device.getActivation, one, lookers),
    row(device.getRandomDevAddr, one, lookers),
    row(
      device.getStats,
      async (side) => ({ ...(await one(side)), interval: 'DAY', startTimestamp: now, endTimestamp: now }),
      lookers,
    ),
  ]);
}
