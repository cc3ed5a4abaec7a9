import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { dryRun } from './import.ts';
import { fillVersion3 } from './testing/fixture.ts';
import { applicationServerID, needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };

describe('values that change in the import', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    await v3.query('as', 'delete from device_keys');
    await v3.query('ns', 'update device_profile set supports_join = false');
  });
  after(() => v3[Symbol.asyncDispose]());

  const found = async (about: string) => {
    const choice = { config: v3.config, networkServerConfigs: [v3.networkServerConfig], downlinkMargin: 1 };
    const { findings } = await dryRun({ ...choice, isFinal: false }, quiet);
    return findings.filter(({ what }) => what.startsWith(about)).map(({ because }) => because);
  };

  const rows: readonly (readonly [about: string, database: 'as' | 'ns', wrong: string, right: string, RegExp])[] = [
    [
      'device-profiles',
      'ns',
      `update device_profile set mac_version = '9.9'`,
      `update device_profile set mac_version = '1.0.3'`,
      /Hilltop has no LoRaWAN version 9\.9:/,
    ],
    [
      'device-profiles',
      'ns',
      `update device_profile set reg_params_revision = 'Z'`,
      `update device_profile set reg_params_revision = 'A'`,
      /Hilltop has no revision of the regional parameters Z:/,
    ],
    [
      'service-profiles',
      'ns',
      `update service_profile set dl_rate_policy = 'Wait'`,
      `update service_profile set dl_rate_policy = 'Drop'`,
      /dl_rate_policy is Wait, .* it becomes Drop/,
    ],
    [
      'gateway-profiles',
      'ns',
      `update gateway_profile_extra_channel set modulation = 'LR_FHSS'`,
      `update gateway_profile_extra_channel set modulation = 'LORA'`,
      /the modulation LR_FHSS, .* becomes LoRa/,
    ],
    [
      'multicast-groups',
      'ns',
      `update multicast_group set group_type = 'D'`,
      `update multicast_group set group_type = 'C'`,
      /its class is D: it becomes class C/,
    ],
    [
      'devices',
      'ns',
      `update device set mode = 'X'`,
      `update device set mode = 'A'`,
      /its class X is unknown: it becomes class A/,
    ],
    [
      'devices',
      'ns',
      `update device_profile set supports_join = true`,
      `update device_profile set supports_join = false`,
      /it joins and has no keys/,
    ],
    [
      'integrations',
      'as',
      `update integration set settings = settings || '{"timeout": 3000000000, "retries": 3}'`,
      `update integration set settings = settings - 'retries' || '{"timeout": 0}'`,
      /its setting retries is unknown to Hilltop, and not imported[^]*its own time limit is not imported/,
    ],
    [
      'integrations',
      'as',
      `insert into integration (id, created_at, updated_at, application_id, kind, settings) values (30, now(), now(), 11, 'INFLUXDB', '{"version": 3, "endpoint": "https://example.org"}')`,
      'delete from integration where id = 30',
      /its version of InfluxDB is unknown to Hilltop: it becomes version 1/,
    ],
  ];
  for (const [about, database, wrong, right, sentence] of rows)
    it(`are reported for ${about}: ${wrong}`, async () => {
      assert.doesNotMatch((await found(about)).join('\n'), sentence);
      await v3.query(database, wrong);
      try {
        assert.match((await found(about)).join('\n'), sentence);
      } finally {
        await v3.query(database, right);
      }
    });

  it('are reported for settings that the import does not read, except settings of the old processes', async () => {
    await v3.writeConfig(
      'as',
      `password=""\n[general]\nlog_level=4\n[application_server]\nid="${applicationServerID}"\n[application_server.external_api]\njwt_secret="s3"\n[application_server.codec.js]\nmax_execution_time="150ms"\n[metrics.redis]\nminute_aggregation_ttl="2h0m0s"\n`,
    );
    await v3.writeConfig(
      'ns',
      '[network_server]\ndevice_session_ttl="24h0m0s"\n[network_server.band]\nname="EU868"\n[network_server.scheduler]\nscheduler_interval="3s"\n[network_server.scheduler.class_c]\ndevice_downlink_lock_duration="4s"\n',
    );
    try {
      assert.deepEqual(await found('settings of'), [
        'setting of application_server.codec.js that is not imported: check whether Hilltop needs it',
        'setting of network_server that is not imported: check whether Hilltop needs it',
        'setting of network_server.scheduler.class_c that is not imported: check whether Hilltop needs it',
        'setting of network_server.scheduler that is not imported: check whether Hilltop needs it',
      ]);
    } finally {
      await v3.writeUsualConfigs();
    }
  });

  it('are not reported for settings that the import reads', async () =>
    assert.deepEqual(await found('settings of'), []));
});
