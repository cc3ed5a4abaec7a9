import assert from 'node:assert/strict';
import { Agent, type OutgoingHttpHeaders, request as send } from 'node:http';
import { connect } from 'node:net';
import { parse as parseQuery } from 'node:querystring';
import { after, before, describe, it } from 'node:test';
import {
  ApiError,
  allOperations,
  type Message,
  type Operation,
  operations,
  parseRequest,
  pathParameters,
  statuses,
} from '@hilltop/contract';
import { pino } from 'pino';
import { databases } from '../testing/databases.ts';
import { asHTTP, odd, spoiled, wellMeant } from '../testing/odd-requests.ts';
import { integrationOf, oneOfEverything } from '../testing/one-of-everything.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

interface TestAnswer {
  status: number;
  type: string;
  text: string;
}

const httpOf = new Map<number, number>(Object.values(statuses).map(({ code, http }) => [code, http]));
/** Codes of server failures; no request may lead to one. */
const ours = [2, 4, 10, 13, 14, 15];
const innards = /\bat \S+:\d+|node:|\.ts\b|sqlite|postgres|pg_|constraint|FST_/i;

/** Why an answer violates the contract; undefined for a success and for an error in the documented form. */
function complaint({ status, type, text }: TestAnswer): string | undefined {
  const shown = `${status} ${type} ${text.slice(0, 300)}`;
  if (type !== 'application/json' || !text.startsWith('{')) return shown;
  if (status === 200) return undefined;
  const { code, error, message, details } = JSON.parse(text) as Record<string, unknown>;
  if (httpOf.get(code as number) !== status || ours.includes(code as number)) return shown;
  if (typeof error !== 'string' || error === '' || error !== message || !Array.isArray(details)) return shown;
  return innards.test(error) || text.length > 20_000 ? shown : undefined;
}

