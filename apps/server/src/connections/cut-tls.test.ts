import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectHTTP2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from 'node:tls';
import { createAuthority } from '../testing/certificates.ts';
import { cutEverywhere, record, sendMutated } from '../testing/cut-conversations.ts';
import { type Listener, type ServerProcess, startServerProcess } from '../testing/server-process.ts';

const listeners = ['http', 'basicsStation', 'grpc', 'joinServer'] as const satisfies Listener[];
const tls = { rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] };

describe('a server with TLS whose connections are cut or corrupted', () => {
  let server: ServerProcess;
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-tls-'));
    const { cert, key } = await (await createAuthority()).issue('server');
    const files = [join(dir, 'cert.pem'), join(dir, 'key.pem')] as const;
    await Promise.all([writeFile(files[0], cert), writeFile(files[1], key)]);
    const settings = ['HTTP_TLS', 'BASICS_STATION', 'GRPC', 'JOIN_SERVER'].flatMap((name) => [
      [`HILLTOP_${name}_CERT`, files[0]],
      [`HILLTOP_${name}_KEY`, files[1]],
    ]);
    server = await startServerProcess(Object.fromEntries(settings));
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });

  /** Verifies that every port still accepts TLS connections. */
  async function staysAlive(): Promise<void> {
    assert.equal(server.errors(), '');
    for (const listener of listeners) {
      const socket = connect({ port: server.ports[listener], host: '127.0.0.1', ...tls });
      await once(socket, 'secureConnect');
      socket.destroy();
    }
    const session = connectHTTP2(`https://127.0.0.1:${server.ports.http}`, tls);
    const call = session.request({ ':path': '/health' }).resume();
    const [{ ':status': status }] = (await once(call, 'response')) as [{ ':status': number }];
    assert.equal(status, 200);
    session.destroy();
    assert.equal(server.errors(), '');
  }

  for (const listener of listeners)
    it(`survives when TLS handshakes at ${listener} are cut or corrupted`, async () => {
      const port = server.ports[listener];
      const bytes = await record(port, async (proxyPort) => {
        const socket = connect({ port: proxyPort, host: '127.0.0.1', ...tls });
        await once(socket, 'secureConnect');
        socket.write('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
        socket.on('error', () => undefined);
        await once(socket.resume(), 'close');
      });
      await cutEverywhere({ port }, bytes, { step: 11 });
      await sendMutated({ port }, bytes, { rounds: 100 });
      await staysAlive();
    });

  it('survives when gRPC within TLS is cut or corrupted', async () => {
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
    // HEADERS of stream 1 with a literal path, method POST and scheme https, then an incomplete DATA frame.
    const headers = Buffer.concat([
      Buffer.from([0x83, 0x87, 0x44, 26]),
      Buffer.from('/api.InternalService/Login'),
      Buffer.from([0x5f, 16]),
      Buffer.from('application/grpc'),
    ]);
    const frames = Buffer.concat([
      Buffer.from(preface, 'latin1'),
      Buffer.from([0, 0, headers.length, 1, 4, 0, 0, 0, 1]),
      headers,
      Buffer.from([0, 0, 5, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]),
    ]);
    const target = { port: server.ports.http, tls: { ...tls, ALPNProtocols: ['h2'] } };
    await cutEverywhere(target, frames, { step: 2 });
    await sendMutated(target, frames, { rounds: 100 });
    await staysAlive();
  });
});
