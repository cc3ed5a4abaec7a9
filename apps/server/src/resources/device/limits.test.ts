import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { databases } from '../../testing/databases.ts';
import { createDevice, createSurroundings, type FieldContext, nwkKey } from '../../testing/field.ts';
import { refused } from '../../testing/refused.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';

const { device, deviceQueue } = operations;
const some = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`n${n}`, 'v']));

for (const database of databases)
  describe(`limits of a device on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    before(async () => {
      app = await startTestApp(database, { queueItems: '3' });
      const payloadEncoderScript = 'function Encode(fPort, { length }) { return new Array(length).fill(7); }';
      surroundings = await createSurroundings(app, { payloadCodec: 'CUSTOM_JS', payloadEncoderScript });
    });
    after(() => app[Symbol.asyncDispose]());

    it('do not hide values stored before there were limits', async () => {
      const devEUI = await createDevice(app, surroundings);
      const { query } = app.parts.database;
      const [tags, variables] = [some(1000), { ...some(300), long: 'x'.repeat(10_000) }];
      await query.updateTable('device').set({ tags, variables }).where('dev_eui', '=', devEUI).execute();
      const { device: stored } = await app.call(device.get, { devEUI });
      assert.deepEqual([stored.tags, stored.variables], [tags, variables]);
      const { fieldViolations } = await refused(3, app.call(device.update, { device: stored }));
      assert.deepEqual(
        fieldViolations.map(({ field }) => field),
        ['device.variables', 'device.tags'],
      );
      await app.call(device.update, { device: { ...stored, tags: some(64), variables: some(256) } });
      await query.updateTable('device').set({ tags, variables }).where('dev_eui', '=', devEUI).execute();
      await app.call(device.delete, { devEUI });
    });

    it('apply to queued downlinks', async () => {
      const devEUI = await createDevice(app, surroundings);
      const keys = { appSKey: '1'.repeat(32), nwkSEncKey: nwkKey, sNwkSIntKey: nwkKey, fNwkSIntKey: nwkKey };
      await app.call(device.activate, { deviceActivation: { devEUI, devAddr: '01abcdef', ...keys } });
      const enqueue = (item: object) =>
        app.call(deviceQueue.enqueue, { deviceQueueItem: { devEUI, fPort: 1, ...item } });
      const encoded = (length: number) => enqueue({ jsonObject: JSON.stringify({ length }) });
      const { message, fieldViolations } = await refused(3, encoded(243));
      assert.match(message, /243 bytes/);
      assert.equal(fieldViolations[0]?.field, 'deviceQueueItem.jsonObject');
      await encoded(242);
      const answers = await Promise.allSettled(Array.from({ length: 4 }, () => enqueue({ data: 'AQ==' })));
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 2);
      const full = await refused(9, enqueue({ data: 'AQ==' }));
      assert.match(full.message, /^3 downlinks wait/);
      assert.equal(full.fieldViolations[0]?.field, 'deviceQueueItem.devEUI');
      await app.call(deviceQueue.flush, { devEUI });
      await enqueue({ data: 'AQ==' });
    });
  });
