import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createDevice, startGateway } from '@hilltop/simulator';
import { startServer } from '../compose.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { createTestClient } from '../testing/client.ts';
import { startCodecsWithLongTimeout } from '../testing/codecs-with-long-timeout.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { testSettings } from '../testing/test-settings.ts';
import { type TestWatch, watch } from '../testing/watch.ts';
import { dryRun, type ImportOptions, importAll } from './import.ts';
import { type Report, textOf } from './report/report.ts';
import { fillVersion3, fixture, sessionOf } from './testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const countOf = ({ counts }: Report, what: string) => counts.find((count) => count.what === what);
const sentences = ({ findings }: Report, kind: string) =>
  findings.filter((finding) => finding.kind === kind).map(({ what, because }) => `${what}: ${because}`);

const choiceOf = (v3: Version3, more: Partial<ImportOptions> = {}): ImportOptions => ({
  config: v3.config,
  networkServerConfigs: [v3.networkServerConfig],
  downlinkMargin: 1,
  isFinal: false,
  ...more,
});

async function importInto(
  testStorage: TestStorage,
  choice: ImportOptions,
  shown = new Map<string, string>(),
): Promise<Report> {
  const config = testSettings(testStorage);
  const storage = await openStorage(config, createLog(config));
  try {
    const showOnce = (email: string, password: string) => void shown.set(email, password);
    return await importAll(choice, { ...storage, config }, { ...quiet, showOnce });
  } finally {
    await storage.close();
  }
}

/** The payload of the next uplink among the events of a device. */
async function nextUp(events: TestWatch): Promise<string> {
  for (;;) {
    const { result } = await events.next();
    if (result?.type === 'up') return result.payloadJSON;
  }
}

