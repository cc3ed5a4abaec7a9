import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { unconnected } from '../resources/network-server/store.ts';
import { databases } from '../testing/databases.ts';
import { createAPIKey, createUser, networkServerID } from '../testing/factories.ts';
import { createDevice, createGateway, createSurroundings, type FieldContext } from '../testing/field.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

interface Side extends FieldContext {
  devEUI: string;
  gatewayID: string;
}

/**
 * Method, path and body of a call, and the expected error code. 0: the call succeeds but must not exceed the caller's
 * rights.
 */
type Trick = readonly [what: string, method: string, path: string, body: object | undefined, code: number];

const location = { latitude: 1, longitude: 1, altitude: 1 };

/** Attempts to access another organization by naming it in addition to one's own. */
function tricks(ownSide: Side, foreignSide: Side): Trick[] {
  const { organizationID: own, applicationID, serviceProfileID, deviceProfileID, devEUI, gatewayID } = ownSide;
  const { organizationID: foreign } = foreignSide;
  const renamed = { id: own, name: 'taken-over', displayName: 'x' };
  const gateway = { id: gatewayID, name: 'mine', networkServerID, location };
  const newGateway = { ...gateway, id: '0a0a0a0a0a0a0a0a', name: 'new', organizationID: own };
  const application = { id: applicationID, name: 'mine', organizationID: own, serviceProfileID };
  const device = { devEUI, name: 'mine', applicationID, deviceProfileID };
  const profile = { id: deviceProfileID, name: 'mine', networkServerID, macVersion: '1.0.3', regParamsRevision: 'A' };
  const put = (what: string, path: string, body: object, code: number): Trick => [what, 'PUT', path, body, code];
  const post = (what: string, path: string, body: object, code: number): Trick => [what, 'POST', path, body, code];
  const get = (what: string, path: string): Trick => [what, 'GET', path, undefined, 7];
  return [
    put('the path names theirs, the body mine', `/organizations/${foreign}`, { organization: renamed }, 7),
    post('members for theirs', `/organizations/${foreign}/users`, { organizationUser: { organizationID: own } }, 7),
    post(
      'their members by proto name',
      `/organizations/${foreign}/users`,
      { organization_user: { organization_id: own } },
      7,
    ),
    post(
      'a key for both',
      '/internal/api-keys',
      { apiKey: { name: 'x', organizationID: own, applicationID: foreignSide.applicationID } },
      7,
    ),
    post('a key for both by proto name', '/internal/api-keys', { api_key: { name: 'x', organization_id: foreign } }, 7),
    post(
      'a key for mine and everything',
      '/internal/api-keys',
      { apiKey: { name: 'x', organizationID: own, isAdmin: true } },
      7,
    ),
    put(
      'my application on their service-profile',
      `/applications/${applicationID}`,
      { application: { ...application, serviceProfileID: foreignSide.serviceProfileID } },
      3,
    ),
    post(
      'a new one on their service-profile',
      '/applications',
      { application: { ...application, name: 'new', serviceProfileID: foreignSide.serviceProfileID } },
      3,
    ),
    put(
      'my application into theirs',
      `/applications/${applicationID}`,
      { application: { ...application, organizationID: foreign } },
      0,
    ),
    put('their application into mine', `/applications/${foreignSide.applicationID}`, { application }, 7),
    post(
      'a device of their profile',
      '/devices',
      { device: { ...device, devEUI: '0b0b0b0b0b0b0b0b', deviceProfileID: foreignSide.deviceProfileID } },
      3,
    ),
    post(
      'a device in their application',
      '/devices',
      { device: { ...device, devEUI: '0b0b0b0b0b0b0b0b', applicationID: foreignSide.applicationID } },
      7,
    ),
    put(
      'my device to their profile',
      `/devices/${devEUI}`,
      { device: { ...device, deviceProfileID: foreignSide.deviceProfileID } },
      3,
    ),
    put(
      'my device into their application',
      `/devices/${devEUI}`,
      { device: { ...device, applicationID: foreignSide.applicationID } },
      7,
    ),
    put(
      'both at once',
      `/devices/${devEUI}`,
      { device: { ...device, applicationID: foreignSide.applicationID, deviceProfileID: foreignSide.deviceProfileID } },
      7,
    ),
    put('their device into my application', `/devices/${foreignSide.devEUI}`, { device }, 7),
    put(
      'keys of their device',
      `/devices/${foreignSide.devEUI}/keys`,
      { deviceKeys: { devEUI, nwkKey: '01'.repeat(16) } },
      7,
    ),
    post('a downlink to theirs', `/devices/${foreignSide.devEUI}/queue`, { deviceQueueItem: { devEUI, fPort: 1 } }, 7),
    put('my gateway into theirs', `/gateways/${gatewayID}`, { gateway: { ...gateway, organizationID: foreign } }, 0),
    put(
      'my gateway on their service-profile',
      `/gateways/${gatewayID}`,
      { gateway: { ...gateway, serviceProfileID: foreignSide.serviceProfileID } },
      3,
    ),
    post(
      'a gateway on their service-profile',
      '/gateways',
      { gateway: { ...newGateway, serviceProfileID: foreignSide.serviceProfileID } },
      3,
    ),
    post('a gateway for theirs', '/gateways', { gateway: { ...newGateway, organizationID: foreign } }, 7),
    put(
      'my profile into theirs',
      `/device-profiles/${deviceProfileID}`,
      { deviceProfile: { ...profile, organizationID: foreign } },
      0,
    ),
    put('their profile by mine', `/device-profiles/${foreignSide.deviceProfileID}`, { deviceProfile: profile }, 7),
    get(
      'their devices beside mine',
      `/devices?applicationID=${applicationID}&serviceProfileID=${foreignSide.serviceProfileID}`,
    ),
    get(
      'their keys beside mine',
      `/internal/api-keys?organizationID=${own}&applicationID=${foreignSide.applicationID}`,
    ),
    get(
      'their profiles, as an application',
      `/device-profiles?organizationID=${own}&applicationID=${foreignSide.applicationID}`,
    ),
    get('their counts', `/internal/devices/summary?organizationID=${foreign}&organization_id=${own}`),
    get('their gateways', `/gateways?organization_id=${foreign}`),
    get('their gateways in hexadecimal', `/gateways?organizationID=0x${Number(foreign).toString(16)}`),
    get('their applications with zeros before', `/applications?organizationID=000${foreign}`),
  ];
}

