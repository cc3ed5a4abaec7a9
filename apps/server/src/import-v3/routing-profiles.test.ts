import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { settings } from '../config.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { startRemoteNetworkServer, type TestRemoteNetworkServer } from '../testing/remote-network-server.ts';
import { writeBack } from './back/write-back.ts';
import { type ImportTarget, importAll } from './import.ts';
import type { Report } from './report/report.ts';
import { fillVersion3 } from './testing/fixture.ts';
import { applicationServerID, needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const quiet = { now: () => new Date(), print: () => undefined, showOnce: () => undefined };
const errorText = ({ findings }: Report) =>
  findings.map(({ because, examples }) => `${examples.join()}: ${because}`).join('\n');

describe('a remote network server of version 3', needsVersion3, () => {
  let v3: Version3;
  let remote: TestRemoteNetworkServer;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    remote = await startRemoteNetworkServer();
    await v3.writeConfig(
      'as',
      `[application_server]\nid="${applicationServerID}"\n[application_server.api]\npublic_host="as.example.org:8001"\n`,
    );
  });
  after(async () => {
    await remote[Symbol.asyncDispose]();
    await v3[Symbol.asyncDispose]();
  });

  const leadTo = (server: string) =>
    v3.query('as', 'update network_server set server = $1, routing_profile_ca_cert = $2', [server, 'their CA']);
  const choice = (isFinal: boolean) => ({ config: v3.config, networkServerConfigs: [], downlinkMargin: 1, isFinal });

  async function withStorage<T>(
    { dataDir, databaseURL }: TestStorage,
    work: (target: ImportTarget) => Promise<T>,
  ): Promise<T> {
    const config = settings.parse({
      data: dataDir,
      databaseURL,
      logLevel: 'silent',
      outgoingAllow: '127.0.0.1',
      grpcPublic: 'hilltop.example.org:8001',
    });
    const storage = await openStorage(config, createLog(config));
    try {
      return await work({ ...storage, config });
    } finally {
      await storage.close();
    }
  }

  const routingProfile = () => remote.last('updateRoutingProfile')['routingProfile'];
  const id = Uint8Array.fromHex(applicationServerID.replaceAll('-', '')).toBase64();
  const certificates = { caCert: 'their CA', tlsCert: '', tlsKey: '' };

  for (const kind of databases)
    it(`calls Hilltop after the last pass, and version 3 again after going back, on ${kind}`, async () => {
      await leadTo(`127.0.0.1:${remote.port}`);
      remote.arrivals.length = 0;
      await using testStorage = await createTestStorage(kind);
      await withStorage(testStorage, (target) => importAll(choice(false), target, quiet));
      assert.deepEqual(remote.arrivals, []);

      const report = await withStorage(testStorage, (target) => importAll(choice(true), target, quiet));
      assert.deepEqual(routingProfile(), { id, asId: 'hilltop.example.org:8001', ...certificates });
      assert.match(errorText(report), /ns: it now sends its uplinks to hilltop\.example\.org:8001/);

      const back = await withStorage(testStorage, (target) =>
        writeBack(choice(false), target, join(testStorage.dataDir, 'back')),
      );
      assert.deepEqual(routingProfile(), { id, asId: 'as.example.org:8001', ...certificates });
      assert.match(errorText(back), /ns: it now sends its uplinks to as\.example\.org:8001 again/);
    });

  it('gets a routing profile of this application server even if it has none', async () => {
    await leadTo(`127.0.0.1:${remote.port}`);
    await using testStorage = await createTestStorage('sqlite');
    remote.refuse('updateRoutingProfile', 5, 'object does not exist');
    await withStorage(testStorage, (target) => importAll(choice(true), target, quiet));
    remote.refuse('updateRoutingProfile');
    const sent = remote.last('createRoutingProfile')['routingProfile'];
    assert.deepEqual(sent, { id, asId: 'hilltop.example.org:8001', ...certificates });
  });

  it('is reported with advice when it cannot be reached, and the import continues', async () => {
    await leadTo('127.0.0.1:1');
    await using testStorage = await createTestStorage('sqlite');
    const report = await withStorage(testStorage, (target) => importAll(choice(true), target, quiet));
    assert.match(
      errorText(report),
      /ns: it could not be made to send .* save it once at Network-servers of Hilltop\. .*cannot be reached/,
    );
    const back = await withStorage(testStorage, (target) =>
      writeBack(choice(false), target, join(testStorage.dataDir, 'back')),
    );
    assert.match(
      errorText(back),
      /ns: it could not be made to send .* save it once at Network-servers there\. .*cannot be reached/,
    );
  });
});