/** What the contract refuses about the request; undefined when it reaches the handler and the database. */
function refusalOf(operation: Operation, { path, body }: ReturnType<typeof asHTTP>): unknown {
  const [address = '', query = ''] = path.split('?');
  const template = operation.path.split('/');
  const values = address.split('/').filter((_, index) => template[index]!.startsWith('{'));
  try {
    parseRequest(operation, {
      path: values.map(decodeURIComponent),
      query: parseQuery(query) as Record<string, string | string[]>,
      body: body && JSON.parse(body),
    });
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Why a refusal of the contract would not become an error in the documented form. */
function flawOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return String((error as Error).stack);
  const isForeign = !httpOf.has(error.code) || ours.includes(error.code);
  return isForeign || error.message === '' || innards.test(error.message) ? error.message : undefined;
}

/** Of the requests that the contract refuses, every tenth is sent: the server answers all of them in the same way. */
const sentShare = 10;

for (const database of databases) {
  /** A request that the contract refuses does not reach the database, so one database is enough. */
  const sendsRefused = database === databases[0];
  describe(`hostile input on ${database}`, () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const lines: string[] = [];
    let app: TestApp;
    let known: Record<string, unknown>;
    let ids: Record<string, Record<string, unknown>>;
    before(async () => {
      const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
      app = await startTestApp(database, {}, { log });
      ({ known, ids } = await oneOfEverything(app));
    });
    after(async () => {
      agent.destroy();
      await app[Symbol.asyncDispose]();
    });

    function ask(
      method: string,
      path: string,
      { body, headers = {} }: { body?: string | Buffer | undefined; headers?: OutgoingHttpHeaders } = {},
    ): Promise<TestAnswer> {
      return new Promise((resolve, reject) => {
        const request = send(`${app.url}${path}`, { method, agent, headers }, (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () => {
            const [type = ''] = (response.headers['content-type'] ?? '').split(';');
            resolve({ status: response.statusCode!, type, text: Buffer.concat(parts).toString() });
          });
        });
        request.on('error', reject);
        request.end(body);
      });
    }

    it('has a record of every resource that can be changed', () => {
      const unknown = allOperations
        .map((operation) => [...operation.key.split('.'), pathParameters(operation)[0]?.path.at(-1)])
        .filter(([resource, verb, id]) => verb === 'update' && !(id! in { ...known, ...ids[resource!] }));
      assert.deepEqual(
        unknown.map(([resource]) => resource),
        [],
      );
    });

    const asAdmin = () => ({ Authorization: `Bearer ${app.adminToken}` });

    /** Valid requests with one value replaced. Deletes, replacements and streams name no existing record. */
    function requestsOf({ key, method, rpc, request, stream }: Operation, values = odd) {
      const isRemoval = method === 'DELETE' || key === operations.gatewayReplacement.create.key;
      const own = isRemoval || stream ? {} : { ...known, ...ids[key.split('.')[0]!], ...integrationOf(rpc) };
      const meant = wellMeant(request, own);
      return values.flatMap((value) =>
        Array.from(spoiled(request as Message, meant, value), ([field, spoiledRequest]) => ({
          what: `${field} = ${JSON.stringify(value)?.slice(0, 60)}`,
          request: spoiledRequest,
        })),
      );
    }

    /** These derive a key from the password, which is slow on purpose. */
    const slow: readonly Operation[] = [
      operations.user.create,
      operations.user.updatePassword,
      operations.internal.login,
    ];

    for (const operation of allOperations.filter(({ stream }) => !stream)) {
      it(`is accepted or refused by ${operation.key}`, async () => {
        const left = requestsOf(operation, slow.includes(operation) ? odd.filter((_, index) => index % 6 === 0) : odd);
        const complaints: string[] = [];
        async function work() {
          for (let job = left.pop(); job; job = left.pop()) {
            const http = asHTTP(operation, job.request);
            const refused = refusalOf(operation, http);
            if (refused && !sendsRefused) continue;
            const isSent = !refused || left.length % sentShare === 0;
            const { path, body } = http;
            const wrong = isSent
              ? complaint(await ask(operation.method, path, { body, headers: asAdmin() }))
              : flawOf(refused);
            if (wrong) complaints.push(`${job.what}: ${wrong}`);
          }
        }
        await Promise.all(Array.from({ length: 8 }, work));
        assert.deepEqual(complaints.slice(0, 20), []);
      });
    }

    it('is refused by streams', async () => {
      const streams = allOperations.filter(({ stream }) => stream);
      for (const operation of streams)
        for (const { what, request } of requestsOf(operation)) {
          const { status, text } = await ask('GET', asHTTP(operation, request).path, { headers: asAdmin() });
          const { error } = JSON.parse(text) as { error: { grpcCode: number; httpCode: number; message: string } };
          assert.ok(error.grpcCode === 3 || error.grpcCode === 5, `${what}: ${text}`);
          assert.deepEqual([error.httpCode, status], [httpOf.get(error.grpcCode), error.httpCode]);
        }
      assert.equal(streams.length, 4);
    });

    it('reveals nothing to callers without a session', async () => {
      const isPublic = (operation: Operation) => operation.access.cases.some(({ allow }) => allow.includes('public'));
      for (const operation of allOperations.filter((one) => !one.stream && !isPublic(one)))
        for (const { request } of requestsOf(operation, ['\0', { a: 1 }]).slice(0, 4)) {
          const { path, body } = asHTTP(operation, request);
          const { status, text } = await ask(operation.method, path, { body });
          assert.equal(status, 401, `${operation.key} ${text}`);
        }
    });

    it('can be read again where it was accepted', async () => {
      const reads = allOperations.filter(({ method, stream }) => method === 'GET' && !stream);
      /** Nothing was pinged, signed in at a provider or delivered, and LoRa Cloud was shut down. */
      const { application, gateway, internal, delivery } = operations;
      const unanswered: Operation[] = [gateway.getLastPing, internal.openIDConnectLogin, delivery.event];
      unanswered.push(application.getLoRaCloudIntegration);
      for (const operation of reads) {
        const own = { ...known, ...ids[operation.key.split('.')[0]!], limit: 1000, interval: 'MONTH' };
        const { path } = asHTTP(operation, wellMeant(operation.request, own));
        const answer = await ask('GET', path, { headers: asAdmin() });
        assert.equal(complaint(answer), undefined, operation.key);
        assert.equal(
          answer.status === 200,
          !unanswered.includes(operation),
          `${operation.key} ${answer.text.slice(0, 300)}`,
        );
      }
    });

    it('leaves the server healthy, and no failure in the log', async () => {
      assert.equal((await ask('GET', '/health')).status, 200);
      const levels = lines.map((line) => (JSON.parse(line) as { level: number }).level);
      assert.deepEqual(
        lines.filter((_, index) => levels[index]! >= 50).map((line) => line.slice(0, 500)),
        [],
      );
      assert.ok(levels.length > 1000);
      assert.ok(!lines.join('').includes(app.adminToken));
    });

    const bodies: [name: string, body: string | Buffer, headers?: OutgoingHttpHeaders][] = [
      ['nothing', ''],
      ['half of an object', '{"organization": {'],
      ['a number that is none', '{"organization": {"maxDeviceCount": NaN}}'],
      ['a list', '[{"organization": {}}]'],
      ['lists in lists', '['.repeat(200_000)],
      ['objects in objects', `${'{"organization":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
      ['the wrapper twice', '{"organization": {"name": "good"}, "organization": null}'],
      ['another wrapper', '{"application": {"name": "good"}}'],
      [
        'bytes that are no text',
        Buffer.from('7b226f7267616e697a6174696f6e223a7b226e616d65223a22fffec328227d7d', 'hex'),
      ],
      ['a type that is none', '{}', { 'Content-Type': 'x' }],
      ['a form', 'organization=x', { 'Content-Type': 'application/x-www-form-urlencoded' }],
      ['a packed body', Buffer.from('1f8b0800', 'hex'), { 'Content-Encoding': 'gzip' }],
      ['more than a megabyte', `{"organization": {"displayName": "${'x'.repeat(1_100_000)}"}}`],
    ];
    for (const [name, body, headers] of bodies) {
      it(`refuses ${name} as a body`, async () => {
        const answer = await ask('POST', '/api/organizations', { body, headers: { ...headers, ...asAdmin() } });
        assert.equal(complaint(answer), undefined);
        assert.equal((JSON.parse(answer.text) as { code: number }).code, 3, answer.text);
      });
    }

    const queries = [
      'limit=1&limit=2',
      'limit=-1',
      'limit=1e9',
      'limit=9999999999999999999',
      'offset=-1',
      'limit[a]=1',
    ];
    for (const query of [...queries, 'limit=%00', 'search=%00', 'limit.a=1', 'search[a]=1'])
      it(`refuses ${query}`, async () => {
        const answer = await ask('GET', `/api/organizations?${query}`, { headers: asAdmin() });
        assert.equal((JSON.parse(answer.text) as { code: number }).code, 3, answer.text);
      });

    it('ignores unknown parameters', async () => {
      const unknown = [
        'a=b',
        '__proto__=x',
        'constructor[prototype]=x',
        '%zz=1',
        'a=%zz',
        '&&==',
        'tags[a]=b',
        'limit=0x0',
        'limit=10001',
      ];
      for (const query of unknown)
        assert.equal((await ask('GET', `/api/organizations?${query}`, { headers: asAdmin() })).status, 200, query);
    });
  });
}

describe('an invalid HTTP request', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(() => app[Symbol.asyncDispose]());

  function raw(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => socket.write(text));
      socket.on('data', (part) => (answer += part.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });
  }

  const unreadable: [name: string, text: string, sentence: RegExp][] = [
    ['noise', '\x16\x03\x01\r\n\r\n', /not valid HTTP/],
    ['an unknown method', 'STEAL /api/organizations HTTP/1.1\r\nHost: a\r\n\r\n', /not valid HTTP/],
    [
      'two lengths',
      'POST /api/internal/login HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /not valid HTTP/,
    ],
    ['a long address', `GET /${'x'.repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, /longer than 16 kB/],
    ['long headers', `GET / HTTP/1.1\r\nHost: a\r\nCookie: ${'x'.repeat(17_000)}\r\n\r\n`, /longer than 16 kB/],
  ];
  for (const [name, text, sentence] of unreadable) {
    it(`is answered with an error in the usual form: ${name}`, async () => {
      const answer = await raw(text);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/);
      assert.match(head, /Content-Security-Policy: default-src 'self'/);
      const { code, message } = JSON.parse(body) as { code: number; message: string };
      assert.equal(code, 3);
      assert.match(message, sentence);
    });
  }

  it('gets the headers of every answer when its path cannot be decoded', async () => {
    const { status, headers } = await app.fetch('/api/organizations/%zz');
    assert.deepEqual([status, headers.get('X-Frame-Options')], [404, 'DENY']);
  });

  it('does not reach files outside the console', async () => {
    for (const path of [
      '//evil.example/%2e%2e',
      '/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/a%00b',
      '/a\\..\\b',
    ])
      assert.ok(
        !(await raw(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).startsWith('HTTP/1.1 5'),
        path,
      );
    assert.match(
      await raw(`GET /${'x'.repeat(5000)}.js HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`),
      /^HTTP\/1\.1 404/,
    );
  });
});
