import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { admins, describeAccess, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createApplication, createOrganization } from '../../testing/factories.ts';
import { createGateway, createReceivedDevice, simulateGateway } from '../../testing/field.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { firstSteps, serviceProfile, deviceProfile, organization, profileDefaults } = operations;
const page = { limit: 100, offset: 0 };

for (const database of databases) {
  describe(`first steps on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database, { region: 'EU868,US915:2' });
    });
    after(() => app[Symbol.asyncDispose]());

    it('creates nothing before a call, then the usual set for each network-server, and only once', async () => {
      const organizationID = await createOrganization(app);
      const steps = await app.call(firstSteps.get, { organizationID });
      assert.deepEqual([steps.canMakeProfiles, steps.hasProfiles], [true, false]);
      assert.equal((await app.call(deviceProfile.list, { organizationID, ...page })).totalCount, '0');

      const made = await app.call(firstSteps.makeProfiles, { organizationID });
      assert.deepEqual(made, { organizationID, serviceProfiles: 2, deviceProfiles: 8 });
      assert.equal((await app.call(firstSteps.get, { organizationID })).hasProfiles, true);
      const services = await app.call(serviceProfile.list, { organizationID, ...page });
      assert.deepEqual(
        services.result.map(({ name }) => name),
        ['EU868', 'US915 sub-band 2'],
      );
      const { result } = await app.call(deviceProfile.list, { organizationID, ...page });
      const listed = result.find(({ name }) => name === 'EU868 ABP class A');
      const { deviceProfile: abp } = await app.call(deviceProfile.get, { id: listed!.id });
      const { supportsJoin, rxDelay1, rxDataRate2, rxFreq2, factoryPresetFreqs, maxEIRP } = abp;
      assert.deepEqual(
        { supportsJoin, rxDelay1, rxDataRate2, rxFreq2, factoryPresetFreqs, maxEIRP },
        {
          supportsJoin: false,
          rxDelay1: 1,
          rxDataRate2: 0,
          rxFreq2: 869_525_000,
          maxEIRP: 16,
          factoryPresetFreqs: [868_100_000, 868_300_000, 868_500_000],
        },
      );

      const again = await app.call(firstSteps.makeProfiles, { organizationID });
      assert.deepEqual(again, { organizationID, serviceProfiles: 0, deviceProfiles: 0 });
    });

    it('creates one set when two tabs ask for it at once', async () => {
      const organizationID = await createOrganization(app);
      const asked = () => app.call(firstSteps.makeProfiles, { organizationID });
      const made = await Promise.all([asked(), asked(), asked()]);
      const { result } = await app.call(deviceProfile.list, { organizationID, ...page });
      const names = result.map(({ name }) => name);
      assert.equal(names.length, new Set(names).size, String(names));
      assert.equal(
        made.reduce((sum, { deviceProfiles }) => sum + deviceProfiles, 0),
        names.length,
      );
      const services = await app.call(serviceProfile.list, { organizationID, ...page });
      assert.equal(new Set(services.result.map(({ networkServerID }) => networkServerID)).size, services.result.length);
    });

    it('shows that an organization has no gateways of its own to connect', async () => {
      const organizationID = await createOrganization(app, { canHaveGateways: false });
      assert.equal((await app.call(firstSteps.get, { organizationID })).canHaveGateways, false);
      const other = await createOrganization(app, { canHaveGateways: true });
      assert.equal((await app.call(firstSteps.get, { organizationID: other })).canHaveGateways, true);
    });

    it('reports each step when it is done, the last by a decoded uplink', async () => {
      const organizationID = await createOrganization(app);
      await app.call(firstSteps.makeProfiles, { organizationID });
      const stepsDone = async () => {
        const { hasProfiles, hasGateway, hasApplication, hasDevice, hasValue } = await app.call(firstSteps.get, {
          organizationID,
        });
        return [hasProfiles, hasGateway, hasApplication, hasDevice, hasValue];
      };
      const services = await app.call(serviceProfile.list, { organizationID, ...page });
      const serviceProfileID = services.result[0]!.id;
      const applicationID = await createApplication(app, { organizationID, serviceProfileID });
      const gatewayID = await createGateway(app, organizationID);
      assert.deepEqual(await stepsDone(), [true, false, true, false, false]);

      await using gateway = await simulateGateway(app, gatewayID);
      await gateway.sendStat();
      const profiles = (await app.call(deviceProfile.list, { organizationID, ...page })).result;
      const { id: deviceProfileID } = profiles.find(({ name }) => name === 'EU868 ABP class A')!;
      const surroundings = { organizationID, serviceProfileID, deviceProfileID, applicationID };
      await createReceivedDevice(app, surroundings, gateway);
      assert.deepEqual(await stepsDone(), [true, true, true, true, false]);

      const { deviceProfile: profile } = await app.call(deviceProfile.get, { id: deviceProfileID });
      const payloadDecoderScript = 'function Decode() { return { heard: true }; }';
      await app.call(deviceProfile.update, {
        deviceProfile: { ...profile, payloadCodec: 'CUSTOM_JS', payloadDecoderScript },
      });
      await createReceivedDevice(app, surroundings, gateway);
      assert.deepEqual(await stepsDone(), [true, true, true, true, true]);
    });

    it('creates a device with its keys and a new application, or nothing', async () => {
      const organizationID = await createOrganization(app);
      await app.call(firstSteps.makeProfiles, { organizationID });
      const { result } = await app.call(deviceProfile.list, { organizationID, ...page });
      const deviceProfileID = result.find(({ name }) => name === 'US915 sub-band 2 OTAA class A 1.0.3')!.id;
      const [devEUI, nwkKey] = ['0102030405060708', '2b7e151628aed2a6abf7158809cf4f3c'];
      const device = { organizationID, name: 'first', devEUI, deviceProfileID, nwkKey };
      const { applicationID } = await app.call(firstSteps.addDevice, { ...device, applicationName: 'weather' });
      const { application } = await app.call(operations.application.get, { id: applicationID });
      assert.deepEqual([application.name, application.organizationID], ['weather', organizationID]);
      assert.equal((await app.call(operations.device.getKeys, { devEUI })).deviceKeys.nwkKey, nwkKey);

      // The EUI is in use: the application is not created either.
      await assert.rejects(app.call(firstSteps.addDevice, { ...device, applicationName: 'other' }), {
        message: /Another device has this EUI already/,
      });
      await assert.rejects(
        app.call(firstSteps.addDevice, { ...device, devEUI: '0102030405060709', applicationName: 'weather' }),
        { fieldViolations: [{ field: 'applicationName', description: 'Another application has this name already.' }] },
      );
      const applications = await app.call(operations.application.list, { organizationID, ...page });
      assert.equal(applications.totalCount, '1');
      await app.call(firstSteps.addDevice, { ...device, name: 'second', devEUI: '0102030405060709', applicationID });
    });

    it('stores tags and position of a device with it', async () => {
      const organizationID = await createOrganization(app);
      await app.call(firstSteps.makeProfiles, { organizationID });
      const { result } = await app.call(deviceProfile.list, { organizationID, ...page });
      const [devEUI, nwkKey] = ['0102030405060720', '2b7e151628aed2a6abf7158809cf4f3c'];
      const device = { organizationID, name: 'placed', devEUI, deviceProfileID: result[0]!.id, nwkKey };
      const location = { latitude: 52.1, longitude: 5.2, altitude: 3 };
      const request = { ...device, applicationName: 'places', tags: { floor: '2' }, location };
      await assert.rejects(
        app.call(firstSteps.addDevice, { ...request, location: { ...location, latitude: 91 } }),
        /latitude/i,
      );
      await app.call(firstSteps.addDevice, request);
      const read = await app.call(operations.device.get, { devEUI });
      assert.deepEqual(read.device.tags, { floor: '2' });
      assert.deepEqual([read.location?.latitude, read.location?.longitude, read.location?.altitude], [52.1, 5.2, 3]);
    });

    it('does not add a device to the application of another organization', async () => {
      const [own, foreign] = [await createOrganization(app), await createOrganization(app)];
      await app.call(firstSteps.makeProfiles, { organizationID: own });
      const { result } = await app.call(deviceProfile.list, { organizationID: own, ...page });
      const applicationID = await createApplication(app, { organizationID: foreign });
      const device = { organizationID: own, name: 'first', devEUI: '0102030405060710', nwkKey: '11'.repeat(16) };
      const request = { ...device, deviceProfileID: result[0]!.id, applicationID };
      await assert.rejects(app.call(firstSteps.addDevice, request), { code: 5 });
    });

    it('creates an organization if there is none', async () => {
      const { result } = await app.call(organization.list, page);
      for (const { id } of result) await app.call(organization.delete, { id });
      assert.equal((await app.call(firstSteps.get, {})).organizationID, '0');
      const { organizationID } = await app.call(firstSteps.makeProfiles, {});
      const { organization: made } = await app.call(organization.get, { id: organizationID });
      assert.deepEqual([made.name, made.canHaveGateways], ['hilltop', true]);
      assert.equal((await app.call(firstSteps.get, {})).organizationID, organizationID);
    });

    it('creates a device-profile with the defaults of its network-server', async () => {
      const { deviceProfile: usual } = await app.call(profileDefaults.get, { networkServerID: '1' });
      const { networkServerID, maxEIRP, adrAlgorithmID, macVersion, regParamsRevision } = usual;
      assert.deepEqual(
        { networkServerID, maxEIRP, adrAlgorithmID, macVersion, regParamsRevision },
        { networkServerID: '1', maxEIRP: 16, adrAlgorithmID: 'default', macVersion: '1.0.3', regParamsRevision: 'A' },
      );
    });
  });

  const ofOrganization = ({ organizationID }: { organizationID: string }) => ({ organizationID });
  describeAccess(database, 'first steps', [
    row(firstSteps.get, ofOrganization, readers),
    row(firstSteps.makeProfiles, ofOrganization, admins),
  ]);
}
