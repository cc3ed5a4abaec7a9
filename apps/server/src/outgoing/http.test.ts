import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer as createHTTP, type RequestListener } from 'node:http';
import { createServer as createHTTPS, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTCP, isIP, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { createServer as createTLS } from 'node:tls';
import { pino } from 'pino';
import { createMetrics } from '../metrics.ts';
import { createAuthority } from '../testing/certificates.ts';
import { DeliveryError } from './delivery-error.ts';
import { createOutgoingHTTP } from './http.ts';
import { createOutgoing } from './outgoing.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

/** Starts a server that records the requests it receives. */
async function listen(server: Server, host = '127.0.0.1') {
  const sockets = new Set<Socket>();
  let bytes = 0;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    socket.on('error', () => undefined);
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const http = (listener: RequestListener) => listen(createHTTP(listener));

interface Settings {
  names?: Record<string, () => string[]>;
  ca?: string;
  ownPorts?: number[];
  proxy?: string;
}

function outgoingHTTP(settings: Settings = {}) {
  const outgoing = createOutgoing({
    allow: ['127.0.0.1'],
    ownPorts: settings.ownPorts ?? [],
    addressesOf: async (host) => {
      const addresses = isIP(host) ? [host] : (settings.names?.[host]?.() ?? []);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    },
  });
  const { ca = '', proxy = '' } = settings;
  const one = createOutgoingHTTP(outgoing, { ca, proxy, log: pino({ level: 'silent' }), metrics: createMetrics() });
  return { ...one, [Symbol.asyncDispose]: () => one.close() };
}

const post = (url: string, change: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'POST',
  url,
  headers: [],
  body: '{}',
  timeoutMs: 5_000,
  ...change,
});

const failure = (fault: DeliveryError['fault'], text: RegExp) => (error: unknown) => {
  assert.ok(error instanceof DeliveryError, String(error));
  assert.equal(error.fault, fault, error.message);
  assert.match(error.message, text);
  assert.doesNotMatch(error.message, /secret/);
  return true;
};

describe('outgoing requests', () => {
  it('carry method, headers and body, and a user agent', async () => {
    await using client = outgoingHTTP();
    await using server = await http(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      const { method, url, headers } = request;
      response.writeHead(418, { 'x-many': ['1', '2'] }).end(JSON.stringify({ method, url, headers, body }));
    });
    const answer = await client.send(
      post(`http://127.0.0.1:${server.port}/a/b?event=up`, { headers: [['X-Key', 'k']], body: 'hello' }),
    );
    assert.equal(answer.status, 418);
    assert.equal(answer.headers['x-many'], '1, 2');
    const { headers, ...rest } = JSON.parse(Buffer.from(answer.body).toString()) as { headers: object };
    assert.deepEqual(rest, { method: 'POST', url: '/a/b?event=up', body: 'hello' });
    assert.deepEqual(headers, {
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      'content-length': '5',
      'x-key': 'k',
      'user-agent': 'Hilltop/0.1.0',
    });
  });

  it('reuse connections', async () => {
    await using client = outgoingHTTP();
    await using server = await http((_, response) => response.end());
    for (let n = 0; n < 20; n++) await client.send(post(`http://127.0.0.1:${server.port}/`));
    assert.ok(server.sockets.size <= 2, `${server.sockets.size} connections`);
  });

  it('do not wait for other requests to the same server', async () => {
    await using client = outgoingHTTP();
    await using server = await http((request, response) => {
      if (request.url === '/well') response.end();
    });
    const url = `http://127.0.0.1:${server.port}`;
    const silent = Array.from({ length: 100 }, () => client.send(post(`${url}/silent`, { timeoutMs: 10_000 })));
    void Promise.allSettled(silent);
    assert.equal((await client.send(post(`${url}/well`))).status, 200);
  });

  it('do not follow redirects', async () => {
    await using client = outgoingHTTP();
    await using elsewhere = await http((_, response) => response.end());
    await using server = await http((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${elsewhere.port}/` }).end(),
    );
    assert.equal((await client.send(post(`http://127.0.0.1:${server.port}/`))).status, 307);
    assert.equal(elsewhere.sockets.size, 0);
  });

  it('connect to the checked addresses, even when the name resolves to others afterwards', async () => {
    let asked = 0;
    const rebinding = () => (asked++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']);
    await using client = outgoingHTTP({ names: { rebinding } });
    await using server = await http((_, response) => response.writeHead(200, { connection: 'close' }).end());
    await using inner = await listen(
      createHTTP((_, response) => response.end()),
      '127.0.0.2',
    );
    await client.send(post(`http://rebinding:${server.port}/`));
    assert.equal(asked, 1);
    await assert.rejects(client.send(post(`http://rebinding:${inner.port}/`)), failure('gone', /this machine/));
    assert.equal(inner.sockets.size, 0);
  });

  it('are refused for addresses that are not allowed', async () => {
    await using client = outgoingHTTP({ names: { both: () => ['127.0.0.1', '10.0.0.1'] } });
    await using server = await http((_, response) => response.end());
    const { port } = server;
    for (const [url, text] of [
      [`http://127.0.0.2:${port}/?secret`, /this machine/],
      [`http://[::1]:${port}/?secret`, /this machine/],
      [`http://both:${port}/?secret`, /private network/],
      [`http://0x7f.2:${port}/?secret`, /this machine/],
      ['http://169.254.169.254/secret', /local link/],
      ['http://127.0.0.1:25/secret', /Port 25/],
      ['http://127.0.0.1:6667/secret', /Port 6667/],
      ['ftp://127.0.0.1/secret', /http/],
      ['no secret address', /http/],
      [`http://user:secret@127.0.0.1:${port}/`, /user name/],
    ] as const)
      await assert.rejects(client.send(post(url)), failure('gone', text), url);
    assert.equal(server.sockets.size, 0);
    await using own = outgoingHTTP({ ownPorts: [port] });
    await assert.rejects(own.send(post(`http://127.0.0.1:${port}/`)), failure('gone', /this server itself/));
    assert.equal(server.sockets.size, 0);
  });

  it('are refused with connection headers or a body that is too large', async () => {
    await using client = outgoingHTTP();
    await using server = await http((_, response) => response.end());
    const url = `http://127.0.0.1:${server.port}/`;
    for (const name of ['Host', 'content-length', 'Transfer-Encoding', 'Proxy-Authorization', 'TE'])
      await assert.rejects(client.send(post(url, { headers: [[name, 'secret']] })), failure('gone', /headers/));
    await assert.rejects(
      client.send(post(url, { headers: [['x', 'a\nsecret: b']] })),
      failure('endpoint', /characters/),
    );
    await assert.rejects(client.send(post(url, { body: 'x'.repeat(262_145) })), failure('event', /256 kB/));
    assert.equal(server.bytes(), 0);
  });

  it('read the beginning of an endless response and close the connection', async () => {
    await using client = outgoingHTTP();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using server = await http((_, response) => {
      response.on('close', resolve);
      const more = (): void => {
        while (response.write('x'.repeat(16_384))) if (response.destroyed) return;
        response.once('drain', more);
      };
      more();
    });
    const { body } = await client.send(post(`http://127.0.0.1:${server.port}/`));
    assert.equal(body.length, 65_536);
    await closed;
  });

  it('time out when a response arrives too slowly', async () => {
    await using client = outgoingHTTP();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using server = await http((_, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(drip);
        resolve();
      });
    });
    const url = `http://127.0.0.1:${server.port}/?secret`;
    await assert.rejects(client.send(post(url, { timeoutMs: 200 })), failure('endpoint', /in time/));
    await closed;
  });

  it('time out without a response', async () => {
    await using client = outgoingHTTP();
    await using server = await http(() => undefined);
    const url = `http://127.0.0.1:${server.port}/?secret`;
    await assert.rejects(client.send(post(url, { timeoutMs: 100 })), failure('endpoint', /in time/));
  });

  it('time out without a TLS handshake', async () => {
    await using client = outgoingHTTP();
    await using server = await listen(createTCP());
    const url = `https://127.0.0.1:${server.port}/?secret`;
    await assert.rejects(client.send(post(url, { timeoutMs: 100 })), failure('endpoint', /in time/));
  });

  it('fail for huge headers and for other protocols than HTTP', async () => {
    await using client = outgoingHTTP();
    await using huge = await listen(
      createTCP((socket) => {
        socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`));
      }),
    );
    await using other = await listen(createTCP((socket) => void socket.end('220 secret mail server\r\n')));
    await assert.rejects(client.send(post(`http://127.0.0.1:${huge.port}/`)), failure('endpoint', /headers/));
    await assert.rejects(client.send(post(`http://127.0.0.1:${other.port}/`)), failure('endpoint', /with HTTP/));
    const answering = (text: string) => listen(createTCP((socket) => socket.on('data', () => void socket.write(text))));
    await using odd = await answering('HTTP/1.1 099 Odd\r\ncontent-length: 0\r\n\r\n');
    await using long = await answering('HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nabcdefg');
    await assert.rejects(client.send(post(`http://127.0.0.1:${odd.port}/`)), failure('endpoint', /with HTTP/));
    await assert.rejects(client.send(post(`http://127.0.0.1:${long.port}/`)), failure('endpoint', /not as long/));
  });

  it('report unknown names, refused and closed connections', async () => {
    await using client = outgoingHTTP();
    const server = await http((request) => request.socket.destroy());
    const url = `http://127.0.0.1:${server.port}/?secret`;
    await assert.rejects(client.send(post('http://nowhere/?secret')), failure('endpoint', /nowhere is not known/));
    await assert.rejects(client.send(post(url)), failure('endpoint', /closed the connection/));
    await server[Symbol.asyncDispose]();
    await assert.rejects(client.send(post(url)), failure('endpoint', /refuses connections/));
  });

  it('check certificates, also with the configured authorities', async () => {
    const { ca, cert, key } = await (await createAuthority()).issue('server');
    await using server = await listen(createHTTPS({ cert, key }, (_, response) => response.end('sealed')));
    const names = { localhost: () => ['127.0.0.1'], other: () => ['127.0.0.1'] };
    await using stranger = outgoingHTTP({ names });
    await assert.rejects(
      stranger.send(post(`https://localhost:${server.port}/?secret`)),
      failure('endpoint', /certificate/),
    );
    const file = join(await mkdtemp(join(tmpdir(), 'hilltop-ca-')), 'ca.pem');
    await writeFile(file, ca);
    await using friend = outgoingHTTP({ names, ca: file });
    const { body } = await friend.send(post(`https://localhost:${server.port}/`));
    assert.equal(Buffer.from(body).toString(), 'sealed');
    await assert.rejects(
      friend.send(post(`https://other:${server.port}/`)),
      failure('endpoint', /ERR_TLS_CERT_ALTNAME/),
    );
  });

  it('report TLS failures with what to do', async () => {
    const authority = await createAuthority();
    const { ca, cert, key } = await authority.issue('server');
    const yesterday = new Date(Date.now() - 86_400_000);
    const expired = await authority.issue('server', { notAfter: yesterday });
    const file = join(await mkdtemp(join(tmpdir(), 'hilltop-ca-')), 'ca.pem');
    await writeFile(file, ca);
    const names = { localhost: () => ['127.0.0.1'], other: () => ['127.0.0.1'] };
    await using client = outgoingHTTP({ names, ca: file });
    await using stranger = outgoingHTTP({ names });
    const tls = (options: ServerOptions) => listen(createHTTPS(options, (_, response) => response.end()));
    await using good = await tls({ cert, key });
    await using late = await tls({ cert: expired.cert, key: expired.key });
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await using ancient = await tls({ cert, key, ...old });
    await using modern = await listen(createTLS({ cert, key, ALPNProtocols: ['h2'] }));
    // An authority of the same name with another key.
    const others = await (await createAuthority()).issue('server');
    await using renewed = await tls({ cert: others.cert, key: others.key });
    await using plain = await http((_, response) => response.end());
    for (const [who, host, port, text] of [
      [client, 'localhost', modern.port, /only HTTP\/2\. Have it speak HTTP\/1\.1/],
      [client, 'localhost', renewed.port, /authority nobody knows.*HILLTOP_OUTGOING_CA/],
      [client, 'localhost', late.port, /has expired\. Have it renewed/],
      [stranger, 'localhost', good.port, /authority nobody knows.*HILLTOP_OUTGOING_CA/],
      [client, 'other', good.port, /for another name\. Enter the address/],
      [client, 'localhost', ancient.port, /no TLS from version 1\.2 on\. Have it updated/],
      [client, 'localhost', plain.port, /does not speak TLS\. Is it an address of http/],
    ] as const)
      await assert.rejects(who.send(post(`https://${host}:${port}/?secret`)), failure('endpoint', text));
  });

  it('send nothing to any of 400 addresses that are not allowed, whatever their names resolve to', async () => {
    await using inner = await listen(
      createHTTP((_, response) => response.end()),
      '127.0.0.2',
    );
    const closed = [
      ...['127.0.0.2', '10.0.0.1', '172.16.9.9', '192.168.7.7', '169.254.169.254', '100.64.0.9', '0.0.0.0'],
      ...['::1', 'fd12::1', 'fe80::1', '::ffff:127.0.0.2', '64:ff9b::7f00:2', '2002:7f00:2::1', '::ffff:10.0.0.1'],
    ];
    const written = closed.flatMap((address) => {
      if (address.includes(':')) return [`[${address}]`];
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const hex = (part: number) => `0x${part.toString(16)}`;
      const octal = (part: number) => `0${part.toString(8)}`;
      return [
        ...[address, `${address}.`, String(number), hex(number), [a, b, c, d].map(octal).join('.')],
        ...[[a, b, c, d].map(hex).join('.'), `${a}.${(b * 256 + c) * 256 + d}`, `${a}.${b}.${c * 256 + d}`],
      ];
    });
    const names = Object.fromEntries(
      closed.flatMap((address, at) => {
        let asked = 0;
        return [
          [`plain${at}`, () => [address]],
          [`both${at}`, () => ['127.0.0.1', address]],
          // A public address in the first answer, a forbidden one afterwards.
          [`turning${at}`, () => (asked++ === 0 ? ['127.0.0.1'] : [address])],
        ];
      }),
    ) as Record<string, () => string[]>;
    await using client = outgoingHTTP({ names });
    const hosts = [...written, ...Object.keys(names)];
    const urls = hosts.flatMap((host) =>
      ['', '/a?secret', '/%2e%2e/b', '/#c'].map((path) => `http://${host}:${inner.port}${path}`),
    );
    assert.ok(urls.length >= 400, String(urls.length));
    for (const url of urls) {
      const failure = await client.send(post(url)).then(
        () => assert.fail(`${url} was sent to`),
        (error: unknown) => error,
      );
      assert.ok(failure instanceof DeliveryError, url);
      // A name whose first address is allowed is connected to there, where no server listens.
      if (!url.includes('turning')) assert.equal(failure.fault, 'gone', `${url}: ${failure.message}`);
    }
    assert.equal(inner.sockets.size, 0);
    assert.equal(inner.bytes(), 0);
  });

  it('use the configured proxy, but not for addresses that are not allowed', async () => {
    const { ca, cert, key } = await (await createAuthority()).issue('server');
    const file = join(await mkdtemp(join(tmpdir(), 'hilltop-ca-')), 'ca.pem');
    await writeFile(file, ca);
    await using plain = await http((request, response) => response.end(`plain ${request.headers.host}`));
    await using sealed = await listen(createHTTPS({ cert, key }, (_, response) => response.end('sealed')));
    const asked: string[] = [];
    const server = createHTTP();
    server.on('connect', (request, socket: Socket) => {
      asked.push(`${request.url} ${request.headers['proxy-authorization']}`);
      // Only the proxy can resolve `inside`.
      const [, port] = /:(\d+)$/.exec(request.url!)!;
      const onwards = connect(Number(port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onwards.pipe(socket).pipe(onwards);
      });
    });
    await using proxy = await listen(server);
    const names = { localhost: () => ['127.0.0.1'], bad: () => ['10.0.0.1'] };
    await using client = outgoingHTTP({ names, ca: file, proxy: `http://user:word@127.0.0.1:${proxy.port}` });
    const bodyOf = async (url: string) => Buffer.from((await client.send(post(url))).body).toString();
    assert.equal(await bodyOf(`http://inside:${plain.port}/`), `plain inside:${plain.port}`);
    assert.equal(await bodyOf(`https://localhost:${sealed.port}/`), 'sealed');
    const signedIn = `Basic ${btoa('user:word')}`;
    assert.deepEqual(asked, [`inside:${plain.port} ${signedIn}`, `localhost:${sealed.port} ${signedIn}`]);
    await assert.rejects(client.send(post('http://bad/?secret')), failure('gone', /HILLTOP_OUTGOING_ALLOW/));
    await assert.rejects(client.send(post('http://169.254.169.254/?secret')), failure('gone', /169\.254/));
    await assert.rejects(client.send(post(`https://other:${sealed.port}/`)), failure('endpoint', /ALTNAME/));
    assert.equal(asked.length, 3);
    await proxy[Symbol.asyncDispose]();
    await assert.rejects(client.send(post('http://inside:81/')), failure('endpoint', /proxy of this server.*inside/));
  });
});
