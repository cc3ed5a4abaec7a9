import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { allOperations, documentNames, operations } from '@hilltop/contract';
import { pino } from 'pino';
import { createFakeClock } from '../../../../packages/network-server/src/testing/fake-clock.ts';
import { createAPIKey } from '../testing/factories.ts';
import { createSurroundings } from '../testing/field.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

describe('the HTTP server', () => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite', {
      mapTilesURL: 'https://tiles.example.org/{z}/{x}/{y}.png',
      brandingFooter: '<img src="https://logos.example.org/a.png" alt="Farm"><script src="https://evil.example/x.js">',
    });
  });
  after(() => app[Symbol.asyncDispose]());

  const asAdmin = (init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { 'Grpc-Metadata-Authorization': `Bearer ${app.adminToken}` },
  });
  const answer = async (path: string, init?: RequestInit) => {
    const response = await app.fetch(path, init);
    return {
      status: response.status,
      type: response.headers.get('Content-Type')?.split(';')[0],
      text: await response.text(),
    };
  };

  it('answers unknown addresses below /api as plain text', async () => {
    for (const path of ['/api/', '/api/nothing', '/api/devices/x/y/z', '/swagger/none.json'])
      assert.deepEqual(await answer(path), { status: 404, type: 'text/plain', text: 'Not Found' });
    assert.equal((await answer('/api/nothing', { method: 'POST' })).status, 404);
    assert.equal((await answer('/api/organizations/%zz')).status, 404);
  });

  it('answers known addresses with a wrong method as plain text', async () => {
    for (const method of ['PATCH', 'DELETE', 'OPTIONS'])
      assert.deepEqual(await answer('/api/organizations', { method }), {
        status: 405,
        type: 'text/plain',
        text: 'Method Not Allowed',
      });
    assert.equal((await answer('/api/internal/login')).status, 405);
    assert.equal((await answer('/api/devices/0102030405060708/keys?x=1', { method: 'PATCH' })).status, 405);
    assert.equal((await answer('/api/devices//keys', { method: 'PATCH' })).status, 404);
  });

  it('answers HEAD as GET, without the body', async () => {
    const [get, head] = await Promise.all(
      ['GET', 'HEAD'].map((method) => app.fetch('/api/internal/settings', { method })),
    );
    assert.deepEqual([head!.status, await head!.text()], [200, '']);
    assert.equal(head!.headers.get('Content-Length'), String((await get!.text()).length));
  });

  it('refuses a body that is not JSON with code 3, and does not treat it as an empty message', async () => {
    const post = (body: string) => answer('/api/organizations', asAdmin({ method: 'POST', body }));
    for (const body of ['{', '[]', '"text"', 'null x', '{"organization": 5}', '{"organization": {"name": {}}}', '']) {
      const { status, type, text } = await post(body);
      assert.equal(status, 400, body);
      assert.equal(type, 'application/json');
      const { code, error, message, details } = JSON.parse(text) as Record<string, unknown>;
      assert.equal(code, 3);
      assert.equal(error, message);
      assert.ok(Array.isArray(details));
    }
  });

  it('does not quote a body that it could not parse', async () => {
    for (const body of [
      '{"password": hunter22}',
      '{"password": "hunter22',
      '{"password":"hunter22\n"}',
      'hunter22hunter22',
    ]) {
      const { status, text } = await answer('/api/internal/login', { method: 'POST', body });
      assert.equal(status, 400);
      assert.doesNotMatch(text, /hunter22|unter2/);
    }
  });

  it('names the invalid fields', async () => {
    const { text } = await answer(
      '/api/organizations',
      asAdmin({ method: 'POST', body: '{"organization": {"name": "two words"}}' }),
    );
    const { details } = JSON.parse(text) as { details: { fieldViolations: { field: string }[] }[] };
    assert.equal(details[0]?.fieldViolations[0]?.field, 'organization.name');
  });

  it('accepts both spellings of fields and any content type', async () => {
    const body = JSON.stringify({
      organization: { name: 'spelling', display_name: 'Spelling', can_have_gateways: true },
    });
    const created = await app.fetch('/api/organizations', {
      method: 'POST',
      body,
      headers: { Authorization: app.adminToken, 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    const { id } = (await created.json()) as { id: string };
    const { text } = await answer(`/api/organizations/${id}`, asAdmin());
    assert.equal((JSON.parse(text) as { organization: { displayName: string } }).organization.displayName, 'Spelling');
  });

  it('refuses bodies above 1 MB', async () => {
    const { status, text } = await answer(
      '/api/organizations',
      asAdmin({ method: 'POST', body: ' '.repeat(1_100_000) }),
    );
    assert.equal(status, 400);
    assert.match(text, /larger than 1 MB/);
  });

  it('compresses long answers for clients that accept it', async () => {
    const payloadDecoderScript = 'long '.repeat(4000);
    const { serviceProfileID, organizationID } = await createSurroundings(app);
    const { id } = await app.call(operations.application.create, {
      application: { name: 'long', payloadDecoderScript, serviceProfileID, organizationID },
    });
    for (const [accepted, encoding] of [
      ['gzip', 'gzip'],
      ['identity', null],
      ['gzip;q=0', null],
    ] as const) {
      const headers = { Authorization: app.adminToken, 'Accept-Encoding': accepted };
      const response = await app.fetch(`/api/applications/${id}`, { headers });
      assert.equal(response.headers.get('Content-Encoding'), encoding);
      assert.equal(
        ((await response.json()) as { application: { payloadDecoderScript: string } }).application.payloadDecoderScript,
        payloadDecoderScript,
      );
    }
  });

  it('packs no answer of less than 16 kB', async () => {
    const { serviceProfileID, organizationID } = await createSurroundings(app);
    const { id } = await app.call(operations.application.create, {
      application: { name: 'almost-long', description: '', serviceProfileID, organizationID },
    });
    const encodingOf = async (payloadDecoderScript: string) => {
      const { application } = await app.call(operations.application.get, { id });
      await app.call(operations.application.update, { application: { ...application, payloadDecoderScript } });
      const response = await app.fetch(`/api/applications/${id}`, {
        headers: { Authorization: app.adminToken, 'Accept-Encoding': 'gzip' },
      });
      return { encoding: response.headers.get('Content-Encoding'), length: (await response.text()).length };
    };
    const { length } = await encodingOf('');
    const room = 16 * 1024 - length;
    assert.deepEqual(await encodingOf('x'.repeat(room - 1)), { encoding: null, length: 16 * 1024 - 1 });
    assert.deepEqual(await encodingOf('x'.repeat(room)), { encoding: 'gzip', length: 16 * 1024 });
  });

  it('gives each answer its own request id', async () => {
    const ids = new Set<string>();
    for (let i = 0; i < 3; i++)
      ids.add((await app.fetch('/api/internal/settings')).headers.get('Grpc-Metadata-Ctx-Id')!);
    assert.equal(ids.size, 3);
    for (const id of ids) assert.match(id, /^[0-9a-f-]{36}$/);
  });

  it('restricts what browsers may do with its pages', async () => {
    const { headers } = await app.fetch('/api/internal/settings');
    const policy = headers.get('Content-Security-Policy') ?? '';
    assert.match(policy, /script-src 'self' 'wasm-unsafe-eval';/);
    assert.match(policy, /img-src 'self' data: blob: https:\/\/tiles\.example\.org https:\/\/logos\.example\.org;/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /'unsafe-/);
    assert.equal(headers.get('X-Content-Type-Options'), 'nosniff');
    assert.equal(headers.get('X-Frame-Options'), 'DENY');
    // A nonce allows the page's own styles.
    const policyOf = async (path: string) =>
      (await app.fetch(path)).headers.get('Content-Security-Policy')?.replace(/ 'nonce-[^']+'/, '');
    for (const path of [
      '/',
      '/api',
      '/api/nothing',
      '/swagger/api.swagger.json',
      '/swagger/console.js',
      '/health',
      '/x.png',
    ])
      assert.equal(await policyOf(path), policy, path);
    const broken = await app.fetch('/api/organizations', { method: 'POST', body: '{' });
    assert.equal(broken.headers.get('Content-Security-Policy'), policy);
  });

  it('serves every definition document, and answers 304 when it has not changed', async () => {
    for (const name of [...documentNames, 'api']) {
      const path = `/swagger/${name}.swagger.json`;
      const first = await app.fetch(path);
      const document = (await first.json()) as { swagger: string; paths: object };
      assert.equal(document.swagger, '2.0');
      const etag = first.headers.get('ETag')!;
      for (const [tags, status] of [
        [etag, 304],
        [`"other", W/${etag}`, 304],
        ['"other"', 200],
      ] as const)
        assert.equal((await app.fetch(path, { headers: { 'If-None-Match': tags } })).status, status, tags);
    }
  });

  it('has an API console without inline script', async () => {
    const { status, type, text } = await answer('/api');
    assert.deepEqual([status, type], [200, 'text/html']);
    assert.doesNotMatch(text, /<script(?![^>]*src=)/);
    for (const [, path] of text.matchAll(/(?:src|href)="(\/swagger\/console[^"]*)"/g))
      assert.equal((await answer(path!)).status, 200);
  });

  it('tells the console the address of the map tiles', async () => {
    const { text } = await answer('/map.json');
    assert.deepEqual(JSON.parse(text), {
      tiles: { url: 'https://tiles.example.org/{z}/{x}/{y}.png', attribution: '' },
    });
  });

  it('reports its health and metrics', async () => {
    assert.deepEqual(await answer('/health'), { status: 200, type: 'text/plain', text: '' });
    await answer('/api/internal/settings');
    const { text } = await answer('/metrics');
    assert.match(text, /hilltop_api_call_seconds_count\{operation="internal.settings",status="200"\} \d+/);
    assert.match(text, /hilltop_process_resident_memory_bytes \d+/);
  });

  it('logs one line per call with the caller, never with a token', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
    await using logged = await startTestApp('sqlite', {}, { log });
    const { id, token } = await createAPIKey(logged, { isAdmin: true });
    await logged.call(operations.organization.list, {}, token);
    await refused(16, logged.call(operations.organization.list, {}, `${token}x`));
    const callers = lines
      .map((line) => JSON.parse(line) as { msg: string; operation: string; caller?: string; status: number })
      .filter(({ msg }) => msg === 'call')
      .map(({ operation, caller, status }) => [operation, caller, status]);
    assert.deepEqual(callers, [
      ['internal.login', undefined, 200],
      ['internal.createAPIKey', 'user 1', 200],
      ['organization.list', `API key ${id}`, 200],
      ['organization.list', undefined, 401],
    ]);
    for (const secret of [token, logged.adminToken]) assert.ok(!lines.join('').includes(secret.slice(0, -1)));
  });

  it('logs ten refused calls of unknown callers and ten refused sign-ins a second, and counts all', async () => {
    const lines: { msg: string; status?: number; kind?: string; leftOut?: number }[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line) as never) });
    const clock = createFakeClock(Date.now());
    await using logged = await startTestApp('sqlite', {}, { log, clock });
    lines.splice(0);
    for (let n = 0; n < 15; n++) {
      assert.equal((await logged.fetch('/api/organizations')).status, 401);
      const body = `{"email": "${n}@example.org", "password": "wrong"}`;
      assert.equal((await logged.fetch('/api/internal/login', { method: 'POST', body })).status, 401);
    }
    await logged.call(operations.organization.list, {});
    const count = (text: string) => lines.filter(({ msg, status }) => msg === text && status !== 200).length;
    assert.deepEqual([count('call'), count('sign-in refused')], [10, 10]);
    assert.equal(lines.filter(({ msg, status }) => msg === 'call' && status === 200).length, 1);
    await clock.advance(1000);
    const leftOut = lines.flatMap(({ kind, leftOut: some }) => (some === undefined ? [] : [[kind, some]]));
    assert.deepEqual(leftOut, [
      ['refused calls of unknown callers', 20],
      ['refused sign-ins', 5],
    ]);
    const metrics = await (await logged.fetch('/metrics')).text();
    assert.match(metrics, /hilltop_api_call_seconds_count\{operation="internal.login",status="401"\} 15/);
  });

  it('does not log an upload that the client cuts off as a failure', async () => {
    const levels: number[] = [];
    const written = new EventEmitter();
    const write = (text: string) => {
      const line = JSON.parse(text) as { msg: string; level: number };
      if (/^call (failed|refused)$/.test(line.msg)) {
        levels.push(line.level);
        written.emit('line');
      }
    };
    await using logged = await startTestApp('sqlite', {}, { log: pino({ level: 'debug' }, { write }) });
    const { hostname, port } = new URL(logged.url);
    const socket = connect(Number(port), hostname);
    const line = once(written, 'line');
    const head = `POST /api/internal/login HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 1000`;
    socket.write(`${head}\r\nExpect: 100-continue\r\n\r\n{"email"`);
    // The server reads the body.
    await once(socket, 'data');
    socket.destroy();
    await line;
    assert.deepEqual(levels, [20]);
  });

  it('refuses all operations without a session except public ones', async () => {
    const open = allOperations.filter((operation) =>
      operation.access.cases.every((one) => one.allow.includes('public')),
    );
    assert.deepEqual(open.map((operation) => operation.key).sort(), [
      'alertReceiver.confirm',
      'alertReceiver.getSubscription',
      'alertReceiver.unsubscribe',
      'internal.login',
      'internal.openIDConnectLogin',
      'internal.settings',
      'invitation.preview',
      'invitation.register',
      'session.getSignInPage',
    ]);
    const closed = allOperations.filter((operation) => !open.includes(operation) && !operation.stream);
    for (const operation of closed) {
      const path = operation.path.replaceAll(/\{[^}]*id\}/gi, '1').replaceAll(/\{[^}]*\}/g, '0102030405060708');
      const response = await app.fetch(path, {
        method: operation.method,
        ...(operation.method !== 'GET' && { body: '{}' }),
      });
      assert.equal(response.status, 401, operation.key);
    }
  });
});
