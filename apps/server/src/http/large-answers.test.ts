import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect as connectHTTP2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { grpcPath, operations } from '@hilltop/contract';
import { createApplication } from '../testing/factories.ts';
import { createPublishedClient } from '../testing/published-client.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { framed } from './grpc/messages.ts';
import { type AnswerSink, createLargeAnswers } from './large-answers.ts';

const usual = {
  building: { all: 3, each: 2 },
  waiting: { all: 3, each: 2 },
  unsentBytes: { all: 900_000, each: 600_000 },
};
const { list } = operations.device;
const longList = (address: string) => ({ operation: list, request: { limit: 1000 }, address });
const tooManyAnswers = { reason: 'TOO_MANY', seconds: 1 };

/** Builds that end when the test says so; `begun` names those that have started, in order. */
function manualBuilds(answers: ReturnType<typeof createLargeAnswers>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    start: (name: string, address: string) =>
      answers.build(longList(address), () => {
        begun.push(name);
        return new Promise<void>((resolve) => ends.set(name, resolve));
      }),
    end: async (name: string) => {
      ends.get(name)!();
      await new Promise(setImmediate);
    },
  };
}

class Sink extends EventEmitter implements AnswerSink {
  closed = false;

  close(): void {
    this.closed = true;
    this.emit('close');
  }
}

describe('long lists', () => {
  it('are built a few at a time, and addresses take turns', async () => {
    const { begun, start, end } = manualBuilds(createLargeAnswers(usual));
    const all = [
      start('a1', '192.0.2.1'),
      start('a2', '192.0.2.1'),
      start('a3', '192.0.2.1'),
      start('a4', '192.0.2.1'),
    ];
    all.push(start('b1', '192.0.2.2'), start('b2', '192.0.2.2'));
    await new Promise(setImmediate);
    assert.deepEqual(begun, ['a1', 'a2', 'b1']);
    await end('a1');
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3']);
    await end('a2');
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2']);
    await end('b1');
    assert.deepEqual(begun, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
    for (const name of ['a3', 'b2', 'a4']) await end(name);
    await Promise.all(all);
  });

  it('are refused when too many wait, and served again when fewer do', async () => {
    const { begun, start, end } = manualBuilds(createLargeAnswers(usual));
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => start(name, '192.0.2.1'));
    await new Promise(setImmediate);
    await assert.rejects(start('a5', '192.0.2.1'), tooManyAnswers);
    await end('a1');
    all.push(start('a6', '192.0.2.1'));
    for (const name of ['a2', 'a3', 'a4', 'a6']) await end(name);
    await Promise.all(all);
    assert.deepEqual(begun, ['a1', 'a2', 'a3', 'a4', 'a6']);
  });

  it('release their slot when building fails', async () => {
    const answers = createLargeAnswers(usual);
    for (let round = 0; round < 5; round += 1)
      await assert.rejects(answers.build(longList('192.0.2.1'), () => Promise.reject(new Error('no database'))));
    assert.equal(await answers.build(longList('192.0.2.1'), () => Promise.resolve(1)), 1);
  });

  it('delay neither short lists nor changes', async () => {
    const answers = createLargeAnswers(usual);
    const { start, end } = manualBuilds(answers);
    const all = ['a1', 'a2', 'a3', 'a4'].map((name) => start(name, '192.0.2.1'));
    await new Promise(setImmediate);
    const short = { ...longList('192.0.2.1'), request: { limit: 100 } };
    assert.equal(await answers.build(short, () => Promise.resolve('short')), 'short');
    const change = { ...longList('192.0.2.1'), operation: operations.device.create };
    assert.equal(await answers.build(change, () => Promise.resolve('change')), 'change');
    for (const name of ['a1', 'a2', 'a3', 'a4']) await end(name);
    await Promise.all(all);
  });
});

