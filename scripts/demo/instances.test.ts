import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from '@hilltop/contract/client';
import { createDevice, freePort, planNetwork, seededRandom, startGateway } from '@hilltop/simulator';
import { type Instance, type Instances, startInstances } from './instances.ts';
import { provision } from './provision.ts';
import { isUp, signIn } from './server.ts';
import { missingServices } from './services.ts';

const [email, password] = ['admin@example.org', 'correct horse battery staple'];
const keys = {
  nwkSEncKey: '0123456789abcdef0123456789abcdef',
  sNwkSIntKey: '0123456789abcdef0123456789abcdef',
  fNwkSIntKey: '0123456789abcdef0123456789abcdef',
  appSKey: 'fedcba9876543210fedcba9876543210',
};
const everyMs = 100;

describe('several instances', { skip: missingServices() }, () => {
  describe('restarted one after the other', () => {
    let instances: Instances;
    let client: Client;
    let token: string;
    let devEUIs: string[];
    before(async () => {
      instances = await startInstances({
        count: 3,
        ports: { http: 0, station: 0 },
        environment: {
          HILLTOP_ADMIN_EMAIL: email,
          HILLTOP_ADMIN_PASSWORD: password,
          HILLTOP_LOG_LEVEL: 'error',
          HILLTOP_EVENT_HISTORY: '1000',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      client = await signIn(instances.url, email, password);
      token = (await client.internal.login({ email, password })).jwt;
      const plan = planNetwork({ gateways: 3, devices: 3, random: seededRandom(7) });
      await provision(client, plan);
      devEUIs = plan.devices.map(({ devEUI }) => devEUI);
      for (const [nth, devEUI] of devEUIs.entries()) {
        const deviceActivation = { devEUI, devAddr: `0000000${nth}`, ...keys, fCntUp: 0, nFCntDown: 0, aFCntDown: 0 };
        await client.device.activate({ deviceActivation });
      }
    });
    after(() => instances[Symbol.asyncDispose]());

    it('lose no acknowledged uplink and fail no call', async () => {
      const ended = new AbortController();
      const calling = Array.from({ length: 2 }, () => call(ended.signal));
      const { gateways } = await client.gateway.list({ limit: 3 }).then(({ result }) => ({ gateways: result }));
      const sending = instances.each.map((instance, nth) =>
        send(instance, { gatewayID: gateways[nth]!.id, devEUI: devEUIs[nth]!, nth }, ended.signal),
      );
      for (const instance of instances.each) {
        await pause(1_000);
        assert.equal(await instance.stop(), 0, 'all running work ended in time');
        await instance.start();
      }
      await pause(1_000);
      ended.abort();
      const calls = await Promise.all(calling);
      assert.ok(calls.every((made) => made > 5));
      for (const [nth, acknowledged] of (await Promise.all(sending)).entries()) {
        assert.ok(acknowledged.length > 10);
        await hasAll(devEUIs[nth]!, acknowledged);
      }
    });

    /** Reads and writes in turn, on a new connection each time. Resolves with the number of turns. */
    async function call(signal: AbortSignal): Promise<number> {
      let made = 0;
      for (; !signal.aborted; made += 1) {
        const path = `${instances.url}/api/devices/${devEUIs[0]}`;
        const headers = { authorization: `Bearer ${token}` };
        const answer = await fetch(path, { headers });
        assert.equal(answer.status, 200, await answer.text());
        const name = `made-${crypto.randomUUID()}`;
        const { id } = await client.organization.create({ organization: { name, displayName: name } });
        assert.notEqual(id, '');
        await pause(everyMs);
      }
      return made;
    }

    /** Sends uplinks and resolves with the frame counters of the acknowledged ones. */
    async function send(
      { udp }: Instance,
      { gatewayID, devEUI, nth }: { gatewayID: string; devEUI: string; nth: number },
      signal: AbortSignal,
    ): Promise<number[]> {
      await using gateway = await startGateway({ server: udp, gatewayID });
      const device = createDevice({
        devEUI,
        macVersion: '1.0.3',
        session: { devAddr: `0000000${nth}`, keys, fCntUp: 0, fCntDown: 0 },
      });
      const pushes: { fCnt: number; acknowledged: Promise<boolean> }[] = [];
      for (let fCnt = 0; !signal.aborted; fCnt += 1) {
        pushes.push({ fCnt, acknowledged: gateway.receiveFrame(device.uplink({ fPort: 5 })).acknowledged });
        await pause(everyMs);
      }
      const areAcknowledged = await Promise.all(pushes.map(({ acknowledged }) => acknowledged));
      return pushes.flatMap(({ fCnt }, index) => (areAcknowledged[index] ? [fCnt] : []));
    }

    /** Reads the event stream of a device until it has shown all these frame counters. */
    async function hasAll(devEUI: string, counters: readonly number[]): Promise<void> {
      const missing = new Set(counters);
      const seen = new Set<number>();
      const socket = new WebSocket(`${instances.url.replace('http', 'ws')}/api/devices/${devEUI}/events`, [
        'Bearer',
        token,
      ]);
      await new Promise<void>((resolve, reject) => {
        socket.onclose = () => reject(new Error(`Lost: ${[...missing].join()}`));
        socket.onmessage = ({ data }) => {
          const { result } = JSON.parse(String(data)) as { result?: { type: string; payloadJSON: string } };
          if (result?.type !== 'up') return;
          const { fCnt } = JSON.parse(result.payloadJSON) as { fCnt: number };
          if (seen.has(fCnt)) reject(new Error(`Twice: ${fCnt}`));
          seen.add(fCnt);
          missing.delete(fCnt);
          if (missing.size === 0) resolve();
        };
      });
      socket.close();
    }
  });

  it('run as a demo by one command, which removes all its data', async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'hilltop-demo-test-'));
    t.after(() => rmSync(scratch, { recursive: true, force: true }));
    // PostgreSQL runs as another user when this test runs as root.
    chmodSync(scratch, 0o755);
    const [http, station] = [await freePort(), await freePort()];
    const program = fileURLToPath(new URL('../demo.ts', import.meta.url));
    const demo = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, '--instances', '2'], {
      env: {
        ...process.env,
        TMPDIR: scratch,
        HILLTOP_HTTP: `127.0.0.1:${http}`,
        HILLTOP_BASICS_STATION: `127.0.0.1:${station}`,
        HILLTOP_LOG_LEVEL: 'error',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => demo.kill('SIGTERM'));
    const exited = once(demo, 'exit');
    let output = '';
    const isStarted = Promise.withResolvers<void>();
    demo.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.includes('Ctrl+C')) isStarted.resolve();
    });
    await Promise.race([isStarted.promise, exited.then(() => assert.fail(output))]);
    assert.ok(await isUp(demo, `http://127.0.0.1:${http}`));
    const [, chosen = ''] = /with the password (\S+)/.exec(output) ?? [];
    const client = await signIn(`http://127.0.0.1:${http}`, 'admin@hilltop.local', chosen);
    assert.equal((await client.gateway.list({ limit: 1 })).totalCount, '25');
    assert.equal(readdirSync(scratch).length, 2);
    demo.kill('SIGINT');
    await once(demo.stdout, 'data');
    demo.kill('SIGINT');
    assert.deepEqual(await exited, [0, null]);
    assert.deepEqual(readdirSync(scratch), []);
    for (const [address] of output.matchAll(/127\.0\.0\.1:\d+(?=[,:\s/])/g))
      await assert.rejects(fetch(`http://${address}/`), address);
  });
});
