import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { createInstanceProcesses, type Instance, type InstanceProcesses } from '../testing/instances.ts';
import { noInstances } from '../testing/test-app.ts';
import { watch } from '../testing/watch.ts';

const readiness = async ({ app: { url } }: Instance) =>
  (await fetch(`${url}/health/ready`).catch(() => undefined))?.status;

describe('an instance that stops', { skip: noInstances }, () => {
  let processes: InstanceProcesses;
  before(async () => {
    processes = await createInstanceProcesses();
  });
  after(() => processes[Symbol.asyncDispose]());

  it('directs clients to another instance: no call fails, and streams receive an error', async () => {
    const [leaving, staying] = [await processes.start(), await processes.start()];
    const { app, child } = leaving;
    const devEUI = await createDevice(app, await createSurroundings(app));
    await using stream = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
    assert.deepEqual([await readiness(leaving), await readiness(staying)], [200, 200]);

    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    // Clients that have not noticed yet are still answered.
    let last: Promise<unknown>;
    do last = app.call(operations.device.get, { devEUI });
    while ((await readiness(leaving)) === 200 && (await last));
    await last;
    // Simulates a load balancer that checks before each call, on connections that stay open.
    let calls = 0;
    for (; child.exitCode === null; calls += 1) {
      const to = (await readiness(leaving)) === 200 ? leaving : staying;
      await to.app.call(operations.device.get, { devEUI });
    }
    assert.ok(calls > 1);
    assert.deepEqual(await ended, [0, null]);
    assert.equal((await stream.next()).error?.grpcCode, 14);
  });

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
