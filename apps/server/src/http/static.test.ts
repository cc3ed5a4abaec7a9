import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import Fastify, { type FastifyInstance } from 'fastify';
import { serveConsole } from './static.ts';

describe('the console files', () => {
  let dir: string;
  let app: FastifyInstance;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'hilltop-static-'));
    await mkdir(join(dir, 'assets'));
    await writeFile(join(dir, 'index.html'), '<meta nonce="%STYLE_NONCE%"><title>console</title>');
    await writeFile(join(dir, 'assets', 'app-abc123.js'), 'plain');
    await writeFile(join(dir, 'assets', 'app-abc123.js.br'), 'packed');
    app = Fastify();
    app.addHook('onRequest', async (_request, reply) => {
      reply.header('Content-Security-Policy', "default-src 'none'; style-src 'self'; img-src 'self'");
    });
    await serveConsole(app, dir);
  });
  after(async () => {
    await app.close();
    await rm(dir, { recursive: true });
  });

  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

  it('are sent compressed, and cached permanently when their name has a hash', async () => {
    const packed = await get('/assets/app-abc123.js', { 'accept-encoding': 'br, gzip' });
    assert.deepEqual([packed.body, packed.headers['content-encoding']], ['packed', 'br']);
    assert.equal(packed.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(String(packed.headers['content-type']), /javascript/);
    const plain = await get('/assets/app-abc123.js');
    assert.deepEqual([plain.body, plain.headers['content-encoding']], ['plain', undefined]);
  });

  it('are read from the disk once', async () => {
    const file = join(dir, 'assets', 'small-abc123.css');
    await writeFile(file, 'body {}');
    const other = Fastify();
    await serveConsole(other, dir);
    const send = () => other.inject({ url: '/assets/small-abc123.css', headers: { 'accept-encoding': 'br' } });
    const first = await send();
    await rm(file);
    const second = await send();
    await other.close();
    assert.deepEqual([first.statusCode, second.statusCode, second.body], [200, 200, 'body {}']);
    assert.match(String(second.headers['content-type']), /^text\/css/);
    assert.deepEqual(
      [second.headers['cache-control'], second.headers['vary'], second.headers['content-encoding']],
      ['public, max-age=31536000, immutable', 'accept-encoding', undefined],
    );
  });

  it('answer every screen with the one page, which is never cached', async () => {
    for (const url of ['/', '/login', '/organizations/1/applications/2?page=3']) {
      const { statusCode, body, headers } = await get(url);
      assert.deepEqual([statusCode, headers['cache-control'], headers.etag], [200, 'no-cache', undefined]);
      assert.match(body, /<title>console<\/title>$/);
    }
  });

  it('allow the styles of the page by a nonce that changes each time', async () => {
    const pages = await Promise.all(['/', '/', '/index.html', '/login'].map((url) => get(url)));
    const nonces = pages.map(({ body, headers }) => {
      const [, nonce] = /nonce="([A-Za-z0-9+/]{24})"/.exec(body) ?? [];
      const policy = `default-src 'none'; style-src 'self' 'nonce-${nonce}'; img-src 'self'`;
      assert.equal(headers['content-security-policy'], policy);
      return nonce;
    });
    assert.equal(new Set(nonces).size, 4);
  });

  it('are not served for addresses that are no screens', async () => {
    for (const url of [
      '/api/x',
      '/swagger/x',
      '/auth/oidc/login',
      '/assets/old-123.js',
      '/robots.txt',

      '/..%2fsecret.txt',
    ])
      assert.equal((await get(url)).statusCode, 404, url);
    assert.equal((await app.inject({ method: 'POST', url: '/login' })).statusCode, 404);
  });

  it('report when they have not been built', async () => {
    const bare = Fastify();
    await serveConsole(bare, join(dir, 'nothing'));
    const { statusCode, body } = await bare.inject({ url: '/' });
    assert.equal(statusCode, 404);
    assert.match(body, /npm run build/);
  });
});
