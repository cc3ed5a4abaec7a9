import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { type AddressInfo, connect as connectTCP, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { connectionBoundary } from '../connections/boundary.ts';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { createHTTP2, type Stream } from './http2.ts';

const never = 1_000_000;
const patient = { arrivalMs: never, unusedMs: never, usedMs: never };
const grpc = { ':method': 'POST', ':path': '/api.X/Y', 'content-type': 'application/grpc' };

/** A connection to a server with these limits; `take` receives its calls. */
async function connection(limits: Partial<typeof patient>, take: (stream: Stream) => void) {
  const boundary = connectionBoundary('http2', { metrics: createMetrics(), log: createLog({ logLevel: 'silent' }) });
  const http2 = createHTTP2(() => undefined, take, boundary, { ...patient, ...limits });
  // The servers of HTTP/1.1 set it as well.
  const server = createServer({ allowHalfOpen: true }, http2.take).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.on('error', () => undefined);
  return {
    session,
    server,
    [Symbol.asyncDispose]: async () => {
      session.destroy();
      await http2.stop();
      server.close();
    },
  };
}

async function ping(session: ClientHttp2Session): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  session.ping((error) => (error ? reject(error) : resolve()));
  await promise;
}

function answer(stream: Stream): void {
  stream.respond({ ':status': 200 });
  stream.resume().end();
}

describe('connections of HTTP/2', () => {
  it('reset a call that does not arrive completely, and continue', async () => {
    await using client = await connection({ arrivalMs: 20 }, (stream) => stream.resume());
    const call = client.session.request(grpc);
    call.on('error', () => undefined).write('half');
    await once(call, 'close');
    assert.equal(call.rstCode, constants.NGHTTP2_CANCEL);
    await ping(client.session);
  });

  it('are closed without a first or further call', async () => {
    await using unused = await connection({ unusedMs: 20 }, answer);
    await once(unused.session, 'close');
    await using used = await connection({ usedMs: 20 }, answer);
    const call = used.session.request(grpc).resume();
    call.end();
    await once(used.session, 'close');
    assert.ok(call.closed);
  });

  for (const [what, call] of [
    ['before a call', ''],
    ['during an incomplete call', '\0\0\x10\x01\x04\0\0\0\x01'],
  ] as const)
    it(`are closed when the client ends them ${what}`, async () => {
      await using client = await connection({}, answer);
      const { port } = client.server.address() as AddressInfo;
      const socket = connectTCP(port, '127.0.0.1').resume();
      socket.end(`PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0${call}`);
      await once(socket, 'close');
    });

  it('are closed when the client ends them during a call', async () => {
    const begun = Promise.withResolvers<Stream>();
    await using client = await connection({}, (stream) => begun.resolve(stream.resume()));
    client.session
      .request(grpc)
      .on('error', () => undefined)
      .write('half');
    await begun.promise;
    client.session.destroy();
    const open = () => new Promise<number>((done) => client.server.getConnections((_error, count) => done(count)));
    while ((await open()) > 0) await new Promise(setImmediate);
  });

  it('stay open during a call without frames, and accept every ping', async () => {
    const called = Promise.withResolvers<{ stream: Stream; quiet: Promise<unknown> }>();
    await using client = await connection({ usedMs: 10 }, (stream) =>
      called.resolve({ stream: stream.resume(), quiet: once(stream.session!, 'timeout') }),
    );
    const call = client.session.request(grpc).resume();
    call.end();
    const { stream, quiet } = await called.promise;
    // The connection would be let go now, if it were to be.
    await quiet;
    for (let n = 0; n < 200; n++) await ping(client.session);
    assert.equal(client.session.destroyed, false);
    answer(stream);
    await once(call, 'close');
    assert.equal(call.rstCode, constants.NGHTTP2_NO_ERROR);
  });
});
