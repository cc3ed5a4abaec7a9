import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createPublishedClient, type Refused } from '../../testing/published-client.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const login = '/api.InternalService/Login';
const megabytes4 = 4 * 1024 * 1024;

/** A framed message, with any declared length and compression. */
function frame(message: Uint8Array, { flag = 0, length = message.length } = {}): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flag);
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

/** Bytes of a field that no message has. */
function padding(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  // Number 4000, length-delimited; the length takes four bytes.
  const head = [0x82, 0xfa, 0x01];
  const rest = size - head.length - 4;
  bytes.set([...head, (rest & 127) | 128, ((rest >> 7) & 127) | 128, ((rest >> 14) & 127) | 128, rest >> 21]);
  return bytes;
}

describe('hostile gRPC', () => {
  let app: TestApp;
  let session: ClientHttp2Session;
  before(async () => {
    app = await startTestApp('sqlite', { rateLimit: '1' });
    session = connect(app.url);
  });
  after(async () => {
    session.destroy();
    await app[Symbol.asyncDispose]();
  });

  /** The trailers of a call with this body. */
  async function send(body: Uint8Array, path = login, headers: Record<string, string> = {}): Promise<[number, string]> {
    const call = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    const ended = new Promise<IncomingHttpHeaders>((resolve, reject) => {
      call.on('response', (answered) => answered['grpc-status'] !== undefined && resolve(answered));
      call.on('trailers', resolve).on('error', reject);
    });
    call.resume().end(body);
    const { 'grpc-status': status, 'grpc-message': message } = await ended;
    return [Number(status), decodeURIComponent(String(message ?? ''))];
  }

  for (const [what, body, code] of [
    ['no message', Buffer.alloc(0), 3],
    ['half a frame', Buffer.from([0, 0, 0]), 3],
    ['a message that is cut off', frame(Buffer.from('0a05', 'hex'), { length: 40 }), 3],
    ['two messages', Buffer.concat([frame(Buffer.alloc(0)), frame(Buffer.alloc(0))]), 3],
    ['bytes that are no message', frame(Buffer.from('ffffffffffffffffffffff', 'hex')), 3],
    ['text that is no UTF-8', frame(Buffer.from('0a02c328', 'hex')), 3],
    ['a part longer than the message', frame(Buffer.from('0aff7f61', 'hex')), 3],
    ['a compressed message', frame(Buffer.alloc(0), { flag: 1 }), 12],
    ['a message announced too long', frame(Buffer.alloc(0), { length: 0xffffffff }), 8],
    ['a message of 4 MiB and a byte', frame(padding(megabytes4 + 1)), 8],
    ['a message of 4 MiB', frame(padding(megabytes4)), 16],
  ] as const)
    it(`refuses ${what}`, async () => {
      assert.equal((await send(body))[0], code);
    });

  it('refuses an unknown compression and unknown methods', async () => {
    const empty = frame(Buffer.alloc(0));
    assert.equal((await send(empty, login, { 'grpc-encoding': 'br' }))[0], 12);
    assert.deepEqual(await send(empty, '/api.FUOTADeploymentService/Get'), [
      12,
      'There is no service api.FUOTADeploymentService.',
    ]);
    assert.deepEqual(await send(empty, '/api.DeviceService/Explode'), [
      12,
      'The service api.DeviceService has no method Explode.',
    ]);
    assert.equal((await send(empty, '/api.DeviceService/__proto__'))[0], 12);
    assert.equal((await send(empty, `/${'x'.repeat(5000)}%`))[0], 12);
  });

  it('refuses a message of 5 MB from the published package', async () => {
    using client = createPublishedClient(app.url, { channel: { 'grpc.max_send_message_length': -1 } });
    const email = 'x'.repeat(5_000_000);
    await assert.rejects(client.call(operations.internal.login, { email, password: 'y' }, null), { code: 8 });
  });

  it('answers no call after its deadline', async () => {
    const call = session.request({
      ':method': 'POST',
      ':path': login,
      'content-type': 'application/grpc',
      'grpc-timeout': '20m',
    });
    const [answered] = (await once(call, 'response')) as [IncomingHttpHeaders];
    assert.equal(answered['grpc-status'], '4');
    call.close();
    assert.equal((await send(frame(Buffer.alloc(0)), login, { 'grpc-timeout': '99999999H' }))[0], 16);
  });

  it('refuses invalid deadlines', async () => {
    for (const odd of ['', '1', '-1S', '1.5S', '123456789S', '1h'])
      assert.equal((await send(frame(Buffer.alloc(0)), login, { 'grpc-timeout': odd }))[0], 13, odd);
  });

  for (const [type, status] of [
    ['application/grpc+json', 415],
    ['application/grpc+protobuf', 415],
    ['application/grpc-web', 415],
    ['application/grpc+proto', 200],
    ['application/grpc;charset=utf-8', 200],
  ] as const)
    it(`${status === 200 ? 'accepts' : 'refuses'} messages of ${type}`, async () => {
      const call = session.request({ ':method': 'POST', ':path': login, 'content-type': type, te: 'trailers' });
      call.resume().end(frame(Buffer.alloc(0)));
      const [answered] = (await once(call, 'response')) as [IncomingHttpHeaders];
      assert.equal(answered[':status'], status);
    });

  it('closes a connection that opens streams only to reset them', async () => {
    const attacker = connect(app.url);
    attacker.on('error', () => undefined);
    const ended = new Promise((done) => attacker.once('close', done));
    for (let n = 0; n < 10_000 && !attacker.destroyed; n++) {
      const call = attacker.request({ ':method': 'POST', ':path': login, 'content-type': 'application/grpc' });
      call.on('error', () => undefined).close(constants.NGHTTP2_CANCEL);
      if (n % 100 === 0) await new Promise(setImmediate);
    }
    await ended;
    assert.equal((await app.fetch('/health')).status, 200);
    assert.equal((await send(frame(Buffer.alloc(0))))[0], 16);
  });

  it('enforces the rate limit, and answers how long to wait', async () => {
    using client = createPublishedClient(app.url);
    const calls = Array.from({ length: 20 }, () => client.call(operations.internal.profile, {}, app.adminToken));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as Refused] : []));
    assert.ok(refused.length > 0);
    assert.ok(refused.every(({ code, metadata }) => code === 8 && Number(metadata.get('retry-after')[0]) > 0));
  });
});
