import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect as connectHTTP2 } from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect as connectSecurely, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import { operations } from '@hilltop/contract';
import { WebSocket } from 'ws';
import { createAuthority } from '../../testing/certificates.ts';
import { createPublishedClient } from '../../testing/published-client.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

interface TestAnswer {
  status: number;
  text: string;
}

function ask(session: ClientHttp2Session, path: string, headers: Record<string, string>): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, ...headers });
    let status = 0;
    let text = '';
    stream.setEncoding('utf8');
    stream.on('response', (answered) => {
      status = Number(answered[':status']);
    });
    stream.on('data', (part: string) => {
      text += part;
    });
    stream.on('error', reject).on('end', () => resolve({ status, text }));
  });
}

/** The first message on a websocket without a session. A message shows that the websocket was established. */
async function firstMessage(url: string, ca?: string): Promise<string> {
  const socket = new WebSocket(url, ['Bearer', 'none'], ca === undefined ? {} : { ca });
  const [message] = (await once(socket, 'message')) as [Buffer];
  socket.terminate();
  return message.toString();
}

const events = '/api/devices/0102030405060708/events';

describe('one port', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  const bearer = () => ({ authorization: `Bearer ${app.adminToken}` });

  it('accepts HTTP/1.1, websockets, gRPC and HTTP/2 without TLS', async () => {
    assert.equal((await app.fetch('/api/internal/profile', { headers: bearer() })).status, 200);
    assert.match(await firstMessage(app.url.replace('http', 'ws') + events), /"grpcCode":16/);
    using client = createPublishedClient(app.url);
    for (const token of [app.adminToken, `Bearer ${app.adminToken}`, `bearer ${app.adminToken}`]) {
      const { user } = (await client.call(operations.internal.profile, {}, token)) as { user: { email: string } };
      assert.equal(user.email, 'admin@hilltop.local');
    }
    const session = connectHTTP2(app.url);
    const { status, text } = await ask(session, '/api/internal/profile', bearer());
    assert.deepEqual([status, JSON.parse(text).user.email], [200, 'admin@hilltop.local']);
    assert.equal((await ask(session, '/api/devices/0102030405060708', {})).status, 401);
    assert.match((await ask(session, events, bearer())).text, /"grpcCode":5/);
    session.close();
  });

  it('recognizes the preface of HTTP/2 when it arrives byte by byte', async () => {
    const { port } = new URL(app.url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    for (const byte of preface) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    const [settings] = (await once(socket, 'data')) as [Buffer];
    // The type of a SETTINGS frame.
    assert.equal(settings[3], 4);
    socket.destroy();
  });

  it('answers gRPC paths over HTTP/1.1 as unknown', async () => {
    const response = await app.fetch('/api.InternalService/Login', {
      method: 'POST',
      headers: { 'content-type': 'application/grpc' },
    });
    assert.deepEqual([response.status, await response.text()], [404, 'Not Found']);
  });

  it('refuses requests that resemble gRPC', async () => {
    const session = connectHTTP2(app.url);
    const path = '/api.InternalService/Login';
    const web = await ask(session, path, { ':method': 'POST', 'content-type': 'application/grpc-web' });
    assert.equal(web.status, 415);
    const read = await ask(session, path, { ':method': 'GET', 'content-type': 'application/grpc' });
    assert.equal(read.status, 415);
    session.close();
  });
});

describe('one port with TLS', () => {
  let app: TestApp;
  let files: { httpTLSCert: string; httpTLSKey: string };
  let ca: string;
  const trusted = getCACertificates('default');
  before(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'hilltop-tls-'));
    files = { httpTLSCert: join(directory, 'cert.pem'), httpTLSKey: join(directory, 'key.pem') };
    ca = await certify();
    app = await startTestApp('sqlite', files);
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    setDefaultCACertificates(trusted);
    await rm(dirname(files.httpTLSCert), { recursive: true });
  });

  /** Writes a certificate of a new authority into the files. The clients of this test trust only that authority. */
  async function certify(): Promise<string> {
    const authority = await createAuthority();
    const identity = await authority.issue('server');
    await writeFile(files.httpTLSCert, identity.cert);
    await writeFile(files.httpTLSKey, identity.key);
    setDefaultCACertificates([identity.ca]);
    return identity.ca;
  }

  const bearer = () => ({ authorization: `Bearer ${app.adminToken}` });

  it('accepts all protocols', async () => {
    const { status, headers } = await app.fetch('/api/internal/profile', { headers: bearer() });
    assert.deepEqual([status, headers.get('strict-transport-security') !== null], [200, true]);
    assert.match(await firstMessage(app.url.replace('http', 'ws') + events, ca), /"grpcCode":16/);
    using client = createPublishedClient(app.url.replace('127.0.0.1', 'localhost'), {
      secrets: credentials.createSsl(Buffer.from(ca)),
    });
    await client.call(operations.internal.profile, {}, app.adminToken);
    const session = connectHTTP2(app.url, { ca });
    assert.equal((await ask(session, '/api/internal/profile', bearer())).status, 200);
    session.close();
  });

  it('recognizes HTTP/2 by its preface when a client negotiates no protocol', async () => {
    const socket = connectSecurely({ port: Number(new URL(app.url).port), host: '127.0.0.1', ca });
    await once(socket, 'secureConnect');
    assert.equal(socket.alpnProtocol, false);
    const session = connectHTTP2(app.url, { createConnection: () => socket });
    assert.equal((await ask(session, '/api/internal/profile', bearer())).status, 200);
    session.close();
  });

  it('closes connections without TLS', async () => {
    const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1' }).resume();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
  });

  it('reports errors in its certificate files', async () => {
    await assert.rejects(startTestApp('sqlite', { httpTLSCert: files.httpTLSCert }), /HILLTOP_HTTP_TLS_KEY must both/);
    await assert.rejects(
      startTestApp('sqlite', { ...files, httpTLSKey: files.httpTLSCert }),
      /HILLTOP_HTTP_TLS_CERT and HILLTOP_HTTP_TLS_KEY cannot be used/,
    );
  });
});
