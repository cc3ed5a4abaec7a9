import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { admins, describeAccess, type PrincipalName, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createGatewayProfile, networkServerID } from '../../testing/factories.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { gatewayProfile } = operations;

for (const database of databases) {
  describe(`gateway-profile on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    const channel = {
      modulation: 'LORA',
      frequency: 867_100_000,
      bandwidth: 125,
      bitrate: 0,
      spreadingFactors: [7, 8],
    } as const;

    it('stores its channels at the network server', async () => {
      const id = await createGatewayProfile(app, {
        name: 'eight',
        channels: [0, 2],
        extraChannels: [channel],
        statsInterval: '1m',
      });
      const { gatewayProfile: read } = await app.call(gatewayProfile.get, { id });
      assert.deepEqual(read, {
        id,
        name: 'eight',
        networkServerID,
        channels: [0, 2],
        extraChannels: [channel],
        statsInterval: '60s',
      });
    });

    it('is replaced by an update', async () => {
      const id = await createGatewayProfile(app);
      await app.call(gatewayProfile.update, {
        gatewayProfile: { id, name: 'new', networkServerID: '99', channels: [1], statsInterval: '10s' },
      });
      const { gatewayProfile: read } = await app.call(gatewayProfile.get, { id });
      assert.deepEqual(read, {
        id,
        name: 'new',
        networkServerID,
        channels: [1],
        extraChannels: [],
        statsInterval: '10s',
      });
    });

    it('is listed by name, of one network server on request', async () => {
      const id = await createGatewayProfile(app, { name: 'AAA' });
      const { result } = await app.call(gatewayProfile.list, { limit: 1, networkServerID });
      assert.deepEqual(
        result.map((one) => [one.id, one.networkServerName]),
        [[id, 'EU868 (embedded)']],
      );
      assert.equal((await app.call(gatewayProfile.list, { networkServerID: '99' })).totalCount, '0');
    });

    it('has a network server', async () => {
      const { message } = await refused(3, app.call(gatewayProfile.create, { gatewayProfile: { name: 'x' } }));
      assert.match(message, /The network-server is missing/);
    });

    it('does not exist after a delete', async () => {
      const id = await createGatewayProfile(app);
      await app.call(gatewayProfile.delete, { id });
      await refused(5, app.call(gatewayProfile.get, { id }));
      await refused(5, app.call(gatewayProfile.delete, { id }));
    });
  });

  const anybody: PrincipalName[] = [...readers, 'otherAdmin', 'applicationKey'];
  describeAccess(database, 'gateway-profile', [
    row(gatewayProfile.list, () => ({}), anybody, anybody),
    row(gatewayProfile.get, async ({ app }) => ({ id: await createGatewayProfile(app) }), anybody, anybody),
    row(gatewayProfile.create, () => ({ gatewayProfile: { name: 'x', networkServerID } }), admins),
    row(
      gatewayProfile.update,
      async ({ app }) => ({ gatewayProfile: { id: await createGatewayProfile(app), name: 'x' } }),
      admins,
    ),
    row(gatewayProfile.delete, async ({ app }) => ({ id: await createGatewayProfile(app) }), admins),
  ]);
}
