import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { operations } from '@hilltop/contract';
import { createPublishedClient } from '../../testing/published-client.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { compress } from './gzip.ts';

const gzip = 2;

describe('gRPC with gzip', () => {
  let app: TestApp;
  let session: ClientHttp2Session;
  before(async () => {
    app = await startTestApp('sqlite');
    session = connect(app.url);
  });
  after(async () => {
    session.destroy();
    await app[Symbol.asyncDispose]();
  });

  /** A call whose one message has this flag, and its result. */
  async function send(message: Uint8Array, { path = '/api.UserService/List', headers = {}, flag = 1 } = {}) {
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt8(flag);
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    const call = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-encoding': 'gzip',
      authorization: app.adminToken,
      ...headers,
    });
    let responseHeaders: IncomingHttpHeaders = {};
    const take = (more: IncomingHttpHeaders) => {
      responseHeaders = { ...responseHeaders, ...more };
    };
    call.on('response', take).on('trailers', take).end(frame);
    const body = Buffer.concat(await call.toArray());
    return { status: Number(responseHeaders['grpc-status']), responseHeaders, body };
  }

  it('compresses requests and answers of the published package', async () => {
    const channel = { 'grpc.default_compression_algorithm': gzip, 'grpc.default_compression_level': 2 };
    using client = createPublishedClient(app.url, { channel });
    const displayName = 'Every word of it. '.repeat(5);
    const organization = { name: 'packed', displayName };
    const { id } = (await client.call(operations.organization.create, { organization }, app.adminToken)) as {
      id: string;
    };
    const answer = await client.call(operations.organization.get, { id }, app.adminToken);
    assert.equal((answer as { organization: { displayName: string } }).organization.displayName, displayName);
  });

  it('compresses an answer that becomes shorter, only for clients that compress', async () => {
    for (let n = 0; n < 20; n++)
      await app.call(operations.organization.create, { organization: { name: `one-of-${n}`, displayName: 'a name' } });
    const path = '/api.OrganizationService/List';
    const page = Buffer.from([0x08, 50]);
    const packed = await send(gzipSync(page), { path });
    const plain = await send(page, { path, flag: 0, headers: { 'grpc-encoding': 'identity' } });
    assert.equal(packed.responseHeaders['grpc-encoding'], 'gzip');
    assert.equal(packed.body.readUInt8(0), 1);
    assert.deepEqual(gunzipSync(packed.body.subarray(5)), plain.body.subarray(5));
    assert.equal(plain.responseHeaders['grpc-encoding'], undefined);
    assert.equal(plain.body.readUInt8(0), 0);
  });

  it('packs no answer of less than 1 kB, and none that would not get shorter', async () => {
    const [short, long] = [new Uint8Array(1023), new Uint8Array(1024)];
    assert.equal(await compress(short), undefined);
    assert.deepEqual(gunzipSync((await compress(long))!), Buffer.from(long));
    assert.equal(await compress(randomBytes(2000)), undefined);
  });

  it('refuses a message that decompresses to more than a request may have, before it is complete', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1024 * 1024));
    assert.equal((await send(bomb)).status, 8);
  });

  it('decompresses nothing for callers without a session', async () => {
    assert.equal((await send(Buffer.from('no gzip'), { headers: { authorization: 'nobody' } })).status, 16);
  });

  it('refuses a message that is not compressed as declared', async () => {
    assert.equal((await send(Buffer.from('no gzip'))).status, 3);
    assert.equal((await send(gzipSync(Buffer.alloc(100)).subarray(0, 20))).status, 3);
    assert.equal((await send(Buffer.alloc(0), { flag: 2 })).status, 12);
    assert.equal((await send(gzipSync(Buffer.alloc(0)), { headers: { 'grpc-encoding': 'identity' } })).status, 12);
    const { status, responseHeaders } = await send(Buffer.alloc(0), { headers: { 'grpc-encoding': 'br' } });
    assert.deepEqual([status, responseHeaders['grpc-accept-encoding']], [12, 'identity,gzip']);
  });
});
