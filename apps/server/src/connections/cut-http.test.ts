import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHTTP2 } from 'node:http2';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { WebSocket } from 'ws';
import { createTestClient } from '../testing/client.ts';
import { cutEverywhere, record, sendMutated } from '../testing/cut-conversations.ts';
import { createPublishedClient } from '../testing/published-client.ts';
import { adminPassword, type ServerProcess, startServerProcess } from '../testing/server-process.ts';

const login = '/api.InternalService/Login';
const emptyMessage = Buffer.alloc(5);

describe('a server whose HTTP connections are cut or corrupted', () => {
  let server: ServerProcess;
  let port: number;
  let token: string;
  before(async () => {
    server = await startServerProcess();
    port = server.ports.http;
    token = await createTestClient(server.url).signIn('admin@hilltop.local', adminPassword);
  });
  after(() => server[Symbol.asyncDispose]());

  async function staysAlive(): Promise<void> {
    assert.equal(server.errors(), '');
    const response = await fetch(`${server.url}/api/internal/profile`, {
      headers: { 'Grpc-Metadata-Authorization': `Bearer ${token}` },
    });
    assert.equal(response.status, 200);
    using client = createPublishedClient(server.url);
    await client.call(operations.internal.profile, {}, token);
    assert.equal(server.errors(), '');
  }

  const conversations: Record<string, () => Promise<Buffer>> = {
    'HTTP/1.1': async () => {
      const body = JSON.stringify({ email: 'a@example.org', password: 'x' });
      return Buffer.from(
        `POST /api/internal/login HTTP/1.1\r\nHost: h\r\nContent-Length: ${body.length}\r\n\r\n${body}` +
          `GET /api/internal/profile HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${token}\r\nAccept-Encoding: gzip\r\n\r\n` +
          'POST /api/internal/login HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n' +
          'GET /swagger/api.swagger.json HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
      );
    },
    'a websocket': () =>
      record(port, async (proxyPort) => {
        const path = '/api/devices/0102030405060708/events';
        const socket = new WebSocket(`ws://127.0.0.1:${proxyPort}${path}`, ['Bearer', token]);
        await once(socket, 'open');
        socket.ping();
        socket.send('hello');
        socket.close();
        await once(socket, 'close');
      }),
    'HTTP/2': () =>
      record(port, async (proxyPort) => {
        const session = connectHTTP2(`http://127.0.0.1:${proxyPort}`).on('error', () => undefined);
        for (const headers of [
          { ':path': '/api/internal/profile', authorization: `Bearer ${token}` },
          { ':path': '/api/internal/login', ':method': 'POST' },
          { ':path': '/swagger/api.swagger.json', 'accept-encoding': 'gzip' },
        ] as const) {
          const call = session
            .request(headers)
            .on('error', () => undefined)
            .resume();
          if (':method' in headers) call.end('{"email":"a"}');
          await new Promise((resolve) => call.once('close', resolve));
        }
        session.close();
        if (!session.destroyed) await once(session, 'close');
      }),
    gRPC: () =>
      record(port, async (proxyPort) => {
        const session = connectHTTP2(`http://127.0.0.1:${proxyPort}`).on('error', () => undefined);
        await Promise.all(
          [login, login, '/api.InternalService/Profile', '/api.DeviceService/StreamEventLogs'].map(async (path) => {
            const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
            const call = session
              .request({ ...headers, 'grpc-timeout': '50m', authorization: token })
              .on('error', () => undefined)
              .resume();
            call.end(emptyMessage);
            await new Promise((resolve) => call.once('close', resolve));
          }),
        );
        session.close();
        if (!session.destroyed) await once(session, 'close');
      }),
  };

  it('survives when connections are destroyed while gRPC calls arrive', async () => {
    const headers = { ':method': 'POST', ':path': login, 'content-type': 'application/grpc' };
    for (let turns = 0; turns < 20; turns += 1) {
      const session = connectHTTP2(server.url).on('error', () => undefined);
      await once(session, 'remoteSettings');
      for (let call = 0; call < 2; call += 1)
        session
          .request(headers, { endStream: false })
          .on('error', () => undefined)
          .write(Buffer.from([0, 0, 0, 1, 0]));
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      session.destroy();
    }
    await staysAlive();
  });

  it('counts the connections that ended by an error', async () => {
    connect(port, '127.0.0.1').resume().write('no HTTP\r\n\r\n');
    while (
      !(await (await fetch(`${server.url}/metrics`)).text()).includes('hilltop_connection_errors_total{protocol="http"')
    )
      await new Promise((resolve) => setImmediate(resolve));
  });

  for (const [name, conversation] of Object.entries(conversations)) {
    it(`survives when ${name} is cut after each byte, or bytes of it are changed`, async () => {
      const bytes = await conversation();
      await cutEverywhere({ port }, bytes);
      await sendMutated({ port }, bytes);
      await staysAlive();
    });
  }
});
