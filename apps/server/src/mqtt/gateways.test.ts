import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { type Bridge, type BridgeOptions, startBridge } from '@hilltop/simulator';
import { createAPIKey } from '../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createSurroundings,
  type FieldContext,
  simulateDevice,
} from '../testing/field.ts';
import { needsMosquitto, startMosquitto } from '../testing/mosquitto.ts';
import { brokerSettings, connectMQTT, type Subscriber, subscribe, urlOf } from '../testing/mqtt.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const quiet = { statIntervalMs: 0 };
const formats = [
  { format: { version: 3, encoding: 'protobuf' }, prefix: '' },
  { format: { version: 3, encoding: 'json' }, prefix: '' },
  { format: { version: 4, encoding: 'protobuf' }, prefix: 'eu868' },
  { format: { version: 4, encoding: 'json' }, prefix: 'eu868' },
] as const satisfies Partial<BridgeOptions>[];

const gatewayOf = async (app: TestApp, id: string) => app.call(operations.gateway.get, { id });

/** A device joins through the gateway, and sends an uplink. */
async function joinBy(app: TestApp, own: FieldContext, bridge: Bridge): Promise<void> {
  const devEUI = await createDevice(app, own);
  const device = simulateDevice(devEUI);
  assert.equal(await bridge.receiveFrame(device.joinRequest()).acknowledged, true);
  // Answers to earlier devices arrive as well.
  for (let isJoined = false; !isJoined; ) {
    const { refusal, phyPayload } = await bridge.nextDownlink();
    assert.equal(refusal, '');
    isJoined = device.receive(phyPayload).kind === 'joined';
  }
  assert.equal(await bridge.receiveFrame(device.uplink({ fPort: 2, data: Uint8Array.of(1) })).acknowledged, true);
  while (!(await app.call(operations.device.get, { devEUI })).lastSeenAt) await delay(20);
}

