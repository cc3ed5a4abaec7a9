import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { openKey } from '../../network/tls-keys.ts';
import { admins, describeAccess, readers, row } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { createOrganization, createServiceProfile, networkServerID } from '../../testing/factories.ts';
import { fakeNetworks } from '../../testing/fake-network-server.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { loadNetworkServer } from './store.ts';

const { networkServer } = operations;

for (const database of databases) {
  describe(`network-server on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database, {}, { networks: fakeNetworks() });
    });
    after(() => app[Symbol.asyncDispose]());

    const create = (change: object = {}) =>
      app.call(networkServer.create, { networkServer: { name: 'remote', server: 'ns.example.org:8000', ...change } });
    const stored = (id: string) => loadNetworkServer(app.parts.database, id);
    const keyOf = async (id: string, column: 'tls_key' | 'routing_profile_tls_key') =>
      openKey(app.parts.secrets, await stored(id), column);

    it('exists for each region of the setting, and returns its region', async () => {
      const { networkServer: read, region } = await app.call(networkServer.get, { id: networkServerID });
      assert.deepEqual([read.name, read.server, region], ['EU868 (embedded)', 'embedded:EU868', 'EU868']);
    });

    it('is created, changed and deleted', async () => {
      const { id } = await create({ gatewayDiscoveryEnabled: true, gatewayDiscoveryInterval: 4 });
      const { networkServer: read } = await app.call(networkServer.get, { id });
      assert.equal(read.gatewayDiscoveryInterval, 4);
      await app.call(networkServer.update, {
        networkServer: { ...read, name: 'renamed', gatewayDiscoveryEnabled: false },
      });
      const { networkServer: changed } = await app.call(networkServer.get, { id });
      assert.deepEqual(changed, { ...read, name: 'renamed', gatewayDiscoveryEnabled: false });
      await app.call(networkServer.delete, { id });
      await refused(5, app.call(networkServer.get, { id }));
    });

    it('never returns its keys, keeps them sealed, and replaces or removes them on request', async () => {
      const { id } = await create({
        tlsCert: 'cert',
        tlsKey: 'private',
        routingProfileTLSCert: 'back',
        routingProfileTLSKey: 'secret',
      });
      const { networkServer: read } = await app.call(networkServer.get, { id });
      assert.deepEqual([read.tlsCert, read.tlsKey, read.routingProfileTLSKey], ['cert', '', '']);
      assert.equal(Buffer.from((await stored(id)).tls_key).includes('private'), false);
      assert.equal(await keyOf(id, 'tls_key'), 'private');

      await app.call(networkServer.update, { networkServer: { ...read, routingProfileTLSKey: 'newer' } });
      assert.equal(await keyOf(id, 'tls_key'), 'private');
      assert.equal(await keyOf(id, 'routing_profile_tls_key'), 'newer');

      await app.call(networkServer.update, { networkServer: { ...read, tlsCert: '' } });
      assert.equal(await keyOf(id, 'tls_key'), '');
    });

    it('is not deleted while it has profiles', async () => {
      const { id } = await create();
      await createServiceProfile(app, { networkServerID: id });
      const { message } = await refused(9, app.call(networkServer.delete, { id }));
      assert.match(message, /in use by service-profiles\./);
    });

    it('cannot be made embedded by the API', async () => {
      await refused(3, create({ server: 'embedded:EU868' }));
      const { id } = await create();
      await refused(3, app.call(networkServer.update, { networkServer: { id, name: 'x', server: 'embedded:EU868' } }));
      await refused(
        3,
        app.call(networkServer.update, { networkServer: { id: networkServerID, name: 'x', server: 'other:1' } }),
      );
    });

    it('refuses what is not valid', async () => {
      await refused(3, create({ name: '' }));
      for (const server of [
        '',
        'ns.example.org',
        'http://ns.example.org:8000',
        'a b:1',
        'ns:',
        ':1',
        'ns:123456',
        '::1:8000',
      ])
        await refused(3, create({ server }));
      await create({ server: '[2001:db8::1]:8000' });
      await refused(3, create({ gatewayDiscoveryEnabled: true, gatewayDiscoveryInterval: 0 }));
    });

    it('is listed for an organization when a service-profile is on it', async () => {
      const organizationID = await createOrganization(app);
      assert.equal((await app.call(networkServer.list, { organizationID })).totalCount, '0');
      await createServiceProfile(app, { organizationID });
      await createServiceProfile(app, { organizationID });
      const { totalCount, result } = await app.call(networkServer.list, { organizationID, limit: 10 });
      assert.deepEqual([totalCount, result.map((one) => one.id)], ['1', [networkServerID]]);
    });

    it('returns its ADR algorithms', async () => {
      const { adrAlgorithms } = await app.call(networkServer.getADRAlgorithms, { networkServerId: networkServerID });
      assert.equal(adrAlgorithms[0]?.id, 'default');
      await refused(5, app.call(networkServer.getADRAlgorithms, { networkServerId: '999' }));
    });
  });

  // Both organizations of the matrix have a service-profile on the server, so a foreign record counts as an own one.
  const linkedAdmins = [
    'gatewayAdmin',
    'organizationAdmin',
    'otherAdmin',
    'globalAdmin',
    'adminKey',
    'organizationKey',
  ] as const;
  const linked = [...readers, 'otherAdmin'] as const;
  describeAccess(database, 'network-server', [
    row(networkServer.list, ({ organizationID }) => ({ organizationID }), readers),
    row(networkServer.list, () => ({}), admins),
    row(networkServer.get, () => ({ id: networkServerID }), linkedAdmins, linkedAdmins),
    row(networkServer.getADRAlgorithms, () => ({ networkServerId: networkServerID }), linked, linked),
    row(networkServer.create, () => ({ networkServer: { name: 'x', server: 'localhost:1' } }), admins),
    row(networkServer.update, () => ({ networkServer: { id: '999', name: 'x', server: 'localhost:1' } }), admins),
    row(networkServer.delete, () => ({ id: '999' }), admins),
  ]);
}
