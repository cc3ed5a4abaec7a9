import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operations } from '@hilltop/contract';
import { createDevice as createSimulatedDevice, freePort, freeUdpPort, startGateway } from '@hilltop/simulator';
import { childEnvironment } from '../testing/child-environment.ts';
import { createTestClient } from '../testing/client.ts';
import { createMigratedStorage, databases, type TestStorage } from '../testing/databases.ts';
import { createDevice, createGateway, createSurroundings } from '../testing/field.ts';
import { firstOutput } from '../testing/first-output.ts';
import type { TestApp } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

const main = fileURLToPath(new URL('../main.ts', import.meta.url));
const email = 'admin@hilltop.local';
const password = 'a long password';
const perDevice = 30;

for (const kind of databases) {
  describe(`killed under load on ${kind}`, () => {
    let testStorage: TestStorage;
    let ports: { http: number; udp: number };
    const started: ChildProcess[] = [];
    before(async () => {
      testStorage = await createMigratedStorage(kind);
      ports = { http: await freePort(), udp: await freeUdpPort() };
    });
    after(async () => {
      for (const child of started) child.kill('SIGKILL');
      await testStorage[Symbol.asyncDispose]();
    });

    async function start() {
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
        cwd: testStorage.dataDir,
        env: {
          ...childEnvironment,
          HILLTOP_HTTP: `127.0.0.1:${ports.http}`,
          HILLTOP_UDP: `127.0.0.1:${ports.udp}`,
          HILLTOP_BASICS_STATION: '',
          HILLTOP_GRPC: '',
          HILLTOP_MQTT: '',
          HILLTOP_MQTTS: '',
          HILLTOP_DATA: testStorage.dataDir,
          HILLTOP_ADMIN_PASSWORD: password,
          HILLTOP_EVENT_HISTORY: '1000',
          HILLTOP_LOG_LEVEL: 'silent',
          ...(testStorage.databaseURL && { HILLTOP_DATABASE_URL: testStorage.databaseURL }),
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.push(child);
      await firstOutput(child);
      const url = `http://127.0.0.1:${ports.http}`;
      const client = createTestClient(url);
      const token = await client.signIn(email, password);
      const app = { url, udpPort: ports.udp, adminToken: token, ...client } as unknown as TestApp;
      app.call = (operation, input, as = token) => client.call(operation, input, as);
      return { child, app };
    }

    it('has every acknowledged uplink once in the history after the next start', async () => {
      const first = await start();
      const surroundings = await createSurroundings(first.app);
      const gatewayID = await createGateway(first.app, surroundings.organizationID);
      const devices = await Promise.all(Array.from({ length: 10 }, () => personalized(first.app, surroundings)));
      await using gateway = await startGateway({ server: `127.0.0.1:${ports.udp}`, gatewayID });
      await gateway.online();

      const acknowledged = new Map(devices.map(({ devEUI }) => [devEUI, new Set<number>()]));
      let sent = 0;
      const half = Promise.withResolvers<void>();
      for (let round = 0; round < perDevice; round++) {
        for (const { devEUI, device } of devices) {
          const push = gateway.receiveFrame(device.uplink({ fPort: 1, data: Uint8Array.of(round) }));
          const fCnt = round;
          void push.acknowledged.then((isThere) => isThere && acknowledged.get(devEUI)!.add(fCnt));
          sent += 1;
        }
        // When enough uplinks are acknowledged, the process is killed with copies in every stage of processing.
        if (round === perDevice - 10) setTimeout(half.resolve, 100);
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
      await half.promise;
      first.child.kill('SIGKILL');
      await once(first.child, 'close');
      const counts = [...acknowledged.values()].map(({ size }) => size);
      const total = counts.reduce((sum, count) => sum + count, 0);
      assert.ok(total > 50 && total <= sent, `${total} of ${sent} were acknowledged`);

      const { app } = await start();
      for (const { devEUI } of devices) {
        const wanted = acknowledged.get(devEUI)!;
        const seen = await countersOf(app, devEUI, wanted);
        assert.deepEqual(
          seen.filter((fCnt, index) => seen.indexOf(fCnt) !== index),
          [],
          'no uplink is there twice',
        );
        assert.deepEqual(
          [...wanted].filter((fCnt) => !seen.includes(fCnt)),
          [],
          'every acknowledged uplink is there',
        );
      }
    });
  });
}

async function personalized(app: TestApp, surroundings: Parameters<typeof createDevice>[1]) {
  const devEUI = await createDevice(app, surroundings);
  const { devAddr } = await app.call(operations.device.getRandomDevAddr, { devEUI });
  const nwkSKey = randomBytes(16).toString('hex');
  const appSKey = randomBytes(16).toString('hex');
  await app.call(operations.device.activate, {
    deviceActivation: { devEUI, devAddr, appSKey, nwkSEncKey: nwkSKey, sNwkSIntKey: nwkSKey, fNwkSIntKey: nwkSKey },
  });
  const device = createSimulatedDevice({
    devEUI,
    joinEUI: '0000000000000000',
    macVersion: '1.0.3',
    region: 'EU868',
    random: Math.random,
    session: { devAddr, keys: { nwkSKey, appSKey } },
  });
  return { devEUI, device };
}

/** Frame counters of the uplinks in the history, when all wanted ones are there: recovery may still be writing. */
async function countersOf(app: TestApp, devEUI: string, wanted: Set<number>): Promise<number[]> {
  await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
  const seen: number[] = [];
  while ([...wanted].some((fCnt) => !seen.includes(fCnt))) {
    const { result } = await events.next(90_000);
    if (result?.type === 'up') seen.push((JSON.parse(result.payloadJSON) as { fCnt: number }).fCnt);
  }
  return seen;
}
