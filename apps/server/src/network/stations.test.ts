import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { createNetwork, type Station, type StationOptions, startStation } from '@hilltop/simulator';
import { createAuthority } from '../testing/certificates.ts';
import { databases } from '../testing/databases.ts';
import { createAPIKey, createGatewayProfile, createOrganization } from '../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, simulateDevice } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

/** Resolves when a station was refused. */
async function refused(station: Station): Promise<string> {
  while (station.counts.refused === 0) await nextTurn();
  return station.refusal();
}

for (const kind of databases)
  describe(`Basics Stations on ${kind}`, () => {
    let app: TestApp;
    let server: string;
    before(async () => {
      app = await startTestApp(kind, { basicsStation: '127.0.0.1:0' });
      server = `ws://127.0.0.1:${app.stationPort}`;
    });
    after(() => app[Symbol.asyncDispose]());

    const start = (gatewayID: string, options: Partial<StationOptions> = {}) =>
      startStation({ server, gatewayID, reconnectMs: 50, ...options });

    it('transmit a join, an uplink and its answer', async () => {
      const surroundings = await createSurroundings(app, { supportsJoin: true, macVersion: '1.0.3' });
      const { organizationID } = surroundings;
      const gatewayID = await createGateway(app, organizationID);
      const devEUI = await createDevice(app, surroundings);
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      await using station = start(gatewayID);
      await station.online();
      const arrived: string[] = [];
      const air = createNetwork({
        gateways: [station],
        onReceived: (_device, received) => received.kind === 'data' && arrived.push(received.data.toHex()),
      });
      const device = simulateDevice(devEUI);
      air.setPosition(device, {});
      assert.equal(await air.join(device), true);
      await air.send(device, { fPort: 3, data: Uint8Array.of(1) });
      while ((await events.next()).result?.type !== 'up');
      await app.call(operations.deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort: 7, data: '3q2+7w==' } });
      const { received } = await air.send(device, { fPort: 3, data: Uint8Array.of(1, 2), confirmed: true });
      assert.equal(received?.kind === 'data' && received.acknowledged, true);
      // It answers this uplink or the previous one.
      while ((await events.next()).result?.type !== 'txack');
      assert.ok(arrived.includes('deadbeef'), String(arrived));
      const { lastSeenAt } = await app.call(operations.gateway.get, { id: gatewayID });
      assert.notEqual(lastSeenAt, null);
      air.stop();
    });

    it('get GPS time and the settings of their gateway-profile', async () => {
      const organizationID = await createOrganization(app);
      const gatewayID = await createGateway(app, organizationID);
      const gatewayProfileID = await createGatewayProfile(app, { channels: [0, 1] });
      const { gateway } = await app.call(operations.gateway.get, { id: gatewayID });
      await app.call(operations.gateway.update, { gateway: { ...gateway, gatewayProfileID } });
      await using station = start(gatewayID);
      await station.online();
      const [board] = station.config()?.sx1301_conf ?? [];
      const enabled = Object.entries(board ?? {}).filter(([name, { enable }]) => name.startsWith('chan') && enable);
      assert.deepEqual(
        enabled.map(([name]) => name),
        ['chan_multiSF_0', 'chan_multiSF_1'],
      );
      const milliseconds = Number((await station.syncTime()) / 1000n);
      const now = Date.now() - Date.UTC(1980, 0, 6) + 18_000;
      assert.ok(Math.abs(milliseconds - now) < 60_000, `${milliseconds} is not ${now}`);
    });

    it('are refused when they are not registered', async () => {
      await using station = start('00000000000000aa');
      assert.match(await refused(station), /not registered/);
    });

    it('reconnect after the server has disconnected them', async () => {
      const gatewayID = await createGateway(app, await createOrganization(app));
      await using station = start(gatewayID);
      await station.online();
      station.sendRaw('x'.repeat(70_000));
      while (station.counts.connected < 2) await nextTurn();
      await station.online();
    });
  });

