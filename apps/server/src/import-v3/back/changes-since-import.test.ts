import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { startServer } from '../../compose.ts';
import { createLog } from '../../log.ts';
import { openStorage } from '../../storage.ts';
import { createTestClient } from '../../testing/client.ts';
import { createTestStorage, databases } from '../../testing/databases.ts';
import { testSettings } from '../../testing/test-settings.ts';
import { type ImportTarget, importAll } from '../import.ts';
import { fillVersion3, fixture } from '../testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from '../testing/version-3.ts';
import { writeBack } from './write-back.ts';

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const madeEUI = '0102030405060708';

describe('changes made in Hilltop since the import', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    await v3.insert('as', 'user', { id: 8, email: 'gone@example.org' });
    await v3.insert('as', 'organization_user', { id: 10, user_id: 8, organization_id: 7 });
    // Not listed, because version 3 has the row and no user removed it in Hilltop.
    await v3.insert('as', 'integration', { id: 22, application_id: 11, kind: 'OWN', settings: '{}' });
  });
  after(() => v3[Symbol.asyncDispose]());

  for (const kind of databases)
    it(`are listed for an operator who returns to version 3, from ${kind}`, async () => {
      await using testStorage = await createTestStorage(kind);
      const config = testSettings(testStorage, {
        // It comes from the settings and not from a user. No server listens at this address.
        mqttURL: 'tcp://127.0.0.1:1',
      });
      const choice = { config: v3.config, networkServerConfigs: [v3.networkServerConfig], downlinkMargin: 1 };
      const withStorage = async <T>(work: (target: ImportTarget) => Promise<T>): Promise<T> => {
        const storage = await openStorage(config, createLog(config));
        try {
          return await work({ ...storage, config });
        } finally {
          await storage.close();
        }
      };
      await withStorage((target) => importAll({ ...choice, isFinal: true }, target, quiet));
      const directory = join(testStorage.dataDir, 'back');
      const goBack = () => withStorage((target) => writeBack({ ...choice, isFinal: false }, target, directory));
      const listed = async () => {
        const { findings } = await goBack();
        return findings.map(({ kind: of, what, because, examples }) => [of, what, because.split(':')[0], examples]);
      };
      assert.deepEqual(await listed(), []);

      const server = await startServer(config);
      try {
        const client = createTestClient(`http://127.0.0.1:${server.httpPort}`);
        const token = await client.signIn('anna@example.org', fixture.password);
        const { call } = client;
        const { device } = await call(operations.device.get, { devEUI: fixture.devEUI }, token);
        await call(operations.device.update, { device: { ...device, name: 'meter-1-of-the-mill' } }, token);
        await call(operations.device.create, { device: { ...device, devEUI: madeEUI, name: 'meter-2' } }, token);
        const { gateway } = await call(operations.gateway.get, { id: fixture.gatewayID }, token);
        await call(operations.gateway.create, { gateway: { ...gateway, id: madeEUI, name: 'mast' } }, token);
        await call(operations.application.deleteHTTPIntegration, { applicationID: '11' }, token);
        await call(operations.user.delete, { id: '8' }, token);
        const organization = { id: '7', name: 'acme', displayName: 'Acme and sons', canHaveGateways: true };
        await call(operations.organization.update, { organization }, token);
      } finally {
        await server.stop();
      }

      const made = 'created in Hilltop since the import';
      const changed = 'changed in Hilltop since the import';
      const removed = 'removed in Hilltop since the import';
      assert.deepEqual(await listed(), [
        ['not imported', 'users', removed, ['8']],
        ['not imported', 'organizations', changed, ['7 acme']],
        ['not imported', 'organization users', removed, ['7/8']],
        ['not imported', 'integrations', removed, ['21']],
        ['not imported', 'gateways', made, [`${madeEUI} mast`]],
        ['not imported', 'devices', made, [`${madeEUI} meter-2`]],
        ['not imported', 'devices', changed, [`${fixture.devEUI} meter-1-of-the-mill`]],
      ]);
      const file = join(directory, 'configured-here.txt');
      const text = await readFile(file, 'utf8');
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      assert.match(text, /^Configured in Hilltop since the import was finished \(20/);
      assert.match(
        text,
        new RegExp(`^devices, created in Hilltop since the import \\(1\\):\\n {2}${madeEUI} meter-2$`, 'm'),
      );
      assert.match(text, /^integrations, removed in Hilltop since the import \(1\):\n {2}21$/m);
    });
});
