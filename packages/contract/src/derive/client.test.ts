import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiFailure, loadClient } from './client.ts';
import { swaggerDocument } from './swagger.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A server that publishes the real documents and answers every call with `answer`. */
function serverThat(answer: () => Response | Promise<Response>, token: string | null = 'secret') {
  const seen: Seen[] = [];
  const fetched: string[] = [];
  const fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    init.signal?.throwIfAborted();
    const url = input instanceof Request ? input.url : input.toString();
    const name = /^http:\/\/server\/swagger\/(.+)\.swagger\.json$/.exec(url)?.[1];
    if (name !== undefined) {
      fetched.push(name);
      return Response.json(swaggerDocument(name));
    }
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    seen.push({
      method: init.method ?? 'GET',
      url: url.replace('http://server', ''),
      headers: new Headers(init.headers),
      body,
    });
    return answer();
  };
  return { client: loadClient({ fetch, baseURL: 'http://server', token: () => token }), seen, fetched };
}

const devEUI = '0a1b2c3d4e5f6071';

async function failureOf(run: Promise<unknown>): Promise<ApiFailure> {
  try {
    await run;
  } catch (error) {
    assert.ok(error instanceof ApiFailure, String(error));
    return error;
  }
  return assert.fail('the call succeeded');
}

describe('the client', () => {
  it('sends a list with its query, without empty parts', async () => {
    const { client, seen } = serverThat(() => Response.json({ totalCount: '1', result: [{ devEUI }] }));
    const { totalCount, result } = await client.device.list({
      applicationID: '7',
      limit: 10,
      search: 'a b',
      tags: { site: 'x' },
    });
    assert.deepEqual([totalCount, result[0]?.devEUI], ['1', devEUI]);
    assert.equal(seen[0]?.url, '/api/devices?limit=10&applicationID=7&search=a+b&tags%5Bsite%5D=x');
    assert.equal(seen[0]?.method, 'GET');
    assert.equal(seen[0]?.headers.get('Grpc-Metadata-Authorization'), 'Bearer secret');
    assert.equal(seen[0]?.body, undefined);
  });

  it('takes path parameters from the request, also from its sub-object', async () => {
    const { client, seen } = serverThat(() => Response.json({}));
    await client.device.update({ device: { devEUI, name: 'x' } });
    await client.organization.updateUser({ organizationUser: { organizationID: '1', userID: '2', isAdmin: true } });
    await client.networkServer.getADRAlgorithms({ networkServerId: '3' });
    await client.device.getRandomDevAddr({ devEUI });
    assert.deepEqual(
      seen.map(({ method, url, body }) => [method, url, body]),
      [
        ['PUT', `/api/devices/${devEUI}`, { device: { devEUI, name: 'x' } }],
        [
          'PUT',
          '/api/organizations/1/users/2',
          { organizationUser: { organizationID: '1', userID: '2', isAdmin: true } },
        ],
        ['GET', '/api/network-servers/3/adr-algorithms', undefined],
        ['POST', `/api/devices/${devEUI}/getRandomDevAddr`, undefined],
      ],
    );
  });

  it('escapes path parameters and refuses empty ones before it calls', async () => {
    const { client, seen } = serverThat(() => Response.json({}));
    await client.device.get({ devEUI: '../users?' });
    assert.equal(seen[0]?.url, '/api/devices/..%2Fusers%3F');
    assert.equal((await failureOf(client.device.get({}))).code, 3);
    assert.equal(seen.length, 1);
  });

  it('fetches each document once, when it is first needed', async () => {
    const { client, fetched } = serverThat(() => Response.json({}));
    await client.preload('device', 'internal');
    await Promise.all([client.device.get({ devEUI }), client.device.get({ devEUI }), client.internal.settings()]);
    assert.deepEqual(fetched, ['device', 'internal']);
  });

  it('sends no token when there is none', async () => {
    const { client, seen } = serverThat(() => Response.json({}), null);
    await client.internal.login({ email: 'a', password: 'b' });
    assert.equal(seen[0]?.headers.has('Grpc-Metadata-Authorization'), false);
  });

  it('returns the path of a stream', async () => {
    const { client } = serverThat(() => Response.json({}));
    assert.equal(await client.device.streamEventLogs.path({ devEUI }), `/api/devices/${devEUI}/events`);
  });

  it('returns the sort orders of a list, and none for an older server', async () => {
    const { client } = serverThat(() => Response.json({}));
    assert.deepEqual(await client.serviceProfile.list.choices('orderBy'), [
      'name',
      '-name',
      'networkServerName',
      '-networkServerName',
      'createdAt',
      '-createdAt',
    ]);
    const parameters = [{ name: 'limit', in: 'query' }];
    const older = { paths: { '/api/service-profiles': { get: { operationId: 'List', parameters } } } };
    const old = loadClient({ fetch: async () => Response.json(older), baseURL: '', token: () => null });
    assert.deepEqual(await old.serviceProfile.list.choices('orderBy'), []);
  });

  it('tells whether a list can be searched, which an older server may not offer', async () => {
    const { client } = serverThat(() => Response.json({}));
    assert.equal(await client.deviceProfile.list.accepts('search'), true);
    const parameters = [{ name: 'limit', in: 'query' }];
    const older = { paths: { '/api/device-profiles': { get: { operationId: 'List', parameters } } } };
    const old = loadClient({ fetch: async () => Response.json(older), baseURL: '', token: () => null });
    assert.equal(await old.deviceProfile.list.accepts('search'), false);
  });

  it('converts an error response to a failure with its fields', async () => {
    const fieldViolations = [{ field: 'device.name', description: 'Must be given.' }];
    const info = { domain: 'hilltop', reason: 'INVALID_FIELDS', metadata: { problems: 'many' } };
    const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }, info];
    const { client } = serverThat(() =>
      Response.json({ error: 'no', code: 3, message: 'no', details }, { status: 400 }),
    );
    const failure = await failureOf(client.device.get({ devEUI }));
    assert.deepEqual([failure.code, failure.status, failure.message], [3, 400, 'no']);
    assert.deepEqual(failure.fieldViolations, fieldViolations);
    assert.deepEqual([failure.reason, failure.metadata], ['INVALID_FIELDS', { problems: 'many' }]);
    assert.equal(new ApiFailure('an older server', 5, 404, []).reason, '');
  });

  it('accepts error responses that are not JSON', async () => {
    const { client } = serverThat(() => new Response('Bad gateway', { status: 502, statusText: 'Bad Gateway' }));
    const failure = await failureOf(client.device.get({ devEUI }));
    assert.deepEqual([failure.code, failure.status, failure.message], [2, 502, 'Bad Gateway']);
  });

  it('reports an unreachable server, and fetches the document again the next time', async () => {
    let isDown = true;
    const fetch = (): Promise<Response> =>
      isDown
        ? Promise.reject(new TypeError('fetch failed'))
        : Promise.resolve(Response.json(swaggerDocument('device')));
    const client = loadClient({ fetch, baseURL: '', token: () => null });
    const failure = await failureOf(client.device.get({ devEUI }));
    assert.deepEqual([failure.code, failure.status], [14, 0]);
    assert.match(failure.message, /^The server cannot be reached\. .* \(fetch failed\)$/);
    await client.preload('device');
    isDown = false;
    assert.equal(await client.device.get.isOffered(), true);
  });

  it('passes an abort on', async () => {
    const { client } = serverThat(() => Response.json({}));
    const controller = new AbortController();
    controller.abort();
    await assert.rejects(client.device.get({ devEUI }, { signal: controller.signal }), { name: 'AbortError' });
  });

  it('reports that an older server lacks a call', async () => {
    const fetch = (): Promise<Response> => Promise.resolve(Response.json({ paths: {} }));
    const client = loadClient({ fetch, baseURL: '', token: () => null });
    assert.equal((await failureOf(client.device.get({ devEUI }))).code, 12);
  });

  it('checks the document for a call, also where there is no document', async () => {
    const { client } = serverThat(() => Response.json({}));
    assert.equal(await client.device.get.isOffered(), true);
    let status = 404;
    const fetch = (): Promise<Response> => Promise.resolve(new Response('Not Found', { status }));
    const older = loadClient({ fetch, baseURL: '', token: () => null });
    assert.equal(await older.device.get.isOffered(), false);
    assert.equal((await failureOf(older.device.get({ devEUI }))).code, 12);
    status = 503;
    assert.equal((await failureOf(older.user.get.isOffered())).status, 503);
  });
});
