import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settings } from '../config.ts';
import { startTestApp } from '../testing/test-app.ts';

describe('figures for Prometheus', () => {
  const rows: [name: string, environment: Record<string, string>, headers: Record<string, string>, status: number][] = [
    ['this machine', {}, {}, 200],
    ['somebody behind a proxy nobody named', {}, { 'X-Forwarded-For': '127.0.0.1' }, 403],
    ['somebody behind a trusted proxy', { trustProxy: '127.0.0.1' }, { 'X-Forwarded-For': '192.0.2.7' }, 403],
    [
      'who is named, behind a trusted proxy',
      { trustProxy: '127.0.0.1', metricsAllow: '192.0.2.0/24' },
      { 'X-Forwarded-For': '192.0.2.7' },
      200,
    ],
    ['anybody else', { metricsAllow: '192.0.2.0/24' }, {}, 403],
  ];
  for (const [name, environment, headers, status] of rows)
    it(`answer ${status} to ${name}`, async () => {
      await using app = await startTestApp('sqlite', environment);
      const answer = await app.fetch('/metrics', { headers });
      assert.equal(answer.status, status);
      assert.equal((await answer.text()).includes('hilltop_'), status === 200);
    });
});

describe('listeners for machines', () => {
  it('are on this machine alone unless they are set', () => {
    assert.deepEqual(settings.parse({}).grpc, { host: '127.0.0.1', port: 8001 });
  });
});
