import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DeviceListItem, operations } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import type { Networks } from '../../network/network-servers.ts';
import { databases } from '../../testing/databases.ts';
import { createApplication } from '../../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createReceivedDevice,
  createSurroundings,
  type FieldContext,
  simulateDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';
import { DisabledMarks } from './disabled-marks.ts';

const { device, deviceProfile, gateway, organization } = operations;
const minuteMs = 60_000;

for (const database of databases) {
  describe(`the state of devices on ${database}`, () => {
    let app: TestApp;
    let context: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      context = await createSurroundings(app, { uplinkInterval: '3600s' });
    });
    after(() => app[Symbol.asyncDispose]());

    const set = (devEUI: string, values: object) =>
      app.parts.database.query.updateTable('device').set(values).where('dev_eui', '=', devEUI).execute();
    const seen = async (name: string, minutes: number, at = context) => {
      const devEUI = await createDevice(app, at, { name });
      const last_seen_at = new Date(Date.now() - minutes * minuteMs);
      await set(devEUI, { last_seen_at, seen_mark: last_seen_at });
      return devEUI;
    };
    const listed = async (request: object = {}, say: (row: DeviceListItem) => string = ({ name }) => name) => {
      const { applicationID } = context;
      const { totalCount, result } = await app.call(device.list, { applicationID, limit: 100, ...request });
      return [totalCount, result.map(say).join(' ')];
    };

    it('comes with the owners of a device on request', async () => {
      const devEUI = await createDevice(app, context, { name: 'owned' });
      const { result } = await app.call(device.list, {
        search: devEUI,
        include: ['applicationName', 'organization'],
        limit: 1,
      });
      const owner = await app.call(organization.get, { id: context.organizationID });
      const [{ applicationName, organizationID, organizationName } = {}] = result as Partial<DeviceListItem>[];
      assert.ok(applicationName);
      assert.deepEqual([organizationID, organizationName], [context.organizationID, owner.organization.name]);
      await app.call(device.delete, { devEUI });
      const id = await createGateway(app, context.organizationID);
      const named = await app.call(gateway.list, { search: id, include: ['organization'], limit: 1 });
      assert.equal(named.result[0]?.organizationName, owner.organization.name);
    });

    it('is returned on request, and filters the list', async () => {
      await seen('b-recent', 89);
      const low = await seen('c-silent', 91);
      await createDevice(app, context, { name: 'a-new' });
      const plugged = await seen('d-late', 1000);
      const other = { ...context, applicationID: await createApplication(app, context) };
      await seen('elsewhere', 1000, other);
      await set(low, { battery_level: 19.6 });
      await set(plugged, { battery_level: 3, external_power_source: true });

      const stated = ({ name, state }: DeviceListItem) => `${name}:${state}`;
      assert.deepEqual(await listed({ include: 'state' }, stated), [
        '4',
        'a-new:NEVER_SEEN b-recent:ACTIVE c-silent:INACTIVE d-late:INACTIVE',
      ]);
      assert.deepEqual(await listed({ limit: 1 }, stated), ['4', 'a-new:undefined']);
      assert.deepEqual(await listed({ filter: ['state:is:neverSeen'] }), ['1', 'a-new']);
      assert.deepEqual(await listed({ filter: ['state:is:inactive'] }), ['2', 'c-silent d-late']);
      assert.deepEqual(await listed({ filter: ['state:is:inactive'], orderBy: '-name', limit: 1, offset: 1 }), [
        '2',
        'c-silent',
      ]);
      assert.deepEqual(await listed({ filter: ['state:is:inactive'], search: 'late' }), ['1', 'd-late']);
      assert.deepEqual(await listed({ filter: ['battery:lt:20'] }), ['1', 'c-silent']);
      await assert.rejects(listed({ filter: ['broken'] }), { code: 3 });
      assert.deepEqual(await listed({ applicationID: '0', filter: ['state:is:inactive'], search: 'elsewhere' }), [
        '1',
        'elsewhere',
      ]);
    });

    it('follows the interval of the device-profile at once', async () => {
      const { deviceProfile: profile } = await app.call(deviceProfile.get, { id: context.deviceProfileID });
      await app.call(deviceProfile.update, { deviceProfile: { ...profile, uplinkInterval: '60s' } });
      assert.deepEqual(await listed({ filter: ['state:is:inactive'] }), ['3', 'b-recent c-silent d-late']);
      await app.call(deviceProfile.update, { deviceProfile: { ...profile, uplinkInterval: '86400s' } });
      assert.deepEqual(await listed({ filter: ['state:is:inactive'] }), ['0', '']);
      await app.call(deviceProfile.update, { deviceProfile: profile });
    });

    it('can be searched among very many devices', async () => {
      const many = { ...context, applicationID: await createApplication(app, context) };
      const pattern = await createDevice(app, many, { name: 'pattern' });
      const row = await app.parts.database.query
        .selectFrom('device')
        .selectAll()
        .where('dev_eui', '=', pattern)
        .executeTakeFirstOrThrow();
      const names = Array.from({ length: 2500 }, (_, index) => `many-${String(index).padStart(4, '0')}`);
      const { search_row: _, ...values } = row as typeof row & { search_row?: number };
      // A mark may be out of date: one of these devices has sent since.
      const markedMs = Date.now() - 90.5 * minuteMs;
      const rows = names.map((name, index) => ({
        ...values,
        dev_eui: `77${String(index).padStart(14, '0')}`,
        name,
        last_seen_at: new Date(index === 0 ? markedMs + 0.9 * minuteMs : markedMs),
        seen_mark: new Date(markedMs),
      }));
      for (let at = 0; at < rows.length; at += 500)
        await app.parts.database.query
          .insertInto('device')
          .values(rows.slice(at, at + 500))
          .execute();
      const { applicationID } = many;
      const page = { applicationID, filter: ['state:is:inactive'], limit: 2 };
      assert.deepEqual(await listed(page), ['2499', 'many-0001 many-0002']);
      assert.deepEqual(await listed({ ...page, offset: 2498 }), ['2499', 'many-2499']);
    });

    it('knows which devices are disabled, also those of an earlier release', async () => {
      const own = { ...context, applicationID: await createApplication(app, context) };
      const { applicationID } = own;
      const filter = ['state:is:disabled'];
      const disabled = await createDevice(app, own, { name: 'off', isDisabled: true });
      await createDevice(app, own, { name: 'on' });
      const said = ({ name, isDisabled }: DeviceListItem) => `${name}:${isDisabled}`;
      assert.deepEqual(await listed({ applicationID, include: 'state' }, said), ['2', 'off:true on:false']);
      await app.parts.database.query
        .updateTable('device')
        .set({ is_disabled: null })
        .where('application_id', '=', Number(applicationID))
        .execute();
      assert.deepEqual(await listed({ applicationID, filter }), ['0', '']);
      const fill = (networks: Pick<Networks, 'of'>) =>
        new DisabledMarks({ ...app.parts, networks }).fill(new AbortController().signal);
      const silent = async () => {
        throw new RpcError('Unavailable', 'The network-server does not respond.');
      };
      assert.equal(await fill({ of: silent }), false);
      assert.deepEqual(await listed({ applicationID, filter }), ['0', '']);
      assert.equal(await fill(app.parts.networks), true);
      assert.deepEqual(await listed({ applicationID, filter }), ['1', 'off']);
      const { device: found } = await app.call(device.get, { devEUI: disabled });
      await app.call(device.update, { device: { ...found, isDisabled: false } });
      assert.deepEqual(await listed({ applicationID, filter }), ['0', '']);
    });

    it('is updated by the first uplink', async () => {
      const own = { ...context, applicationID: await createApplication(app, context) };
      const gatewayID = await createGateway(app, own.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      await createReceivedDevice(app, own, gateway);
      assert.deepEqual(await listed({ applicationID: own.applicationID, filter: ['state:is:neverSeen'] }), ['0', '']);
    });

    it('is JOIN_REFUSED after refused joins, unless the device has sent within its interval', async () => {
      const devEUI = await createDevice(app, context);
      const state = async () => (await app.call(device.get, { devEUI, include: 'state' })).state;
      assert.equal((await app.call(device.get, { devEUI })).state, undefined);
      assert.equal(await state(), 'NEVER_SEEN');
      const gatewayID = await createGateway(app, context.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      const next = async (type: string) => {
        while ((await events.next()).result?.type !== type);
      };
      const simulated = simulateDevice(devEUI);
      const forged = simulateDevice(devEUI, '1.0.3', 'ff'.repeat(16));
      const forge = async () => {
        gateway.receiveFrame(forged.joinRequest());
        await next('error');
      };
      await forge();
      assert.equal(await state(), 'JOIN_REFUSED');
      gateway.receiveFrame(simulated.joinRequest());
      while (!simulated.session) simulated.receive((await gateway.nextDownlink(8000)).phyPayload);
      gateway.receiveFrame(simulated.uplink({ fPort: 1 }));
      await next('up');
      assert.equal(await state(), 'ACTIVE');
      // A third party can forge a join-request with its EUIs and a wrong key.
      await forge();
      assert.equal(await state(), 'ACTIVE');
      const last_seen_at = new Date(Date.now() - 91 * minuteMs);
      await set(devEUI, { last_seen_at, seen_mark: last_seen_at });
      assert.equal(await state(), 'JOIN_REFUSED');
      const { result } = await app.call(device.list, { search: devEUI, include: ['state'], limit: 1 });
      assert.equal(result[0]?.state, 'JOIN_REFUSED');
      gateway.receiveFrame(simulated.uplink({ fPort: 1 }));
      await next('up');
      assert.equal(await state(), 'ACTIVE');
    });
  });
}
