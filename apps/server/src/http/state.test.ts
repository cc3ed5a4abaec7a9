import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settings } from '../config.ts';
import { createGateway, createReceivedDevice, createSurroundings, simulateGateway } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';

describe('metrics for Prometheus', () => {
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

describe('metrics under the names of version 3', () => {
  it('count calls by REST with their codes, and can be disabled', async () => {
    await using app = await startTestApp('sqlite');
    await app.fetch('/api/users');
    const text = await (await app.fetch('/metrics')).text();
    const labels = 'grpc_type="unary",grpc_service="api.UserService",grpc_method="List"';
    assert.match(text, new RegExp(`^grpc_server_started_total\\{${labels}\\} 1$`, 'm'));
    assert.match(text, new RegExp(`^grpc_server_handled_total\\{${labels},grpc_code="Unauthenticated"\\} 1$`, 'm'));
    await using other = await startTestApp('sqlite', { metricsOldNames: 'false' });
    assert.doesNotMatch(await (await other.fetch('/metrics')).text(), /^(?!hilltop_|#|$)/m);
  });

  it('count messages of gateways and devices', async () => {
    await using app = await startTestApp('sqlite');
    const surroundings = await createSurroundings(app);
    await using gateway = await simulateGateway(app, await createGateway(app, surroundings.organizationID));
    await createReceivedDevice(app, surroundings, gateway);
    const text = await (await app.fetch('/metrics')).text();
    assert.match(text, /^backend_mqtt_event_count\{event="up"\} 1$/m);
    assert.match(text, /^integration_mqtt_event_count\{event="up"\} 1$/m);
    assert.match(text, /^hilltop_events_total\{type="up"\} 1$/m);
  });
});

describe('listeners for other servers', () => {
  it('listen on this machine alone unless they are configured', () => {
    assert.deepEqual(settings.parse({}).grpc, { host: '127.0.0.1', port: 8001 });
  });
});

describe('health for load balancers', () => {
  it('is answered by a server that has started', async () => {
    await using app = await startTestApp('sqlite');
    for (const path of ['/health', '/health/live', '/health/ready']) {
      const answer = await app.fetch(path);
      assert.deepEqual(
        [answer.status, await answer.text(), answer.headers.get('cache-control')],
        [200, '', 'no-store'],
      );
    }
  });
});
