import assert from 'node:assert/strict';
import { Duplex, PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApiError } from '@hilltop/contract';
import { createQuota } from '../../connections/quota.ts';
import { testBoundary } from '../../testing/mqtt.ts';
import type { Stream } from '../http2.ts';
import { createAnswer } from './answer.ts';
import { type Collected, collectMessage, framed, largestMessage } from './messages.ts';

const megabyte = 2 ** 20;

/** Collects a message from a stream that the test writes to. */
function collecting(quota = createQuota({ all: 16 * megabyte, each: 16 * megabyte })) {
  const stream = new PassThrough();
  const results: (ApiError | Collected)[] = [];
  const limits = { quota, owner: '192.0.2.1', mayBeCompressed: false, boundary: testBoundary() };
  collectMessage(stream as unknown as Stream, limits, (error, message) => results.push(error ?? message));
  return { stream, results, quota };
}

/** Writes as many megabytes of zeros. */
async function fill(stream: PassThrough, megabytes: number): Promise<void> {
  for (let count = 0; count < megabytes; count += 1) {
    stream.write(Buffer.alloc(megabyte));
    await nextTurn();
  }
}

describe('a collected message', () => {
  it('is complete when as many bytes as declared have arrived', async () => {
    const { stream, results } = collecting();
    const frame = framed(Buffer.from('abc'));
    for (const byte of frame) stream.write(Uint8Array.of(byte));
    stream.end();
    await nextTurn();
    assert.deepEqual(results, [{ bytes: Buffer.from('abc'), isCompressed: false }]);
  });

  it('is refused as soon as it exceeds the largest message, whatever length it declared', async () => {
    const { stream, results, quota } = collecting();
    stream.write(framed(new Uint8Array()));
    await fill(stream, largestMessage / megabyte + 1);
    assert.deepEqual(
      results.map((result) => 'reason' in result && result.reason),
      ['NO_MESSAGE'],
    );
    assert.equal(quota.take('192.0.2.1', 16 * megabyte), true);
  });

  it('returns its bytes to the quota when it is complete, or when its stream closes before', async () => {
    const quota = createQuota({ all: 4 * megabyte, each: 4 * megabyte });
    const complete = collecting(quota);
    complete.stream.end(framed(Buffer.alloc(megabyte)));
    const cut = collecting(quota);
    cut.stream.write(framed(Buffer.alloc(2 * megabyte)).subarray(0, megabyte));
    await nextTurn();
    assert.deepEqual([complete.results.length, cut.results.length], [1, 0]);
    assert.equal(quota.take('192.0.2.1', 4 * megabyte), false);
    cut.stream.destroy();
    await nextTurn();
    assert.equal(quota.take('192.0.2.1', 4 * megabyte), true);
    assert.deepEqual(cut.results, []);
  });
});

describe('an answer to a client that does not read', () => {
  it('drops messages beyond 1 MB of unsent bytes', () => {
    const stream = Object.assign(new Duplex({ read: () => undefined, write: () => undefined }), {
      headersSent: false,
      respond() {
        this.headersSent = true;
      },
    });
    const answer = createAnswer(stream as unknown as Stream, {}, testBoundary());
    const sent = Array.from({ length: 20 }, () => answer.send(Buffer.alloc(megabyte / 8)));
    // The prefixes of the first eight exceed 1 MB.
    assert.deepEqual([sent.lastIndexOf(true), sent.indexOf(false)], [7, 8]);
    assert.equal(stream.writableLength, 8 * (megabyte / 8 + 5));
  });
});
