import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { createNetwork, startGateway, startStation } from '@hilltop/simulator';
import { databases } from '../testing/databases.ts';
import { createOrganization, createUser, networkServerID } from '../testing/factories.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { mostOverdue, savePingReceptions, storeAttempt, storeOutcome } from './ping-rows.ts';

const { gateway, gatewayCertificate, gatewayDiscovery, networkServer } = operations;

/** Three gateways in a row, 700 m apart. */
const places = ['aa00000000000001', 'aa00000000000002', 'aa00000000000003'].map((id, index) => ({
  id,
  position: { latitude: 52, longitude: 5 + 0.01 * index, altitude: 10 },
}));

async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 500; tries += 1) {
    const found = await look();
    if (found) return found;
    await pause(20);
  }
  return assert.fail('it never came');
}

for (const database of databases) {
  describe(`gateway discovery on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database, { basicsStation: '127.0.0.1:0' });
    });
    after(() => app[Symbol.asyncDispose]());

    it('makes gateways send pings one after the other, and shows which gateways received them', async () => {
      const organizationID = await createOrganization(app);
      for (const [index, { id, position }] of places.entries()) {
        const location = { ...position, source: 'CONFIG', accuracy: 0 } as const;
        const given = { id, name: `place-${index}`, organizationID, networkServerID, location };
        await app.call(gateway.create, { gateway: { ...given, discoveryEnabled: index < 2 } });
      }
      const server = `127.0.0.1:${app.udpPort}`;
      const stations = await Promise.all(
        places.slice(0, 2).map(({ id, position }) => startGateway({ server, gatewayID: id, position })),
      );
      const silent = places[2]!.id;
      await Promise.all(stations.map((station) => station.online()));
      const network = createNetwork({ gateways: stations, random: () => 0.5 });
      await using parts = new AsyncDisposableStack();
      parts.defer(() => network.stop());
      for (const station of stations) parts.use(station);
      const seen = async (id: string) => (await app.call(gateway.get, { id })).lastSeenAt !== null;
      for (const station of stations) await station.sendStat();
      await until(async () => (await seen(places[0]!.id)) && (await seen(places[1]!.id)));
      for (const { id } of places) await refused(5, app.call(gateway.getLastPing, { gatewayID: id }));

      const { networkServer: before } = await app.call(networkServer.get, { id: networkServerID });
      await app.call(networkServer.update, {
        networkServer: {
          ...before,
          gatewayDiscoveryEnabled: true,
          gatewayDiscoveryInterval: 24,
          gatewayDiscoveryTXFrequency: 868_300_000,
          gatewayDiscoveryDR: 5,
        },
      });
      const heard = (gatewayID: string) =>
        until(async () => {
          const ping = await app.call(gateway.getLastPing, { gatewayID }).catch(() => undefined);
          return ping?.pingRX.length === 1 && ping;
        });
      for (const [sender, receiver] of [
        [places[0]!, places[1]!],
        [places[1]!, places[0]!],
      ] as const) {
        const { frequency, dr, pingRX, createdAt } = await heard(sender.id);
        assert.deepEqual([frequency, dr], [868_300_000, 5]);
        assert.ok(createdAt);
        const [{ gatewayID, rssi, loRaSNR, ...where } = { gatewayID: '', rssi: 0, loRaSNR: 0 }] = pingRX;
        assert.equal(gatewayID, receiver.id);
        assert.ok(rssi < -60 && loRaSNR < 20);
        assert.deepEqual(where, receiver.position);
      }
      const dueIn = (minutes: number) =>
        mostOverdue(app.parts.database, { now: new Date(Date.now() + minutes * 60_000), aliveSince: new Date(0) });
      assert.equal(await dueIn(59), undefined);
      assert.equal((await dueIn(61))?.gatewayID, places[0]!.id);
      await refused(5, app.call(gateway.getLastPing, { gatewayID: silent }));

      await app.call(gateway.delete, { id: places[1]!.id });
      assert.deepEqual((await app.call(gateway.getLastPing, { gatewayID: places[0]!.id })).pingRX, []);
    });

    it('never shows a ping that was not sent, and gives the reason', async () => {
      const organizationID = await createOrganization(app);
      const { database } = app.parts;
      const location = { latitude: 52, longitude: 5, altitude: 3, source: 'CONFIG', accuracy: 0 } as const;
      const create = (id: string, discoveryEnabled: boolean) =>
        app.call(gateway.create, {
          gateway: { id, name: `gateway-${id}`, organizationID, networkServerID, location, discoveryEnabled },
        });
      const [station, sender] = ['cc00000000000001', 'cc00000000000002'];
      await create(station, true);
      await create(sender, false);
      const discoveryOf = (gatewayID: string) => app.call(gatewayDiscovery.get, { gatewayID });
      const nothing = { triedAt: null, outcome: '', sentAt: null, frequency: 0, dr: 0, receivers: [] };
      assert.deepEqual(await discoveryOf(station), nothing);
      await using connected = startStation({ server: `ws://127.0.0.1:${app.stationPort}`, gatewayID: station });
      await connected.online();
      const { outcome, sentAt } = await until(async () => {
        const found = await discoveryOf(station);
        return found.triedAt !== null && found.outcome !== 'NOT_SENT' && found;
      });
      assert.deepEqual([outcome, sentAt], ['BASICS_STATION', null]);
      await refused(5, app.call(gateway.getLastPing, { gatewayID: station }));

      const given = { gatewayID: sender, frequency: 868_100_000, dr: 5 };
      const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
      const begin = (mic: string, minute: number) => storeAttempt(database, { ...given, mic, createdAt: at(minute) });
      const hearing = { rssi: -90, loRaSNR: 3, latitude: 52, longitude: 5, altitude: 1, receivedAt: at(3) };
      await begin('00000001', 1);
      await storeOutcome(database, { gatewayID: sender, mic: '00000001', outcome: 'SENT' });
      await begin('00000002', 2);
      await storeOutcome(database, { gatewayID: sender, mic: '00000002', outcome: 'TX_FREQ' });
      const { createdAt } = await app.call(gateway.getLastPing, { gatewayID: sender });
      assert.equal(Date.parse(createdAt!), at(1).getTime());
      assert.equal((await discoveryOf(sender)).outcome, 'TX_FREQ');

      await begin('00000003', 3);
      await savePingReceptions(database, { sender, mic: '00000003' }, [{ gatewayID: station, ...hearing }]);
      await storeOutcome(database, { gatewayID: sender, mic: '00000003', outcome: 'NO_ANSWER' });
      const heard = await discoveryOf(sender);
      assert.deepEqual([heard.outcome, Date.parse(heard.sentAt!)], ['SENT', at(3).getTime()], 'it was heard');
      assert.deepEqual(
        heard.receivers.map(({ gatewayID, name, rssi }) => [gatewayID, name, rssi]),
        [[station, `gateway-${station}`, -90]],
      );
      const member = await createUser(app, { organizations: [{ organizationID }] });
      const foreign = await createOrganization(app);
      await database.query
        .updateTable('gateway')
        .set({ organization_id: Number(foreign) })
        .where('id', '=', station)
        .execute();
      const { receivers } = await app.call(gatewayDiscovery.get, { gatewayID: sender }, member.token);
      assert.deepEqual(
        receivers.map(({ gatewayID, name }) => [gatewayID, name]),
        [[station, '']],
      );
    });

    it('gives gateways certificates that identify them', async () => {
      const organizationID = await createOrganization(app);
      const id = 'bb00000000000001';
      const location = { latitude: 1, longitude: 2, altitude: 3, source: 'CONFIG', accuracy: 0 } as const;
      await app.call(gateway.create, { gateway: { id, name: 'proven', organizationID, networkServerID, location } });
      const { certificates } = app.parts;
      const answer = await app.call(gateway.generateGatewayClientCertificate, { gatewayId: id });
      const certificate = new X509Certificate(answer.tlsCert);
      assert.equal(certificate.subject, `CN=${id}`);
      assert.ok(certificate.checkPrivateKey(createPrivateKey(answer.tlsKey)));
      assert.equal(certificate.validToDate.getTime(), Date.parse(answer.expiresAt ?? ''));
      const [authority = ''] = await certificates.gatewayAuthorities();
      assert.ok(certificate.verify(new X509Certificate(authority).publicKey));
      assert.ok(answer.caCert.includes(authority.trim()));
      assert.ok((await certificates.clientAuthorities()).includes(authority));
      const serial = certificate.serialNumber.toLowerCase();
      assert.deepEqual(await certificates.gatewayOf(certificate), { serial, gatewayID: id });
      assert.equal(await certificates.ownerOf(certificate), undefined, 'of no application');
      const listed = async () => (await app.call(gatewayCertificate.list, { gatewayID: id, limit: 10 })).result;
      const [issued] = await listed();
      assert.deepEqual([issued?.serial, issued?.expiresAt, issued?.revokedAt], [serial, answer.expiresAt, null]);
      assert.ok(issued?.lastUsedAt, 'it was looked at as if it had signed in');
      await app.call(gateway.generateGatewayClientCertificate, { gatewayId: id });
      assert.equal((await listed()).find((one) => one.serial !== serial)?.lastUsedAt, null);

      const neighbour = 'bb00000000000002';
      const beside = { id: neighbour, name: 'beside', organizationID, networkServerID, location };
      await app.call(gateway.create, { gateway: beside });
      await refused(5, app.call(gatewayCertificate.revoke, { gatewayID: neighbour, serial }));
      await refused(5, app.call(gatewayCertificate.revoke, { gatewayID: id, serial: '00' }));
      assert.ok(await certificates.gatewayOf(certificate), 'nobody else revokes it');
      await app.call(gatewayCertificate.revoke, { gatewayID: id, serial });
      assert.equal(await certificates.gatewayOf(certificate), undefined);
      assert.ok((await listed()).find((one) => one.serial === serial)?.revokedAt);
      const other = await app.call(gateway.generateGatewayClientCertificate, { gatewayId: id });
      assert.ok(await certificates.gatewayOf(new X509Certificate(other.tlsCert)));
      await app.call(gateway.delete, { id });
      assert.equal(await certificates.gatewayOf(new X509Certificate(other.tlsCert)), undefined);
    });
  });
}
