import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Stream, connect as connectHTTP2, type IncomingHttpHeaders } from 'node:http2';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type as, RpcError } from '@hilltop/protobuf';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { StartError } from '../start-error.ts';
import { createAuthority, type Identity } from '../testing/certificates.ts';
import { startGrpcServer } from './grpc-server.ts';

const anywhere = { host: '127.0.0.1', port: 0 };
const noFiles = { grpcCA: '', grpcCert: '', grpcKey: '' };
const metrics = createMetrics();
const log = createLog({ logLevel: 'silent' });
const callbacks = {
  handleError: async () => ({}),
  handleUplinkData: async () => Promise.reject(new RpcError('NotFound', 'There is no such device.')),
  handleDownlinkACK: async () => Promise.reject(new Error('unexpected')),
} as Partial<as.ApplicationServerService> as as.ApplicationServerService;
const largest = 4 * 2 ** 20;

/** A server, and a client that is connected to it. */
async function startClient(config: typeof noFiles, { cert, key }: Partial<Identity> = {}) {
  const server = await startGrpcServer(anywhere, { config, callbacks, metrics, log });
  const url = `${config.grpcCert === '' ? 'http' : 'https'}://127.0.0.1:${server.port}`;
  const session = connectHTTP2(url, { rejectUnauthorized: false, ...(cert && { cert, key }) });
  session.on('error', () => undefined);

  /** A call whose message is announced with this length; `sent` bytes of it follow. */
  function open(method: string, { length, sent }: { length: number; sent: number }): ClientHttp2Stream {
    const head = Buffer.alloc(5);
    head.writeUInt32BE(length, 1);
    const path = `/as.ApplicationServerService/${method}`;
    const call = session.request({ ':method': 'POST', ':path': path, 'content-type': 'application/grpc' });
    call.on('error', () => undefined).resume();
    call.write(Buffer.concat([head, Buffer.alloc(sent)]));
    return call;
  }
  async function outcome(call: ClientHttp2Stream): Promise<[number, string]> {
    const { promise, resolve } = Promise.withResolvers<IncomingHttpHeaders>();
    call.on('response', (answered) => answered['grpc-status'] !== undefined && resolve(answered));
    call.on('trailers', resolve);
    const { 'grpc-status': status, 'grpc-message': message } = await promise;
    return [Number(status), decodeURIComponent(String(message ?? ''))];
  }
  return {
    session,
    open,
    outcome,
    call: (method: string, message: Buffer) => {
      const call = open(method, { length: message.length, sent: 0 });
      call.end(message);
      return outcome(call);
    },
    [Symbol.asyncDispose]: async () => {
      session.destroy();
      await server.stop();
    },
  };
}

