import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { settings } from '../config.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { createTestStorage, databases } from '../testing/databases.ts';
import { importAll } from './import.ts';
import type { Report } from './report/report.ts';
import { fillVersion3, fixture, sessionOf } from './testing/fixture.ts';
import { applicationServerID, needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const hex = (text: string) => Buffer.from(text, 'hex');
const device = `lora:ns:device:${fixture.devEUI}`;
const neverImported = 9_223_372_036_854_775_807n;

describe('rows of version 3 that are broken', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
  });
  after(() => v3[Symbol.asyncDispose]());

  /** Imports into a Hilltop of its own. */
  async function moved(kind: (typeof databases)[number] = 'sqlite', onRows?: (count: number) => void): Promise<Report> {
    await using testStorage = await createTestStorage(kind);
    const config = settings.parse({
      data: testStorage.dataDir,
      databaseURL: testStorage.databaseURL,
      logLevel: 'silent',
    });
    const storage = await openStorage(config, createLog(config));
    const choice = { config: v3.config, networkServerConfigs: [v3.networkServerConfig], downlinkMargin: 1 };
    try {
      const counting: KyselyPlugin = {
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          onRows?.(result.rows.length);
          return result;
        },
      };
      const database = {
        ...storage.database,
        // Inside a transaction the error differs from the one outside.
        get query() {
          return storage.database.query.withPlugin(counting);
        },
      };
      return await importAll({ ...choice, isFinal: false }, { ...storage, database, config }, quiet);
    } finally {
      await storage.close();
    }
  }

  const errorText = ({ findings }: Report, kind: string, what: string) =>
    findings.filter((one) => one.kind === kind && one.what === what).map(({ because }) => because);

  const pointedAt = [
    ['network_server', 'network-servers'],
    ['user', 'users'],
    ['organization', 'organizations'],
    ['service_profile', 'service-profiles'],
    ['device_profile', 'device-profiles'],
    ['gateway_profile', 'gateway-profiles'],
    ['gateway', 'gateways'],
    ['device', 'devices'],
    ['multicast_group', 'multicast-groups'],
  ] as const;
  for (const [table, what] of pointedAt)
    it(`are not imported when they refer to ${what} that are not imported`, async () => {
      await v3.query('as', `update "${table}" set created_at = 'infinity'`);
      try {
        assert.deepEqual(errorText(await moved(), 'not imported', what), [
          'created_at is not a time: correct the row in version 3, or import without it',
        ]);
      } finally {
        await v3.query('as', `update "${table}" set created_at = now()`);
      }
    });

  describe('with values that are out of range', () => {
    const gatewayID = hex('b827ebfffe119999');
    const devEUI = hex('0102030405060708');
    before(async () => {
      await v3.insert(
        'as',
        'user',
        { id: 9_007_199_254_740_993n, email: 'far@example.org' },
        { id: 90, email: 'always@example.org', session_ttl: neverImported },
      );
      await v3.insert('as', 'organization', { id: neverImported, name: 'far' });
      const gateway = { mac: gatewayID, organization_id: 7, network_server_id: 3, name: 'board' };
      await v3.insert('as', 'gateway', gateway);
      const routing = { routing_profile_id: applicationServerID };
      await v3.insert('ns', 'gateway', { gateway_id: gatewayID, ...routing });
      await v3.insert('ns', 'gateway_board', { gateway_id: gatewayID, id: 0, fpga_id: hex('01') });
      const profiles = { device_profile_id: fixture.deviceProfileID };
      await v3.insert('as', 'device', { dev_eui: devEUI, application_id: 11, name: 'nonce', ...profiles });
      await v3.insert('as', 'device_keys', { dev_eui: devEUI, nwk_key: hex(fixture.nwkKey), join_nonce: 0x1_00_00_00 });
      const ofMeter = { dev_eui: hex(fixture.devEUI), dev_addr: hex(fixture.devAddr) };
      await v3.insert('ns', 'device_activation', {
        ...ofMeter,
        join_eui: hex(fixture.joinEUI),
        dev_nonce: 0x1_00_00,
        join_req_type: 255,
      });
      const item = { ...ofMeter, f_cnt: 20, f_port: 1, frm_payload: hex('01') };
      await v3.insert(
        'ns',
        'device_queue',
        { ...item, f_cnt: -1 },
        { ...item, f_port: 0 },
        { ...item, f_port: 256 },
        { ...item, frm_payload: Buffer.alloc(243) },
      );
    });
    after(async () => {
      await v3.query('as', `delete from "user" where id > 80`);
      await v3.query('as', `delete from organization where id > 80`);
      await v3.query('as', `delete from gateway where name = 'board'`);
      await v3.query('as', `delete from device_keys where join_nonce > 100`);
      await v3.query('as', `delete from device where name = 'nonce'`);
      await v3.query('ns', `delete from gateway_board where fpga_id = '\\x01'`);
      await v3.query('ns', `delete from device_activation where dev_nonce = 65536`);
      await v3.query('ns', `delete from device_queue`);
    });

    for (const kind of databases)
      it(`are not imported, and all others are imported into ${kind}`, async () => {
        const report = await moved(kind);
        const beyond = (column: string, least: number, most: number) =>
          `${column} is not a whole number from ${least} to ${most}: correct the row in version 3, or import without it`;
        for (const [what, sentences] of [
          ['users', [beyond('id', 1, Number.MAX_SAFE_INTEGER), beyond('session_ttl', -(2 ** 31), 2 ** 31 - 1)]],
          ['organizations', [beyond('id', 1, Number.MAX_SAFE_INTEGER)]],
          ['gateways', ['fpga_id is not 8 bytes long: correct the row in version 3, or import without it']],
          ['devices', [beyond('join_nonce', 0, 0xff_ff_ff)]],
          ['join nonces', [beyond('dev_nonce', 0, 0xff_ff)]],
          [
            'queued downlinks',
            [beyond('f_cnt', 0, 2 ** 32 - 1), beyond('f_port', 1, 255), 'it is longer than any downlink'],
          ],
        ] as const)
          assert.deepEqual(errorText(report, 'not imported', what).toSorted(), [...sentences].toSorted(), what);
        const imported = new Map(report.counts.map(({ what, new: fresh }) => [what, fresh]));
        for (const what of ['gateways', 'devices', 'join nonces', 'sessions'])
          assert.equal(imported.get(what), 1, what);
        const users = report.counts.find(({ what }) => what === 'users')!;
        assert.equal(users.new, users.inV3 - 2);
      });
  });

  it('are imported although the contract refuses their values, and reported once', async () => {
    const columns = [
      ['device', 'devices', 'Device name must have at most 100 characters.'],
      ['device_profile', 'device-profiles', 'Device-profile name must have at most 100 characters.'],
      ['service_profile', 'service-profiles', 'Service-profile name must have at most 100 characters.'],
      ['multicast_group', 'multicast-groups', 'Multicast-group name must have at most 100 characters.'],
      ['network_server', 'network-servers', 'Network-server name must have at most 100 characters.'],
      ['organization', 'organizations', 'Organization name must have at most 100 characters.'],
    ] as const;
    for (const [table] of columns) {
      await v3.query('as', `alter table ${table} alter name type text`);
      await v3.query('as', `update ${table} set name = repeat('a', 110) || name`);
    }
    try {
      const report = await moved();
      for (const [, what, sentence] of columns)
        assert.ok(
          errorText(report, 'notice', what).includes(`imported unchanged, and refused when it is edited: ${sentence}`),
          what,
        );
    } finally {
      for (const [table] of columns) await v3.query('as', `update ${table} set name = substr(name, 111)`);
    }
  });

  it('are imported with texts that are longer than the API accepts, and reported', async () => {
    const [{ description: before } = {}] = await v3.query('as', 'select description from device');
    const [{ payload_decoder_script: script } = {}] = await v3.query(
      'as',
      'select payload_decoder_script from device_profile',
    );
    try {
      await v3.query('as', `update device set description = repeat('d', 900000)`);
      await v3.query('as', `update device_profile set payload_decoder_script = repeat('s', 300000)`);
      const report = await moved();
      const imported = 'imported unchanged, and refused when it is edited: ';
      const devices = errorText(report, 'notice', 'devices');
      assert.ok(devices.includes(`${imported}Device description must have at most 4096 characters.`));
      const profiles = errorText(report, 'notice', 'device-profiles');
      assert.ok(profiles.includes(`${imported}Decoder must have at most 262144 characters.`));
      assert.equal(report.counts.find(({ what }) => what === 'devices')!.notCarried, 0);
    } finally {
      await v3.query('as', 'update device set description = $1', [before]);
      await v3.query('as', 'update device_profile set payload_decoder_script = $1', [script]);
    }
  });

  it('of integrations with settings of another kind are not imported, and refused settings are reported', async () => {
    const set = (settings: object) =>
      v3.query('as', 'update integration set settings = $1', [JSON.stringify(settings)]);
    const [{ settings: asBefore } = {}] = await v3.query('as', 'select settings from integration');
    try {
      await set({ headers: { 'X-Key': { a: 1 } }, eventEndpointURL: 'https://example.com' });
      assert.deepEqual(errorText(await moved(), 'not imported', 'integrations'), [
        'its settings cannot be read: create it in Hilltop',
      ]);
      await set({ headers: {}, eventEndpointURL: 'javascript:alert(1)' });
      assert.deepEqual(errorText(await moved(), 'notice', 'integrations'), [
        'imported unchanged, and refused when it is edited: check its settings',
      ]);
    } finally {
      await set(asBefore as object);
    }
  });

  it('let a device with thousands of DevNonces cost a few reads, not one for each batch', async () => {
    const used = 5_000;
    await v3.query(
      'ns',
      `insert into device_activation (dev_eui, join_eui, dev_addr, dev_nonce, join_req_type)
       select '\\x${fixture.devEUI}', '\\x${fixture.joinEUI}', '\\x01020304', 10000 + nonce, 255 from generate_series(1, ${used}) nonce`,
    );
    try {
      let read = 0;
      const report = await moved('sqlite', (rows) => (read += rows));
      assert.equal(report.counts.find(({ what }) => what === 'join nonces')!.new, used + 1);
      assert.ok(read < 5 * used, `${read} rows`);
    } finally {
      await v3.query('ns', 'delete from device_activation where dev_nonce > 10000');
    }
  });

  describe('in Redis', () => {
    const receivers = `${device}:gwrx`;
    let whole: Buffer;
    before(async () => {
      whole = (await v3.redis.getBuffer(receivers))!;
    });
    afterEach(async () => {
      await v3.redis.set(device, Buffer.from(sessionOf({})));
      await v3.redis.set(receivers, whole);
    });

    const sessionsOf = ({ counts }: Report) => counts.find(({ what }) => what === 'sessions')!.new;

    it('do not invalidate a session when they are optional', async () => {
      await v3.redis.set(receivers, hex('ffff'));
      await v3.redis.set(device, Buffer.from(sessionOf({ pendingRejoinDeviceSession: hex('ffff') })));
      const report = await moved();
      assert.equal(sessionsOf(report), 1);
      assert.deepEqual(errorText(report, 'not imported', 'sessions'), []);
      assert.deepEqual(errorText(report, 'notice', 'sessions'), [
        'the gateways that received its last uplink cannot be read: its next uplink sets them',
        'the session of its last rejoin cannot be read: it continues with the current one',
      ]);
    });

    it('stop at the highest downlink counter', async () => {
      await v3.redis.set(device, Buffer.from(sessionOf({ nFCntDown: 2 ** 32 - 1 })));
      const report = await moved();
      assert.equal(sessionsOf(report), 0);
      assert.deepEqual(errorText(report, 'not imported', 'sessions'), [
        'its downlink counter has reached its maximum: the device must join again',
      ]);
    });
  });
});
