import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect as connectHTTP2, type IncomingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

describe('a request without exactly one host', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite', { basicsStation: '127.0.0.1:0', joinServer: '127.0.0.1:0' });
  });
  after(() => app[Symbol.asyncDispose]());

  /** The answer to one request over HTTP/1.1. */
  async function answerOf(port: number, head: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`${head}Connection: close\r\n\r\n`);
    return await text(socket);
  }
  const httpPort = () => Number(new URL(app.url).port);
  const websocket =
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n';

  for (const path of ['/api/internal/profile', '/', '/health', '/no/such/page'])
    it(`with two hosts is refused over HTTP/1.1 at ${path}`, async () => {
      assert.match(
        await answerOf(httpPort(), `GET ${path} HTTP/1.1\r\nHost: one.example\r\nHost: two.example\r\n`),
        /^HTTP\/1\.1 400 [^]*more than one host/,
      );
      assert.match(
        await answerOf(httpPort(), `GET ${path} HTTP/1.1\r\nHost: one.example\r\nhost: one.example\r\n`),
        /^HTTP\/1\.1 400 /,
      );
      assert.doesNotMatch(
        await answerOf(httpPort(), `GET ${path} HTTP/1.1\r\nHost: one.example\r\n`),
        /^HTTP\/1\.1 400 /,
      );
    });

  it('without a host is refused with an error in the body', async () => {
    const answer = await answerOf(httpPort(), 'GET /api/internal/profile HTTP/1.1\r\n');
    const [lines, body] = answer.split('\r\n\r\n') as [string, string];
    assert.match(lines, /^HTTP\/1\.1 400 /);
    assert.match(lines, /content-type: application\/json/i);
    const { message, code, details } = JSON.parse(body);
    assert.deepEqual(
      [message, code, details[0].reason],
      ['The request names no host. Send a Host header.', 3, 'NO_HOST'],
    );
  });

  for (const path of ['/mqtt', '/api/devices/0102030405060708/events', '/api/internal/profile', '/no/such/page'])
    it(`that names none is refused as an upgrade to a websocket at ${path}, and its connection closed`, async () => {
      const head = `GET ${path} HTTP/1.1\r\n${websocket}Sec-WebSocket-Protocol: mqtt\r\n`;
      const socket = connect(httpPort(), '127.0.0.1');
      socket.write(`${head}Connection: upgrade\r\n\r\n`);
      // Ends when the server closes the connection.
      assert.match(await text(socket), /^HTTP\/1\.1 400 [^]*The request names no host/);
    });

  it('may have no host in HTTP/1.0', async () => {
    assert.match(await answerOf(httpPort(), 'GET /health HTTP/1.0\r\n'), /^HTTP\/1\.1 200 /);
  });

  it('with two hosts is refused by the Basics Station listener and the join server', async () => {
    const two = 'Host: one.example\r\nHost: two.example\r\n';
    assert.match(await answerOf(app.joinServerPort, `POST / HTTP/1.1\r\n${two}`), /^HTTP\/1\.1 400 /);
    for (const path of ['/router-info', '/gateway/0102030405060708'])
      assert.match(
        await answerOf(app.stationPort, `GET ${path} HTTP/1.1\r\n${two}${websocket}Connection: upgrade\r\n`),
        /^HTTP\/1\.1 400 /,
      );
  });

  for (const type of ['application/json', 'application/grpc'])
    it(`with two hosts is refused over HTTP/2 with ${type}`, async () => {
      const session = connectHTTP2(app.url);
      const statusOf = async (host: Record<string, string>) => {
        const path = '/api.InternalService/Login';
        const call = session.request({ ':method': 'POST', ':path': path, 'content-type': type, ...host });
        call.resume().end(Buffer.alloc(5));
        const [answered] = (await once(call, 'response')) as [IncomingHttpHeaders];
        return answered[':status'] as unknown as number;
      };
      const authority = new URL(app.url).host;
      assert.equal(await statusOf({ ':authority': authority, host: 'two.example' }), 400);
      assert.notEqual(await statusOf({ ':authority': authority, host: authority.toUpperCase() }), 400);
      assert.notEqual(await statusOf({ ':authority': authority }), 400);
      session.destroy();
    });
});
