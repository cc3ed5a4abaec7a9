import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { operations } from '@hilltop/contract';
import { RpcError } from '@hilltop/protobuf';
import { describeAccess, everyUser, type PrincipalName, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createAPIKey,
  createApplication,
  createOrganization,
  createServiceProfile,
  createUser,
  networkServerID,
} from '../../testing/factories.ts';
import { createDevice, createMulticastGroup, createSurroundings, type FieldContext } from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { application } = operations;

for (const database of databases) {
  describe(`application on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    let serviceProfileID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app);
      serviceProfileID = await createServiceProfile(app, { organizationID, name: 'gold' });
    });
    after(() => app[Symbol.asyncDispose]());

    const create = (name: string, change: object = {}) =>
      app.call(application.create, { application: { name, organizationID, serviceProfileID, ...change } });

    it('is created, read, changed and deleted', async () => {
      const { id } = await create('greenhouse', { description: 'Glass' });
      const { application: read } = await app.call(application.get, { id });
      assert.deepEqual(read, {
        id,
        name: 'greenhouse',
        description: 'Glass',
        organizationID,
        serviceProfileID,
        payloadCodec: '',
        payloadEncoderScript: '',
        payloadDecoderScript: '',
      });
      await app.call(application.update, {
        application: { ...read, name: 'orchard', organizationID: '1', payloadCodec: 'CAYENNE_LPP' },
      });
      const { application: changed } = await app.call(application.get, { id });
      assert.deepEqual(changed, { ...read, name: 'orchard', payloadCodec: 'CAYENNE_LPP' });
      await app.call(application.delete, { id });
      await refused(5, app.call(application.get, { id }));
      await refused(5, app.call(application.delete, { id }));
    });

    it('has a unique name in its organization', async () => {
      await create('once');
      await refused(6, create('once'));
      const other = await createApplication(app, { name: 'once' });
      await app.call(application.update, {
        application: { ...(await app.call(application.get, { id: other })).application, name: 'once' },
      });
      const { id } = await create('twice');
      await refused(6, app.call(application.update, { application: { id, name: 'once', serviceProfileID } }));
    });

    it('only accepts a service-profile of its organization', async () => {
      const foreign = await createServiceProfile(app);
      await refused(3, create('stray', { serviceProfileID: foreign }));
      await refused(5, create('stray', { serviceProfileID: crypto.randomUUID() }));
      await refused(3, create('stray', { serviceProfileID: '' }));
      const { id } = await create('stays');
      await refused(3, app.call(application.update, { application: { id, name: 'stays', serviceProfileID: foreign } }));
    });

    describe('with another service-profile', () => {
      const { radio, device } = operations;
      const settled = async (surroundings: FieldContext, change: object) => {
        const { application: read } = await app.call(application.get, { id: surroundings.applicationID });
        return app.call(application.update, { application: { ...read, ...change } });
      };
      const atNetwork = async (devEUI: string) => {
        const network = await app.parts.networks.of(Number(networkServerID));
        return (await network.getDevice({ devEui: Uint8Array.fromHex(devEUI) })).device;
      };
      const bytes = (uuid: string) => Uint8Array.fromHex(uuid.replaceAll('-', ''));

      it('updates its devices and groups, too', async () => {
        const surroundings = await createSurroundings(app, {}, { addGWMetaData: false, drMax: 5 });
        const { organizationID, applicationID } = surroundings;
        const open = await createServiceProfile(app, { organizationID, name: 'open', addGWMetaData: true, drMax: 5 });
        const devEUI = await createDevice(app, surroundings);
        const disabled = await createDevice(app, surroundings, { isDisabled: true, skipFCntCheck: true });
        const group = await createMulticastGroup(app, { applicationID });
        await app.call(operations.multicastGroup.addDevice, { multicastGroupID: group, devEUI });
        const { application: before } = await app.call(application.get, { id: applicationID });

        await settled(surroundings, { serviceProfileID: open });
        const { application: after } = await app.call(application.get, { id: applicationID });
        assert.deepEqual(after, { ...before, serviceProfileID: open });
        assert.deepEqual((await atNetwork(devEUI))?.serviceProfileId, bytes(open));
        const asleep = await atNetwork(disabled);
        assert.deepEqual(
          [asleep?.serviceProfileId, asleep?.isDisabled, asleep?.skipFCntCheck],
          [bytes(open), true, true],
        );
        await app.call(operations.multicastGroup.addDevice, { multicastGroupID: group, devEUI: disabled });
        await app.call(device.update, {
          device: { ...(await app.call(device.get, { devEUI })).device, name: 'again' },
        });
      });

      // Creating many devices takes seconds, and with few the same statements run.
      if (database === 'sqlite') {
        it('updates more of them than one batch holds', async () => {
          const surroundings = await createSurroundings(app);
          const { organizationID } = surroundings;
          const devEUIs = Array.from({ length: 101 }, (_, nth) => `5e${nth.toString(16).padStart(14, '0')}`);
          await Promise.all(devEUIs.map((devEUI) => app.call(device.create, { device: { devEUI, ...surroundings } })));
          const other = await createServiceProfile(app, { organizationID, name: 'other' });
          await settled(surroundings, { serviceProfileID: other });
          for (const devEUI of devEUIs) assert.deepEqual((await atNetwork(devEUI))?.serviceProfileId, bytes(other));
        });
      }

      it('keeps its service-profile when the new one is on another network-server, with devices and without', async () => {
        const surroundings = await createSurroundings(app);
        const { organizationID, applicationID, serviceProfileID: own } = surroundings;
        const { id: elsewhere } = await app.call(radio.create, { name: 'elsewhere', region: 'US915' });
        const away = await createServiceProfile(app, { organizationID, networkServerID: elsewhere, name: 'away' });
        const { fieldViolations: empty } = await refused(3, settled(surroundings, { serviceProfileID: away }));
        assert.equal(empty[0]?.field, 'application.serviceProfileID');
        const devEUI = await createDevice(app, surroundings);
        const { fieldViolations } = await refused(3, settled(surroundings, { serviceProfileID: away }));
        assert.equal(fieldViolations[0]?.field, 'application.serviceProfileID');
        const { application: stored } = await app.call(application.get, { id: applicationID });
        assert.equal(stored.serviceProfileID, own);
        assert.deepEqual((await atNetwork(devEUI))?.serviceProfileId, bytes(own));
      });

      it('can be updated again after the network server failed halfway', async () => {
        const surroundings = await createSurroundings(app);
        const { organizationID, applicationID, serviceProfileID: own } = surroundings;
        const devEUIs = [await createDevice(app, surroundings), await createDevice(app, surroundings)].sort();
        const other = await createServiceProfile(app, { organizationID, name: 'other' });
        const network = await app.parts.networks.of(Number(networkServerID));
        const failing = mock.method(network, 'updateDevice', async () => {
          throw new RpcError('Unavailable', 'The network server is away.');
        });
        await refused(14, settled(surroundings, { serviceProfileID: other }));
        failing.mock.restore();
        const { application: stored } = await app.call(application.get, { id: applicationID });
        assert.equal(stored.serviceProfileID, own);
        await settled(surroundings, { serviceProfileID: other });
        for (const devEUI of devEUIs) assert.deepEqual((await atNetwork(devEUI))?.serviceProfileId, bytes(other));
      });
    });

    it('refuses names with spaces or special characters', async () => {
      for (const name of ['', 'two words', 'ä', 'x'.repeat(101)]) await refused(3, create(name));
    });

    it('is found by any part of its name', async () => {
      const organization = await createOrganization(app);
      for (const name of ['north-field', 'south-field', 'barn'])
        await createApplication(app, { organizationID: organization, name });
      const names = async (search: string) => {
        const list = await app.call(application.list, { organizationID: organization, search, limit: 10 });
        assert.equal(list.totalCount, String(list.result.length));
        return list.result.map((one) => one.name);
      };
      assert.deepEqual(await names(''), ['barn', 'north-field', 'south-field']);
      assert.deepEqual(await names('FIELD'), ['north-field', 'south-field']);
      assert.deepEqual(await names('no_th'), ['north-field']);
      assert.deepEqual(await names("'; drop table application; --"), []);
    });

    it('is listed for users without a chosen organization, with the name of its service-profile', async () => {
      await create('shown');
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      const { result } = await app.call(application.list, { limit: 100, search: 'shown' }, token);
      assert.deepEqual(
        result.map((one) => [one.name, one.serviceProfileName]),
        [['shown', 'gold']],
      );
    });

    it('is deleted with its API keys', async () => {
      const { id } = await create('locked');
      const { token } = await createAPIKey(app, { applicationID: id });
      assert.equal((await app.call(application.get, { id }, token)).application.name, 'locked');
      await app.call(application.delete, { id });
      await refused(16, app.call(application.get, { id }, token));
    });

    it('has no integrations at first', async () => {
      const { id } = await create('plain');
      assert.deepEqual(await app.call(application.listIntegrations, { applicationID: id }), {
        totalCount: '0',
        result: [],
      });
    });
  });

  const creators: PrincipalName[] = ['organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey'];
  let names = 0;
  const body = async (side: { app: TestApp; organizationID: string }) => ({
    name: `application-of-access-${++names}`,
    organizationID: side.organizationID,
    serviceProfileID: await createServiceProfile(side.app, side),
  });
  describeAccess(database, 'application', [
    row(application.list, ({ organizationID }) => ({ organizationID }), readers),
    row(application.list, () => ({}), [...everyUser, 'adminKey'], [...everyUser, 'adminKey']),
    row(application.get, ({ applicationID }) => ({ id: applicationID }), [...readers, 'applicationKey']),
    row(application.create, async (side) => ({ application: await body(side) }), creators),
    row(
      application.create,
      async (side) => ({ application: await body(side), integrationsFrom: side.applicationID }),
      creators,
    ),
    row(application.update, async (side) => ({ application: { ...(await body(side)), id: side.applicationID } }), [
      ...creators,
      'applicationKey',
    ]),
    row(application.listIntegrations, ({ applicationID }) => ({ applicationID }), [...creators, 'applicationKey']),
    row(application.delete, async (side) => ({ id: await createApplication(side.app, side) }), creators),
  ]);
}
