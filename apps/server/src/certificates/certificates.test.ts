import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { mostClientCertificates, operations } from '@hilltop/contract';
import * as x509 from '@peculiar/x509';
import { createAuthority } from '../testing/certificates.ts';
import { databases } from '../testing/databases.ts';
import { createApplication, createOrganization } from '../testing/factories.ts';
import { createGateway } from '../testing/field.ts';
import { brokerSettings, connectMQTT, subscribe, urlOf } from '../testing/mqtt.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp } from '../testing/test-app.ts';
import { createCertificates } from './certificates.ts';
import { mostEndedCertificates } from './client-certificates.ts';
import { issue, makeAuthority } from './issue.ts';

const { mqtt, application, gateway, gatewayCertificate } = operations;
const dayMs = 86_400_000;
const lasting = () => ({ from: new Date(), until: new Date(Date.now() + dayMs) });

describe('certificates', () => {
  const directory = mkdtempSync(join(tmpdir(), 'hilltop-certificates-'));
  after(() => rmSync(directory, { recursive: true }));
  const file = (name: string, text: string) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  /** A CA like that of version 3: RSA, with the key in PKCS #1. */
  async function olderAuthority() {
    const algorithm = {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
    };
    const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
    const own = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: '0a',
      name: 'CN=Older CA',
      signingAlgorithm: algorithm,
      keys,
      notBefore: new Date(Date.now() - dayMs),
      notAfter: new Date(Date.now() + dayMs),
      extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
    });
    const pkcs8 = Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey));
    const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return { cert: own.toString('pem'), key: key.export({ type: 'pkcs1', format: 'pem' }).toString() };
  }

  it('of a gateway identify it alone, until it is deleted', async () => {
    await using app = await startTestApp('sqlite', brokerSettings);
    const organizationID = await createOrganization(app);
    const gatewayID = await createGateway(app, organizationID, '0102030405060708');
    const { certificates } = app.parts;
    const { cert, ca } = await certificates.issueForGateway(gatewayID);
    const certificate = new X509Certificate(cert);
    assert.equal(certificate.subject, `CN=${gatewayID}`);
    assert.equal((await certificates.gatewayOf(certificate))?.gatewayID, gatewayID);
    assert.equal(await certificates.ownerOf(certificate), undefined);
    for (const authority of await certificates.gatewayAuthorities()) assert.ok(ca.includes(authority));
    const foreign = await issue(await makeAuthority('Hilltop gateways', lasting()), {
      commonName: gatewayID,
      ...lasting(),
    });
    assert.equal(await certificates.gatewayOf(new X509Certificate(foreign.cert)), undefined);
    await app.call(operations.gateway.delete, { id: gatewayID });
    assert.equal(await certificates.gatewayOf(certificate), undefined);
  });

  for (const kind of databases)
    it(`are limited in number, ${kind}, and a revoked one frees one`, async () => {
      await using app = await startTestApp(kind, brokerSettings);
      const id = await createGateway(app, await createOrganization(app), '0102030405060709');
      const applicationID = await createApplication(app);
      const ofGateway = {
        issue: () => app.call(gateway.generateGatewayClientCertificate, { gatewayId: id }),
        list: () => app.call(gatewayCertificate.list, { gatewayID: id, limit: 1000 }),
        revoke: (serial: string) => app.call(gatewayCertificate.revoke, { gatewayID: id, serial }),
      };
      const ofApplication = {
        issue: () => app.call(application.generateMQTTIntegrationClientCertificate, { applicationID }),
        list: () => app.call(mqtt.listCertificates, { applicationID, limit: 1000 }),
        revoke: (serial: string) => app.call(mqtt.revokeCertificate, { applicationID, serial }),
      };
      for (const { issue, list, revoke } of [ofGateway, ofApplication]) {
        const tries = Array.from({ length: mostClientCertificates + 3 }, issue);
        const outcomes = await Promise.allSettled(tries);
        assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, mostClientCertificates);
        assert.match((await refused(9, issue())).message, /20 valid certificates\. Revoke/);
        const [latest] = (await list()).result;
        await revoke(latest!.serial);
        await issue();
        await refused(9, issue());
        const { result } = await list();
        assert.equal(result.length, mostClientCertificates + 1);
        assert.equal(result.filter(({ revokedAt }) => revokedAt === null).length, mostClientCertificates);
      }
    });

  it('that were revoked are removed after some time, and stay invalid', async () => {
    await using app = await startTestApp('sqlite', brokerSettings);
    const gatewayID = await createGateway(app, await createOrganization(app), '0102030405060710');
    const { certificates } = app.parts;
    const first = new X509Certificate((await certificates.issueForGateway(gatewayID)).cert);
    const list = async () => (await app.call(gatewayCertificate.list, { gatewayID, limit: 1000 })).result;
    for (let made = 0; made < mostEndedCertificates + 2; made += 1) {
      const good = (await list()).find(({ revokedAt }) => revokedAt === null);
      await app.call(gatewayCertificate.revoke, { gatewayID, serial: good!.serial });
      await certificates.issueForGateway(gatewayID);
    }
    const left = await list();
    assert.equal(left.length, mostEndedCertificates + 1);
    assert.ok(!left.some(({ serial }) => serial === first.serialNumber.toLowerCase()));
    assert.equal(await certificates.gatewayOf(first), undefined);
  });

  it('of a version 3 server stay valid, are listed when first used, and can be revoked', async () => {
    const older = await olderAuthority();
    const settings = {
      mqttClientCACert: file('ca.pem', older.cert),
      mqttClientCAKey: file('ca-key.pem', older.key),
    };
    await using app = await startTestApp('sqlite', { ...brokerSettings, ...settings });
    const applicationID = await createApplication(app);
    const { caCert, tlsCert } = await app.call(application.generateMQTTIntegrationClientCertificate, { applicationID });
    assert.equal(new X509Certificate(tlsCert).issuer, 'CN=Older CA');

    const old = await issue(older, { commonName: applicationID, ...lasting() });
    const files = { ca: caCert, cert: old.cert, key: old.key };
    await using someone = await connectMQTT(urlOf(app, 'tls'), files);
    assert.deepEqual(
      await subscribe(someone.client, [`application/${applicationID}/#`, 'application/999/#']),
      [0, 128],
    );
    const { result } = await app.call(mqtt.listCertificates, { applicationID, limit: 10 });
    assert.ok(result.some(({ serial }) => serial === old.serial));
    await app.call(mqtt.revokeCertificate, { applicationID, serial: old.serial });
    await someone.closed;
    await assert.rejects(connectMQTT(urlOf(app, 'tls'), files), { code: 5 });

    const nobody = await issue(older, { commonName: '999', ...lasting() });
    await assert.rejects(connectMQTT(urlOf(app, 'tls'), { ...files, ...nobody }), { code: 5 });
  });

  it('of another authority, and forged ones, are refused', async () => {
    await using app = await startTestApp('sqlite', brokerSettings);
    const applicationID = await createApplication(app);
    const { caCert } = await app.call(application.generateMQTTIntegrationClientCertificate, { applicationID });
    const stranger = await (await createAuthority('Hilltop applications')).issue('client');
    await assert.rejects(connectMQTT(urlOf(app, 'tls'), { ca: caCert, cert: stranger.cert, key: stranger.key }));
    // Signed by our own authority but never listed: its key must have been stolen.
    const row = await app.parts.database.query.selectFrom('own_certificate').selectAll().execute();
    const authority = row.find(({ name }) => name === 'applications')!;
    const key = new TextDecoder().decode(app.parts.secrets.open(authority.key, 'own_certificate.key:applications'));
    const forged = await issue({ cert: authority.cert, key }, { commonName: applicationID, ...lasting() });
    await assert.rejects(connectMQTT(urlOf(app, 'tls'), { ca: caCert, cert: forged.cert, key: forged.key }), {
      code: 5,
    });
  });

  it('of the listener are stored, and renewed before they expire and for a new host name', async () => {
    await using app = await startTestApp('sqlite');
    const { database, secrets, config } = app.parts;
    let now = new Date('2026-01-01T00:00:00Z');
    const of = async (settings: object = {}) => {
      const certificates = await createCertificates({
        config: { ...config, ...settings },
        database,
        secrets,
        now: () => now,
      });
      return new X509Certificate((await certificates.ofListener()).cert);
    };
    const first = await of({ mqttPublic: 'mqtt.example.org' });
    assert.ok(first.checkHost('mqtt.example.org') && first.checkHost('localhost') && first.checkIP('127.0.0.1'));
    assert.equal((await of({ mqttPublic: 'mqtt.example.org' })).serialNumber, first.serialNumber);
    const renamed = await of({ mqttPublic: 'other.example.org' });
    assert.ok(renamed.checkHost('other.example.org'));
    now = new Date('2027-01-10T00:00:00Z');
    const renewed = await of({ mqttPublic: 'other.example.org' });
    assert.notEqual(renewed.serialNumber, renamed.serialNumber);
    assert.equal(renewed.issuer, renamed.issuer);
  });

  it('in invalid files stop the start with an error that names the file', async () => {
    const { cert, key } = await (await createAuthority()).issue('client');
    const settings = { mqttClientCACert: file('end.pem', cert), mqttClientCAKey: file('end-key.pem', key) };
    await assert.rejects(startTestApp('sqlite', settings), /\(HILLTOP_MQTT_CLIENT_CA_CERT\) is not one of a CA/);
    await assert.rejects(
      startTestApp('sqlite', { mqttCert: join(directory, 'end.pem') }),
      /HILLTOP_MQTT_KEY must both/,
    );
  });
});
