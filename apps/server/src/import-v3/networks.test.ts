import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { operations } from '@hilltop/contract';
import { createDevice, startGateway } from '@hilltop/simulator';
import { startServer } from '../compose.ts';
import { createLog } from '../log.ts';
import { bucketStart } from '../statistics/interval.ts';
import { openStorage } from '../storage.ts';
import { createTestClient } from '../testing/client.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import { testSettings } from '../testing/test-settings.ts';
import { importAll } from './import.ts';
import type { Report } from './report/report.ts';
import { addNetworks, addStatistics, fillVersion3, fixture, lamp } from './testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

describe('importing several network servers', needsVersion3, () => {
  let v3: Version3;
  const now = new Date();
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    await addNetworks(v3);
    await addStatistics(v3, now.getTime());
  });
  after(() => v3[Symbol.asyncDispose]());

  async function importInto(testStorage: TestStorage, isFinal: boolean): Promise<Report> {
    const config = testSettings(testStorage);
    const storage = await openStorage(config, createLog(config));
    const files = { config: v3.config, networkServerConfigs: [v3.networkServerConfig, v3.secondNetworkServerConfig] };
    try {
      const context = { now: () => now, print: () => undefined, showOnce: () => undefined };
      return await importAll({ ...files, downlinkMargin: 1, isFinal }, { ...storage, config }, context);
    } finally {
      await storage.close();
    }
  }

  for (const kind of databases) {
    describe(`into ${kind}`, () => {
      let testStorage: TestStorage;
      let report: Report;
      let server: Awaited<ReturnType<typeof startServer>>;
      let client: ReturnType<typeof createTestClient>;
      let token: string;
      before(async () => {
        testStorage = await createTestStorage(kind);
        report = await importInto(testStorage, false);
        assert.deepEqual(
          (await importInto(testStorage, true)).findings.filter(({ kind: of }) => of === 'stops'),
          [],
        );
        server = await startServer(testSettings(testStorage));
        client = createTestClient(`http://127.0.0.1:${server.httpPort}`);
        token = await client.signIn('anna@example.org', fixture.password);
      });
      after(async () => {
        await server?.stop();
        await testStorage[Symbol.asyncDispose]();
      });

      it('makes each one with a settings file embedded, and leaves the others remote', async () => {
        const servers = await Promise.all(
          ['3', '4', '5'].map((id) => client.call(operations.networkServer.get, { id }, token)),
        );
        assert.deepEqual(
          servers.map(({ networkServer }) => networkServer?.server),
          ['embedded:EU868', 'embedded:AS923', 'far.example.org:8000'],
        );
      });

      it('takes the session of a device that two network servers know from its own one', async () => {
        const known = report.findings.find(({ because }) => because.startsWith('another network server knows'));
        assert.deepEqual(known?.examples, [fixture.devEUI]);
        const { query } = server.needs.database;
        const sessions = await query
          .selectFrom('ns_session')
          .select(['network_server_id', 'dev_eui', 'dev_addr'])
          .orderBy('dev_eui')
          .execute();
        assert.deepEqual(
          sessions.map(({ network_server_id: id, dev_eui, dev_addr }) => [Number(id), dev_eui, dev_addr]),
          [
            [3, fixture.devEUI, fixture.devAddr],
            [4, lamp.devEUI, lamp.devAddr],
          ],
        );
        const nonces = await query.selectFrom('ns_activation').select(['dev_nonce']).execute();
        assert.deepEqual(
          nonces.map(({ dev_nonce }) => dev_nonce),
          [fixture.usedNonce],
        );
      });

      it('imports queued downlinks, except those for earlier sessions', async () => {
        const { inV3, new: fresh, notCarried } = report.counts.find(({ what }) => what === 'queued downlinks')!;
        assert.deepEqual([inV3, fresh, notCarried], [4, 2, 2]);
        const list = { devEUI: fixture.devEUI };
        const { deviceQueueItems } = await client.call(operations.deviceQueue.list, list, token);
        assert.deepEqual(
          deviceQueueItems.map(({ fPort, confirmed }) => [fPort, confirmed]),
          [[2, false]],
        );
      });

      it('sends queued downlinks to a class C device without an uplink', async () => {
        const gateway = await startGateway({ server: `127.0.0.1:${server.udpPort}`, gatewayID: lamp.gatewayID });
        await using _gateway = gateway;
        // Its PULL_DATA is answered before the path to the gateway is registered.
        const isSeen = async () => {
          const { lastSeenAt } = await client.call(operations.gateway.get, { id: lamp.gatewayID }, token);
          return Date.parse(lastSeenAt ?? '') >= now.getTime();
        };
        while (!(await isSeen())) await pause(20);
        const due = server.needs.database.query.selectFrom('ns_due').select('key').where('kind', '=', 'queue');
        assert.equal((await due.executeTakeFirst())?.key, lamp.devEUI);
        // Without a gateway the server postponed the downlink by a minute. Another queued downlink triggers a check
        // now; it is sent after the first.
        const later = { devEUI: lamp.devEUI, fPort: 3, data: 'AQI=' };
        await client.call(operations.deviceQueue.enqueue, { deviceQueueItem: later }, token);
        const { nwkSKey, appSKey, fCntUp, nFCntDown } = fixture;
        const device = createDevice({
          devEUI: lamp.devEUI,
          macVersion: '1.0.3',
          region: 'AS923',
          classC: true,
          random: Math.random,
          session: { devAddr: lamp.devAddr, keys: { nwkSKey, appSKey }, fCntUp, fCntDown: nFCntDown, dataRate: 3 },
        });
        const { phyPayload } = await gateway.nextDownlink(8000);
        const received = device.receive(phyPayload);
        assert.ok(received.kind === 'data');
        assert.deepEqual([received.fPort, received.confirmed], [2, true]);
      });

      it('imports the statistics of the last month, and no values that are not numbers', async () => {
        const day = {
          interval: 'DAY',
          startTimestamp: new Date(bucketStart('DAY', now.getTime())).toISOString(),
          endTimestamp: now.toISOString(),
        };
        const ofDevice = await client.call(operations.device.getStats, { devEUI: fixture.devEUI, ...day }, token);
        const { rxPackets, gwRssi, rxPacketsPerDr } = ofDevice.result[0]!;
        assert.deepEqual([rxPackets, gwRssi, rxPacketsPerDr], [10, -61, { 3: 10 }]);
        const ofGateway = await client.call(
          operations.gateway.getStats,
          { gatewayID: fixture.gatewayID, ...day },
          token,
        );
        const { rxPacketsReceived, rxPacketsReceivedOK, txPacketsEmitted } = ofGateway.result[0]!;
        assert.deepEqual([rxPacketsReceived, rxPacketsReceivedOK, txPacketsEmitted], [12, 11, 2]);
        assert.deepEqual(report.counts.find(({ what }) => what === 'statistics')?.new, 3);
      });

      it('imports them in the last pass, too, when that is the first', async () => {
        await using other = await createTestStorage(kind);
        const { counts } = await importInto(other, true);
        assert.equal(counts.find(({ what }) => what === 'statistics')?.new, 3);
      });
    });
  }
});
