import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type InputOf, type Operation, operations, unchangedSecret } from '@hilltop/contract';
import { databases } from '../../testing/databases.ts';
import { networkServerID } from '../../testing/factories.ts';
import { offeredKinds, sampleIntegrations } from '../../testing/integrations.ts';
import { createPublishedClient } from '../../testing/published-client.ts';
import { startRemoteNetworkServer, type TestRemoteNetworkServer } from '../../testing/remote-network-server.ts';
import { adminEmail, adminPassword, startTestApp, type TestApp } from '../../testing/test-app.ts';

type Given = Readonly<Record<string, unknown>>;
type Ids = Readonly<Record<string, string>>;

/** A record that is created, changed and deleted by gRPC, and verified by REST. */
interface Made {
  operations: { create: Operation; get: Operation; update: Operation; delete: Operation };
  /** The field of requests and answers that contains it. */
  member: string;
  /** The name by which other records refer to it. */
  called: string;
  record: (ids: Ids) => Given;
  changed: Given;
  /** Fields of requests next to it. */
  beside?: Given;
}

const devEUI = '0a1b2c3d4e5f6071';
const key = '000102030405060708090a0b0c0d0e0f';
const profiles = { networkServerID };
const exact = { source: 'GPS', accuracy: 5 };

/** In an order in which they can be created. */
const resources: readonly Made[] = [
  {
    operations: operations.organization,
    member: 'organization',
    called: 'organizationID',
    record: () => ({
      name: 'acme',
      displayName: 'Acme',
      canHaveGateways: true,
      maxDeviceCount: 10,
      maxGatewayCount: 3,
    }),
    changed: { displayName: 'Acme of the north', maxDeviceCount: 20 },
  },
  {
    operations: operations.user,
    member: 'user',
    called: 'userID',
    record: () => ({ email: 'someone@example.org', note: 'naïve 100 %', isActive: true, sessionTTL: 60 }),
    changed: { note: '', isActive: false },
    beside: { password: 'a long password', organizations: [] },
  },
  {
    operations: operations.networkServer,
    member: 'networkServer',
    called: 'otherServerID',
    record: ({ server }) => ({ name: 'other', server }),
    changed: { name: 'another' },
  },
  {
    operations: operations.gatewayProfile,
    member: 'gatewayProfile',
    called: 'gatewayProfileID',
    record: () => ({ name: 'gp', ...profiles, channels: [0, 1, 2], statsInterval: '30s' }),
    changed: { channels: [0], statsInterval: '60s' },
  },
  {
    operations: operations.serviceProfile,
    member: 'serviceProfile',
    called: 'serviceProfileID',
    record: ({ organizationID }) => ({
      name: 'sp',
      organizationID,
      ...profiles,
      addGWMetaData: true,
      drMax: 5,
      ulRatePolicy: 'MARK',
      gwsPrivate: true,
    }),
    changed: { addGWMetaData: false, drMin: 1, ulRatePolicy: 'DROP' },
  },
  {
    operations: operations.deviceProfile,
    member: 'deviceProfile',
    called: 'deviceProfileID',
    record: ({ organizationID }) => ({
      name: 'dp',
      organizationID,
      ...profiles,
      macVersion: '1.0.3',
      regParamsRevision: 'A',
      supportsJoin: true,
      maxEIRP: 14,
      uplinkInterval: '3600s',
      adrAlgorithmID: 'default',
      tags: { kind: 'soil' },
    }),
    changed: { uplinkInterval: '1800s', tags: {} },
  },
  {
    operations: operations.gateway,
    member: 'gateway',
    called: 'gatewayID',
    record: ({ organizationID }) => ({
      id: 'b827ebfffe112233',
      name: 'roof',
      description: 'x',
      organizationID,
      ...profiles,
      location: { latitude: 52.5, longitude: -5.25, altitude: 3, ...exact },
      tags: { site: 'north' },
      discoveryEnabled: true,
    }),
    changed: {
      description: '',
      location: { latitude: -1.5, longitude: 0, altitude: 0, ...exact },
      discoveryEnabled: false,
    },
  },
  {
    operations: operations.application,
    member: 'application',
    called: 'applicationID',
    record: ({ organizationID, serviceProfileID }) => ({
      name: 'fields',
      description: 'x',
      organizationID,
      serviceProfileID,
    }),
    changed: { description: 'of potatoes', payloadCodec: 'CAYENNE_LPP' },
  },
  ...offeredKinds.map(({ kind, rpc }): Made => {
    const application = operations.application as unknown as Readonly<Record<string, Operation>>;
    const operation = (verb: string) => application[`${verb}${rpc}Integration`]!;
    return {
      operations: {
        create: operation('create'),
        get: operation('get'),
        update: operation('update'),
        delete: operation('delete'),
      },
      member: 'integration',
      called: kind,
      record: ({ applicationID }) => ({ applicationID, ...sampleIntegrations[kind] }),
      changed: 'marshaler' in sampleIntegrations[kind] ? { marshaler: 'PROTOBUF' } : {},
    };
  }),
  {
    operations: operations.device,
    member: 'device',
    called: 'deviceID',
    record: ({ applicationID, deviceProfileID }) => ({
      devEUI,
      name: 'soil-1',
      applicationID,
      description: 'x',
      deviceProfileID,
      skipFCntCheck: true,
      referenceAltitude: 1.5,
      variables: { door: 'left' },
      tags: { site: 'north' },
    }),
    changed: { name: 'soil-2', referenceAltitude: 0, variables: {}, isDisabled: true },
  },
  {
    operations: {
      create: operations.device.createKeys,
      get: operations.device.getKeys,
      update: operations.device.updateKeys,
      delete: operations.device.deleteKeys,
    },
    member: 'deviceKeys',
    called: 'keysOf',
    record: () => ({ devEUI, nwkKey: key, appKey: '00'.repeat(16) }),
    changed: { nwkKey: 'ff'.repeat(16) },
  },
  {
    operations: operations.multicastGroup,
    member: 'multicastGroup',
    called: 'multicastGroupID',
    record: ({ applicationID }) => ({
      name: 'all',
      mcAddr: '01020304',
      mcNwkSKey: key,
      mcAppSKey: key,
      fCnt: 5,
      groupType: 'CLASS_C',
      frequency: 869_525_000,
      applicationID,
    }),
    changed: { name: 'many', dr: 2 },
  },
];

