import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { databases } from '../testing/databases.ts';
import { createOrganization, networkServerID } from '../testing/factories.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const location = { latitude: 1, longitude: 1 };
const nowhere = '00000000-0000-4000-8000-000000000000';

for (const database of databases) {
  describe(`a reference to a record on ${database}`, () => {
    let app: TestApp;
    let organizationID: string;
    before(async () => {
      app = await startTestApp(database);
      organizationID = await createOrganization(app);
    });
    after(() => app[Symbol.asyncDispose]());

    const gateway = () => ({ id: '0102030405060708', name: 'roof', organizationID, networkServerID, location });
    const cases: [path: string, body: () => object, sentence: RegExp, field: string][] = [
      [
        '/service-profiles',
        () => ({ serviceProfile: { name: 'x', organizationID, networkServerID: '77' } }),
        /^There is no network-server 77\.$/,
        'serviceProfile.networkServerID',
      ],
      [
        '/device-profiles',
        () => ({ deviceProfile: { name: 'x', organizationID: '77', networkServerID } }),
        /^There is no organization 77\.$/,
        'deviceProfile.organizationID',
      ],
      [
        '/gateway-profiles',
        () => ({ gatewayProfile: { name: 'x', networkServerID: '77' } }),
        /^There is no network-server 77\.$/,
        'gatewayProfile.networkServerID',
      ],
      [
        '/gateways',
        () => ({ gateway: { ...gateway(), gatewayProfileID: nowhere } }),
        /^There is no gateway-profile 0{8}-/,
        'gateway.gatewayProfileID',
      ],
      [
        '/users',
        () => ({
          user: { email: 'a@example.org' },
          password: 'a long password',
          organizations: [{ organizationID }, { organizationID: '77' }],
        }),
        /^There is no organization 77\.$/,
        'organizations[1].organizationID',
      ],
      [
        '/internal/api-keys',
        () => ({ apiKey: { name: 'x', applicationID: '77' } }),
        /^There is no application 77\.$/,
        'apiKey.applicationID',
      ],
    ];
    for (const [path, body, sentence, field] of cases) {
      it(`is named when the record does not exist: ${field}`, async () => {
        const headers = { Authorization: app.adminToken };
        const response = await app.fetch(`/api${path}`, { method: 'POST', headers, body: JSON.stringify(body()) });
        const { code, message, details } = (await response.json()) as {
          code: number;
          message: string;
          details: { fieldViolations: { field: string }[] }[];
        };
        assert.equal(code, 5);
        assert.match(message, sentence);
        assert.equal(details[0]?.fieldViolations[0]?.field, field);
      });
    }
  });
}
