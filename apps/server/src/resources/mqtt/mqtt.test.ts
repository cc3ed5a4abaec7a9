import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { describeAccess, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createApplication } from '../../testing/factories.ts';
import { fakeBroker } from '../../testing/fake-broker.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { mqtt, application } = operations;

for (const database of databases) {
  describe(`mqtt on ${database}`, () => {
    let app: TestApp;
    let applicationID: string;
    before(async () => {
      app = await startTestApp(database, {}, { mqtt: fakeBroker });
      applicationID = await createApplication(app);
    });
    after(() => app[Symbol.asyncDispose]());
    const generate = () => app.call(application.generateMQTTIntegrationClientCertificate, { applicationID });

    it('creates a certificate of the application, lists and revokes it', async () => {
      const { tlsCert, tlsKey, caCert, expiresAt } = await generate();
      const certificate = new X509Certificate(tlsCert);
      assert.equal(certificate.subject, `CN=${applicationID}`);
      assert.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, 'prime256v1');
      assert.match(tlsKey, /^-----BEGIN PRIVATE KEY-----\n/);
      assert.equal(caCert.match(/BEGIN CERTIFICATE/g)?.length, 2);
      const lasts = new Date(expiresAt!).getTime() - app.parts.clock.now().getTime();
      assert.ok(Math.abs(lasts - 8760 * 3_600_000) < 60_000);

      const { totalCount, result } = await app.call(mqtt.listCertificates, { applicationID, limit: 10 });
      const serial = certificate.serialNumber.toLowerCase();
      assert.equal(totalCount, '1');
      assert.deepEqual([result[0]!.serial, result[0]!.expiresAt, result[0]!.revokedAt], [serial, expiresAt, null]);
      assert.equal((await app.parts.certificates.ownerOf(certificate))?.applicationID, Number(applicationID));

      const other = await createApplication(app);
      await refused(5, app.call(mqtt.revokeCertificate, { applicationID: other, serial }));
      await app.call(mqtt.revokeCertificate, { applicationID, serial });
      const { result: after } = await app.call(mqtt.listCertificates, { applicationID, limit: 10 });
      assert.ok(after[0]!.revokedAt);
      assert.equal(await app.parts.certificates.ownerOf(certificate), undefined);
    });

    it('stores no key of a certificate, and seals those of its authorities', async () => {
      const { tlsKey } = await generate();
      const { query } = app.parts.database;
      const rows = [
        ...(await query.selectFrom('own_certificate').selectAll().execute()),
        ...(await query.selectFrom('client_certificate').selectAll().execute()),
        ...(await query.selectFrom('application').selectAll().execute()),
      ];
      const body = tlsKey.split('\n')[1]!;
      for (const value of rows.flatMap((one) => Object.values(one) as unknown[])) {
        const text = value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : JSON.stringify(value);
        assert.ok(!text.includes('PRIVATE KEY') && !text.includes(body));
      }
    });

    it('removes certificates with their application', async () => {
      const gone = await createApplication(app);
      const { tlsCert } = await app.call(application.generateMQTTIntegrationClientCertificate, { applicationID: gone });
      await app.call(application.delete, { id: gone });
      assert.equal(await app.parts.certificates.ownerOf(new X509Certificate(tlsCert)), undefined);
    });

    it('is listed among the integrations while it is on', async () => {
      const { totalCount, result } = await app.call(application.listIntegrations, { applicationID });
      assert.deepEqual([totalCount, result], ['0', [{ kind: 'MQTT_GLOBAL' }]]);
    });

    it('returns how to connect', async () => {
      const access = await app.call(mqtt.get, { applicationID });
      assert.deepEqual(access.addresses, [
        { transport: 'TLS', url: 'mqtts://127.0.0.1:8883' },
        { transport: 'TCP', url: 'mqtt://127.0.0.1:1883' },
        { transport: 'WEBSOCKET', url: `${app.url.replace('http', 'ws')}/mqtt` },
      ]);
      assert.equal(access.eventTopic, `application/${applicationID}/device/+/event/+`);
      assert.equal(access.commandTopic, `application/${applicationID}/device/<devEUI>/command/down`);
      assert.equal(
        access.subscribeLine,
        `mosquitto_sub -h 127.0.0.1 -p 8883 --cafile ca.pem --cert cert.pem --key key.pem -t 'application/${applicationID}/device/+/event/+' -v`,
      );
    });

    it('creates none while MQTT is off', async () => {
      await using without = await startTestApp(database);
      const id = await createApplication(without);
      const { message } = await refused(
        2,
        without.call(application.generateMQTTIntegrationClientCertificate, { applicationID: id }),
      );
      assert.match(message, /HILLTOP_MQTTS/);
      assert.equal((await without.call(mqtt.get, { applicationID: id })).broker, 'NONE');
    });
  });

  const administrators = ['organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey', 'applicationKey'] as const;
  const one = ({ applicationID }: { applicationID: string }) => ({ applicationID });
  describeAccess(database, 'mqtt', [
    row(mqtt.get, one, administrators),
    row(mqtt.listClients, one, administrators),
    row(mqtt.disconnectClient, (side) => ({ ...one(side), id: 'none' }), administrators),
    row(mqtt.listCertificates, one, administrators),
    row(mqtt.revokeCertificate, (side) => ({ ...one(side), serial: '00' }), administrators),
  ]);
}
