import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { settings } from '../config.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { createTestStorage } from '../testing/databases.ts';
import { dryRun, importAll } from './import.ts';
import type { Report } from './report/report.ts';
import { fillVersion3, fixture, sessionOf } from './testing/fixture.ts';
import { applicationServerID, needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const device = `lora:ns:device:${fixture.devEUI}`;
const hex = (text: string) => Buffer.from(text, 'hex');

describe('errors in an installation of version 3', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    await v3.redis.set(device, Buffer.from(sessionOf({})));
  });
  after(() => v3[Symbol.asyncDispose]());

  const choice = () => ({
    config: v3.config,
    networkServerConfigs: [v3.networkServerConfig],
    downlinkMargin: 1,
    isFinal: false,
  });
  const found = async (kind: string) => errorText(await dryRun(choice(), quiet), kind);
  const errorText = ({ findings }: Report, kind: string) =>
    findings.filter((one) => one.kind === kind).map(({ what, because }) => `${what}: ${because}`);

  const stops: readonly (readonly [name: string, database: 'as' | 'ns', wrong: string, right: string, RegExp])[] = [
    [
      'an older schema',
      'as',
      'update schema_migrations set version = 59',
      'update schema_migrations set version = 60',
      /has schema 59, and 60 is needed: start Application Server 3\.17 once/,
    ],
    [
      'a newer schema',
      'ns',
      'update schema_migrations set version = 99',
      'update schema_migrations set version = 33',
      /has schema 99, which is newer/,
    ],
    [
      'an unfinished upgrade',
      'ns',
      'update schema_migrations set dirty = true',
      'update schema_migrations set dirty = false',
      /has an unfinished upgrade/,
    ],
    ['a database of version 4', 'as', 'create table tenant (id uuid)', 'drop table tenant', /is of version 4/],
    [
      'a missing table',
      'ns',
      'alter table device_queue rename to elsewhere',
      'alter table elsewhere rename to device_queue',
      /lacks table device_queue/,
    ],
    [
      'a missing column',
      'as',
      'alter table device rename column app_s_key to elsewhere',
      'alter table device rename column elsewhere to app_s_key',
      /lacks device\.app_s_key/,
    ],
  ];
  for (const [name, database, wrong, right, sentence] of stops) {
    it(`stops at ${name}`, async () => {
      await v3.query(database, wrong);
      try {
        assert.match((await found('stops')).join('\n'), sentence);
      } finally {
        await v3.query(database, right);
      }
    });
  }

  const files: readonly (readonly [name: string, of: 'as' | 'ns', file: string, RegExp])[] = [
    ['a file that is not TOML', 'ns', '[[[', /is not TOML: look at line/],
    ['an unknown band', 'ns', '[network_server.band]\nname="XX1"\n', /a band that Hilltop does not have/],
    ['a wrong prefix of Redis', 'ns', 'key_prefix="other:"\n', /check redis\.database and redis\.key_prefix/],
    ['a Redis that cannot be reached', 'ns', 'url="redis://127.0.0.1:1/0"\n', /Redis .* cannot be opened/],
    ['an invalid id of the server', 'as', '[application_server]\nid="mine"\n', /application_server\.id is not a UUID/],
    [
      'channels that the band does not have',
      'ns',
      '[network_server.network_settings]\nenabled_uplink_channels=[77]\n',
      /radio settings: enabledChannels/,
    ],
    [
      'gateways with an unsupported connection',
      'ns',
      '[network_server.gateway.backend]\ntype="amqp"\n',
      /gateways connect by amqp/,
    ],
  ];
  for (const [name, of, file, sentence] of files) {
    it(`stops at ${name}`, async () => {
      await v3.writeConfig(of, file);
      try {
        assert.match((await found('stops')).join('\n'), sentence);
      } finally {
        await v3.writeUsualConfigs();
      }
    });
  }

  it('writes nothing when a finding stops the import', async () => {
    await using testStorage = await createTestStorage('sqlite');
    await v3.writeConfig('ns', 'key_prefix="other:"\n');
    const config = settings.parse({ data: testStorage.dataDir, logLevel: 'silent' });
    const storage = await openStorage(config, createLog(config));
    try {
      assert.equal(errorText(await importAll(choice(), { ...storage, config }, quiet), 'stops').length, 1);
      for (const table of ['user', 'organization', 'network_server'] as const)
        assert.deepEqual(await storage.database.query.selectFrom(table).selectAll().execute(), []);
    } finally {
      await storage.close();
      await v3.writeUsualConfigs();
    }
    assert.ok(existsSync(join(testStorage.dataDir, 'hilltop.db')));
  });

  describe('in single rows', () => {
    afterEach(async () => {
      await v3.redis.set(device, Buffer.from(sessionOf({})));
    });

    it('leave out broken rows with their dependent rows, and nothing else', async () => {
      const lost = { dev_eui: hex('0102030405060708'), application_id: 11, device_profile_id: fixture.deviceProfileID };
      await v3.insert('as', 'device', { ...lost, name: 'short', dev_addr: hex('01') });
      await v3.insert('ns', 'routing_profile', { routing_profile_id: fixture.apiKeyID });
      const foreign = { dev_eui: hex('0102030405060709'), device_profile_id: fixture.deviceProfileID };
      await v3.insert('as', 'device', { ...foreign, application_id: 11, name: 'foreign' });
      await v3.insert('ns', 'device', {
        ...foreign,
        service_profile_id: fixture.serviceProfileID,
        routing_profile_id: fixture.apiKeyID,
      });
      await v3.insert('as', 'organization', { id: 8, name: 'two words' });
      await v3.insert('as', 'integration', { id: 22, application_id: 11, kind: 'OWN', settings: '{}' });
      try {
        assert.deepEqual(
          (await found('not imported')).filter((line) => /^(devices|integrations):/.test(line)).toSorted(),
          [
            'devices: dev_addr is not 4 bytes long: correct the row in version 3, or import without it',
            'devices: it belongs to another application server, which cannot continue with this network server',
            'integrations: Hilltop has no integration of the kind OWN',
          ],
        );
        assert.match(
          (await found('notice')).join('\n'),
          /organizations: imported unchanged, and refused when it is edited/,
        );
      } finally {
        await v3.query('as', `delete from device where name in ('short', 'foreign')`);
        await v3.query('as', `delete from organization where id = 8`);
        await v3.query('as', `delete from integration where id = 22`);
        await v3.query('ns', `delete from device where dev_eui = '\\x0102030405060709'`);
      }
    });

    it('leave out an unreadable session', async () => {
      for (const broken of [Buffer.from([0xff, 0xff]), Buffer.from(sessionOf({ nwkSEncKey: hex('01') }))]) {
        await v3.redis.set(device, broken);
        assert.match((await found('not imported')).join('\n'), /sessions: .*the device must join again/);
      }
    });

    it('import a wrapped key unchanged while the key-encryption key is missing, and unwrap it later', async () => {
      const aesKey = hex('930384d667ce4a1dcb37682ed147a21a8bcbb40f0a57e717');
      await v3.redis.set(device, Buffer.from(sessionOf({ appSKeyEnvelope: { kekLabel: 'as-1', aesKey } })));
      assert.match((await found('notice')).join('\n'), /wrapped with the key-encryption key "as-1"/);
      const kek = 'ffeeddccbbaa99887766554433221100';
      await v3.writeConfig(
        'as',
        `[application_server]\nid="${applicationServerID}"\n[application_server.external_api]\njwt_secret="s3"\n[[join_server.kek.set]]\nlabel="as-1"\nkek="${kek}"\n`,
      );
      assert.doesNotMatch((await found('notice')).join('\n'), /wrapped with/);
      await v3.writeUsualConfigs();
    });

    it('report that a device whose last join was missed must join again', async () => {
      await v3.redis.set(device, Buffer.from(sessionOf({ devAddr: hex('01020304') })));
      assert.match((await found('notice')).join('\n'), /missed the last join/);
    });
  });
});
