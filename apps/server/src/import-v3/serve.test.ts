import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { operations } from '@hilltop/contract';
import { createDevice, freePort, startGateway, systemClock } from '@hilltop/simulator';
import { settings } from '../config.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { childEnvironment } from '../testing/child-environment.ts';
import { createTestClient } from '../testing/client.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import type { Report } from './report/report.ts';
import { fillVersion3, fixture } from './testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

/** The gateway waits five minutes for an acknowledgement: a slow machine is not a lost uplink. */
const slowClock = { ...systemClock, monotonicMs: () => performance.now() / 60 };
const program = fileURLToPath(new URL('../import-v3.ts', import.meta.url));

describe('npm run import-v3 -- --final --serve', needsVersion3, () => {
  let v3: Version3;
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
  });
  after(() => v3[Symbol.asyncDispose]());

  /** Frame counters of the uplinks that became events, in their order. */
  async function eventsIn({ dataDir, databaseURL }: TestStorage): Promise<number[]> {
    const config = settings.parse({ data: dataDir, databaseURL, logLevel: 'silent' });
    const storage = await openStorage(config, createLog(config));
    try {
      const events = storage.database.query.selectFrom('event').select('payload').where('type', '=', 'up');
      const rows = await events.orderBy('pos').execute();
      return rows.map(({ payload }) => (JSON.parse(payload) as { fCnt?: number }).fCnt ?? 0);
    } finally {
      await storage.close();
    }
  }

  for (const kind of databases)
    it(`binds the port, loses no acknowledged uplink, and continues as the server, on ${kind}`, async () => {
      await using parts = new AsyncDisposableStack();
      const testStorage = parts.use(await createTestStorage(kind));
      // Replaces the gateway bridge of version 3.
      const bridge = createSocket('udp4').bind(0, '127.0.0.1');
      await once(bridge, 'listening');
      const { port } = bridge.address();
      const http = `127.0.0.1:${await freePort()}`;
      const report = join(testStorage.dataDir, 'report.json');
      const files = ['--config', v3.config, '--ns-config', v3.networkServerConfig, '--report', report];
      const child = spawn(
        process.execPath,
        ['--disable-warning=ExperimentalWarning', program, ...files, '--final', '--serve', '--settle', '1'],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...childEnvironment,
            HILLTOP_DATA: testStorage.dataDir,
            HILLTOP_DATABASE_URL: testStorage.databaseURL ?? '',
            HILLTOP_HTTP: http,
            HILLTOP_UDP: `127.0.0.1:${port}`,
            HILLTOP_LOG_LEVEL: 'warn',
            HILLTOP_BASICS_STATION: '',
            HILLTOP_GRPC: '',
            HILLTOP_MQTT: '',
            HILLTOP_MQTTS: '',
          },
        },
      );
      const ended = once(child, 'exit') as Promise<[number | null, string | null]>;
      parts.defer(() => void child.kill('SIGKILL'));
      const lines: string[] = [];
      const bound = Promise.withResolvers<void>();
      const runs = Promise.withResolvers<void>();
      void ended.then(() => {
        for (const waiting of [bound, runs]) waiting.reject(new Error(`It ended early:\n${lines.join('\n')}`));
      });
      for (const stream of [child.stdout, child.stderr])
        createInterface(stream).on('line', (line) => {
          lines.push(line);
          if (line.includes('stop the gateway bridge now')) bridge.close();
          if (line.includes('is bound and uplinks are stored')) bound.resolve();
          if (line.includes('Hilltop is running.')) runs.resolve();
        });

      await bound.promise;
      const gateway = parts.use(
        await startGateway({
          server: `127.0.0.1:${port}`,
          gatewayID: fixture.gatewayID,
          keepaliveMs: 500,
          clock: slowClock,
        }),
      );
      await gateway.online();
      const { devEUI, devAddr, nwkSKey, appSKey, fCntUp, nFCntDown } = fixture;
      const device = createDevice({
        devEUI,
        joinEUI: fixture.joinEUI,
        macVersion: '1.0.3',
        region: 'EU868',
        random: Math.random,
        session: { devAddr, keys: { nwkSKey, appSKey }, fCntUp, fCntDown: nFCntDown, dataRate: 3 },
      });
      const sent: Promise<boolean>[] = [];
      const send = () =>
        sent.push(gateway.receiveFrame(device.uplink({ fPort: 1, data: Uint8Array.of(7) })).acknowledged);
      let isRunning = false;
      void runs.promise.then(() => (isRunning = true)).catch(() => undefined);
      while (!isRunning) {
        send();
        await Promise.race([setTimeout(50), runs.promise]);
      }
      // The server receives some more itself.
      const before = sent.length;
      for (let nth = 0; nth < 5; nth += 1) {
        send();
        await sent.at(-1);
      }
      assert.ok(before > 5, `${before} while it moved`);
      assert.deepEqual([...new Set(await Promise.all(sent))], [true], 'every uplink was acknowledged');

      const client = createTestClient(`http://${http}`);
      const token = await client.signIn('anna@example.org', fixture.password);
      const queued = { deviceQueueItem: { devEUI, fPort: 9, data: 'AQI=' } };
      await client.call(operations.deviceQueue.enqueue, queued, token);
      send();
      const answer = device.receive((await gateway.nextDownlink(20_000)).phyPayload);
      assert.ok(answer.kind === 'data');
      assert.equal(answer.fPort, 9);
      const { findings } = JSON.parse(await readFile(report, 'utf8')) as Report;
      const journaled = findings.find(({ because }) =>
        because.startsWith('uplinks that arrived during the last pass are stored'),
      );
      assert.ok((journaled?.count ?? 0) > 0);

      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
      assert.deepEqual(
        await eventsIn(testStorage),
        sent.map((_, nth) => fCntUp + nth),
      );
      assert.ok(!lines.join('\n').includes('verysecret'));
    });
});
