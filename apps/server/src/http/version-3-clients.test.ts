import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { createAPIKey } from '../testing/factories.ts';
import {
  createDevice,
  createGateway,
  createReceivedDevice,
  createSurroundings,
  type FieldContext,
  simulateGateway,
} from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';

/** What scripts and clients of version 3 do and rely on. */
describe('clients of version 3', () => {
  let app: TestApp;
  let surroundings: FieldContext;
  before(async () => {
    app = await startTestApp('sqlite');
    surroundings = await createSurroundings(app);
  });
  after(() => app[Symbol.asyncDispose]());

  const bearer = () => ({ authorization: `Bearer ${app.adminToken}` });
  async function read(
    path: string,
    init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  ): Promise<[status: number, answer: Record<string, unknown>]> {
    const response = await app.fetch(path, { ...init, headers: { ...bearer(), ...init.headers } });
    return [response.status, (await response.json()) as Record<string, unknown>];
  }

  it('request all rows of a list', async () => {
    for (const limit of ['10001', '999999999', '9223372036854775807'])
      assert.equal((await read(`/api/devices?limit=${limit}`))[0], 200, limit);
  });

  it('write UUIDs in every form', async () => {
    const { deviceProfileID: id } = surroundings;
    const bare = id.replaceAll('-', '');
    for (const written of [id, bare, id.toUpperCase(), `urn:uuid:${id}`, `URN:UUID:${bare}`, `{${id}}`]) {
      const [status, { deviceProfile }] = await read(`/api/device-profiles/${encodeURIComponent(written)}`);
      assert.deepEqual([status, (deviceProfile as { id: string }).id], [200, id], written);
    }
    for (const written of [`${bare}0`, id.replace('-', ''), `urn:uuid:urn:uuid:${id}`, `{${id}`, 'urn:uuid:'])
      assert.equal((await read(`/api/device-profiles/${encodeURIComponent(written)}`))[0], 400, written);
  });

  it('send long calls as forms with an overridden method', async () => {
    const devEUI = await createDevice(app, surroundings);
    const as = (method: string, body = '') => ({
      method: 'POST',
      body,
      headers: { 'X-HTTP-Method-Override': method, 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    const [, list] = await read('/api/devices?limit=10', as('get', `applicationID=${surroundings.applicationID}`));
    assert.deepEqual(
      (list['result'] as { devEUI: string }[]).map((row) => row.devEUI),
      [devEUI],
    );
    const [, none] = await read('/api/devices', as('GET', 'limit=10&applicationID=999'));
    assert.deepEqual(none['result'], []);
    assert.deepEqual(await read(`/api/devices/${devEUI}`, as('DELETE')), [200, {}]);
    assert.equal((await read(`/api/devices/${devEUI}`))[0], 404);
    const tooLong = await read('/api/devices', as('GET', `search=${'x'.repeat(1_100_000)}`));
    assert.equal(tooLong[1]['code'], 3);
    // Without a form, or with an invalid method, a POST stays a POST.
    const plain = { ...as('GET'), headers: { 'X-HTTP-Method-Override': 'GET', 'Content-Type': 'application/json' } };
    assert.equal((await read('/api/devices', plain))[1]['code'], 3);
    assert.equal((await read('/api/devices', as('TRACE', '{}')))[1]['code'], 3);
  });

  it('identify each reception by its id', async () => {
    const gatewayID = await createGateway(app, surroundings.organizationID);
    await using gateway = await simulateGateway(app, gatewayID);
    const devEUI = await createReceivedDevice(app, surroundings, gateway);
    for (const [stream, found] of [
      ['events', /\\"uplinkID\\":\\"[A-Za-z0-9+/]{22}==\\"/],
      ['frames', /"uplinkID":"[A-Za-z0-9+/]{22}=="/],
    ] as const) {
      const { body } = await app.fetch(`/api/devices/${devEUI}/${stream}`, { headers: bearer() });
      const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
      assert.match((await reader.read()).value!, found);
      await reader.cancel();
    }
  });

  it('distinguish a missing right from a missing session', async () => {
    const { token } = await createAPIKey(app, { organizationID: surroundings.organizationID });
    const codes = [token, 'none'].map(async (one) => {
      const [, { code }] = await read('/api/users', { headers: { authorization: `Bearer ${one}` } });
      return code;
    });
    assert.deepEqual(await Promise.all(codes), [7, 16]);
  });

  it('receive times of whole seconds without a fraction', async () => {
    const devEUI = await createDevice(app, surroundings);
    await app.parts.database.query
      .updateTable('device')
      .set({ last_seen_at: new Date('2026-01-02T03:04:05Z') })
      .where('dev_eui', '=', devEUI)
      .execute();
    const device = await app.call(operations.device.get, { devEUI });
    assert.equal(device.lastSeenAt, '2026-01-02T03:04:05Z');
  });
});
