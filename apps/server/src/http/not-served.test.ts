import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { notServed } from '@hilltop/contract';
import { pino } from 'pino';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

describe('calls that are not implemented', () => {
  let app: TestApp;
  const lines: { level: string; msg: string }[] = [];
  before(async () => {
    const write = (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]);
    const log = pino({ level: 'info', formatters: { level: (level) => ({ level }) } }, { write });
    app = await startTestApp('sqlite', {}, { log });
  });
  after(() => app[Symbol.asyncDispose]());

  for (const { rpc, service, method, path } of notServed)
    it(`${service} ${rpc} answers code 12 as JSON`, async () => {
      const answer = await app.fetch(path.replace(/\{[^}]+\}/g, '7'), { method });
      assert.equal(answer.status, 501);
      assert.match(String(answer.headers.get('Content-Type')), /^application\/json/);
      const { code, error, message } = (await answer.json()) as { code: number; error: string; message: string };
      assert.deepEqual([code, error], [12, message]);
    });

  it('refuse other methods on their paths', async () => {
    const answer = await app.fetch('/api/fuota-deployments/7', { method: 'PATCH' });
    assert.equal(answer.status, 405);
  });

  it('are not logged as errors', async () => {
    await app.fetch('/api/fuota-deployments');
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    );
  });
});
