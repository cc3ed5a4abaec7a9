import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestApp } from '../testing/test-app.ts';

describe('security headers', () => {
  it('allow only styles that the server sent or marked with a nonce', async () => {
    await using app = await startTestApp('sqlite');
    for (const path of ['/api/users', '/swagger/api.swagger.json', '/api', '/', '/health']) {
      const { headers } = await app.fetch(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      assert.match(policy, /style-src 'self'(;| 'nonce-)/, path);
      assert.doesNotMatch(policy, /'unsafe-/, path);
      assert.match(headers.get('Permissions-Policy') ?? '', /camera=\(self\), /, path);
    }
  });

  it('prevent caching of personal answers', async () => {
    await using app = await startTestApp('sqlite');
    const authorization = { 'Grpc-Metadata-Authorization': `Bearer ${app.adminToken}` };
    for (const [path, status] of [
      ['/api/internal/profile', 200],
      ['/api/users/99', 404],
      ['/api/nothing', 404],
      ['/auth/oidc/login', 404],
    ] as const) {
      const answer = await app.fetch(path, { headers: authorization });
      assert.deepEqual([answer.status, answer.headers.get('Cache-Control')], [status, 'no-store'], path);
    }
    const signIn = await app.fetch('/api/internal/login', { method: 'POST', body: '{"email":"a@b.c","password":"d"}' });
    assert.equal(signIn.headers.get('Cache-Control'), 'no-store');
  });

  it('require TLS for a year when a trusted proxy uses it', async () => {
    for (const [trustProxy, forwarded, expected] of [
      ['', 'https', null],
      ['10.0.0.0/8', 'https', null],
      ['127.0.0.1', 'http', null],
      ['127.0.0.1', 'https', 'max-age=31536000; includeSubDomains'],
    ] as const) {
      await using app = await startTestApp('sqlite', { trustProxy });
      for (const path of ['/', '/api/users', '/swagger/user.swagger.json']) {
        const { headers } = await app.fetch(path, { headers: { 'X-Forwarded-Proto': forwarded } });
        assert.equal(headers.get('Strict-Transport-Security'), expected, `${trustProxy} ${path}`);
      }
    }
  });
});
