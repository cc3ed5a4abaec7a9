import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { after, before, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { encodePacket } from '@hilltop/gateway-protocols';
import { airtime } from '@hilltop/lorawan';
import type { Transmission } from '@hilltop/simulator';
import { createFakeClock } from '../../../../../packages/network-server/src/testing/fake-clock.ts';
import { GatewayOutageMonitor } from '../../gateway-outages/monitor.ts';
import { describeAccess, everyUser, type PrincipalName, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createGatewayProfile,
  createOrganization,
  createServiceProfile,
  createUser,
  networkServerID,
} from '../../testing/factories.ts';
import {
  createActivatedDevice,
  createGateway,
  createReceivedDevice,
  createSurroundings,
  simulateForeignDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { gateway, gatewayAirtime, gatewayAvailability, gatewayCertificate, gatewayDiscovery, gatewayReplacement } =
  operations;
const unknown = 'ffffffffffffff00';
let counted = 0;
const freshID = () => (0xa0_0000_0000 + (counted += 1)).toString(16).padStart(16, '0');
const location = { latitude: 52.1, longitude: -5.2, altitude: 12, source: 'CONFIG', accuracy: 3 } as const;

for (const database of databases) {
  describe(`gateway on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const create = (change: object) => {
      const id = freshID();
      const given = { id, name: `gateway-${id}`, organizationID, networkServerID, location };
      return app.call(gateway.create, { gateway: { ...given, ...change } });
    };

    it('stores its location here and its profiles and boards at the network server', async () => {
      const given = {
        id: freshID(),
        name: 'roof',
        description: 'on the roof',
        location,
        organizationID,
        discoveryEnabled: true,
        networkServerID,
        gatewayProfileID: await createGatewayProfile(app),
        boards: [{ fpgaID: '0102030405060708', fineTimestampKey: 'f'.repeat(32) }],
        tags: { site: 'north' },
        serviceProfileID: await createServiceProfile(app, { organizationID }),
      };
      await app.call(gateway.create, { gateway: { ...given, metadata: { ignored: 'yes' } } });
      const { gateway: read, ...times } = await app.call(gateway.get, { id: given.id });
      assert.deepEqual(read, { ...given, metadata: {} });
      assert.deepEqual([times.firstSeenAt, times.lastSeenAt], [null, null]);
      assert.ok(Date.parse(times.createdAt!) <= Date.parse(times.updatedAt!));
    });

    it('returns the offset of its clock on request', async () => {
      const id = await createGateway(app, organizationID);
      await using simulated = await simulateGateway(app, id);
      const clockOf = async () => (await app.call(gateway.get, { id, include: 'clock' })).clockOffset;
      assert.equal(await clockOf(), undefined);
      await simulated.push([], { time: '2018-12-29 12:00:00 GMT' }).acknowledged;
      for (let offset = await clockOf(); offset === undefined; offset = await clockOf()) await nextTurn();
      assert.ok(Math.abs((await clockOf())! - (Date.parse('2018-12-29T12:00:00Z') - Date.now()) / 1000) < 60);
      assert.equal((await app.call(gateway.get, { id })).clockOffset, undefined);
      await simulated.sendStat();
      while ((await clockOf()) !== undefined) await nextTurn();
    });

    it('returns how it is connected on request, while it is', async () => {
      const id = await createGateway(app, organizationID);
      const connectionOf = async () => (await app.call(gateway.get, { id, include: 'connection' })).connection;
      assert.equal(await connectionOf(), undefined);
      await using simulated = await simulateGateway(app, id);
      await simulated.online();
      assert.deepEqual(await connectionOf(), { link: 'SEMTECH_UDP', address: '127.0.0.1' });
      assert.equal((await app.call(gateway.get, { id })).connection, undefined);
    });

    it('was last seen when it last pulled', async () => {
      const id = await createGateway(app, organizationID);
      const socket = createSocket('udp4');
      const timesAre = async () => {
        const { firstSeenAt, lastSeenAt } = await app.call(gateway.get, { id });
        return { firstSeenAt, lastSeenAt };
      };
      assert.deepEqual(await timesAre(), { firstSeenAt: null, lastSeenAt: null });
      socket.send(encodePacket({ type: 'PULL_DATA', version: 2, token: 1, gatewayID: id }), app.udpPort, '127.0.0.1');
      await once(socket, 'message');
      while ((await timesAre()).lastSeenAt === null) await nextTurn();
      const { firstSeenAt, lastSeenAt } = await timesAre();
      assert.equal(firstSeenAt, lastSeenAt);
      socket.close();
    });

    it('returns the keys of its boards only to callers who may change it', async () => {
      const boards = [{ fpgaID: '0102030405060708', fineTimestampKey: 'f'.repeat(32) }];
      const id = freshID();
      await app.call(gateway.create, {
        gateway: { id, name: `board-${id}`, location, organizationID, networkServerID, boards },
      });
      const keyFor = async (token: string) => (await app.call(gateway.get, { id }, token)).gateway.boards[0];
      const member = (rights: object) => createUser(app, { organizations: [{ organizationID, ...rights }] });
      for (const rights of [{ isAdmin: true }, { isGatewayAdmin: true }])
        assert.deepEqual(await keyFor((await member(rights)).token), boards[0]);
      const hidden = { ...boards[0], fineTimestampKey: '' };
      for (const rights of [{}, { isDeviceAdmin: true }])
        assert.deepEqual(await keyFor((await member(rights)).token), hidden);
    });

    it('is replaced by an update, except for its owner and network server', async () => {
      const id = await createGateway(app, organizationID);
      const elsewhere = await createOrganization(app);
      const moved = { ...location, latitude: 1 };
      await app.call(gateway.update, {
        gateway: { id, name: 'renamed', organizationID: elsewhere, networkServerID: '77', location: moved },
      });
      const { gateway: read } = await app.call(gateway.get, { id });
      assert.deepEqual(
        [read.name, read.organizationID, read.networkServerID],
        ['renamed', organizationID, networkServerID],
      );
      assert.equal(read.location?.latitude, 1);
    });

    it('refuses a service-profile on another network-server, on create and on update', async () => {
      const { id: elsewhere } = await app.call(operations.radio.create, { name: 'elsewhere', region: 'US915' });
      const away = await createServiceProfile(app, { organizationID, networkServerID: elsewhere });
      const { fieldViolations } = await refused(3, create({ serviceProfileID: away }));
      assert.deepEqual(fieldViolations, [
        {
          field: 'gateway.serviceProfileID',
          description:
            'The service-profile is on another network-server than the gateway. Choose one on the same network-server.',
        },
      ]);
      const id = await createGateway(app, organizationID);
      const { gateway: read } = await app.call(gateway.get, { id });
      await refused(3, app.call(gateway.update, { gateway: { ...read, serviceProfileID: away } }));
    });

    it('refuses what is not valid', async () => {
      await refused(3, create({ location: null }));
      await refused(3, create({ name: 'with space' }));
      await refused(3, create({ id: '01' }));
      await refused(3, create({ location: { ...location, latitude: 91 } }));
      await refused(3, create({ serviceProfileID: await createServiceProfile(app) }));
      await refused(5, create({ serviceProfileID: crypto.randomUUID() }));
      await refused(5, create({ gatewayProfileID: crypto.randomUUID() }));
      await refused(5, create({ networkServerID: '999999' }));
      const taken = await createGateway(app, organizationID);
      await refused(6, create({ id: taken }));
      await refused(6, create({ name: `gateway-${taken}` }));
      await refused(5, app.call(gateway.get, { id: unknown }));
      await refused(5, app.call(gateway.delete, { id: unknown }));
      await refused(5, app.call(gateway.getLastPing, { gatewayID: taken }));
      await refused(3, app.call(gateway.update, { gateway: { id: taken, name: 'x' } }));
    });

    it('counts against the quota of its organization, until it is deleted', async () => {
      const small = await createOrganization(app, { maxGatewayCount: 1 });
      const id = await createGateway(app, small);
      await refused(9, createGateway(app, small));
      assert.equal((await app.call(gateway.list, { organizationID: small })).totalCount, '1');
      await app.call(gateway.delete, { id });
      assert.equal((await app.call(gateway.list, { organizationID: small })).totalCount, '0');
      await createGateway(app, small, id);
    });

    it('is not stored when the network server refuses it', async () => {
      const network = await app.parts.networks.of(Number(networkServerID));
      const failing = mock.method(network, 'createGateway', () => Promise.reject(new Error('out of order')));
      const id = freshID();
      await refused(13, create({ id }));
      failing.mock.restore();
      await refused(5, app.call(gateway.get, { id }));
      await create({ id });
    });

    it('keeps its gateway-profile from being deleted', async () => {
      const gatewayProfileID = await createGatewayProfile(app);
      await create({ gatewayProfileID });
      const { message } = await refused(9, app.call(operations.gatewayProfile.delete, { id: gatewayProfileID }));
      assert.match(message, /in use by gateways/);
    });

    it('is listed by name, found by name or id, with the true count', async () => {
      const organization = await createOrganization(app);
      for (const name of ['cherry', 'Apple', 'banana']) await create({ name, organizationID: organization });
      const id = freshID();
      await create({ id, name: 'plum', organizationID: organization });
      const names = async (request: object) => {
        const { totalCount, result } = await app.call(gateway.list, {
          organizationID: organization,
          limit: 9,
          ...request,
        });
        return [totalCount, ...result.map((one) => one.name)];
      };
      assert.deepEqual(await names({ limit: 0 }), ['4']);
      assert.equal((await names({ limit: 2, offset: 1 })).length, 3);
      assert.deepEqual(await names({ search: 'PL' }).then(([count]) => count), '2');
      assert.deepEqual(await names({ search: id }), ['1', 'plum']);
      const { token } = await createUser(app, { organizations: [{ organizationID: organization }] });
      assert.equal((await app.call(gateway.list, {}, token)).totalCount, '4');
      assert.ok(Number((await app.call(gateway.list, {})).totalCount) > 4);
      const [first] = (await app.call(gateway.list, { organizationID: organization, limit: 1 })).result;
      assert.deepEqual(first?.location, location);
      assert.match(first?.networkServerName ?? '', /EU868/);
    });

    it('is listed by filter: never seen, not seen for five minutes, or seen since', async () => {
      const own = await createOrganization(app);
      const ages = { never: null, recent: 4, silent: 6, late: 600 };
      for (const [name, minutes] of Object.entries(ages)) {
        const id = freshID();
        await create({ id, name, organizationID: own });
        const last_seen_at = minutes === null ? null : new Date(Date.now() - minutes * 60_000);
        await app.parts.database.query.updateTable('gateway').set({ last_seen_at }).where('id', '=', id).execute();
      }
      const listed = async (request: object) => {
        const page = { organizationID: own, limit: 10, ...request };
        const { totalCount, result } = await app.call(gateway.list, page);
        return [totalCount, ...result.map(({ name }) => name)];
      };
      assert.deepEqual(await listed({}), ['4', 'late', 'never', 'recent', 'silent']);
      assert.deepEqual(await listed({ filter: ['state:is:neverSeen'] }), ['1', 'never']);
      assert.deepEqual(await listed({ filter: ['state:is:offline'] }), ['2', 'late', 'silent']);
      assert.deepEqual(await listed({ filter: ['state:is:online'] }), ['1', 'recent']);
      assert.deepEqual(await listed({ filter: ['state:is:offline'], search: 'sil' }), ['1', 'silent']);
      assert.deepEqual(await listed({ filter: ['state:is:offline'], orderBy: 'lastSeenAt', limit: 1 }), ['2', 'late']);
      await refused(3, listed({ filter: ['battery:lt:20'] }));
    });

    it('is replaced by a new one, which takes over name, position, tags, profiles, statistics and outages', async () => {
      const own = await createOrganization(app, { maxGatewayCount: 1 });
      const gatewayProfileID = await createGatewayProfile(app);
      const tags = { roof: 'north' };
      const boards = [{ fpgaID: freshID(), fineTimestampKey: '00112233445566778899aabbccddeeff' }];
      const [gatewayID, newGatewayID] = [freshID(), freshID()];
      await create({ id: gatewayID, name: 'roof', organizationID: own, gatewayProfileID, tags, boards });
      const { gateway: before } = await app.call(gateway.get, { id: gatewayID });
      const at = new Date().toISOString();
      const stats = (id: string) =>
        app.call(gateway.getStats, { gatewayID: id, interval: 'HOUR', startTimestamp: at, endTimestamp: at });
      await app.parts.statistics.record(`gateway:${gatewayID}`, Date.parse(at), { rx_count: 5 });
      await app.parts.statistics.fold();
      const counted = await stats(gatewayID);
      const { query } = app.parts.database;
      const outage = { started_at: new Date(Date.parse(at) - 60_000), ended_at: null, reason: 'no PULL_DATA for 90 s' };
      await query
        .insertInto('gateway_outage')
        .values({ ...outage, gateway_id: gatewayID })
        .execute();
      await refused(6, app.call(gatewayReplacement.create, { gatewayID, newGatewayID: gatewayID }));

      await app.call(gatewayReplacement.create, { gatewayID, newGatewayID });
      await refused(5, app.call(gateway.get, { id: gatewayID }));
      const { gateway: then, lastSeenAt } = await app.call(gateway.get, { id: newGatewayID });
      assert.deepEqual([then, lastSeenAt], [{ ...before, id: newGatewayID, boards: [] }, null]);
      assert.deepEqual(await stats(newGatewayID), counted);
      const outages = query
        .selectFrom('gateway_outage')
        .selectAll()
        .where('gateway_id', 'in', [gatewayID, newGatewayID]);
      assert.deepEqual(await outages.execute(), [{ ...outage, gateway_id: newGatewayID }]);
      const found = await app.call(gateway.list, { organizationID: own, search: newGatewayID, limit: 1 });
      assert.equal(found.totalCount, '1');
      // It counts once.
      await app.call(gateway.delete, { id: newGatewayID });
      await create({ organizationID: own });
    });

    it('has days and hours of availability, and outages with their reasons', async () => {
      const gatewayID = await createGateway(app, organizationID);
      const hour = 3_600_000;
      const from = new Date(2026, 5, 1).getTime();
      const iso = (hours: number) => new Date(from + hours * hour).toISOString().replace('.000Z', 'Z');
      const period = { gatewayID, start: iso(0), end: iso(48) };
      const before = await app.call(gatewayAvailability.get, period);
      assert.deepEqual([before.state, before.knownFrom, before.onlineShare], ['NEVER', null, undefined]);
      const { query } = app.parts.database;
      const known = { outages_from: new Date(iso(12)), heard_at: new Date(iso(40)), heard_link: 'mqtt' } as const;
      await query.updateTable('gateway').set(known).where('id', '=', gatewayID).execute();
      const outage = (started: number, ended: number | null, reason: string) => ({
        gateway_id: gatewayID,
        started_at: new Date(iso(started)),
        ended_at: ended === null ? null : new Date(iso(ended)),
        reason,
      });
      await query
        .insertInto('gateway_outage')
        .values([
          outage(-9, -8, 'too early'),
          outage(30, 33, 'MQTT last will'),
          outage(45, null, 'no MQTT message for 90 s'),
        ])
        .execute();
      const { days, outages, outageCount, onlineShare, ...rest } = await app.call(gatewayAvailability.get, period);
      assert.deepEqual(
        days.map(({ online, offline, stopped, hours }) => [online, offline, stopped, hours.length]),
        [
          [12 * 3600, 0, 0, 24],
          [18 * 3600, 6 * 3600, 0, 24],
        ],
      );
      assert.deepEqual(days[1]?.hours[6], { start: iso(30), online: 0, offline: 3600, stopped: 0 });
      assert.equal(onlineShare, 30 / 36);
      assert.deepEqual(outages, [
        { start: iso(45), end: null, reason: 'no MQTT message for 90 s', isServerStop: false },
        { start: iso(30), end: iso(33), reason: 'MQTT last will', isServerStop: false },
      ]);
      const { state, knownFrom, onlineWindow, hasOnlyStatistics } = rest;
      assert.deepEqual(
        [state, knownFrom, onlineWindow, hasOnlyStatistics, outageCount],
        ['OFFLINE', iso(12), 90, false, 2],
      );
      await refused(3, app.call(gatewayAvailability.get, { ...period, end: iso(-1) }));
      await refused(3, app.call(gatewayAvailability.get, { ...period, end: iso(24 * 402) }));
      await refused(5, app.call(gatewayAvailability.get, { ...period, gatewayID: unknown }));
    });

    it('is offline from its last sign of life on when it is unplugged, and online when it is back', async () => {
      const gatewayID = await createGateway(app, organizationID);
      const { gatewaySigns, database: stored } = app.parts;
      const clock = createFakeClock(Date.now());
      const told: string[] = [];
      const monitor = new GatewayOutageMonitor({
        ...app.parts,
        clock,
        steadyTime: { now: () => clock.now().getTime() },
        onGatewayTransition: async (one) => {
          if (one.gatewayID === gatewayID) told.push(`${one.state} ${one.reason}`.trim());
        },
      });
      const availability = async () => {
        const now = Date.now();
        const [start, end] = [now - 3_600_000, now + 3_600_000].map((at) => new Date(at).toISOString());
        return await app.call(gatewayAvailability.get, { gatewayID, start: start!, end: end! });
      };
      await monitor.round();
      {
        await using _connected = await simulateGateway(app, gatewayID);
        const isHeard = async () => {
          await gatewaySigns.flush(true);
          return (await availability()).heardAt !== null;
        };
        while (!(await isHeard())) await nextTurn();
      }
      // A later sign than the one above may not be stored yet.
      await gatewaySigns.flush(true);
      await monitor.round();
      assert.deepEqual([(await availability()).state, told], ['ONLINE', ['ONLINE']]);
      const heard = await stored.query.selectFrom('gateway').select('heard_link').where('id', '=', gatewayID).execute();
      assert.equal(heard[0]?.heard_link, 'semtech-udp');
      await clock.advance(120_000);
      await monitor.round();
      const { state, outages, heardAt } = await availability();
      assert.deepEqual(
        [state, outages.map(({ start, end, reason }) => [start, end, reason])],
        ['OFFLINE', [[heardAt, null, 'no PULL_DATA for 90 s']]],
      );
      await using _back = await simulateGateway(app, gatewayID);
      const isBack = async () => {
        await gatewaySigns.flush(true);
        await monitor.round();
        return (await availability()).state === 'ONLINE';
      };
      while (!(await isBack())) await nextTurn();
      assert.deepEqual(told, ['ONLINE', 'OFFLINE no PULL_DATA for 90 s', 'ONLINE']);
    });

    it('lists devices of visible organizations that no other gateway received', async () => {
      const gatewayID = await createGateway(app, organizationID);
      await using simulated = await simulateGateway(app, gatewayID);
      const ours = await createSurroundings(app, {}, { organizationID });
      const devEUI = await createReceivedDevice(app, ours, simulated);
      const foreign = await createReceivedDevice(app, await createSurroundings(app), simulated);
      const silent = await createReceivedDevice(
        app,
        await createSurroundings(app, {}, { organizationID, addGWMetaData: false }),
        simulated,
      );
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      const list = (by?: string) => app.call(gatewayAvailability.listDependents, { gatewayID, limit: 10 }, by);
      const { result, computedAt, ...counts } = await list(token);
      const owners = { applicationID: ours.applicationID, organizationID };
      const { name } = (await app.call(operations.device.get, { devEUI })).device;
      assert.deepEqual(result, [{ devEUI, name, ...owners, uplinks: 1 }]);
      assert.deepEqual(counts, {
        ...{ totalCount: '1', soleCount: 1, examinedCount: 2, unknownCount: 1, isPartial: false },
      });
      const all = (await list()).result.map((one) => one.devEUI);
      assert.deepEqual(
        [devEUI, foreign, silent].map((one) => all.includes(one)),
        [true, true, false],
      );
      // For some minutes.
      assert.equal((await list(token)).computedAt, computedAt);
    });

    it('has statistics for any period', async () => {
      const gatewayID = await createGateway(app, organizationID);
      const counters = {
        rx_count: 5,
        rx_ok_count: 4,
        tx_count: 3,
        tx_ok_count: 2,
        tx_freq_868100000: 3,
        tx_status_OK: 2,
      };
      const at = Date.now();
      await app.parts.statistics.record(`gateway:${gatewayID}`, at, counters);
      const now = new Date(at).toISOString();
      const { result } = await app.call(gateway.getStats, {
        gatewayID,
        interval: 'HOUR',
        startTimestamp: now,
        endTimestamp: now,
      });
      assert.deepEqual(
        result.map((one) => ({ ...one, timestamp: null })),
        [
          {
            timestamp: null,
            rxPacketsReceived: 5,
            rxPacketsReceivedOK: 4,
            txPacketsReceived: 3,
            txPacketsEmitted: 2,
            txPacketsPerFrequency: { 868100000: 3 },
            rxPacketsPerFrequency: {},
            txPacketsPerDr: {},
            rxPacketsPerDr: {},
            txPacketsPerStatus: { OK: 2 },
          },
        ],
      );
    });
  });

  describe(`airtime of gateways on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    const period = () => {
      const now = Date.now();
      return { start: new Date(now - 3_600_000).toISOString(), end: new Date(now + 60_000).toISOString() };
    };
    const airtimeOf = async (gatewayID: string, token?: string) =>
      await app.call(gatewayAirtime.get, { gatewayID, ...period() }, token);
    /** Writes what is counted until the gateway has so many milliseconds. */
    async function counted(gatewayID: string, enough: (one: Awaited<ReturnType<typeof airtimeOf>>) => boolean) {
      for (;;) {
        await app.parts.airtime.write();
        const found = await airtimeOf(gatewayID);
        if (enough(found)) return found;
        await nextTurn();
      }
    }
    const onAir = (frames: readonly Transmission[]) =>
      frames.reduce((sum, { phyPayload, modulation }) => sum + airtime(phyPayload.length, modulation), 0);
    const isNear = (one: number, other: number) => Math.abs(one - other) < 0.01;

    it('has the airtime that was on the air, by channel, network and device', async () => {
      const surroundings = await createSurroundings(app);
      const { organizationID, applicationID } = surroundings;
      const gatewayID = await createGateway(app, organizationID);
      await using receiver = await simulateGateway(app, gatewayID);
      const { devEUI, start } = await createActivatedDevice(app, surroundings, { name: 'loud' });
      const device = start();
      const own = [1, 2, 3].map((fPort) => device.uplink({ fPort, data: new Uint8Array(10 * fPort) }));
      const abroad = simulateForeignDevice('26011122');
      const foreign = [1, 2].map((fPort) => abroad.uplink({ fPort }));
      for (const frame of [...own, ...foreign]) await receiver.receiveFrame(frame).acknowledged;

      const found = await counted(gatewayID, ({ ownMs, foreignMs }) =>
        isNear(ownMs + foreignMs, onAir([...own, ...foreign])),
      );
      assert.ok(isNear(found.ownMs, onAir(own)), `${found.ownMs} ms of own frames`);
      assert.deepEqual(
        found.networks.map(({ netID, ms }) => [netID, isNear(ms, onAir(foreign))]),
        [['000013', true]],
      );
      assert.deepEqual(
        found.devices.map(({ ms, ...one }) => ({ ...one, isAll: isNear(ms, found.ownMs) })),
        [{ devEUI, name: 'loud', applicationID, organizationID, isAll: true }],
      );
      const byChannel = Map.groupBy([...own, ...foreign], ({ frequency, dataRate }) => `${frequency}/${dataRate}`);
      assert.deepEqual(
        found.channels.map(({ frequency, dr, ownMs, foreignMs }) => [
          `${frequency}/${dr}`,
          Math.round(ownMs + foreignMs),
        ]),
        [...byChannel]
          .map(([key, frames]) => [key, Math.round(onAir(frames))])
          .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      );
      assert.deepEqual([found.isReported, found.region, found.stepMs], [true, 'EU868', 3_600_000]);
      assert.ok(
        isNear(
          found.steps.reduce((sum, one) => sum + one.ownMs + one.foreignMs, 0),
          onAir([...own, ...foreign]),
        ),
      );
      const { result } = await app.call(gatewayAirtime.list, { organizationID, limit: 10, ...period() });
      assert.deepEqual(
        result.map(({ ownMs, foreignMs }) => [ownMs, foreignMs]),
        [[found.ownMs, found.foreignMs]],
      );
    });

    it('adds what a gateway sent to its sub-band, and keeps it when the gateway is replaced', async () => {
      const surroundings = await createSurroundings(app);
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using sender = await simulateGateway(app, gatewayID);
      const { start } = await createActivatedDevice(app, surroundings);
      sender.receiveFrame(start().uplink({ fPort: 1, confirmed: true }));
      const { txpk } = await sender.nextDownlink();
      const found = await counted(gatewayID, ({ sentMs }) => sentMs > 0);
      const modulation = { modulation: 'LORA', bandwidth: 125, spreadingFactor: 7 } as const;
      assert.ok(isNear(found.sentMs, airtime(txpk.size, modulation, 'down')), `${found.sentMs} ms`);
      const subBandOf = (hertz: number) => found.subBands.find(({ from, to }) => from <= hertz && hertz < to);
      assert.equal(subBandOf(Math.round(txpk.freq * 1e6))?.sentMs, found.sentMs);
      assert.equal(subBandOf(869_525_000)?.dutyCycle, 0.1);

      const newGatewayID = freshID();
      await app.call(gatewayReplacement.create, { gatewayID, newGatewayID });
      assert.equal((await airtimeOf(newGatewayID)).sentMs, found.sentMs);
      await app.call(gateway.delete, { id: newGatewayID });
      const rows = app.parts.database.query.selectFrom('gateway_airtime').select('hour');
      assert.deepEqual(await rows.where('gateway_id', '=', newGatewayID).execute(), []);
    });

    it('hides devices of organizations that the caller does not see', async () => {
      const surroundings = await createSurroundings(app);
      const organizationID = await createOrganization(app);
      const gatewayID = await createGateway(app, organizationID);
      await using receiver = await simulateGateway(app, gatewayID);
      const { start } = await createActivatedDevice(app, surroundings);
      await receiver.receiveFrame(start().uplink({ fPort: 1 })).acknowledged;
      const found = await counted(gatewayID, ({ ownMs }) => ownMs > 0);
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      const { devices } = await airtimeOf(gatewayID, token);
      assert.deepEqual(devices, [{ devEUI: '', name: '', applicationID: '0', organizationID: '0', ms: found.ownMs }]);
    });

    it('refuses a period that is too long or ends before it begins', async () => {
      const gatewayID = await createGateway(app, await createOrganization(app));
      const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
      await refused(3, app.call(gatewayAirtime.get, { gatewayID, start: at(0), end: at(-1) }));
      await refused(3, app.call(gatewayAirtime.get, { gatewayID, start: at(-200), end: at(0) }));
      await refused(3, app.call(gatewayAirtime.list, { start: at(-20), end: at(0) }));
    });
  });

  const changers: PrincipalName[] = ['gatewayAdmin', 'organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey'];
  const made = async ({ app, organizationID }: Side) => {
    const id = await createGateway(app, organizationID, freshID());
    return { id, name: `gateway-${id}`, organizationID, networkServerID, location };
  };
  const one = async (side: Side) => ({ id: (await made(side)).id });
  const oneByGatewayID = async (side: Side) => ({ gatewayID: (await made(side)).id });
  const now = new Date().toISOString();

  describeAccess(database, 'gateway', [
    row(gateway.list, ({ organizationID }) => ({ organizationID }), readers),
    row(gateway.list, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(gateway.get, one, readers),
    row(
      gateway.create,
      ({ organizationID }) => {
        const id = freshID();
        return { gateway: { id, name: `gateway-${id}`, organizationID, networkServerID, location } };
      },
      changers,
    ),
    row(gateway.update, async (side) => ({ gateway: await made(side) }), changers),
    row(gateway.delete, one, changers),
    row(
      gatewayReplacement.create,
      async (side) => ({ ...(await oneByGatewayID(side)), newGatewayID: freshID() }),
      changers,
    ),
    row(gateway.getLastPing, oneByGatewayID, readers),
    row(gateway.generateGatewayClientCertificate, async (side) => ({ gatewayId: (await made(side)).id }), changers),
    row(gatewayDiscovery.get, oneByGatewayID, readers),
    row(gatewayAvailability.get, async (side) => ({ ...(await oneByGatewayID(side)), start: now, end: now }), readers),
    row(gatewayAvailability.listDependents, oneByGatewayID, readers),
    row(gatewayAirtime.get, async (side) => ({ ...(await oneByGatewayID(side)), start: now, end: now }), readers),
    row(gatewayAirtime.list, ({ organizationID }) => ({ organizationID, start: now, end: now }), readers),
    row(gatewayAirtime.list, () => ({ start: now, end: now }), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(gatewayCertificate.list, oneByGatewayID, changers),
    row(gatewayCertificate.revoke, async (side) => ({ ...(await oneByGatewayID(side)), serial: '00' }), changers),
    row(
      gateway.getStats,
      async (side) => ({ ...(await oneByGatewayID(side)), interval: 'DAY', startTimestamp: now, endTimestamp: now }),
      readers,
    ),
  ]);
}
