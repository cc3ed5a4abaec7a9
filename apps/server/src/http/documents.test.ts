import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { startTestApp } from '../testing/test-app.ts';
import { serveDocuments } from './documents.ts';
import { serveConsole } from './static.ts';

describe('the built documents', () => {
  let folder: string;
  let app: FastifyInstance;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hilltop-documents-'));
    const docs = join(folder, 'docs');
    const console = join(folder, 'console');
    for (const path of [docs, join(docs, 'assets'), join(docs, 'decisions'), console]) await mkdir(path);
    await writeFile(join(console, 'index.html'), '<title>console</title>');
    await writeFile(join(docs, 'index.html'), '<title>Overview</title>');
    await writeFile(join(docs, 'quick-start.html'), '<title>Quick start</title>');
    await writeFile(join(docs, 'quick-start.html.br'), 'packed');
    await writeFile(join(docs, 'decisions', 'index.html'), '<title>Decisions</title>');
    await writeFile(join(docs, 'decisions', '0001.html'), '<title>0001 Effects</title>');
    await writeFile(join(docs, '404.html'), '<title>No such page</title><a href="/docs/">index</a>');
    await writeFile(join(docs, 'assets', 'docs-abc123.css'), 'body {}');
    await writeFile(join(folder, 'secret.html'), 'secret');
    app = Fastify();
    await serveDocuments(app, docs);
    await serveConsole(app, console);
  });
  after(async () => {
    await app.close();
    await rm(folder, { recursive: true });
  });

  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  it('answer each page at its address, with and without a slash at the end', async () => {
    for (const [url, title] of [
      ['/docs', 'Overview'],
      ['/docs/', 'Overview'],
      ['/docs/?from=console', 'Overview'],
      ['/docs/quick-start', 'Quick start'],
      ['/docs/quick-start/', 'Quick start'],
      ['/docs/decisions/', 'Decisions'],
      ['/docs/decisions/0001', '0001 Effects'],
    ] as const) {
      const { statusCode, body, headers } = await get(url);
      assert.deepEqual([statusCode, headers['cache-control']], [200, 'no-cache'], url);
      assert.match(String(headers['content-type']), /^text\/html/);
      assert.match(body, new RegExp(`<title>${title}</title>`), url);
    }
  });

  it('are compressed where a browser accepts it, and cached where the name has a hash', async () => {
    const packed = await get('/docs/quick-start', { 'accept-encoding': 'br, gzip' });
    assert.deepEqual([packed.body, packed.headers['content-encoding']], ['packed', 'br']);
    const styles = await get('/docs/assets/docs-abc123.css');
    assert.equal(styles.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(String(styles.headers['content-type']), /^text\/css/);
  });

  it('answer an unknown page with status 404 and a link to the index', async () => {
    for (const url of ['/docs/nothing', '/docs/decisions/9999', '/docs/..%2fsecret', '/docs/a//b']) {
      const { statusCode, body } = await get(url);
      assert.equal(statusCode, 404, url);
      assert.match(body, /<a href="\/docs\/">index<\/a>/, url);
    }
    assert.equal((await app.inject({ method: 'POST', url: '/docs/quick-start' })).statusCode, 404);
  });

  it('name the build command when they are missing', async () => {
    const bare = Fastify();
    await serveDocuments(bare, join(folder, 'nothing'));
    const { statusCode, body } = await bare.inject({ url: '/docs/quick-start' });
    assert.equal(statusCode, 404);
    assert.match(body, /npm run build/);
  });

  it('are served by the server without sign-in and with its security headers', async () => {
    await using server = await startTestApp('sqlite');
    const answer = await server.fetch('/docs/quick-start');
    assert.match(await answer.text(), /<title>Quick start · Hilltop<\/title>|The documents have not been built/);
    assert.match(String(answer.headers.get('content-security-policy')), /style-src 'self';/);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  });
});
