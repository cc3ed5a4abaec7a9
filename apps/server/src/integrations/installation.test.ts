import assert from 'node:assert/strict';
import { it } from 'node:test';
import { databases } from '../testing/databases.ts';
import { startTestApp } from '../testing/test-app.ts';
import { loadConfigured } from './configured.ts';
import { registerInstallation } from './installation.ts';
import { readIntegrations } from './store.ts';

for (const kind of databases) {
  it(`global integrations follow the settings on ${kind}`, async () => {
    const url = 'amqp://writer:canary@broker.example.org';
    await using app = await startTestApp(kind, { amqpURL: url, integrationMarshaler: 'json' });
    const { database, config } = app.parts;
    const [made, ...others] = await loadConfigured(app.parts);
    assert.deepEqual(others, []);
    assert.deepEqual(
      { ...made, id: 0, revision: 0 },
      {
        id: 0,
        applicationID: undefined,
        kind: 'AMQP',
        revision: 0,
        config: { url, routingKey: config.amqpRoutingKey, marshaler: 'JSON' },
      },
    );
    assert.doesNotMatch(JSON.stringify(await readIntegrations(database)), /canary/);

    await registerInstallation(app.parts);
    assert.deepEqual(await loadConfigured(app.parts), [made]);

    const events = 'postgres://writer:canary@database.example.org/events';
    await registerInstallation({
      ...app.parts,
      config: { ...config, amqpURL: `${url}/two`, eventsPostgresURL: events },
    });
    const [changed, added] = await loadConfigured(app.parts);
    assert.deepEqual([changed!.id, (changed!.config as { url: string }).url], [made!.id, `${url}/two`]);
    assert.ok(changed!.revision > made!.revision);
    assert.deepEqual([added!.kind, added!.config], ['POSTGRESQL', { url: events, marshaler: 'JSON' }]);

    await registerInstallation({ ...app.parts, config: { ...config, amqpURL: '' } });
    assert.deepEqual(await loadConfigured(app.parts), []);
  });
}
