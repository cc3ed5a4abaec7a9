import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { createMetrics } from '../metrics.ts';
import { DeliveryInterrupted } from './delivery-error.ts';
import { createOutgoingHTTP } from './http.ts';
import { createOutgoing } from './outgoing.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { copyOfView } from './thread-messages.ts';

/** A server whose responses the test controls, a sending thread, its log and the threads it started. */
async function begin() {
  const asked: ServerResponse[] = [];
  const server = createServer((_, response) => {
    asked.push(response);
    server.emit('asked');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lines: object[] = [];
  const metrics = createMetrics();
  const threads: Worker[] = [];
  const note = (worker: Worker) => threads.push(worker);
  process.on('worker', note);
  const http = createOutgoingHTTP(createOutgoing({ allow: ['127.0.0.1'], ownPorts: [] }), {
    log: { error: (line: object) => lines.push(line) } as never,
    metrics,
  });
  const request: OutgoingRequest = {
    method: 'POST',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers: [],
    body: 'secret-word',
    timeoutMs: 10_000,
  };
  return {
    asked,
    threads,
    lines,
    metrics,
    server,
    send: () => http.send(request),
    close: () => http.close(),
    [Symbol.asyncDispose]: async () => {
      process.off('worker', note);
      await http.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

const isInterrupted = (error: unknown) => error instanceof DeliveryInterrupted;

describe('the sending thread', () => {
  it('starts once, with the first request', async () => {
    await using one = await begin();
    assert.equal(one.threads.length, 0);
    one.server.on('asked', () => one.asked.shift()!.end());
    await Promise.all([one.send(), one.send()]);
    await one.send();
    assert.equal(one.threads.length, 1);
    assert.partialDeepStrictEqual(one.threads[0]!.resourceLimits, {
      maxOldGenerationSizeMb: 512,
      maxYoungGenerationSizeMb: 24,
    });
  });

  it('interrupts the requests under way when it ends, and another one starts', async () => {
    await using one = await begin();
    const underway = Promise.allSettled([one.send(), one.send()]);
    while (one.asked.length < 2) await once(one.server, 'asked');
    await one.threads[0]!.terminate();
    for (const result of await underway) assert.ok(result.status === 'rejected' && isInterrupted(result.reason));
    // At first none starts: a thread that cannot start would be retried with each request.
    await assert.rejects(one.send(), isInterrupted);
    assert.equal(one.threads.length, 1);
    one.server.on('asked', () => one.asked.at(-1)!.end());
    let answer: { status: number } | undefined;
    while (!answer)
      answer = await one.send().catch(async (error: unknown) => {
        assert.ok(isInterrupted(error));
        await new Promise((resolve) => setTimeout(resolve, 50));
        return undefined;
      });
    assert.deepEqual([answer.status, one.threads.length], [200, 2]);
    assert.match(await one.metrics.text(), /^hilltop_outgoing_threads_lost_total 1$/m);
  });

  it('logs where it failed, without the message', async () => {
    await using one = await begin();
    const underway = one.send();
    await once(one.server, 'asked');
    // The error of the thread quotes this message.
    one.threads[0]!.postMessage('secret-word');
    await assert.rejects(underway, isInterrupted);
    const [line] = one.lines as { err: { name: string; at: string[] }; interrupted: number }[];
    assert.deepEqual([line?.err.name, line?.interrupted], ['TypeError', 1]);
    assert.match(line!.err.at[0]!, /sending-thread\.ts/);
    assert.doesNotMatch(JSON.stringify(one.lines), /secret/);
  });

  it('interrupts the requests under way when the server stops, and logs nothing', async () => {
    await using one = await begin();
    const underway = assert.rejects(one.send(), isInterrupted);
    await once(one.server, 'asked');
    await one.close();
    await underway;
    await assert.rejects(one.send(), isInterrupted);
    assert.deepEqual([one.lines, one.threads.length], [[], 1]);
  });

  it('receives a view without the rest of its buffer', () => {
    const beside = Buffer.from('mine and not mine');
    const view = beside.subarray(0, 4);
    const sent = copyOfView(view);
    assert.deepEqual([Buffer.from(sent).toString(), sent.buffer.byteLength], ['mine', 4]);
    assert.equal(copyOfView('text'), 'text');
    assert.equal(copyOfView(null), null);
  });
});