describe('API keys of Basics Stations', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite', { basicsStation: '127.0.0.1:0' });
  });
  after(() => app[Symbol.asyncDispose]());
  const start = (gatewayID: string, options: Partial<StationOptions> = {}) =>
    startStation({ server: `ws://127.0.0.1:${app.stationPort}`, gatewayID, reconnectMs: 50, ...options });

  it('are accepted for gateways of their organization, and for no others', async () => {
    const organizationID = await createOrganization(app);
    const gatewayID = await createGateway(app, organizationID);
    const { id, token } = await createAPIKey(app, { organizationID });
    const { token: foreign } = await createAPIKey(app, { organizationID: await createOrganization(app) });
    for (const wrong of [foreign, app.adminToken, 'no token']) {
      await using liar = start(gatewayID, { token: wrong });
      assert.match(await refused(liar), /did not prove/);
    }
    await using unproven = start(gatewayID, { reconnectMs: 60_000 });
    await unproven.online();
    await using station = start(gatewayID, { token: `Bearer ${token}` });
    await station.online();
    assert.equal(station.counts.connected, 1);
    await app.call(operations.internal.deleteAPIKey, { id });
    while (station.counts.refused === 0) await nextTurn();
    assert.match(station.refusal(), /did not prove/);
  });
});

describe('Basics Stations over TLS', () => {
  let app: TestApp;
  let dir: string;
  let ca: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-stations-'));
    const own = await (await createAuthority()).issue('server');
    ca = own.ca;
    await writeFile(join(dir, 'cert.pem'), own.cert);
    await writeFile(join(dir, 'key.pem'), own.key);
    app = await startTestApp('sqlite', {
      basicsStation: '127.0.0.1:0',
      basicsStationCert: join(dir, 'cert.pem'),
      basicsStationKey: join(dir, 'key.pem'),
      basicsStationProof: 'required',
    });
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });

  const start = (gatewayID: string, tls: StationOptions['tls'], token?: string) =>
    startStation({
      server: `wss://127.0.0.1:${app.stationPort}`,
      gatewayID,
      tls: { ca, ...tls },
      reconnectMs: 50,
      ...(token !== undefined && { token }),
    });

  it('prove their identity by their certificate, and not by that of another gateway', async () => {
    const organizationID = await createOrganization(app);
    const [gatewayID, otherID] = [await createGateway(app, organizationID), await createGateway(app, organizationID)];
    const { cert, key } = await app.parts.certificates.issueForGateway(gatewayID);
    await using station = start(gatewayID, { cert, key });
    await station.online();
    await using liar = start(otherID, { cert, key });
    assert.match(await refused(liar), /did not prove/);
    const foreign = await (await createAuthority('Somebody else')).issue('client');
    await using stranger = start(otherID, { cert: foreign.cert, key: foreign.key });
    assert.match(await refused(stranger), /did not prove/);
  });

  it('are disconnected when their certificate is revoked, and refused afterwards', async () => {
    const organizationID = await createOrganization(app);
    const gatewayID = await createGateway(app, organizationID);
    const { cert, key } = await app.parts.certificates.issueForGateway(gatewayID);
    await using station = start(gatewayID, { cert, key });
    await station.online();
    const serial = new X509Certificate(cert).serialNumber.toLowerCase();
    await app.call(operations.gatewayCertificate.revoke, { gatewayID, serial });
    assert.match(await refused(station), /did not prove/);
  });

  it('must prove their identity where a setting requires it, and may use an API key', async () => {
    const organizationID = await createOrganization(app);
    const gatewayID = await createGateway(app, organizationID);
    await using nobody = start(gatewayID, {});
    const answer = await refused(nobody);
    assert.match(answer, /did not prove/);
    await nobody.stop();
    // A station without proof does not learn which gateways exist.
    await using stranger = start('0badc0de0badc0de', {});
    assert.equal(await refused(stranger), answer);
    await stranger.stop();
    const { token } = await createAPIKey(app, { organizationID });
    await using station = start(gatewayID, {}, token);
    await station.online();
  });
});