describe('importing version 3', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
  });
  after(() => v3[Symbol.asyncDispose]());

  it('reports in advance what it imports, and what the operator should know', async () => {
    const report = await dryRun(choiceOf(v3), quiet);
    assert.deepEqual(sentences(report, 'stops'), []);
    assert.deepEqual(
      report.counts.map(({ what, inV3, notCarried }) => [what, inV3, notCarried]),
      [
        ['network-servers', 1, 0],
        ['users', 4, 0],
        ['organizations', 1, 0],
        ['organization users', 1, 0],
        ['service-profiles', 1, 0],
        ['device-profiles', 1, 0],
        ['gateway-profiles', 1, 0],
        ['applications', 1, 0],
        ['API keys', 1, 0],
        ['integrations', 1, 0],
        ['gateways', 1, 0],
        ['devices', 1, 0],
        ['multicast-groups', 1, 0],
        ['multicast-group devices', 1, 0],
        ['join nonces', 1, 0],
        ['sessions', 1, 0],
        ['queued downlinks', 0, 0],
        ['statistics', 0, 0],
      ],
    );
    const text = textOf(report);
    assert.match(text, /application server at 127\.0\.0\.1.*: schema 60/);
    assert.match(text, /the default of every installation of version 3/);
    assert.match(text, /hashed so weakly/);
    for (const secret of [fixture.appSKey, fixture.nwkKey, 'a header secret', 'verysecret'])
      assert.ok(!text.includes(secret) && !JSON.stringify(report).includes(secret));
  });

  it('reports gateways with a client certificate', async () => {
    const ofCertificates = async () =>
      sentences(await dryRun(choiceOf(v3), quiet), 'notice').filter((line) => line.includes('client certificate'));
    for (const [value, count] of [
      ['null', 0],
      [`''`, 0],
      [`'a certificate'`, 1],
    ] as const) {
      await v3.query('ns', `update gateway set tls_cert = ${value}`);
      assert.equal((await ofCertificates()).length, count, value);
    }
    await v3.query('ns', 'update gateway set tls_cert = null');
  });

  it('comes to the same result whatever phase it was interrupted in', async () => {
    await using testStorage = await createTestStorage('sqlite');
    const config = testSettings(testStorage);
    for (let interruptedAt = 1; ; interruptedAt += 1) {
      const storage = await openStorage(config, createLog(config));
      let errorText = 0;
      const print = () => {
        errorText += 1;
        if (errorText === interruptedAt) throw new Error('interrupted');
      };
      const run = importAll(choiceOf(v3), { ...storage, config }, { ...quiet, print });
      const outcome = await run.catch((error: Error) => error.message);
      await storage.close();
      if (outcome !== 'interrupted') break;
    }
    const again = await importInto(testStorage, choiceOf(v3));
    assert.deepEqual(sentences(again, 'stops'), []);
    assert.deepEqual(
      again.counts.map(({ what, new: fresh, changed, same }) => [what, fresh + changed, same]),
      again.counts.map(({ what, inV3 }) => [what, 0, inV3]),
    );
  });

  for (const kind of databases)
    it(`replaces the records of a first start on ${kind}, and no others`, async () => {
      await using testStorage = await createTestStorage(kind);
      const begun = await startServer({ ...testSettings(testStorage), adminPassword: 'test password' });
      const client = createTestClient(`http://127.0.0.1:${begun.httpPort}`);
      const token = await client.signIn('admin@hilltop.local', 'test password');
      const { id } = await client.call(
        operations.organization.create,
        { organization: { name: 'more', displayName: 'More' } },
        token,
      );
      await begun.stop();
      await assert.rejects(importInto(testStorage, choiceOf(v3)), /This Hilltop is not empty/);
      const again = await startServer(testSettings(testStorage));
      const later = createTestClient(`http://127.0.0.1:${again.httpPort}`);
      await later.call(operations.organization.delete, { id }, token);
      await again.stop();
      assert.deepEqual(sentences(await importInto(testStorage, choiceOf(v3)), 'stops'), []);
      const { database, close } = await openStorage(testSettings(testStorage), createLog(testSettings(testStorage)));
      const users = await database.query.selectFrom('user').select('email').orderBy('id').execute();
      const organizations = await database.query.selectFrom('organization').select('name').execute();
      const networkServers = await database.query.selectFrom('network_server').select('id').execute();
      await close();
      assert.deepEqual([users.map(({ email }) => email).includes('admin@hilltop.local'), users.length], [false, 4]);
      assert.deepEqual(organizations, [{ name: 'acme' }]);
      assert.deepEqual(
        networkServers.map((one) => Number(one.id)),
        [3],
      );
    });

  for (const kind of databases) {
    describe(`into ${kind}`, () => {
      let testStorage: TestStorage;
      let server: Awaited<ReturnType<typeof startServer>>;
      let client: ReturnType<typeof createTestClient>;
      let token: string;
      /** Passwords that the last pass created. */
      const shown = new Map<string, string>();
      before(async () => {
        testStorage = await createTestStorage(kind);
        const report = await importInto(testStorage, choiceOf(v3));
        assert.deepEqual(sentences(report, 'stops'), []);
        assert.deepEqual([countOf(report, 'devices')?.new, countOf(report, 'sessions')?.new], [1, 1]);
      });
      after(async () => {
        await server?.stop();
        await testStorage[Symbol.asyncDispose]();
      });

      it('writes nothing when it runs again, and only changes after a change', async () => {
        const again = await importInto(testStorage, choiceOf(v3));
        for (const { what, new: fresh, changed, gone } of again.counts)
          assert.deepEqual([what, fresh, changed, gone], [what, 0, 0, 0]);
        await v3.query('as', `update device set description = 'moved' where name = 'meter 1'`);
        await v3.redis.set(`lora:ns:device:${fixture.devEUI}`, Buffer.from(sessionOf({ fCntUp: fixture.fCntUp + 1 })));
        const later = await importInto(testStorage, choiceOf(v3));
        assert.deepEqual([countOf(later, 'devices')?.changed, countOf(later, 'sessions')?.changed], [1, 1]);
        await v3.redis.set(`lora:ns:device:${fixture.devEUI}`, Buffer.from(sessionOf({})));
        await v3.query('as', `update device set description = '' where name = 'meter 1'`);
      });

      it('is finished by its last pass, and refuses another pass', async () => {
        const report = await importInto(testStorage, choiceOf(v3, { isFinal: true }), shown);
        assert.deepEqual(sentences(report, 'stops'), []);
        await assert.rejects(importInto(testStorage, choiceOf(v3)), /The import into this Hilltop is finished/);
      });

      it('lets users sign in with their passwords, and then hashes these again', async () => {
        server = await startServer(testSettings(testStorage), { codecs: startCodecsWithLongTimeout() });
        assert.equal(server.firstAdministrator, undefined);
        client = createTestClient(`http://127.0.0.1:${server.httpPort}`);
        await assert.rejects(client.signIn('anna@example.org', 'something else'));
        token = await client.signIn('anna@example.org', fixture.password);
        const { query } = server.needs.database;
        const user = query.selectFrom('user').select('password_hash').where('id', '=', 4);
        assert.match((await user.executeTakeFirstOrThrow()).password_hash ?? '', /^\$argon2id\$/);
        await client.signIn('anna@example.org', fixture.password);
        const weak = query.selectFrom('user').select('password_hash').where('id', '=', 6);
        const wrapped = (await weak.executeTakeFirstOrThrow()).password_hash ?? '';
        assert.match(wrapped, /^\$v3\$1000\$[^$]+\$argon2id\$v=19\$m=19456,/);
        assert.ok(!wrapped.includes(fixture.weakHash.split('$')[4]!));
        await assert.rejects(client.signIn('wim@example.org', 'admin2'));
        await client.signIn('wim@example.org', fixture.password);
        assert.match((await weak.executeTakeFirstOrThrow()).password_hash ?? '', /^\$argon2id\$/);
        await client.signIn('wim@example.org', fixture.password);
        await assert.rejects(client.signIn('admin', 'admin'));
        assert.deepEqual([...shown.keys()], ['admin']);
        await client.signIn('admin', shown.get('admin')!);
        const { networkServer } = await client.call(operations.networkServer.get, { id: '3' }, token);
        assert.equal(networkServer?.server, 'embedded:EU868');
        assert.deepEqual((await client.call(operations.networkServer.list, { limit: 10 }, token)).totalCount, '1');
      });

      it('accepts tokens of API keys, and no others signed with the old secret', async () => {
        const { totalCount } = await client.call(
          operations.application.list,
          { limit: 1, organizationID: '7' },
          fixture.apiToken,
        );
        assert.equal(totalCount, '1');
        const { SignJWT } = await import('jose');
        const forged = (claims: Record<string, unknown>) =>
          new SignJWT({ iss: 'as', aud: 'as', ...claims })
            .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
            .sign(new TextEncoder().encode('verysecret'));
        const { apiKey: _, ...made } = await client
          .call(operations.internal.createAPIKey, { apiKey: { name: 'ours', isAdmin: true } }, token)
          .then((answer) => ({ ...answer, apiKey: null }));
        const asKey = await forged({ sub: 'api_key', api_key_id: made.id });
        const session = await server.needs.database.query.selectFrom('session').select('id').executeTakeFirstOrThrow();
        const asUser = await forged({ sub: 'user', username: 'anna@example.org', sid: session.id, exp: 4e9 });
        for (const wrong of [asKey, asUser])
          await assert.rejects(client.call(operations.application.list, { limit: 1 }, wrong), { code: 16 });
      });

      it('imports keys, secrets, boards and groups', async () => {
        const keys = await client.call(operations.device.getKeys, { devEUI: fixture.devEUI }, token);
        assert.equal(keys.deviceKeys?.nwkKey, fixture.nwkKey);
        const { gateway } = await client.call(operations.gateway.get, { id: fixture.gatewayID }, token);
        assert.deepEqual(gateway?.boards, [{ fpgaID: '0102030405060708', fineTimestampKey: fixture.nwkKey }]);
        const { multicastGroup } = await client.call(
          operations.multicastGroup.get,
          { id: fixture.multicastGroupID },
          token,
        );
        assert.deepEqual([multicastGroup?.mcNwkSKey, multicastGroup?.fCnt], [fixture.nwkSKey, 6]);
        const { integration } = await client.call(
          operations.application.getHTTPIntegration,
          { applicationID: '11' },
          token,
        );
        assert.deepEqual([integration?.marshaler, integration?.headers.length], ['JSON_V3', 1]);
        const { deviceProfile } = await client.call(
          operations.deviceProfile.get,
          { id: fixture.deviceProfileID },
          token,
        );
        assert.deepEqual(
          [deviceProfile?.adrAlgorithmID, deviceProfile?.uplinkInterval, deviceProfile?.tags],
          ['default', '3600s', { kind: 'meter' }],
        );
        const { organization } = await client.call(operations.organization.get, { id: '7' }, token);
        assert.equal(organization?.name, 'acme');
        const made = await client.call(
          operations.organization.create,
          { organization: { name: 'later', displayName: 'later' } },
          token,
        );
        assert.ok(Number(made.id) > 7);
      });

      it('continues the session of a device', async () => {
        const { devEUI, devAddr, nwkSKey, appSKey } = fixture;
        const gateway = await startGateway({ server: `127.0.0.1:${server.udpPort}`, gatewayID: fixture.gatewayID });
        await using _gateway = gateway;
        await gateway.online();
        const device = createDevice({
          devEUI,
          joinEUI: fixture.joinEUI,
          macVersion: '1.0.3',
          region: 'EU868',
          random: Math.random,
          session: {
            devAddr,
            keys: { nwkSKey, appSKey },
            fCntUp: fixture.fCntUp,
            fCntDown: fixture.nFCntDown,
            dataRate: 3,
          },
        });
        await using events = await watch(`http://127.0.0.1:${server.httpPort}`, `/api/devices/${devEUI}/events`, token);
        await client.call(
          operations.deviceQueue.enqueue,
          { deviceQueueItem: { devEUI, fPort: 2, data: 'AQI=' } },
          token,
        );
        let phyPayload: Uint8Array | undefined;
        // On a slow machine the server misses both windows and answers the next uplink.
        while (!phyPayload) {
          gateway.receiveFrame(device.uplink({ fPort: 1, data: Uint8Array.of(7) }));
          phyPayload = await gateway.nextDownlink(8000).then(
            (downlink) => downlink.phyPayload,
            () => undefined,
          );
        }
        const received = device.receive(phyPayload);
        assert.equal(received.kind, 'data');
        const up = await nextUp(events);
        const { fCnt, objectJSON } = JSON.parse(up) as { fCnt: number; objectJSON: string };
        assert.deepEqual([fCnt, JSON.parse(objectJSON)], [fixture.fCntUp, { first: 7 }]);
      });
    });
  }
});
