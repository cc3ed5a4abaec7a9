import assert from 'node:assert/strict';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createDevice as createSimulatedDevice, startGateway } from '@hilltop/simulator';
import pg from 'pg';
import { systemClock } from '../clock.ts';
import { startServer } from '../compose.ts';
import { createTestClient } from '../testing/client.ts';
import { createTestStorage, databases } from '../testing/databases.ts';
import { type Fixture, type FixtureDevice, fixtures } from '../testing/fixtures.ts';
import { adminEmail, adminPassword } from '../testing/test-app.ts';
import { testSettings } from '../testing/test-settings.ts';
import { watch } from '../testing/watch.ts';

const minute = 60_000;

for (const version of await readdir(fixtures)) {
  for (const kind of databases) {
    describe(`the data of version ${version} on ${kind}`, () => {
      it('opens, keeps its sessions, finishes unprocessed work and is served', async () => {
        await using testStorage = await createTestStorage(kind);
        const folder = join(fixtures, version, kind);
        const fixture = JSON.parse(await readFile(join(folder, 'fixture.json'), 'utf8')) as Fixture;
        for (const file of await readdir(folder))
          if (/\.(key|db)$/.test(file)) await copyFile(join(folder, file), join(testStorage.dataDir, file));
        if (testStorage.databaseURL)
          await restore(testStorage.databaseURL, await readFile(join(folder, 'hilltop.sql'), 'utf8'));

        // A day later: sessions have not expired, statistics are still stored.
        const later = Date.parse(fixture.madeAt) + minute - Date.now();
        const server = await startServer(testSettings(testStorage), {
          clock: { ...systemClock, now: () => new Date(Date.now() + later) },
        });
        await using stack = new AsyncDisposableStack();
        stack.defer(() => server.stop());
        assert.equal(server.firstAdministrator, undefined);
        const url = `http://127.0.0.1:${server.httpPort}`;
        const { call, signIn } = createTestClient(url);
        const { adminToken, member, keyToken, applicationID, gatewayID, devices, queued } = fixture;

        const profile = await call(operations.internal.profile, {}, adminToken);
        assert.equal(profile.user?.email, adminEmail);
        await call(operations.device.list, { limit: 10, applicationID }, member.token);
        await call(operations.application.get, { id: applicationID }, keyToken);
        await signIn(member.email, member.password);
        await signIn(adminEmail, adminPassword);

        const [first, second] = devices as [FixtureDevice, FixtureDevice];
        const { deviceQueueItems } = await call(operations.deviceQueue.list, { devEUI: first.devEUI }, adminToken);
        assert.deepEqual(
          deviceQueueItems.map(({ fPort, data, confirmed }) => ({ fPort, data, confirmed })),
          [queued],
        );
        const { deviceActivation } = await call(operations.device.getActivation, { devEUI: second.devEUI }, adminToken);
        assert.deepEqual(deviceActivation, second.activation);
        const found = await call(operations.internal.globalSearch, { search: 'kept', limit: 10 }, adminToken);
        assert.equal(found.result.length, devices.length);

        await using gateway = await startGateway({ server: `127.0.0.1:${server.udpPort}`, gatewayID });
        await gateway.online();
        for (const device of devices) {
          await using events = await watch(url, `/api/devices/${device.devEUI}/events`, adminToken);
          // The last uplink of the first device was only in the journal when the process was killed.
          const left = device === first ? ['up'] : [];
          for (const type of [...device.events, ...left]) assert.equal((await events.next()).result?.type, type);
          const received = device.activation.fCntUp + left.length;
          const simulated = resumed(device, received);
          gateway.receiveFrame(simulated.uplink({ fPort: 3, data: Uint8Array.of(1, 0x67, 1, 16) }));
          const { result } = await events.next();
          assert.equal(result?.type, 'up');
          const up = JSON.parse(result.payloadJSON) as { fCnt: number; data: string };
          assert.deepEqual([up.fCnt, up.data], [received, 'AWcBEA==']);

          const startTimestamp = fixture.madeAt;
          const period = { interval: 'DAY', startTimestamp, endTimestamp: startTimestamp };
          const stats = await call(operations.device.getStats, { devEUI: device.devEUI, ...period }, adminToken);
          assert.equal(stats.result[0]?.rxPackets, received + 1);
        }

        const joining = createSimulatedDevice({ devEUI: first.devEUI, ...fixture.rootKeys, macVersion: '1.0.3' });
        gateway.receiveFrame(joining.joinRequest());
        while (!joining.session) joining.receive((await gateway.nextDownlink(8000)).phyPayload);
      });
    });
  }
}

/** The device with its previous session. */
function resumed({ devEUI, macVersion, activation }: FixtureDevice, fCntUp: number) {
  const { devAddr, nFCntDown: fCntDown } = activation;
  return createSimulatedDevice({ devEUI, macVersion, session: { devAddr, keys: activation, fCntUp, fCntDown } });
}

async function restore(databaseURL: string, dump: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseURL });
  await client.connect();
  await client.query(dump);
  await client.end();
}
