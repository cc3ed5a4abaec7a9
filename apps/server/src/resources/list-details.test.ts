import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import type { Log } from '@hilltop/network-server';
import { RpcError } from '@hilltop/protobuf';
import type { Networks } from '../network/network-servers.ts';
import { databases } from '../testing/databases.ts';
import {
  createAPIKey,
  createApplication,
  createDeviceProfile,
  createGatewayProfile,
  createOrganization,
  createServiceProfile,
  createUser,
  networkServerID,
} from '../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createMulticastGroup,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../testing/field.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';
import { withDetails } from './device-profile/details.ts';
import { listDeviceProfiles } from './device-profile/store.ts';

const { application, device, deviceProfile, gateway, gatewayProfile, internal, multicastGroup, networkServer } =
  operations;
const { organization, serviceProfile, user } = operations;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

for (const database of databases) {
  describe(`lists on ${database}`, () => {
    let app: TestApp;
    let context: FieldContext;
    before(async () => {
      app = await startTestApp(database);
      context = await createSurroundings(app, { uplinkInterval: '3600s' });
    });
    after(() => app[Symbol.asyncDispose]());

    const query = () => app.parts.database.query;
    const seen = async (name: string, minutes: number, markMinutes = minutes) => {
      const devEUI = await createDevice(app, context, { name });
      const ago = (passed: number) => new Date(Date.now() - passed * minuteMs);
      const values = { last_seen_at: ago(minutes), seen_mark: ago(markMinutes) };
      await query().updateTable('device').set(values).where('dev_eui', '=', devEUI).execute();
      return devEUI;
    };

    it('tell the devices, uplinks and integrations of applications on request', async () => {
      const active = await seen('active', 5);
      await seen('just-active', 89.5, 90.4);
      await seen('inactive', 91);
      await seen('long-inactive', 5000);
      await createDevice(app, context, { name: 'new' });
      const quiet = await createApplication(app, { ...context, name: 'quiet' });
      const { statistics } = app.parts;
      await statistics.record(`device:${active}`, Date.now(), { rx_count: 2, rx_dr_5: 2 });
      await statistics.fold();
      await statistics.record(`device:${active}`, Date.now(), { rx_count: 1 });
      await statistics.record('device:0000000000000000', Date.now(), { rx_count: 1 });
      await statistics.fold();
      const integration = {
        applicationID: context.applicationID,
        marshaler: 'JSON' as const,
        eventEndpointURL: 'http://127.0.0.1:1/',
      };
      await app.call(application.createHTTPIntegration, { integration });

      const listed = async (include: '' | 'counts') => {
        const { organizationID } = context;
        const { result } = await app.call(application.list, { organizationID, limit: 10, include });
        return result.map(({ id, deviceCount, activeCount, inactiveCount, uplinkCount, ...rest }) => {
          const counts = [deviceCount, activeCount, inactiveCount, uplinkCount];
          return [id, ...counts, rest.integrationCount, rest.troubledIntegrationCount];
        });
      };
      const all = new Map((await listed('counts')).map(([id, ...counts]) => [id, counts]));
      assert.deepEqual(all.get(context.applicationID), [5, 2, 2, 3, 1, 0]);
      assert.deepEqual(all.get(quiet), [0, 0, 0, 0, 0, 0]);
      assert.deepEqual((await listed('')).find(([id]) => id === quiet)?.slice(1), Array.from({ length: 6 }));

      await query().updateTable('integration_state').set({ state: 'SUSPENDED' }).execute();
      const after = new Map((await listed('counts')).map(([id, ...counts]) => [id, counts]));
      assert.deepEqual(after.get(context.applicationID)?.slice(4), [1, 1]);
    });

    it('forget the uplinks of an application with it', async () => {
      const gone = await createApplication(app, { ...context, name: 'gone' });
      const devEUI = await createDevice(app, { ...context, applicationID: gone }, { name: 'gone' });
      await app.parts.statistics.record(`device:${devEUI}`, Date.now(), { rx_count: 1 });
      await app.parts.statistics.fold();
      const kept = () =>
        query().selectFrom('metric').select('subject').where('subject', '=', `application:${gone}`).execute();
      assert.equal((await kept()).length, 2);
      await app.call(application.delete, { id: gone });
      assert.deepEqual(await kept(), []);
    });

    it('tell what a device-profile is, also of one that an earlier release created', async () => {
      const { organizationID } = context;
      const made = {
        name: 'valve',
        macVersion: '1.0.4',
        supportsClassC: true,
        classCTimeout: 5,
        tags: { vendorID: '01e6' },
      };
      const id = await createDeviceProfile(app, { ...made, organizationID, payloadCodec: 'CAYENNE_LPP' });
      await createDevice(app, { ...context, deviceProfileID: id }, { name: 'valve' });
      const details = async (include: '' | 'details' = 'details') => {
        const request = { organizationID, limit: 10, search: 'VALV', include } as const;
        const { totalCount, result } = await app.call(deviceProfile.list, request);
        const { deviceCount, macVersion, supportsClassB, supportsClassC, payloadCodec, vendorID, profileID } =
          result[0]!;
        return [totalCount, deviceCount, macVersion, supportsClassB, supportsClassC, payloadCodec, vendorID, profileID];
      };
      const expected = ['1', 1, '1.0.4', false, true, 'CAYENNE_LPP', '01e6', undefined];
      assert.deepEqual(await details(), expected);
      const unknown = { mac_version: null, supports_class_b: null, supports_class_c: null };
      await query().updateTable('device_profile').set(unknown).execute();
      assert.deepEqual(await details(), expected);
      assert.deepEqual(await details(), expected);
      assert.deepEqual((await details('')).slice(1), Array.from({ length: 7 }));
      await app.call(deviceProfile.update, {
        deviceProfile: { id, ...made, macVersion: '1.1.0', supportsClassC: false },
      });
      assert.deepEqual((await details()).slice(2, 5), ['1.1.0', false, false]);
    });

    it('ask a network-server that does not respond once a minute, and do not hide other errors', async () => {
      const { organizationID } = context;
      await createDeviceProfile(app, { name: 'unread', macVersion: '1.0.3', organizationID });
      const page = {
        organizationIDs: [Number(organizationID)],
        applicationID: undefined,
        isUsed: false,
        search: 'unread',
      };
      const listed = await listDeviceProfiles(app.parts.database, { ...page, limit: 10, offset: 0, orderBy: '' });
      const rows = listed.result.map((row) => ({ ...row, mac_version: null }));
      let [nowMs, calls, error] = [0, 0, new RpcError('Unavailable', 'no route') as Error];
      const of = async () => {
        calls += 1;
        throw error;
      };
      const warned: unknown[] = [];
      const needs = {
        ...app.parts,
        networks: { of } as unknown as Networks,
        clock: { ...app.parts.clock, monotonicMs: () => nowMs },
        log: { ...app.parts.log, warn: (fields: unknown) => warned.push(fields) } as unknown as Log,
      };
      for (const [atMs, expected] of [
        [1, 1],
        [60_000, 1],
        [60_001, 2],
      ] as const) {
        nowMs = atMs;
        assert.equal((await withDetails(needs, rows))[0]!.macVersion, undefined);
        assert.deepEqual([calls, warned.length], [expected, expected]);
      }
      [nowMs, error] = [200_000, new Error('the database failed')];
      await assert.rejects(withDetails(needs, rows), /the database failed/);
    });

    it('tell the activity of gateways by day', async () => {
      const id = await createGateway(app, context.organizationID);
      const { statistics } = app.parts;
      const sent = { rx_count: 9, rx_ok_count: 4, tx_ok_count: 1 };
      await statistics.record(`gateway:${id}`, Date.now(), sent);
      await statistics.record(`gateway:${id}`, Date.now() - 2 * dayMs, sent);
      await statistics.fold();
      const { organizationID } = context;
      const { result } = await app.call(gateway.list, { organizationID, limit: 10, search: id, include: ['activity'] });
      const days = result[0]!.activity!.framesPerDay;
      assert.deepEqual([days.length, days.at(-1), days.at(-2), days.at(-3)], [30, 5, 0, 5]);
    });

    it('tell the tags of gateways', async () => {
      const id = await createGateway(app, context.organizationID);
      const { gateway: read } = await app.call(gateway.get, { id });
      await app.call(gateway.update, { gateway: { ...read, tags: { roof: 'flat' } } });
      const page = { organizationID: context.organizationID, limit: 10, search: id };
      const { result } = await app.call(gateway.list, { ...page, include: ['tags'] });
      assert.deepEqual(result[0]?.tags, { roof: 'flat' });
      assert.equal((await app.call(gateway.list, page)).result[0]?.tags, undefined);
    });

    it('tell of devices of all applications what is requested: state, tags, session, health and last values', async () => {
      const own = await createSurroundings(app, { payloadCodec: 'CAYENNE_LPP', uplinkInterval: '3600s' });
      const { organizationID, serviceProfileID } = own;
      const second = await createApplication(app, { organizationID, serviceProfileID, name: 'second' });
      await createDevice(app, { ...own, applicationID: second }, { name: 'silent', tags: { site: 'north' } });
      const { devEUI, start } = await createActivatedDevice(app, own, { name: 'heard' });
      await using field = await simulateGateway(app, await createGateway(app, organizationID));
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      const simulated = start();
      const next = async (type: string) => {
        while ((await events.next()).result?.type !== type);
      };
      field.receiveFrame(simulated.uplink({ fPort: 1, data: Uint8Array.fromHex('01670110') }));
      await next('up');
      simulated.uplink({ fPort: 1 });
      field.receiveFrame(simulated.uplink({ fPort: 1, data: Uint8Array.fromHex('016700ff') }));
      await next('up');
      field.receiveFrame(simulated.uplink({ fPort: 1, data: Uint8Array.fromHex('ffffff') }));
      await next('error');
      await next('up');
      await app.parts.statistics.fold();

      const page = { organizationID, limit: 10 };
      const include = [
        'state',
        'tags',
        'devAddr',
        'dr',
        'health',
        'createdAt',
        'applicationName',
        'lastValues',
      ] as const;
      const { totalCount, result } = await app.call(device.list, { ...page, include });
      assert.deepEqual([totalCount, result.map(({ name }) => name)], ['2', ['heard', 'silent']]);
      const [heard, silent] = result;
      const { state, isDisabled, dr, health, lastValues, ...others } = heard!;
      assert.deepEqual([state, isDisabled, dr], ['ACTIVE', false, 5]);
      assert.match(others.devAddr ?? '', /^[0-9a-f]{8}$/);
      assert.ok(Date.parse(others.createdAt!) <= Date.now() && Date.parse(health!.codecErrorAt!) <= Date.now());
      assert.deepEqual([health!.uplinks, health!.loss, typeof health!.rssi], [3, 25, 'number']);
      assert.equal(lastValues, undefined, 'the last uplink was not decoded');
      assert.deepEqual(
        [silent!.state, silent!.tags, silent!.applicationName, silent!.health],
        ['NEVER_SEEN', { site: 'north' }, 'second', { uplinks: 0 }],
      );
      const lossy = async (filter: string) => (await app.call(device.list, { ...page, filter: [filter] })).totalCount;
      assert.deepEqual([await lossy('loss:gt:24.9'), await lossy('loss:gt:25')], ['1', '0']);
      assert.equal(silent!.devAddr ?? silent!.dr ?? silent!.lastValues, undefined);

      field.receiveFrame(simulated.uplink({ fPort: 1, data: Uint8Array.fromHex('01670110') }));
      await next('up');
      const again = await app.call(device.list, { ...page, include: ['lastValues'] });
      assert.deepEqual(JSON.parse(again.result[0]!.lastValues!), { temperatureSensor: { 1: 27.2 } });
      assert.equal(again.result[0]!.state, undefined);
      await refused(3, app.call(device.list, { ...page, limit: 1001, include: ['health'] }));
    });

    it('tell how many records use a profile, a network-server, a group, and the memberships of users', async () => {
      const organizationID = await createOrganization(app, { name: 'counting' });
      const { id: userID } = await createUser(app, {
        email: 'counted@example.com',
        organizations: [{ organizationID }],
      });
      const profileID = await createServiceProfile(app, { organizationID, name: 'counted' });
      const applicationID = await createApplication(app, { organizationID, serviceProfileID: profileID });
      const deviceProfileID = await createDeviceProfile(app, { organizationID });
      await createDevice(app, { organizationID, applicationID, deviceProfileID, serviceProfileID: profileID });
      const gatewayProfileID = await createGatewayProfile(app, { name: 'counted', statsInterval: '45s' });
      const gatewayID = await createGateway(app, organizationID);
      const { gateway: read } = await app.call(gateway.get, { id: gatewayID });
      await app.call(gateway.update, { gateway: { ...read, gatewayProfileID } });
      const groupID = await createMulticastGroup(app, { applicationID });

      const one = { limit: 10, search: 'counted', include: 'counts' } as const;
      const users = await app.call(user.list, { ...one, include: ['counts'] });
      assert.deepEqual(
        users.result.map((row) => [row.id, row.organizationCount]),
        [[userID, 1]],
      );
      const organizations = await app.call(organization.list, { ...one, search: 'counting' });
      assert.equal(organizations.result[0]?.userCount, 1);
      const services = await app.call(serviceProfile.list, { ...one, organizationID });
      assert.deepEqual(
        services.result.map((row) => [row.id, row.applicationCount, row.deviceCount]),
        [[profileID, 1, 1]],
      );
      const gateways = await app.call(gatewayProfile.list, one);
      assert.deepEqual(
        gateways.result.map((row) => [row.id, row.gatewayCount, row.statsInterval]),
        [[gatewayProfileID, 1, '45s']],
      );
      const groups = await app.call(multicastGroup.list, { applicationID, limit: 10, include: 'counts' });
      assert.deepEqual(
        groups.result.map((row) => [row.id, row.deviceCount]),
        [[groupID, 0]],
      );
      const servers = await app.call(networkServer.list, { limit: 10, include: 'counts' });
      const here = servers.result.find(({ id }) => id === networkServerID);
      assert.ok(here!.gatewayCount! >= 1 && here!.deviceCount! >= 1);
    });

    it('are searched by name or e-mail address where version 3 has no search', async () => {
      const { organizationID } = context;
      await createUser(app, { email: 'Found@example.com', organizations: [{ organizationID }] });
      await createServiceProfile(app, { organizationID, name: 'Found it' });
      await createGatewayProfile(app, { name: 'found 100%' });
      await createAPIKey(app, { name: 'found', organizationID });
      const page = { limit: 10, search: 'FOUND' };
      const totals = [
        await app.call(user.list, page),
        await app.call(organization.listUsers, { ...page, organizationID }),
        await app.call(serviceProfile.list, { ...page, organizationID }),
        await app.call(gatewayProfile.list, page),
        await app.call(internal.listAPIKeys, { ...page, organizationID }),
        await app.call(networkServer.list, page),
      ];
      assert.deepEqual(
        totals.map(({ totalCount }) => totalCount),
        ['1', '1', '1', '1', '1', '0'],
      );
    });
  });
}
