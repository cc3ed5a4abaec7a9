import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { allOperations, isPublic, operations } from '@hilltop/contract';
import { createQuota } from '../connections/quota.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { collectBody } from './collect-body.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

describe('bodies of requests', () => {
  let app: TestApp;
  const open: Socket[] = [];
  before(async () => {
    app = await startTestApp('sqlite');
  });
  after(async () => {
    for (const socket of open) socket.destroy();
    await app[Symbol.asyncDispose]();
  });

  const post = async (path: string, method: string, bytes: number) => {
    const response = await app.fetch(path, { method, body: ' '.repeat(bytes) });
    return [response.status, await response.text()] as const;
  };

  /** The first answer to a body that stops before its last byte. */
  async function unfinished(path: string, bytes: number): Promise<string> {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    open.push(socket);
    socket.on('error', () => undefined);
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${bytes + 1}\r\n\r\n`);
    socket.write(' '.repeat(bytes));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return String(answer);
  }

  it('have 16 KB at most where the call needs no token', async () => {
    for (const { path, method } of allOperations.filter((one) => isPublic(one) && one.method !== 'GET')) {
      const [status, text] = await post(path, method, 16 * kilobyte + 1);
      assert.equal(status, 400, path);
      assert.match(text, /larger than 16 KB/, path);
    }
    assert.match((await post('/api/internal/logout', 'POST', 16 * kilobyte + 1))[1], /larger than 16 KB/);
    assert.match((await post(operations.internal.login.path, 'POST', 16 * kilobyte))[1], /not valid JSON/);
    assert.match(await unfinished(operations.internal.login.path, megabyte - 10), /larger than 16 KB/);
  });

  it('have 16 MB of one address at most while they arrive, and a body that arrives at once is not refused', async () => {
    const bodies = Array.from({ length: 20 }, () => unfinished(operations.organization.create.path, megabyte - 10));
    const answer = await Promise.race(bodies);
    assert.match(answer, /^HTTP\/1.1 429 .*\r\n/);
    assert.match(answer, /Too many concurrent calls from this address/);
    assert.equal((await app.fetch(operations.internal.login.path, { method: 'POST', body: '{}' })).status, 401);
  });
});

describe('collecting a body', () => {
  const limits = () => ({
    quota: createQuota({ all: 10, each: 10 }),
    operation: operations.device.create,
    address: '::1',
  });
  const bodyOf = (headers = {}) => Object.assign(new PassThrough(), { headers });

  it('counts its bytes until it has arrived', async () => {
    const given = limits();
    const body = bodyOf();
    const collected = collectBody(body, given);
    const arrived = once(body, 'data');
    body.write('abc');
    await arrived;
    assert.equal(given.quota.total(), 3);
    body.end('de');
    assert.equal(String(await collected), 'abcde');
    assert.equal(given.quota.total(), 0);
  });

  it('counts its bytes no more when it was refused, cut off or has a wrong length', async () => {
    const given = limits();
    const tooMuch = bodyOf();
    const refused = assert.rejects(collectBody(tooMuch, given), { reason: 'TOO_MUCH_AT_ONCE' });
    tooMuch.write('abcdefgh');
    tooMuch.write('abcdefgh');
    await refused;
    const cut = bodyOf();
    const gone = assert.rejects(collectBody(cut, given), { reason: 'WRONG_LENGTH' });
    cut.write('abc');
    cut.destroy();
    await gone;
    const short = bodyOf({ 'content-length': '9' });
    const wrong = assert.rejects(collectBody(short, given), { reason: 'WRONG_LENGTH' });
    short.end('abc');
    await wrong;
    assert.equal(given.quota.total(), 0);
  });
});
