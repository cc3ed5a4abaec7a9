import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allOperations, notServed } from '@hilltop/contract';
import { networkServerID } from '../testing/factories.ts';
import { fakeNetworks } from '../testing/fake-network-server.ts';
import { createGateway, createReceivedDevice, type FieldContext, simulateGateway } from '../testing/field.ts';
import { type Call, type GeneratedMessage, generateClient, live, type RecordOf } from '../testing/generated-client.ts';
import { offeredKinds, sampleIntegrations } from '../testing/integrations.ts';
import { adminEmail, adminPassword, startTestApp, type TestApp } from '../testing/test-app.ts';

describe('a generated client', () => {
  let app: TestApp;
  let client: Awaited<ReturnType<typeof generateClient>>;
  let call: Call;
  /** Deletes, in reverse order of creation. */
  const endings: (() => Promise<unknown>)[] = [];
  const ids: Record<string, string> = {};
  before(async () => {
    app = await startTestApp('sqlite');
    client = await generateClient(app.url, () => app.adminToken);
    call = client.call;
  });
  after(() => app[Symbol.asyncDispose]());

  async function record(of: RecordOf): Promise<string> {
    const id = await live(call, of);
    endings.unshift(() => call(of.service, 'Delete', { [of.inRead ?? 'id']: id }));
    ids[of.name] = id;
    return id;
  }

  it('has every operation of the contract by its tag and id', () => {
    const known = Object.entries(client.apis).flatMap(([tag, calls]) => Object.keys(calls).map((id) => `${tag}.${id}`));
    const all = [...allOperations, ...notServed];
    assert.deepEqual(known.sort(), all.map(({ service, rpc }) => `${service}.${rpc}`).sort());
  });

  async function driveIntegrations(applicationID: string): Promise<void> {
    const service = 'ApplicationService';
    const inPath = { application_id: applicationID };
    for (const { kind, rpc } of offeredKinds) {
      const integration = { applicationID, ...sampleIntegrations[kind] };
      const written = { 'integration.application_id': applicationID, body: { integration } };
      await call(service, `Create${rpc}Integration`, written);
      const read = await call(service, `Get${rpc}Integration`, inPath);
      assert.deepEqual(Object.keys(read['integration'] as GeneratedMessage).sort(), Object.keys(integration).sort());
      await call(service, `Update${rpc}Integration`, { ...written, body: read });
      const { totalCount, result } = await call(service, 'ListIntegrations', inPath);
      assert.deepEqual([totalCount, result], ['1', [{ kind }]]);
      await call(service, `Delete${rpc}Integration`, inPath);
    }
  }

  it('signs in, and reads what the console reads', async () => {
    const body = { email: adminEmail, password: adminPassword };
    assert.ok((await call('InternalService', 'Login', { body }))['jwt']);
    assert.ok((await call('InternalService', 'Settings'))['openidConnect']);
    const { user } = await call('InternalService', 'Profile');
    assert.equal((user as GeneratedMessage)['email'], adminEmail);
    await call('InternalService', 'GetDevicesSummary', { organizationID: '0' });
    await call('InternalService', 'GetGatewaysSummary', { organizationID: '0' });
    const { id } = await call('InternalService', 'CreateAPIKey', { body: { apiKey: { name: 'key', isAdmin: true } } });
    const keys = await call('InternalService', 'ListAPIKeys', { isAdmin: true, limit: 10 });
    assert.deepEqual([keys['totalCount'], (keys['result'] as GeneratedMessage[])[0]!['id']], ['1', id]);
    await call('InternalService', 'DeleteAPIKey', { id });
  });

  it('manages organizations with their users', async () => {
    const organizationID = await record({
      service: 'OrganizationService',
      name: 'organization',
      inUpdate: 'organization.id',
      message: { name: 'orchard', displayName: 'Orchard', canHaveGateways: true, maxDeviceCount: 5 },
      change: { displayName: 'Old orchard' },
    });
    const search = await call('InternalService', 'GlobalSearch', { search: 'orchard', limit: 10 });
    assert.equal((search['result'] as GeneratedMessage[])[0]!['organizationID'], organizationID);

    const email = 'client@example.org';
    const userID = await record({
      service: 'UserService',
      name: 'user',
      inUpdate: 'user.id',
      message: { email, isActive: true, sessionTTL: 5, note: 'made by a client' },
      beside: { password: 'a long password' },
      change: { note: 'changed by a client' },
    });
    await call('UserService', 'UpdatePassword', { user_id: userID, body: { password: 'another password' } });

    const membership = { organizationID, userID, email, isAdmin: false, isDeviceAdmin: true };
    const inPath = { 'organization_user.organization_id': organizationID };
    await call('OrganizationService', 'AddUser', { ...inPath, body: { organizationUser: membership } });
    await call('OrganizationService', 'UpdateUser', {
      ...inPath,
      'organization_user.user_id': userID,
      body: { organizationUser: { ...membership, isGatewayAdmin: true } },
    });
    const found = { organization_id: organizationID, user_id: userID };
    const { organizationUser } = await call('OrganizationService', 'GetUser', found);
    assert.equal((organizationUser as GeneratedMessage)['isGatewayAdmin'], true);
    const members = await call('OrganizationService', 'ListUsers', { organization_id: organizationID, limit: 10 });
    assert.equal(members['totalCount'], '1');
    await call('OrganizationService', 'DeleteUser', found);
  });

  it('manages network-servers', async () => {
    await using others = await startTestApp('sqlite', {}, { networks: fakeNetworks() });
    const there = await generateClient(others.url, () => others.adminToken);
    const service = 'NetworkServerService';
    const id = await live(there.call, {
      service,
      name: 'networkServer',
      inUpdate: 'network_server.id',
      message: { name: 'remote', server: 'ns.example.org:8000', gatewayDiscoveryEnabled: false },
      change: { name: 'renamed' },
    });
    const { adrAlgorithms } = await there.call(service, 'GetADRAlgorithms', { network_server_id: id });
    assert.equal((adrAlgorithms as GeneratedMessage[])[0]!['id'], 'default');
    await there.call(service, 'Delete', { id });
    for (const one of there.called) client.called.add(one);
  });

  it('manages profiles', async () => {
    const { organization: organizationID } = ids;
    const owner = { organizationID, networkServerID };
    await record({
      service: 'GatewayProfileService',
      name: 'gatewayProfile',
      inUpdate: 'gateway_profile.id',
      message: { name: 'roofs', networkServerID, channels: [0, 1, 2], statsInterval: '30s' },
      change: { name: 'all roofs', channels: [0, 1] },
    });
    await record({
      service: 'ServiceProfileService',
      name: 'serviceProfile',
      inUpdate: 'service_profile.id',
      message: { name: 'basic', ...owner, drMax: 5, addGWMetaData: true },
      change: { name: 'better', devStatusReqFreq: 24 },
      list: { organizationID },
    });
    await record({
      service: 'DeviceProfileService',
      name: 'deviceProfile',
      inUpdate: 'device_profile.id',
      message: {
        name: 'sensor',
        ...owner,
        macVersion: '1.0.3',
        regParamsRevision: 'A',
        supportsJoin: true,
        uplinkInterval: '600s',
        adrAlgorithmID: 'default',
        tags: { made: 'here' },
      },
      change: { name: 'better sensor', tags: {} },
      list: { organizationID },
    });
  });

  const day = {
    interval: 'DAY',
    startTimestamp: '2026-01-01T00:00:00Z',
    endTimestamp: '2026-01-02T00:00:00Z',
  };

  it('manages gateways', async () => {
    const { organization: organizationID, gatewayProfile: gatewayProfileID } = ids;
    const id = '0102030405060708';
    const service = 'GatewayService';
    const location = { latitude: 52.1, longitude: 5.2, altitude: 3, source: 'UNKNOWN', accuracy: 0 };
    const message = { id, name: 'roof', description: 'x', organizationID, networkServerID, gatewayProfileID, location };
    await record({
      service,
      name: 'gateway',
      inUpdate: 'gateway.id',
      id,
      message,
      change: { description: 'on the roof', tags: { colour: 'red' } },
      list: { organizationID },
    });
    const stats = await call(service, 'GetStats', { gateway_id: id, ...day });
    assert.equal((stats['result'] as GeneratedMessage[]).length, 2);
    await assert.rejects(call(service, 'GetLastPing', { gateway_id: id }), { status: 404 });
  });

  it('manages applications and devices', async () => {
    const { organization: organizationID, serviceProfile: serviceProfileID, deviceProfile: deviceProfileID } = ids;
    const applicationID = await record({
      service: 'ApplicationService',
      name: 'application',
      inUpdate: 'application.id',
      message: { name: 'weather', description: 'x', organizationID, serviceProfileID },
      change: { description: 'rain and sun' },
      list: { organizationID },
    });
    await driveIntegrations(applicationID);

    const service = 'DeviceService';
    const devEUI = '0807060504030201';
    const device = { dev_eui: devEUI };
    await record({
      service,
      name: 'device',
      inUpdate: 'device.dev_eui',
      inRead: 'dev_eui',
      id: devEUI,
      message: { devEUI, name: 'rain', description: 'x', applicationID, deviceProfileID, variables: { a: 'b' } },
      change: { description: 'counts drops', skipFCntCheck: true },
      list: { applicationID },
    });
    const [one, two] = ['01'.repeat(16), '02'.repeat(16)];
    const keys = (nwkKey: string) => ({
      'device_keys.dev_eui': devEUI,
      body: { deviceKeys: { devEUI, nwkKey, appKey: '', genAppKey: '' } },
    });
    await call(service, 'CreateKeys', keys(one));
    await call(service, 'UpdateKeys', keys(two));
    assert.equal(((await call(service, 'GetKeys', device))['deviceKeys'] as GeneratedMessage)['nwkKey'], two);
    await call(service, 'DeleteKeys', device);
    await call(service, 'ClearDeviceNonces', device);

    const { devAddr } = await call(service, 'GetRandomDevAddr', device);
    const session = { appSKey: one, nwkSEncKey: two, sNwkSIntKey: two, fNwkSIntKey: two };
    const counters = { fCntUp: 7, nFCntDown: 3, aFCntDown: 0 };
    await call(service, 'Activate', {
      'device_activation.dev_eui': devEUI,
      body: { deviceActivation: { devEUI, devAddr, ...session, ...counters } },
    });
    const { deviceActivation } = await call(service, 'GetActivation', device);
    assert.deepEqual(deviceActivation, { devEUI, devAddr, ...session, ...counters });

    const item = { devEUI, confirmed: false, fPort: 10, data: 'AQID' };
    const queued = await call('DeviceQueueService', 'Enqueue', {
      'device_queue_item.dev_eui': devEUI,
      body: { deviceQueueItem: item },
    });
    assert.equal(queued['fCnt'], 3);
    const { deviceQueueItems } = await call('DeviceQueueService', 'List', device);
    assert.deepEqual(deviceQueueItems, [{ ...item, fCnt: 3, jsonObject: '' }]);
    await call('DeviceQueueService', 'Flush', device);
    assert.equal((await call('DeviceQueueService', 'List', { ...device, countOnly: true }))['totalCount'], 0);

    const stats = await call(service, 'GetStats', { ...device, ...day });
    assert.equal((stats['result'] as GeneratedMessage[]).length, 2);
    await call(service, 'Deactivate', device);
  });

  it('manages multicast-groups', async () => {
    const { organization: organizationID, application: applicationID } = ids;
    const { serviceProfile: serviceProfileID, deviceProfile: deviceProfileID } = ids;
    const surroundings = { organizationID, applicationID, serviceProfileID, deviceProfileID } as FieldContext;
    const gatewayID = await createGateway(app, organizationID!);
    await using gateway = await simulateGateway(app, gatewayID);
    const devEUI = await createReceivedDevice(app, surroundings, gateway);
    const service = 'MulticastGroupService';
    const id = await record({
      service,
      name: 'multicastGroup',
      inUpdate: 'multicast_group.id',
      message: {
        name: 'lights',
        applicationID,
        mcAddr: '01020304',
        mcNwkSKey: '01'.repeat(16),
        mcAppSKey: '02'.repeat(16),
        fCnt: 10,
        groupType: 'CLASS_C',
        dr: 3,
        frequency: 868_100_000,
        pingSlotPeriod: 0,
      },
      change: { name: 'street lights', fCnt: 11 },
      list: { applicationID },
    });
    const inPath = { multicast_group_id: id };
    await call(service, 'AddDevice', { ...inPath, body: { multicastGroupID: id, devEUI } });
    const devices = await call('DeviceService', 'List', { multicastGroupID: id, limit: 10 });
    assert.equal(devices['totalCount'], '1');
    const multicastQueueItem = { multicastGroupID: id, fCnt: 0, fPort: 10, data: 'AQID' };
    const enqueue = { 'multicast_queue_item.multicast_group_id': id, body: { multicastQueueItem } };
    assert.equal((await call(service, 'Enqueue', enqueue))['fCnt'], 11);
    await call(service, 'Enqueue', enqueue);
    const { multicastQueueItems } = await call(service, 'ListQueue', inPath);
    assert.deepEqual((multicastQueueItems as GeneratedMessage[]).at(-1), { ...multicastQueueItem, fCnt: 12 });
    await call(service, 'FlushQueue', inPath);
    assert.deepEqual((await call(service, 'ListQueue', inPath))['multicastQueueItems'], []);
    await call(service, 'RemoveDevice', { ...inPath, dev_eui: devEUI });
    endings.unshift(() => call('DeviceService', 'Delete', { dev_eui: devEUI }));
    endings.unshift(() => call('GatewayService', 'Delete', { id: gatewayID }));
  });

  it('receives an error for operations that are not implemented', async () => {
    const { FUOTADeploymentService } = client.apis;
    for (const call of [
      FUOTADeploymentService!['List']!({ applicationID: '1', limit: 10 }),
      FUOTADeploymentService!['CreateForDevice']!({ dev_eui: '0102030405060708', body: {} }),
    ])
      await assert.rejects(call, (error) => {
        const { status, response } = error as { status: number; response: { body: GeneratedMessage } };
        return status === 501 && response.body['code'] === 12 && typeof response.body['error'] === 'string';
      });
  });

  it('deletes everything, and has called every recorded unary operation by then', async () => {
    for (const end of endings) await end();
    const recorded = allOperations.filter((one) => one.package === 'api');
    const others = recorded.filter(({ service, rpc }) => !client.called.has(`${service}.${rpc}`));
    assert.deepEqual(
      others
        .filter(({ stream }) => !stream)
        .map(({ key }) => key)
        .sort(),
      [
        // These need MQTT over TLS, an OpenID Connect provider, a gateway that pinged, or a network-server with a
        // certificate authority. LoRa Cloud was shut down.
        'application.createLoRaCloudIntegration',
        'application.deleteLoRaCloudIntegration',
        'application.generateMQTTIntegrationClientCertificate',
        'application.getLoRaCloudIntegration',
        'application.updateLoRaCloudIntegration',
        'gateway.generateGatewayClientCertificate',
        'gateway.getLastPing',
        'internal.openIDConnectLogin',
      ],
    );
  });
});
