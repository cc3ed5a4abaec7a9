import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { describeAccess, everyUser, type PrincipalName, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import {
  createAPIKey,
  createApplication,
  createOrganization,
  createServiceProfile,
  createUser,
} from '../../testing/factories.ts';
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
        ...{ id, name: 'greenhouse', description: 'Glass', organizationID, serviceProfileID },
        ...{ payloadCodec: '', payloadEncoderScript: '', payloadDecoderScript: '' },
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

    it('has a name of its own in its organization', async () => {
      await create('once');
      await refused(6, create('once'));
      const other = await createApplication(app, { name: 'once' });
      await app.call(application.update, {
        application: { ...(await app.call(application.get, { id: other })).application, name: 'once' },
      });
      const { id } = await create('twice');
      await refused(6, app.call(application.update, { application: { id, name: 'once', serviceProfileID } }));
    });

    it('only takes a service-profile of its organization', async () => {
      const foreign = await createServiceProfile(app);
      await refused(3, create('stray', { serviceProfileID: foreign }));
      await refused(5, create('stray', { serviceProfileID: crypto.randomUUID() }));
      await refused(3, create('stray', { serviceProfileID: '' }));
      const { id } = await create('stays');
      await refused(3, app.call(application.update, { application: { id, name: 'stays', serviceProfileID: foreign } }));
    });

    it('refuses names that are not words', async () => {
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

    it('shows people without an organization chosen those of their own, with the service-profile named', async () => {
      await create('shown');
      const { token } = await createUser(app, { organizations: [{ organizationID }] });
      const { result } = await app.call(application.list, { limit: 100, search: 'shown' }, token);
      assert.deepEqual(
        result.map((one) => [one.name, one.serviceProfileName]),
        [['shown', 'gold']],
      );
    });

    it('takes its API keys along', async () => {
      const { id } = await create('locked');
      const { token } = await createAPIKey(app, { applicationID: id });
      assert.equal((await app.call(application.get, { id }, token)).application.name, 'locked');
      await app.call(application.delete, { id });
      await refused(16, app.call(application.get, { id }, token));
    });

    it('has no integrations yet', async () => {
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
    row(application.update, async (side) => ({ application: { ...(await body(side)), id: side.applicationID } }), [
      ...creators,
      'applicationKey',
    ]),
    row(application.listIntegrations, ({ applicationID }) => ({ applicationID }), [...creators, 'applicationKey']),
    row(application.delete, async (side) => ({ id: await createApplication(side.app, side) }), creators),
  ]);
}
