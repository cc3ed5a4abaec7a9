import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiError } from '@hilltop/contract';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { type Caused, DeliveryTrouble } from '../integrations/integration.ts';
import { databases } from '../testing/databases.ts';
import { createDevice, createSurroundings, type FieldContext } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { createEffects } from './effects.ts';

const location: Caused = {
  what: 'location',
  location: { latitude: 52.5, longitude: 5.5, altitude: 3, source: 'GEO_RESOLVER_WIFI', accuracy: 20 },
  fCnt: 7,
  uplinkIDs: [],
  tags: { resolver: 'wifi' },
};
const told: Caused = {
  what: 'integration',
  integrationName: 'loracloud',
  eventType: 'DAS_UplinkResponse',
  objectJSON: '{"result":{}}',
};
const downlink: Caused = { what: 'downlink', fPort: 199, data: Buffer.from('down') };

for (const database of databases) {
  describe(`what answers cause on ${database}`, () => {
    let app: TestApp;
    let surroundings: FieldContext;
    let integrationID: number;
    before(async () => {
      app = await startTestApp(database);
      surroundings = await createSurroundings(app);
      const at = new Date();
      const row = { application_id: null, kind: 'FAKE', config: {}, secrets: new Uint8Array() };
      ({ id: integrationID } = await app.needs.database.query
        .insertInto('integration')
        .values({ ...row, created_at: at, updated_at: at })
        .returning('id')
        .executeTakeFirstOrThrow());
    });
    after(() => app[Symbol.asyncDispose]());

    const setUp = async (
      enqueue: (item: { data: string | null; fPort: number }) => Promise<number> = async () => 0,
    ) => {
      const devEUI = await createDevice(app, surroundings, { tags: { site: 'north' } });
      const effects = createEffects({ ...app.needs, enqueue });
      const id = `${devEUI}-1000-1`;
      const applicationID = Number(surroundings.applicationID);
      const event: LoggedEvent = { id, pos: 1, type: 'up', devEUI, applicationID, at: new Date(), json: '{}' };
      const events = () =>
        app.needs.database.query
          .selectFrom('event')
          .select(['type', 'payload'])
          .where('dev_eui', '=', devEUI)
          .execute();
      return { devEUI, effects, event, events };
    };

    it('is written once for each event, with the tags that are given, and moves no device', async () => {
      const queued: unknown[] = [];
      const { devEUI, effects, event, events } = await setUp(async ({ fPort, data }) => queued.push([fPort, data]));
      for (let times = 0; times < 3; times += 1) await effects.write(integrationID, event, [told, location, downlink]);
      const [first, second, ...others] = await events();
      assert.deepEqual([first!.type, second!.type, others.length], ['integration', 'location', 0]);
      assert.deepEqual((JSON.parse(first!.payload) as { tags: object }).tags, {});
      const { tags, fCnt } = JSON.parse(second!.payload) as { tags: object; fCnt: number };
      assert.deepEqual([tags, fCnt], [{ resolver: 'wifi' }, 7]);
      assert.deepEqual(queued, [[199, Buffer.from('down').toString('base64')]]);
      const { query } = app.needs.database;
      const device = await query.selectFrom('device').select(['latitude']).where('dev_eui', '=', devEUI).execute();
      assert.equal(device[0]!.latitude, null);
    });

    it('is undone as a whole when the network server is away, and written at the next try', async () => {
      let isAway = true;
      const { effects, event, events } = await setUp(async () => {
        if (isAway) throw new ApiError('NETWORK_SERVER', { sentence: 'away' }, { status: 'Unavailable' });
        return 0;
      });
      const write = () => effects.write(integrationID, event, [told, downlink]);
      await assert.rejects(write(), (error) => error instanceof DeliveryTrouble && error.about === 'endpoint');
      assert.deepEqual(await events(), []);
      isAway = false;
      await write();
      assert.equal((await events()).length, 1);
    });

    it('keeps the rest when the queue of the device is full, and nothing for a device that is gone', async () => {
      const { effects, event, events } = await setUp(async () => {
        throw new ApiError('QUEUE_FULL', { most: 1 });
      });
      await effects.write(integrationID, event, [told, downlink]);
      assert.equal((await events()).length, 1);
      await effects.write(integrationID, { ...event, devEUI: 'ffffffffffffffff', id: 'ffffffffffffffff-1-1' }, [told]);
    });
  });
}
