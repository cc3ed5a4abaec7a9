import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { as } from '@hilltop/protobuf';
import { createLog } from '../log.ts';
import { createMetrics } from '../metrics.ts';
import { StartError } from '../start-error.ts';
import { createAuthority } from '../testing/certificates.ts';
import { startGrpcServer } from './grpc-server.ts';

const anywhere = { host: '127.0.0.1', port: 0 };
const noFiles = { grpcCA: '', grpcCert: '', grpcKey: '' };
const metrics = createMetrics();
const log = createLog({ logLevel: 'silent' });
const callbacks = {} as as.ApplicationServerService;

describe('the gRPC listener', () => {
  let dir: string;
  let cert: string;
  let key: string;
  let nonsense: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-grpc-'));
    const identity = await (await createAuthority()).issue('server');
    [cert, key, nonsense] = ['cert', 'key', 'nonsense'].map((name) => join(dir, `${name}.pem`)) as [
      string,
      string,
      string,
    ];
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

  it('loads gRPC with the first connection, and serves connections that arrived meanwhile', async () => {
    const isLoaded = () => createRequire(import.meta.url).cache[grpcPath] !== undefined;
    const grpcPath = createRequire(import.meta.url).resolve('@grpc/grpc-js');
    const server = await startGrpcServer(anywhere, { config: noFiles, callbacks, metrics, log });
    assert.equal(isLoaded(), false);
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');
    const connections = [1, 2, 3].map(() => connect(server.port, '127.0.0.1'));
    for (const connection of connections) connection.write(preface);
    const [first] = await Promise.all(connections.map(async (one) => ((await once(one, 'data')) as [Buffer])[0]));
    assert.equal(first?.[3], 4, 'the SETTINGS of HTTP/2');
    assert.equal(isLoaded(), true);
    for (const connection of connections) connection.destroy();
    await server.stop();
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
