import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestApp } from '../testing/test-app.ts';
import { isForeign } from './cross-origin.ts';

const portal = 'https://portal.example.org';

describe('pages of another site', () => {
  it('may call the API when a setting allows it, and may send preflight requests', async () => {
    await using app = await startTestApp('sqlite', { corsAllowOrigin: portal });
    for (const path of ['/api/organizations', '/api/nothing', '/swagger/user.swagger.json', '/']) {
      const asked = await app.fetch(path, { method: 'OPTIONS' });
      assert.deepEqual([asked.status, await asked.text()], [200, ''], path);
      assert.equal(asked.headers.get('Access-Control-Allow-Methods'), 'POST, GET, OPTIONS, PUT, DELETE');
      assert.match(asked.headers.get('Access-Control-Allow-Headers') ?? '', /, Grpc-Metadata-Authorization$/);
      const { headers } = await app.fetch(path);
      assert.equal(headers.get('Access-Control-Allow-Origin'), portal, path);
    }
    const refused = await app.fetch('/api/users?limit=1');
    assert.deepEqual([refused.status, refused.headers.get('Access-Control-Allow-Origin')], [401, portal]);
  });

  it('may not call the API unless a setting allows it', async () => {
    await using app = await startTestApp('sqlite');
    const { headers, status } = await app.fetch('/api/organizations', { method: 'OPTIONS' });
    assert.deepEqual([status, headers.get('Access-Control-Allow-Origin')], [405, null]);
  });

  const sockets: [origin: string | undefined, allowed: string, foreign: boolean][] = [
    [undefined, '', false],
    ['https://hilltop.example.org', '', false],
    [portal, '', true],
    [portal, portal, false],
    [portal, '*', false],
    ['https://evil.example', portal, true],
    ['null', portal, true],
    ['https://hilltop.example.org:8443', '', true],
  ];
  for (const [origin, allowed, foreign] of sockets)
    it(`${foreign ? 'may not' : 'may'} open a websocket from ${origin ?? 'no page'} when "${allowed}" is allowed`, () =>
      assert.equal(isForeign(origin, 'hilltop.example.org', allowed), foreign));
});