/** The record as the server returns it. In the samples, every secret contains this word. */
function withoutSecrets(value: Given): Given {
  return JSON.parse(JSON.stringify(value), (_name, one) =>
    typeof one === 'string' && one.includes('canary') ? unchangedSecret : one,
  ) as Given;
}

for (const database of databases) {
  describe(`what gRPC writes on ${database}`, () => {
    let app: TestApp;
    let remote: TestRemoteNetworkServer;
    let client: ReturnType<typeof createPublishedClient>;
    /** The token without a prefix, as in the example of the package. */
    let token: string;
    const ids: Record<string, string> = {};
    before(async () => {
      remote = await startRemoteNetworkServer();
      ids['server'] = `127.0.0.1:${remote.port}`;
      app = await startTestApp(database, { outgoingAllow: '127.0.0.1' });
      client = createPublishedClient(app.url);
    });
    after(async () => {
      client[Symbol.dispose]();
      await app[Symbol.asyncDispose]();
      await remote[Symbol.asyncDispose]();
    });

    type Answer = Record<string, never>;
    const byGRPC = async (operation: Operation, request: object) =>
      (await client.call(operation, request, token)) as Answer;
    const byREST = async (operation: Operation, request: object) =>
      (await app.call(operation, request as InputOf<Operation>)) as Answer;

    /** Verifies that both return the given values of a record. */
    async function assertShown({ operations: { get }, member }: Made, id: object, expected: Given): Promise<void> {
      for (const read of [byREST, byGRPC]) {
        const record = (await read(get, id))[member]!;
        const shown = Object.keys(expected).map((name) => [name, record[name]]);
        assert.deepEqual(Object.fromEntries(shown), withoutSecrets(expected));
      }
    }

    /** The fields that identify a record: the id that create answered, or its own. */
    function idOf({ operations: { get } }: Made, record: Given, id: unknown): object {
      const [name] = Object.keys(get.request.fields) as [string];
      return { [name]: record[name] ?? id };
    }

    it('begins with signing in', async () => {
      const credentials = { email: adminEmail, password: adminPassword };
      const answer = (await client.call(operations.internal.login, credentials, null)) as { jwt: string };
      token = answer.jwt;
      assert.equal((await byGRPC(operations.internal.profile, {}))['user']!['email'], adminEmail);
    });

    for (const made of resources)
      it(`${made.operations.create.key} and ${made.operations.update.key} write what REST reads`, async () => {
        const { create, update } = made.operations;
        const record = made.record(ids);
        const { id } = await byGRPC(create, { [made.member]: record, ...made.beside });
        const named = idOf(made, record, id);
        ids[made.called] = String(Object.values(named)[0]);
        await assertShown(made, named, record);
        const after = { ...record, ...made.changed };
        await byGRPC(update, { [made.member]: { ...named, ...after } });
        await assertShown(made, named, after);
      });

    it('activates a device and adds to its queue', async () => {
      const keys = { appSKey: key, nwkSEncKey: key, sNwkSIntKey: key, fNwkSIntKey: key };
      const counters = { fCntUp: 10, nFCntDown: 5, aFCntDown: 0 };
      const { devAddr } = await byGRPC(operations.device.getRandomDevAddr, { devEUI });
      await byGRPC(operations.device.activate, { deviceActivation: { devEUI, devAddr, ...keys, ...counters } });
      const { deviceActivation } = await byREST(operations.device.getActivation, { devEUI });
      assert.deepEqual([deviceActivation!['devAddr'], deviceActivation!['fCntUp']], [devAddr, 10]);
      const item = { devEUI, confirmed: true, fPort: 10, data: '3q2+7w==' };
      const { fCnt } = await byGRPC(operations.deviceQueue.enqueue, { deviceQueueItem: item });
      const [queued] = (await byREST(operations.deviceQueue.list, { devEUI }))[
        'deviceQueueItems'
      ] as unknown as Given[];
      assert.deepEqual([queued!['fPort'], queued!['data'], queued!['fCnt']], [10, '3q2+7w==', fCnt]);
      await byGRPC(operations.deviceQueue.flush, { devEUI });
      assert.deepEqual((await byREST(operations.deviceQueue.list, { devEUI }))['deviceQueueItems'], []);
      await byGRPC(operations.device.deactivate, { devEUI });
      await assert.rejects(byREST(operations.device.getActivation, { devEUI }), { code: 5 });
    });

    it('adds and removes members', async () => {
      const { organizationID, userID, multicastGroupID } = ids;
      const member = { organizationID, userID, email: 'someone@example.org', isAdmin: true };
      await byGRPC(operations.organization.addUser, { organizationUser: member });
      const shown = await byREST(operations.organization.getUser, { organizationID, userID });
      assert.equal(shown['organizationUser']!['isAdmin'], true);
      await byGRPC(operations.organization.deleteUser, { organizationID, userID });
      await assert.rejects(byREST(operations.organization.getUser, { organizationID, userID }), { code: 5 });
      await byGRPC(operations.multicastGroup.addDevice, { multicastGroupID, devEUI });
      const listed = () => byREST(operations.device.list, { multicastGroupID, limit: 10 });
      assert.equal((await listed())['totalCount'], '1');
      await byGRPC(operations.multicastGroup.removeDevice, { multicastGroupID, devEUI });
      assert.equal((await listed())['totalCount'], '0');
    });

    it('creates a key, which works until it is deleted', async () => {
      const { id, jwtToken } = await byGRPC(operations.internal.createAPIKey, { apiKey: { name: 'k', isAdmin: true } });
      const list = () => client.call(operations.user.list, { limit: 1 }, String(jwtToken));
      assert.equal(((await list()) as { totalCount: string }).totalCount, '2');
      await byGRPC(operations.internal.deleteAPIKey, { id });
      await assert.rejects(list(), { code: 16 });
    });

    for (const made of resources.toReversed())
      it(`${made.operations.delete.key} removes the record for REST as well`, async () => {
        const named = idOf(made, made.record(ids), ids[made.called]);
        await byGRPC(made.operations.delete, named);
        await assert.rejects(byREST(made.operations.get, named), { code: 5 });
      });
  });
}