describe('gateways at the embedded broker', () => {
  let app: TestApp;
  let own: FieldContext;
  let gatewayID: string;
  let certificate: { ca: string; cert: string; key: string };
  let password: string;
  before(async () => {
    app = await startTestApp('sqlite', brokerSettings);
    own = await createSurroundings(app);
    gatewayID = await createGateway(app, own.organizationID);
    certificate = await app.parts.certificates.issueForGateway(gatewayID);
    ({ token: password } = await createAPIKey(app, { organizationID: own.organizationID }));
  });
  after(() => app[Symbol.asyncDispose]());

  const withCertificate = () => ({ server: urlOf(app, 'tls'), gatewayID, connection: certificate, ...quiet });
  const withKey = () => ({
    server: urlOf(app),
    gatewayID,
    connection: { username: gatewayID, password },
    ...quiet,
  });
  const connectAs = (side: 'certificate' | 'key'): Promise<Subscriber> =>
    side === 'certificate'
      ? connectMQTT(urlOf(app, 'tls'), certificate)
      : connectMQTT(urlOf(app), { username: gatewayID, password });

  for (const spoken of formats) {
    const { version, encoding } = spoken.format;
    it(`transmit a join and its answer, version ${version} in ${encoding}`, async () => {
      await using bridge = startBridge({ ...(version === 3 ? withKey() : withCertificate()), ...spoken });
      await bridge.online();
      await joinBy(app, own, bridge);
    });
  }

  it('are online when they connect, and offline afterwards', async () => {
    const id = await createGateway(app, own.organizationID);
    assert.equal((await gatewayOf(app, id)).lastSeenAt, null);
    await using bridge = startBridge({ ...withKey(), gatewayID: id, connection: { username: id, password } });
    await bridge.online();
    while (!(await gatewayOf(app, id)).lastSeenAt) await delay(20);
  });

  it('store the statistics they report', async () => {
    await using bridge = startBridge({
      ...withCertificate(),
      metaData: { model: 'roof' },
      position: { latitude: 52.5, longitude: 5.5, altitude: 20 },
    });
    await bridge.online();
    assert.equal(await bridge.sendStat(), true);
    let shown = await gatewayOf(app, gatewayID);
    while (shown.gateway.metadata['model'] !== 'roof') {
      await delay(20);
      shown = await gatewayOf(app, gatewayID);
    }
    assert.equal(shown.gateway.location?.latitude, 52.5);
  });

  it('publish below their own id only', async () => {
    const other = await createGateway(app, own.organizationID);
    for (const topic of [
      `gateway/${other}/event/up`,
      `eu868/gateway/${other}/state/conn`,
      `gateway/${gatewayID}/command/down`,
      `application/${own.applicationID}/device/${gatewayID}/command/down`,
      `a/b/gateway/${gatewayID}/event/up`,
    ]) {
      await using someone = await connectAs('certificate');
      someone.client.publish(topic, '{}');
      await someone.closed;
    }
  });

  it('receive their own commands only', async () => {
    const other = await createGateway(app, own.organizationID);
    await using someone = await connectAs('key');
    const ownFilters = [
      `gateway/${gatewayID}/command/#`,
      `eu868/gateway/${gatewayID}/command/down`,
      '#',
      '+/+/command/+',
    ];
    const others = [`gateway/${other}/command/#`, `gateway/${gatewayID}/event/#`, `application/${own.applicationID}/#`];
    assert.deepEqual(await subscribe(someone.client, [...ownFilters, ...others]), [0, 0, 0, 0, 128, 128, 128]);
  });

  it('have one connection, the newest', async () => {
    await using first = await connectAs('certificate');
    await using second = await connectAs('key');
    await first.closed;
    assert.equal(second.client.connected, true);
  });

  it('cannot be impersonated by programs, or with keys of other organizations', async () => {
    const { token: ofApplication } = await createAPIKey(app, { applicationID: own.applicationID });
    await using program = await connectMQTT(urlOf(app), { username: gatewayID, password: ofApplication });
    assert.deepEqual(await subscribe(program.client, `gateway/${gatewayID}/command/#`), [128]);
    program.client.publish(`gateway/${gatewayID}/event/up`, '{}');
    await program.closed;
  });

  it('are refused with a key of another organization, named by user name or client identifier', async () => {
    const foreign = await createSurroundings(app);
    const { token: ofOrganization } = await createAPIKey(app, { organizationID: foreign.organizationID });
    const { token: ofApplication } = await createAPIKey(app, { applicationID: foreign.applicationID });
    const { token: ofAll } = await createAPIKey(app, { isAdmin: true });
    for (const protocolVersion of [4, 5] as const) {
      const connectWith = (password: string, username: string, clientId: string) =>
        connectMQTT(urlOf(app), { protocolVersion, username, password, clientId });
      const code = protocolVersion === 5 ? 0x87 : 5;
      for (const key of [ofOrganization, ofApplication]) {
        await assert.rejects(connectWith(key, gatewayID, 'bridge'), { code });
        await assert.rejects(connectWith(key, gatewayID.toUpperCase(), 'bridge'), { code });
        await assert.rejects(connectWith(key, 'bridge', gatewayID), { code });
        await using program = await connectWith(key, 'any', 'f'.repeat(16));
        assert.equal(program.client.connected, true);
      }
      await using gateway = await connectWith(ofAll, gatewayID, 'bridge');
      assert.deepEqual(await subscribe(gateway.client, `gateway/${gatewayID}/command/#`), [0]);
    }
  });

  it('are disconnected when they are deleted', async () => {
    const id = await createGateway(app, own.organizationID);
    const { ca, cert, key } = await app.parts.certificates.issueForGateway(id);
    await using someone = await connectMQTT(urlOf(app, 'tls'), { ca, cert, key });
    await app.call(operations.gateway.delete, { id });
    await someone.closed;
    await assert.rejects(connectMQTT(urlOf(app, 'tls'), { ca, cert, key }), { code: 5 });
  });

  it('are disconnected when their certificate is revoked, and others stay connected', async () => {
    const id = await createGateway(app, own.organizationID);
    const issue = () => app.parts.certificates.issueForGateway(id);
    const [one, other] = [await issue(), await issue()];
    const sign = ({ ca, cert, key }: typeof one) => connectMQTT(urlOf(app, 'tls'), { ca, cert, key });
    const serial = new X509Certificate(one.cert).serialNumber.toLowerCase();
    await using someone = await sign(one);
    await app.call(operations.gatewayCertificate.revoke, { gatewayID: id, serial });
    await someone.closed;
    await assert.rejects(sign(one), { code: 5 });
    await using replaced = await sign(other);
    assert.equal(replaced.client.connected, true);
  });

  it('stay connected after an invalid message', async () => {
    await using bridge = startBridge(withKey());
    await bridge.online();
    const up = `gateway/${gatewayID}/event/up`;
    for (const payload of ['{', '{"rxInfo":{}}', '\0\0\0', '{"rxInfo":'.repeat(20_000)])
      await bridge.sendRaw(up, Buffer.from(payload));
    await bridge.sendRaw(`gateway/${gatewayID}/event/exec`, Buffer.from('x'));
    await joinBy(app, own, bridge);
  });
});

describe('gateways at an external broker', needsMosquitto, () => {
  it('transmit a join and its answer, and are offline after their will', async () => {
    await using mosquitto = await startMosquitto();
    await using app = await startTestApp('sqlite', { mqttURL: mosquitto.url });
    const own = await createSurroundings(app);
    for (const spoken of [formats[0], formats[3]]) {
      const gatewayID = await createGateway(app, own.organizationID);
      await using bridge = startBridge({ server: mosquitto.url, gatewayID, ...spoken, ...quiet });
      await bridge.online();
      while (!(await gatewayOf(app, gatewayID)).lastSeenAt) await delay(20);
      await joinBy(app, own, bridge);
    }
  });
});
