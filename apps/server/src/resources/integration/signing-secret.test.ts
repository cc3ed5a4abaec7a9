import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { loadConfigured } from '../../integrations/configured.ts';
import { describeAccess, type PrincipalName, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createApplication } from '../../testing/factories.ts';
import { createSurroundings } from '../../testing/field.ts';
import { sampleIntegrations } from '../../testing/integrations.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { application, gatewayIntegration, integration } = operations;

for (const database of databases) {
  describe(`the signing secret on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database, { integrationSecrets: 'returned' });
    });
    after(() => app[Symbol.asyncDispose]());

    const configured = async (applicationID: string) => {
      const found = (await loadConfigured(app.parts)).find((one) => one.applicationID === Number(applicationID));
      const { signingSecret: secret } = found!.config as { signingSecret?: string };
      return { secret, revision: found!.revision };
    };

    it('is created, used, unchanged by updates, replaced and removed', async () => {
      const applicationID = await createApplication(app);
      await app.call(application.createHTTPIntegration, { integration: { applicationID, ...sampleIntegrations.HTTP } });
      assert.deepEqual(await app.call(integration.getSigningSecret, { applicationID }), { isSet: false });
      const before = await configured(applicationID);
      const { secret } = await app.call(integration.makeSigningSecret, { applicationID });
      assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      assert.deepEqual(await app.call(integration.getSigningSecret, { applicationID }), { isSet: true });
      const made = await configured(applicationID);
      assert.equal(made.secret, secret);
      assert.ok(made.revision > before.revision);

      const { integration: read } = await app.call(application.getHTTPIntegration, { applicationID });
      assert.deepEqual(read, { applicationID, ...sampleIntegrations.HTTP }, 'no part of the configuration');
      await app.call(application.updateHTTPIntegration, { integration: { ...read, eventEndpointURL: '' } });
      assert.equal((await configured(applicationID)).secret, secret);

      const { secret: another } = await app.call(integration.makeSigningSecret, { applicationID });
      assert.notEqual(another, secret);
      assert.equal((await configured(applicationID)).secret, another);
      await app.call(integration.deleteSigningSecret, { applicationID });
      assert.equal((await configured(applicationID)).secret, undefined);
      const { integration: after } = await app.call(application.getHTTPIntegration, { applicationID });
      assert.deepEqual(after.headers, sampleIntegrations.HTTP.headers, 'other secrets stay');
    });

    it('needs an integration', async () => {
      const applicationID = await createApplication(app);
      for (const operation of Object.values(integration)) await refused(5, app.call(operation, { applicationID }));
    });

    it('of an organization is created, used and removed', async () => {
      const { organizationID } = await createSurroundings(app);
      const about = { organizationID, headers: [], eventEndpointURL: 'https://example.org/hook', eventTypes: [] };
      const { getSigningSecret, makeSigningSecret, deleteSigningSecret, create } = gatewayIntegration;
      await refused(5, app.call(makeSigningSecret, { organizationID }));
      const created = await Promise.allSettled([1, 2, 3].map(() => app.call(create, { integration: about })));
      assert.equal(created.filter(({ status }) => status === 'fulfilled').length, 1);
      await refused(6, app.call(create, { integration: about }));
      assert.deepEqual(await app.call(getSigningSecret, { organizationID }), { isSet: false });
      const { secret } = await app.call(makeSigningSecret, { organizationID });
      assert.deepEqual(await app.call(getSigningSecret, { organizationID }), { isSet: true });
      assert.equal((await configured(String(-Number(organizationID)))).secret, secret);
      await app.call(deleteSigningSecret, { organizationID });
      assert.deepEqual(await app.call(getSigningSecret, { organizationID }), { isSet: false });
    });
  });

  const owners: PrincipalName[] = ['organizationAdmin', 'globalAdmin', 'adminKey', 'organizationKey', 'applicationKey'];
  describeAccess(
    database,
    'signing secrets',
    Object.values(integration).map((operation) =>
      row(
        operation,
        async ({ app, applicationID }) => {
          const integration = { applicationID, ...sampleIntegrations.HTTP };
          await app.call(application.createHTTPIntegration, { integration }).catch(() => undefined);
          return { applicationID };
        },
        owners,
      ),
    ),
  );

  const sample = { headers: [], eventEndpointURL: 'https://example.org/hook', eventTypes: [] };
  const present = async ({ app, organizationID }: Side) => {
    await app.call(gatewayIntegration.create, { integration: { organizationID, ...sample } }).catch(() => undefined);
    return { organizationID };
  };
  const absent = async ({ app, organizationID }: Side) => {
    await app.call(gatewayIntegration.delete, { organizationID }).catch(() => undefined);
    return { integration: { organizationID, ...sample } };
  };
  const { create, update, ...others } = gatewayIntegration;
  const ownersOfGateways = owners.filter((name) => name !== 'applicationKey');
  describeAccess(database, 'the integration of an organization', [
    row(create, absent, ownersOfGateways),
    row(update, async (side) => ({ integration: { ...(await present(side)), ...sample } }), ownersOfGateways),
    ...Object.values(others).map((operation) => row(operation, present, ownersOfGateways)),
  ]);
}