describe('the gRPC listener', () => {
  let dir: string;
  let authority: Awaited<ReturnType<typeof createAuthority>>;
  let ca: string;
  let cert: string;
  let key: string;
  let nonsense: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-grpc-'));
    authority = await createAuthority();
    const identity = await authority.issue('server');
    [ca, cert, key, nonsense] = ['ca', 'cert', 'key', 'nonsense'].map((name) => join(dir, `${name}.pem`)) as [
      string,
      string,
      string,
      string,
    ];
    await writeFile(ca, identity.ca);
    await writeFile(cert, identity.cert);
    await writeFile(key, identity.key);
    await writeFile(nonsense, 'nonsense');
  });
  after(() => rm(dir, { recursive: true }));

  const refuses = (files: Partial<typeof noFiles>, says: RegExp, listen = anywhere) =>
    assert.rejects(startGrpcServer(listen, { config: { ...noFiles, ...files }, callbacks, metrics, log }), (error) => {
      assert.ok(error instanceof StartError, String(error));
      assert.match(error.message, says);
      return !error.message.includes('\n');
    });

  it('starts with TLS and stops', async () => {
    const config = { ...noFiles, grpcCert: cert, grpcKey: key };
    const server = await startGrpcServer(anywhere, { config, callbacks, metrics, log });
    assert.ok(server.port > 0);
    await server.stop();
  });

  it('answers calls, unknown methods, and requests that are not gRPC', async () => {
    await using client = await startClient(noFiles);
    assert.deepEqual(await client.call('HandleError', Buffer.alloc(0)), [0, '']);
    assert.deepEqual(await client.call('HandleUplinkData', Buffer.alloc(0)), [5, 'There is no such device.']);
    const [code, sentence] = await client.call('HandleDownlinkACK', Buffer.alloc(0));
    assert.equal(code, 13);
    assert.match(sentence, /^It could not be handled/);
    assert.equal((await client.call('HandleError', Buffer.from('ffffff', 'hex')))[0], 3);
    assert.equal((await client.call('Explode', Buffer.alloc(0)))[0], 12);
    const plain = client.session.request({ ':path': '/' }).resume();
    assert.equal(((await once(plain, 'response')) as [IncomingHttpHeaders])[0][':status'], 415);
  });

  it('serves a client with TLS', async () => {
    await using client = await startClient({ ...noFiles, grpcCert: cert, grpcKey: key });
    assert.deepEqual(await client.call('HandleError', Buffer.alloc(0)), [0, '']);
  });

  it('serves only clients with a certificate of the CA, if there is one', async () => {
    const config = { ...noFiles, grpcCert: cert, grpcKey: key, grpcCA: ca };
    await using client = await startClient(config, await authority.issue('client'));
    assert.deepEqual(await client.call('HandleError', Buffer.alloc(0)), [0, '']);
    for (const stranger of [undefined, await (await createAuthority()).issue('client')]) {
      await using refused = await startClient(config, stranger);
      const call = refused.session.request({ ':path': '/' });
      call.on('error', () => undefined);
      await new Promise((closed) => call.once('close', closed));
      assert.notEqual(call.rstCode, 0);
    }
  });

  it('holds 16 MB of unfinished messages of one address at most', async () => {
    await using client = await startClient(noFiles);
    const open = Array.from({ length: 4 }, () => client.open('HandleError', { length: largest, sent: largest - 100 }));
    const [code, sentence] = await client.outcome(client.open('HandleError', { length: largest, sent: largest - 100 }));
    assert.equal(code, 8);
    assert.match(sentence, /Too many concurrent calls from this address/);
    for (const call of open) call.close();
    let outcome: [number, string];
    do outcome = await client.call('HandleError', Buffer.alloc(100));
    while (outcome[0] === 8);
    assert.equal(outcome[0], 3, 'an answer, because the others have ended');
  });

  it('stops while a client connects', async () => {
    const server = await startGrpcServer(anywhere, { config: noFiles, callbacks, metrics, log });
    const connection = connect(server.port, '127.0.0.1');
    await once(connection.resume(), 'connect');
    const gone = once(connection, 'close');
    await server.stop();
    await gone;
  });

  it('reports in one line why it cannot start', async () => {
    await refuses({ grpcCert: cert }, /^HILLTOP_GRPC_CERT and HILLTOP_GRPC_KEY must both name a file/);
    await refuses({ grpcCA: cert }, /^HILLTOP_GRPC_CERT and HILLTOP_GRPC_KEY must both name a file/);
    await refuses({ grpcCert: join(dir, 'none'), grpcKey: key }, /\(HILLTOP_GRPC_CERT\) cannot be read \(ENOENT\)/);
    await refuses({ grpcCert: cert, grpcKey: nonsense }, /\(HILLTOP_GRPC_KEY\) is not a PEM file/);
    await refuses({ grpcCert: key, grpcKey: key }, /HILLTOP_GRPC_CERT .* cannot be used/);
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    await refuses({}, /\(HILLTOP_GRPC\) is in use by another program/, { host: '127.0.0.1', port });
    other.close();
  });
});
