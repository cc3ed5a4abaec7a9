import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { operations } from '@hilltop/contract';
import { databases } from '../testing/databases.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { loggedEvent } from '../testing/logged-events.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { createEffects } from './effects.ts';

const { application, device } = operations;

for (const kind of databases) {
  describe(`what answers cause on ${kind}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(kind);
    });
    after(() => app[Symbol.asyncDispose]());

    it('happens once for an event, with the tags that are given, and moves no device', async () => {
      const surroundings = await createSurroundings(app);
      const { applicationID } = surroundings;
      const devEUI = await createDevice(app, surroundings);
      const { device: made } = await app.call(device.get, { devEUI });
      await app.call(device.update, { device: { ...made, tags: { own: 'tag' } } });
      const endpoint = 'https://devices.example.org';
      await app.call(application.createMyDevicesIntegration, { integration: { applicationID, endpoint } });
      const { id } = await app.needs.database.query.selectFrom('integration').select('id').executeTakeFirstOrThrow();

      const effects = createEffects(app.needs);
      const location = { latitude: 1, longitude: 2, altitude: 3, source: 'GEO_RESOLVER_GNSS', accuracy: 4 };
      const event = { ...loggedEvent('up'), id: `${devEUI}-1-1`, devEUI, applicationID: Number(applicationID) };
      for (const _ of [1, 2])
        await effects.write(id, event, [
          { what: 'integration', integrationName: 'loracloud', eventType: 'DAS_UplinkResponse', objectJSON: '{}' },
          { what: 'location', location, fCnt: 7, uplinkIDs: [], tags: { site: 'north' } },
        ]);
      const rows = await app.needs.database.query
        .selectFrom('event')
        .select('payload')
        .where('dev_eui', '=', devEUI)
        .orderBy('pos')
        .execute();
      const payloads = rows.map(({ payload }) => JSON.parse(payload) as { tags: object; fCnt?: number });
      assert.deepEqual(
        payloads.map(({ tags, fCnt }) => [tags, fCnt]),
        [
          [{}, undefined],
          [{ site: 'north' }, 7],
        ],
      );
      assert.equal((await app.call(device.get, { devEUI })).location, null);
    });
  });
}
