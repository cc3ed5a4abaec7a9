import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { systemClock } from '../clock.ts';
import { startServer } from '../compose.ts';
import { createTestClient } from '../testing/client.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { createInstanceProcesses, type InstanceProcesses } from '../testing/instances.ts';
import { adminEmail, adminPassword, noInstances, startInstances } from '../testing/test-app.ts';
import { testSettings } from '../testing/test-settings.ts';
import { watch } from '../testing/watch.ts';

const readiness = async (url: string) => (await fetch(`${url}/health/ready`).catch(() => undefined))?.status;

/** The clock of the machine, whose new timers can be held back. */
function holdableClock() {
  let held: (() => void)[] | undefined;
  const after: typeof systemClock.after = (ms, work) => {
    if (!held) return systemClock.after(ms, work);
    held.push(work);
    return () => undefined;
  };
  return {
    clock: { ...systemClock, after },
    /** Holds back the timers that `work` sets; the returned function ends their waits. */
    hold: (work: () => void): (() => void) => {
      const timers: (() => void)[] = [];
      held = timers;
      work();
      held = undefined;
      return () => {
        for (const end of timers) end();
      };
    },
  };
}

describe('an instance that stops', { skip: noInstances }, () => {
  it('directs clients to another instance: no call fails, and streams receive an error', async () => {
    await using instances = await startInstances(1);
    const [staying] = instances.apps as [(typeof instances.apps)[0]];
    const { clock, hold } = holdableClock();
    const settings = testSettings(instances.testStorage, { redisURL: instances.redis.url, adminPassword });
    const leaving = await startServer(settings, { clock });
    await using stack = new AsyncDisposableStack();
    stack.defer(() => leaving.stop());
    const url = `http://127.0.0.1:${leaving.httpPort}`;
    const { call, signIn } = createTestClient(url);
    const token = await signIn(adminEmail, adminPassword);
    const devEUI = await createDevice(staying, await createSurroundings(staying));
    await using stream = await watch(url, `/api/devices/${devEUI}/events`, token);
    assert.deepEqual([await readiness(url), await readiness(staying.url)], [200, 200]);

    let hasLeft = false;
    let left: Promise<void> | undefined;
    const endWait = hold(() => (left = leaving.leave().then(() => void (hasLeft = true))));
    // A load balancer that checks before each call chooses the other instance.
    assert.deepEqual([await readiness(url), await readiness(staying.url)], [503, 200]);
    await staying.call(operations.device.get, { devEUI });
    assert.equal((await stream.next()).error?.grpcCode, 14);
    // Clients that have not noticed yet are still answered.
    await call(operations.device.get, { devEUI }, token);
    assert.equal(hasLeft, false);
    endWait();
    await left;
    let isStopped = false;
    const stopped = leaving.stop().then(() => void (isStopped = true));
    for (; !isStopped; await staying.call(operations.device.get, { devEUI }))
      assert.notEqual(await readiness(url), 200);
    await stopped;
  });

  describe('as a process', () => {
    let processes: InstanceProcesses;
    before(async () => {
      processes = await createInstanceProcesses();
    });
    after(() => processes[Symbol.asyncDispose]());

    it('exits with status 1 when a request was still under way', async () => {
      const { app, child } = await processes.start();
      const { hostname, port } = new URL(app.url);
      const client = connect(Number(port), hostname);
      client.on('error', () => undefined);
      client.write('POST /api/devices HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n');
      await once(client, 'data');
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [1, null]);
      client.destroy();
    });
  });
});
