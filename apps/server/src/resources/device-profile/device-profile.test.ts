import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { describeAccess, everyUser, type PrincipalName, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createApplication,
  createDeviceProfile,
  createOrganization,
  createUser,
  networkServerID,
} from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { deviceProfile, codecRun, codecVector, profileUplink } = operations;

for (const database of databases) {
  describe(`device-profile on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const settings = {
      name: 'soil',
      macVersion: '1.1.0',
      regParamsRevision: 'B',
      supportsClassC: true,
      classCTimeout: 5,
      rxFreq2: 869_525_000,
      factoryPresetFreqs: [868_100_000, 868_300_000],
      payloadCodec: 'CUSTOM_JS',
      payloadDecoderScript: 'function Decode() { return {}; }',
      tags: { kind: 'soil', 'a "quoted" key': 'ünïcode' },
      uplinkInterval: '1800s',
      adrAlgorithmID: 'default',
    };

    it('stores radio settings at the network server, and codec, tags and interval here', async () => {
      const { id } = await app.call(deviceProfile.create, {
        deviceProfile: { ...settings, organizationID, networkServerID },
      });
      const { deviceProfile: read } = await app.call(deviceProfile.get, { id });
      for (const [name, value] of Object.entries({ ...settings, id, organizationID, networkServerID }))
        assert.deepEqual(read[name as keyof typeof read], value, name);
      assert.equal(read.geolocBufferTTL, 0);
    });

    it('is replaced by an update', async () => {
      const id = await createDeviceProfile(app, { ...settings, organizationID });
      await app.call(deviceProfile.update, { deviceProfile: { id, name: 'plain' } });
      const { deviceProfile: read } = await app.call(deviceProfile.get, { id });
      assert.deepEqual(
        [read.name, read.organizationID, read.tags, read.payloadCodec, read.uplinkInterval, read.supportsClassC],
        ['plain', organizationID, {}, '', '0s', false],
      );
    });

    it('refuses a second receive window in which gateways cannot send', async () => {
      const impossible = [
        {
          given: { rxDataRate2: 8 },
          field: 'deviceProfile.rxDataRate2',
          sentence: /one for downlinks in EU868: 0, 1,/,
        },
        {
          given: { rxFreq2: 915_000_000 },
          field: 'deviceProfile.rxFreq2',
          sentence: /between 863/,
        },
      ];
      const id = await createDeviceProfile(app, { organizationID });
      for (const { given, field, sentence } of impossible) {
        const profile = { ...settings, organizationID, networkServerID, ...given };
        const create = () => app.call(deviceProfile.create, { deviceProfile: profile });
        const update = () => app.call(deviceProfile.update, { deviceProfile: { ...profile, id } });
        for (const call of [create, update]) {
          const { fieldViolations } = await refused(3, call());
          assert.equal(fieldViolations[0]?.field, field);
          assert.match(fieldViolations[0]?.description ?? '', sentence);
        }
      }
    });

    it('refuses a changed script that cannot run, with its field, line and column', async () => {
      const custom = { ...settings, organizationID, networkServerID };
      const create = (scripts: object) =>
        app.call(deviceProfile.create, { deviceProfile: { ...custom, payloadDecoderScript: '', ...scripts } });
      const broken = await refused(3, create({ payloadDecoderScript: 'function Decode() {\n  return { a: ;\n}' }));
      assert.equal(broken.fieldViolations[0]?.field, 'deviceProfile.payloadDecoderScript');
      assert.match(broken.message, /^The script has an error in line 2, column 15: SyntaxError: .*[^.]\. \(code/);
      assert.deepEqual([broken.info?.reason, broken.info?.metadata['line']], ['INVALID_SCRIPT', '2']);
      const without = await refused(3, create({ payloadEncoderScript: 'function Decode() { return {}; }' }));
      assert.equal(without.fieldViolations[0]?.field, 'deviceProfile.payloadEncoderScript');
      assert.match(without.message, /^The script has no function Encode or encodeDownlink\./);
      await create({ payloadDecoderScript: ' ', payloadEncoderScript: 'module.exports = { encodeDownlink() {} };' });
      await create({ payloadCodec: '', payloadDecoderScript: 'not a script' });

      const { id } = await create({ payloadDecoderScript: 'function Decode() {}' });
      const { query } = app.parts.database;
      const older = { payload_decoder_script: 'saved by an earlier release(' };
      await query.updateTable('device_profile').set(older).where('id', '=', id).execute();
      const update = (payloadDecoderScript: string) =>
        app.call(deviceProfile.update, { deviceProfile: { ...custom, id, payloadDecoderScript } });
      await update(older.payload_decoder_script);
      await refused(3, update('changed('));
    });

    it('runs a codec that is not saved', async () => {
      const encoderScript =
        'function encodeDownlink(i) { console.log(i.data); return { fPort: 7, bytes: [i.data.on] }; }';
      const decoderScript = `function decodeUplink({ bytes, recvTime, variables }) {
        if (bytes.length === 0) return { errors: ['empty', 'really'] };
        return { data: { t: bytes[0], at: recvTime, v: variables }, warnings: ['cold'] };
      }`;
      const { results } = await app.call(codecRun.create, {
        organizationID,
        codec: 'CUSTOM_JS',
        encoderScript,
        decoderScript,
        variables: { site: 'north' },
        runs: [
          { direction: 'UPLINK', fPort: 2, data: 'FQ==', receivedAt: '2026-11-27T10:00:00Z' },
          { direction: 'UPLINK', fPort: 2, data: '' },
          { direction: 'DOWNLINK', objectJSON: '{"on":1}' },
          { direction: 'DOWNLINK', objectJSON: 'null' },
        ],
      });
      const [uplink, empty, downlink, failed] = results;
      assert.deepEqual(
        [uplink?.function, uplink?.objectJSON, uplink?.warnings, uplink?.data],
        ['decodeUplink', '{"t":21,"at":"2026-11-27T10:00:00.000Z","v":{"site":"north"}}', ['cold'], 'FQ=='],
      );
      assert.deepEqual([empty?.errors, empty?.error], [['empty', 'really'], 'empty, really']);
      assert.deepEqual(
        [downlink?.function, downlink?.data, downlink?.fPort, downlink?.console],
        ['encodeDownlink', 'AQ==', 7, ['{"on":1}']],
      );
      assert.deepEqual([failed?.script, failed?.line, failed?.console], ['ENCODER', 1, ['null']]);
      assert.match(failed?.error ?? '', /TypeError/);
    });

    it('has test vectors, which are deleted with it', async () => {
      const id = await createDeviceProfile(app, { organizationID });
      const vectors = [
        { name: 'warm', direction: 'UPLINK', fPort: 1, data: 'FQ==', objectJSON: '{"t":21}' },
        { name: 'off', direction: 'DOWNLINK', fPort: 2, data: 'AA==', objectJSON: '{"on":false}' },
        { name: 'empty', direction: 'UPLINK', errors: ['empty'] },
      ] as const;
      const stored = async () => (await app.call(codecVector.list, { deviceProfileID: id })).vectors;
      await app.call(codecVector.replace, { deviceProfileID: id, vectors });
      assert.deepEqual(
        (await stored()).map(({ name, direction, errors }) => [name, direction, errors]),
        [
          ['warm', 'UPLINK', []],
          ['off', 'DOWNLINK', []],
          ['empty', 'UPLINK', ['empty']],
        ],
      );
      await app.call(codecVector.replace, { deviceProfileID: id, vectors: vectors.slice(0, 1) });
      assert.equal((await stored()).length, 1);
      const tooMany = Array.from({ length: 201 }, () => vectors[0]);
      await refused(3, app.call(codecVector.replace, { deviceProfileID: id, vectors: tooMany }));
      for (const objectJSON of ['{"a":0x10}', '['.repeat(101) + ']'.repeat(101)]) {
        const broken = [{ ...vectors[0]!, objectJSON }];
        await refused(3, app.call(codecVector.replace, { deviceProfileID: id, vectors: broken }));
      }
      await refused(5, app.call(codecVector.list, { deviceProfileID: crypto.randomUUID() }));
      await app.call(deviceProfile.delete, { id });
      assert.deepEqual(await app.parts.database.query.selectFrom('codec_vectors').selectAll().execute(), []);
    });

    it('does not exist after a delete', async () => {
      const id = await createDeviceProfile(app, { organizationID });
      await app.call(deviceProfile.delete, { id });
      await refused(5, app.call(deviceProfile.get, { id }));
    });

    it('is not deleted while a device uses it', async () => {
      const deviceProfileID = await createDeviceProfile(app, { organizationID });
      const applicationID = await createApplication(app, { organizationID });
      await app.call(operations.device.create, {
        device: { devEUI: 'd0d0000000000001', applicationID, deviceProfileID },
      });
      const { message } = await refused(9, app.call(deviceProfile.delete, { id: deviceProfileID }));
      assert.match(message, /in use by devices\./);
    });

    it('is listed for the applications that can use it', async () => {
      const organization = await createOrganization(app);
      const id = await createDeviceProfile(app, { organizationID: organization, name: 'b' });
      const first = await createDeviceProfile(app, { organizationID: organization, name: 'a' });
      const applicationID = await createApplication(app, { organizationID: organization });
      const ids = async (filter: object, token?: string) => {
        const { totalCount, result } = await app.call(deviceProfile.list, { limit: 10, ...filter }, token);
        assert.equal(totalCount, String(result.length));
        return result.map((one) => one.id);
      };
      assert.deepEqual(await ids({ applicationID }), [first, id]);
      assert.deepEqual(await ids({ applicationID, organizationID }), [first, id]);
      assert.deepEqual(await ids({ organizationID: organization }), [first, id]);
      const { token } = await createUser(app, { organizations: [{ organizationID: organization }] });
      assert.deepEqual(await ids({}, token), [first, id]);
      assert.deepEqual(await ids({ applicationID: await createApplication(app) }), []);
    });
  });

  const deviceAdmins: PrincipalName[] = [
    'deviceAdmin',
    'organizationAdmin',
    'globalAdmin',
    'adminKey',
    'organizationKey',
  ];
  const profile = ({ organizationID }: { organizationID: string }) => ({
    deviceProfile: { name: 'x', organizationID, networkServerID },
  });
  describeAccess(database, 'device-profile', [
    row(deviceProfile.list, ({ organizationID }) => ({ organizationID }), readers),
    row(deviceProfile.list, ({ applicationID }) => ({ applicationID }), [...readers, 'applicationKey']),
    row(deviceProfile.list, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(deviceProfile.get, async (side) => ({ id: await createDeviceProfile(side.app, side) }), [
      ...readers,
      'applicationKey',
    ]),
    row(deviceProfile.create, profile, deviceAdmins),
    row(
      deviceProfile.update,
      async (side) => ({ deviceProfile: { id: await createDeviceProfile(side.app, side), name: 'x' } }),
      deviceAdmins,
    ),
    row(deviceProfile.delete, async (side) => ({ id: await createDeviceProfile(side.app, side) }), deviceAdmins),
  ]);
  const profileOf = async (side: Side) => ({ deviceProfileID: await createDeviceProfile(side.app, side) });
  describeAccess(database, 'codecs', [
    row(codecRun.create, ({ organizationID }) => ({ organizationID }), deviceAdmins),
    row(codecVector.list, profileOf, [...readers, 'applicationKey']),
    row(codecVector.replace, profileOf, deviceAdmins),
    row(profileUplink.list, profileOf, deviceAdmins),
  ]);
}