describe('bytes of unsent answers', () => {
  it('are limited for each address and in total, and released when the answer closes', () => {
    const answers = createLargeAnswers(usual);
    const [first, second] = [new Sink(), new Sink()];
    answers.reserve(first, '192.0.2.1', 600_000);
    assert.throws(() => answers.reserve(new Sink(), '192.0.2.1', 70_000), tooManyAnswers);
    answers.reserve(second, '192.0.2.2', 300_000);
    assert.throws(() => answers.reserve(new Sink(), '192.0.2.3', 70_000), tooManyAnswers);
    first.close();
    answers.reserve(new Sink(), '192.0.2.1', 600_000);
  });

  it('of small answers, and of answers whose connection has closed, are not counted', () => {
    const answers = createLargeAnswers(usual);
    for (let count = 0; count < 100; count += 1) answers.reserve(new Sink(), '192.0.2.1', 60_000);
    const closed = new Sink();
    closed.close();
    answers.reserve(closed, '192.0.2.1', 600_000);
    answers.reserve(new Sink(), '192.0.2.1', 600_000);
  });
});

describe('clients that do not read large answers', () => {
  const { list: applications } = operations.application;
  /** Answers of 4.4 MB each: together more than one address may leave unread. */
  const unread = 9;
  let app: TestApp;
  before(async () => {
    app = await startTestApp('sqlite');
    const { database } = app.parts;
    const id = await createApplication(app, { name: 'first', description: 'x'.repeat(4096) });
    const first = await database.query
      .selectFrom('application')
      .selectAll()
      .where('id', '=', Number(id))
      .executeTakeFirstOrThrow();
    const { id: _own, ...row } = first;
    for (let from = 0; from < 1000; from += 100)
      await database.query
        .insertInto('application')
        .values(Array.from({ length: 100 }, (_, index) => ({ ...row, name: `more-${from + index}` })))
        .execute();
  });
  after(() => app[Symbol.asyncDispose]());

  const longListOf = () => app.fetch('/api/applications?limit=1000', { headers: bearer() });
  const bearer = () => ({ 'Grpc-Metadata-Authorization': `Bearer ${app.adminToken}` });

  async function readsAgain(): Promise<void> {
    // The server notices a closed connection a moment later.
    let response = await longListOf();
    while (response.status === 429) {
      await response.text();
      await new Promise(setImmediate);
      response = await longListOf();
    }
    assert.equal(((await response.json()) as { result: unknown[] }).result.length, 1000);
  }

  /** Sends the request and reads only the first bytes of the answer. */
  async function neverRead(): Promise<{ socket: Socket; status: string }> {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname);
    const lines = ['GET /api/applications?limit=1000 HTTP/1.1', 'Host: x', `Authorization: Bearer ${app.adminToken}`];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    await once(socket, 'readable');
    return { socket, status: (socket.read(12) as Buffer).toString() };
  }

  it('are refused further answers with 429 by REST until they close', async () => {
    const clients = await Promise.all(Array.from({ length: unread }, neverRead));
    const statuses = new Set(clients.map(({ status }) => status));
    assert.deepEqual(statuses, new Set(['HTTP/1.1 200', 'HTTP/1.1 429']));
    const response = await longListOf();
    const { message } = (await response.json()) as { message: string };
    assert.deepEqual(
      [response.status, response.headers.get('retry-after'), message],
      [429, '1', 'Too many large answers under way. Try again in 1 s.'],
    );
    assert.equal((await app.call(operations.application.list, { limit: 1 })).totalCount, '1001');
    for (const { socket } of clients) socket.destroy();
    await readsAgain();
  });

  it('are refused further answers with code 8 by gRPC until they close', async () => {
    const session = connectHTTP2(app.url);
    const headers = {
      ':method': 'POST',
      ':path': grpcPath(applications),
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: app.adminToken,
    };
    // Field 1 of the request is the limit.
    const request = framed(Uint8Array.of(0x08, 0xe8, 0x07));
    const streams = Array.from({ length: unread }, () => session.request(headers).end(request));
    await Promise.all(streams.map((stream) => once(stream, 'response')));
    using client = createPublishedClient(app.url);
    await assert.rejects(client.call(applications, { limit: 1000 }, app.adminToken), {
      code: 8,
      message: /Too many large answers under way\. Try again in 1 s\./,
    });
    session.destroy();
    await readsAgain();
  });
});
