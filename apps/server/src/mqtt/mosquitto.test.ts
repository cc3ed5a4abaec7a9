import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { operations } from '@hilltop/contract';
import { createAPIKey } from '../testing/factories.ts';
import { createDevice, createSurroundings, nwkKey } from '../testing/field.ts';
import { needsMosquitto, startMosquitto } from '../testing/mosquitto.ts';
import { brokerSettings, connectMQTT, happen, subscribe } from '../testing/mqtt.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const run = promisify(execFile);
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

async function createActive(app: TestApp) {
  const own = await createSurroundings(app);
  const devEUI = await createDevice(app, own);
  const keys = { appSKey: '1'.repeat(32), nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
  await app.call(operations.device.activate, { deviceActivation: { devEUI, devAddr: '01abcdef', ...keys } });
  return { ...own, devEUI, command: `application/${own.applicationID}/device/${devEUI}/command/down` };
}

const queued = async (app: TestApp, devEUI: string) =>
  (await app.call(operations.deviceQueue.list, { devEUI })).deviceQueueItems.map(({ data }) => data);

describe('the clients of mosquitto', needsMosquitto, () => {
  it('subscribe and publish at the embedded broker with the files of a certificate', async () => {
    await using app = await startTestApp('sqlite', brokerSettings);
    const { applicationID, devEUI, command } = await createActive(app);
    const made = await app.call(operations.application.generateMQTTIntegrationClientCertificate, { applicationID });
    const directory = mkdtempSync(join(tmpdir(), 'hilltop-certificate-'));
    const files = { 'ca.pem': made.caCert, 'cert.pem': made.tlsCert, 'key.pem': made.tlsKey };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);

    const { subscribeLine } = await app.call(operations.mqtt.get, { applicationID });
    const subscriber = spawn('sh', ['-c', `exec ${subscribeLine} -C 1`], { cwd: directory });
    let output = '';
    subscriber.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
    });
    const clients = async () => (await app.call(operations.mqtt.listClients, { applicationID })).result;
    while (!(await clients()).some(({ subscriptions }) => subscriptions.length > 0)) await pause();
    await happen(app, devEUI, 'up', { fCnt: 42 });
    await once(subscriber, 'close');
    assert.match(output, new RegExp(`application/${applicationID}/device/${devEUI}/event/up \\{"applicationID"`));

    const where = ['-h', '127.0.0.1', '-p', String(app.parts.mqtt!.ports().tls), '-q', '1'];
    const proof = ['--cafile', 'ca.pem', '--cert', 'cert.pem', '--key', 'key.pem'];
    const message = ['-t', command, '-m', '{"fPort":10,"data":"AQID"}'];
    await run('mosquitto_pub', [...where, ...proof, ...message], { cwd: directory });
    assert.deepEqual(await queued(app, devEUI), ['AQID']);

    await run('mosquitto_pub', [...where, ...proof, '-V', '5', '-t', command, '-m', '{"fPort":11,"data":"AQID"}'], {
      cwd: directory,
    });
    assert.equal((await queued(app, devEUI)).length, 2);
    rmSync(directory, { recursive: true });
  });
});

describe('the clients of mosquitto in version 5', needsMosquitto, () => {
  it('subscribe and publish with an API key, and are told why they may not', async () => {
    await using app = await startTestApp('sqlite', brokerSettings);
    const { applicationID, devEUI, command } = await createActive(app);
    const { token } = await createAPIKey(app, { applicationID });
    const five = ['-V', '5', '-h', '127.0.0.1', '-p', String(app.parts.mqtt!.ports().tcp), '-u', 'x', '-q', '1'];
    const properties = [
      '-D',
      'publish',
      'user-property',
      'site',
      'north',
      '-D',
      'publish',
      'message-expiry-interval',
      '60',
    ];
    const message = ['-t', command, '-m', '{"fPort":10,"data":"AQID"}', ...properties];
    const subscriber = spawn('/usr/bin/mosquitto_sub', [
      ...five,
      '-P',
      token,
      '-t',
      `application/${applicationID}/#`,
      '-C',
      '1',
    ]);
    let output = '';
    subscriber.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
    });
    const clients = async () => (await app.call(operations.mqtt.listClients, { applicationID })).result;
    while (!(await clients()).some(({ subscriptions }) => subscriptions.length > 0)) await pause();
    await happen(app, devEUI, 'up', { fCnt: 42 });
    await once(subscriber, 'close');
    assert.match(output, /"fCnt":42/);

    await run('mosquitto_pub', [...five, '-P', token, ...message]);
    assert.deepEqual(await queued(app, devEUI), ['AQID']);
    await assert.rejects(run('mosquitto_pub', [...five, '-P', 'wrong', ...message]), /Bad user ?name or password/i);
    const elsewhere = await run('mosquitto_pub', [...five, '-P', token, '-t', 'elsewhere', '-m', 'x']);
    assert.match(elsewhere.stderr, /Not authorized/i);
  });
});

describe('an external broker', needsMosquitto, () => {
  it('receives events in order, including those of an outage, and delivers commands', async () => {
    await using mosquitto = await startMosquitto();
    await using app = await startTestApp('sqlite', { mqttURL: mosquitto.url });
    const { applicationID, devEUI, command } = await createActive(app);
    const listen = async () => {
      // A stored session, so that it does not matter which side reconnects first.
      const other = await connectMQTT(mosquitto.url, { clean: false, clientId: 'listener' });
      await subscribe(other.client, 'application/+/device/+/event/#', 1);
      return other;
    };
    await using before = await listen();
    await happen(app, devEUI, 'up', { fCnt: 0 });
    const { topic, payload, qos } = await before.next();
    assert.equal(topic, `application/${applicationID}/device/${devEUI}/event/up`);
    assert.deepEqual([JSON.parse(payload).fCnt, qos], [0, 1]);

    await before.client.publishAsync(command, '{"fPort":10,"data":"AQID"}', { qos: 1 });
    while ((await queued(app, devEUI)).length === 0) await pause();
    assert.deepEqual(await queued(app, devEUI), ['AQID']);

    await mosquitto.stop();
    for (const fCnt of [1, 2, 3]) await happen(app, devEUI, 'up', { fCnt });
    await mosquitto.start();
    await using after = await listen();
    // Unacknowledged events arrive again, and none is missing.
    for (let last = 0; last < 3; ) {
      const { fCnt } = JSON.parse((await after.next()).payload);
      assert.ok(fCnt === last || fCnt === last + 1, `${fCnt} after ${last}`);
      last = fCnt;
    }
    await after.client.publishAsync(command, '{"fPort":10,"data":"BAUG"}', { qos: 1 });
    while ((await queued(app, devEUI)).length === 1) await pause();
    assert.deepEqual(await queued(app, devEUI), ['AQID', 'BAUG']);
  });

  it('is shown to users without the credentials of this server', async () => {
    const mqttURL = 'mqtts://hilltop:canary@broker.example.org';
    await using app = await startTestApp('sqlite', { mqttURL });
    const { applicationID } = await createSurroundings(app);
    const access = await app.call(operations.mqtt.get, { applicationID });
    assert.deepEqual([access.broker, access.hasCertificates], ['EXTERNAL', false]);
    assert.deepEqual(access.addresses, [{ transport: 'TLS', url: 'mqtts://broker.example.org:8883' }]);
    assert.doesNotMatch(JSON.stringify(access), /canary/);
  });
});
