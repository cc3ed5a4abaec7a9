import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { systemClock } from '../clock.ts';
import { instanceCount } from '../testing/databases.ts';
import { createAPIKey } from '../testing/factories.ts';
import { refused } from '../testing/refused.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

const { internal, organization } = operations;

describe('rate limit', () => {
  let now = 0;
  let app: TestApp;
  before(async () => {
    const clock = { ...systemClock, monotonicMs: () => now };
    app = await startTestApp('sqlite', { rateLimit: '2', trustProxy: '127.0.0.0/8' }, { clock });
  });
  after(() => app[Symbol.asyncDispose]());

  const profile = (token: string | null) => app.call(internal.profile, {}, token);

  // It sets the clock of its server; several instances use the clock of Redis.
  if (instanceCount === 0)
    it('slows down one session or key and no others, and answers how long to wait', async () => {
      const { token: key } = await createAPIKey(app, { isAdmin: true });
      const list = (token: string) => app.call(organization.list, {}, token);
      const other = await app.signIn('admin@hilltop.local', 'test password');
      for (let i = 0; i < 10; i++) await list(key);
      const { httpStatus, message } = await refused(8, list(key));
      assert.equal(httpStatus, 429);
      assert.match(message, /Too many calls\. Try again in 1 s\./);
      await profile(other);
      now += 500;
      await list(key);
      await refused(8, list(key));
    });

  it('counts calls without a valid session by the address that the proxy reports', async () => {
    const settings = (address: string) =>
      app.fetch('/api/internal/settings', { headers: { 'X-Forwarded-For': `198.51.100.9, ${address}` } });
    const withBadToken = (address: string) =>
      app.fetch('/api/internal/profile', {
        headers: { 'X-Forwarded-For': address, Authorization: crypto.randomUUID() },
      });
    for (let i = 0; i < 500; i++) {
      assert.equal((await settings('192.0.2.1')).status, 200);
      assert.equal((await withBadToken('192.0.2.1')).status, 401);
    }
    const answer = await settings('192.0.2.1');
    assert.equal(answer.status, 429);
    assert.equal(answer.headers.get('Retry-After'), '1');
    assert.equal((await withBadToken('192.0.2.1')).status, 429);
    assert.equal((await settings('192.0.2.2')).status, 200);
  });
});

describe('addresses', () => {
  it('come from headers only with a trusted proxy', async () => {
    const clock = { ...systemClock, monotonicMs: () => 0 };
    for (const [trustProxy, status] of [
      ['', 429],
      ['10.0.0.0/8', 429],
      ['127.0.0.1', 401],
    ] as const) {
      await using app = await startTestApp('sqlite', { trustProxy }, { clock });
      const guess = (n: number) =>
        app.fetch('/api/internal/login', {
          method: 'POST',
          headers: { 'X-Forwarded-For': `192.0.2.${n}` },
          body: JSON.stringify({ email: `user-${n}@example.org`, password: 'wrong password' }),
        });
      for (let n = 1; n <= 30; n++) assert.equal((await guess(n)).status, 401);
      assert.equal((await guess(31)).status, status, trustProxy);
    }
  });
});
