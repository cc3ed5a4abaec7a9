import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { integrationKinds, operations } from '@hilltop/contract';
import { sealSecrets, splitSecrets } from '../../integrations/secrets.ts';
import { insertIntegration, updateIntegration } from '../../integrations/store.ts';
import { databases } from '../../testing/databases.ts';
import { createDevice, createSurroundings, type FieldContext } from '../../testing/field.ts';
import { sampleIntegrations } from '../../testing/integrations.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { application, delivery } = operations;
const sentence = 'Semtech LoRa Cloud ended on 2025-07-31. Nothing is sent to it any more; remove this integration.';

for (const database of databases) {
  describe(`an integration whose service was shut down, on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    let applicationID: string;
    before(async () => {
      app = await startTestApp(database);
      surroundings = await createSurroundings(app);
      ({ applicationID } = surroundings);
    });
    after(() => app[Symbol.asyncDispose]());

    /** Stores a row as before the shutdown of the service. */
    async function storeOne(): Promise<void> {
      const { database: rows, secrets, clock } = app.parts;
      const { kind, config } = integrationKinds.LORACLOUD;
      const { config: open, parts } = splitSecrets(config, sampleIntegrations.LORACLOUD);
      const content = { config: open, secrets: new Uint8Array(), updated_at: clock.now() };
      const row = { ...content, kind, application_id: Number(applicationID), created_at: clock.now() };
      const id = await insertIntegration(rows, row);
      await updateIntegration(rows, id, { ...content, secrets: sealSecrets(secrets, id, parts) });
      app.parts.bus.publish('integration-changed', '', { applicationID: Number(applicationID) });
      await app.parts.delivery.refresh();
    }

    it('cannot be created any more', async () => {
      const integration = { applicationID, ...sampleIntegrations.LORACLOUD };
      const { message } = await refused(9, app.call(application.createLoRaCloudIntegration, { integration }));
      assert.equal(
        message.replace(/ \(code: 9\)$/, ''),
        'Semtech LoRa Cloud ended on 2025-07-31 and is no longer available. Choose another integration.',
      );
      assert.deepEqual((await app.call(application.listIntegrations, { applicationID })).result, []);
    });

    it('stays readable, shows that the service ended, sends nothing, and can be deleted', async () => {
      await storeOne();
      const { integration } = await app.call(application.getLoRaCloudIntegration, { applicationID });
      assert.equal(integration.dasModemPort, 199);
      const { result } = await app.call(delivery.overview, { applicationID });
      assert.deepEqual(
        result.map(({ kind, state, reason }) => [kind, state, reason]),
        [['LORACLOUD', 'SUSPENDED', sentence]],
      );
      const devEUI = await createDevice(app, surroundings);
      const test = await app.call(delivery.test, { applicationID, kind: 'LORACLOUD', devEUI });
      assert.deepEqual([test.delivered, test.requests, test.message], [false, 0, sentence]);
      const replay = { applicationID, kind: 'LORACLOUD', from: '2025-01-01T00:00:00Z', to: '2025-02-01T00:00:00Z' };
      await refused(9, app.call(delivery.startReplay, replay));
      await app.call(application.deleteLoRaCloudIntegration, { applicationID });
      await refused(5, app.call(application.getLoRaCloudIntegration, { applicationID }));
    });
  });
}
