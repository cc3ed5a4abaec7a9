import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { describeAccess, everyUser, type PrincipalName, readers, row } from '../../testing/access-matrix.ts';
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

const { deviceProfile } = operations;

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
          sentence: /between 863000000 and 870000000/,
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
}