for (const database of databases) {
  describe(`an administrator and a key of one organization on ${database}`, () => {
    let app: TestApp;
    let ownSide: Side;
    let foreignSide: Side;
    let tokens: Record<string, string>;
    before(async () => {
      app = await startTestApp(database);
      const side = async () => {
        const surroundings = await createSurroundings(app);
        const devEUI = await createDevice(app, surroundings);
        return { ...surroundings, devEUI, gatewayID: await createGateway(app, surroundings.organizationID) };
      };
      [ownSide, foreignSide] = [await side(), await side()];
      const { organizationID } = ownSide;
      const user = await createUser(app, { organizations: [{ organizationID, isAdmin: true }] });
      tokens = { user: user.token, key: (await createAPIKey(app, { organizationID })).token };
    });
    after(() => app[Symbol.asyncDispose]());

    const shapes = tricks({} as Side, {} as Side);
    for (const [index, [what]] of shapes.entries()) {
      it(`cannot access another organization by ${what}`, async () => {
        const [, method, path, body, code] = tricks(ownSide, foreignSide)[index]!;
        for (const token of Object.values(tokens)) {
          const headers = { Authorization: `Bearer ${token}` };
          const response = await app.fetch(`/api${path}`, {
            method,
            headers,
            ...(body && { body: JSON.stringify(body) }),
          });
          const answer = (await response.json()) as { code?: number; message?: string };
          assert.equal(answer.code ?? 0, code, JSON.stringify(answer));
        }
      });
    }

    it('change no record of either organization', async () => {
      for (const { organizationID, applicationID, deviceProfileID, devEUI, gatewayID } of [ownSide, foreignSide]) {
        const { application } = await app.call(operations.application.get, { id: applicationID });
        const { deviceProfile } = await app.call(operations.deviceProfile.get, { id: deviceProfileID });
        const { device } = await app.call(operations.device.get, { devEUI });
        const { gateway } = await app.call(operations.gateway.get, { id: gatewayID });
        const owners = [application.organizationID, deviceProfile.organizationID, gateway.organizationID];
        assert.deepEqual(owners, [organizationID, organizationID, organizationID]);
        assert.equal(device.applicationID, applicationID);
      }
      const { result } = await app.call(operations.organization.list, { search: 'taken-over', limit: 1 });
      assert.deepEqual(result, []);
    });

    it('use no network-servers except those with a service-profile of their organization', async () => {
      const { organizationID } = await createSurroundings(app);
      const { token } = await createUser(app, { organizations: [{ organizationID, isAdmin: true }] });
      const now = new Date();
      const row = { ...unconnected, name: 'elsewhere', server: 'elsewhere:8000', created_at: now, updated_at: now };
      const servers = app.parts.database.query.insertInto('network_server').values(row).returning('id');
      const { id } = await servers.executeTakeFirstOrThrow();
      const gateway = { id: '0b0b0b0b0b0b0b0b', name: 'new', organizationID, location };
      const create = (of: string) =>
        app.call(operations.gateway.create, { gateway: { ...gateway, networkServerID: of } }, token);
      await refused(7, create(String(id)));
      await create(networkServerID);
    });
  });
}
