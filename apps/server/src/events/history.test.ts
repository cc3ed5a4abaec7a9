import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeviceEvent } from '../bus/bus.ts';
import { inProcessBus } from '../bus/in-process.ts';
import { enact } from '../network/effect.ts';
import { databases } from '../testing/databases.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import type { PendingEvent } from './event.ts';
import { readHistory, watchEvents } from './history.ts';
import { eventRecorder } from './recorder.ts';

const event = (seq: number): DeviceEvent => ({
  type: 'up',
  payloadJSON: '{}',
  publishedAt: '2026-01-01T00:00:00Z',
  streamID: `9-${seq}`,
});

for (const kind of databases) {
  describe(`errors of a device on ${kind}`, () => {
    it('never push out what it sent, and share a row with a count', async () => {
      await using app = await startTestApp(kind, { eventHistory: '3' });
      const devEUI = await createDevice(app, await createSurroundings(app));
      const { database, bus, statistics } = app.needs;
      const recorder = eventRecorder({ database, bus, statistics, historySize: 3, reactions: [] });
      const record = async (...events: [type: PendingEvent['type'], payload: object][]) => {
        const pending = events.map(([type, payload]) => ({
          type,
          payloadJSON: JSON.stringify(payload),
          applicationID: 1,
          devEUI,
          publishedAt: '2026-01-01T00:00:00Z',
        }));
        const happening = { about: 'a test', devEUI, events: pending, at: new Date() };
        const run = async () => {
          await enact(recorder.record(happening));
          return true;
        };
        assert.equal(await database.commit({ run }), true);
      };
      for (const n of [1, 2, 3]) await record(['up', { n }]);
      const mic = { type: 'UPLINK_MIC', error: 'wrong code' };
      for (let n = 0; n < 12; n++) await record(['error', mic]);
      await record(['error', { type: 'UPLINK_CODEC', error: 'no codec' }], ['up', { n: 4 }]);
      await record(['error', { type: 'OTAA', error: 'nonce' }]);
      const kept = await readHistory(database, devEUI, 3);
      assert.deepEqual(
        kept.map(({ payloadJSON }) => JSON.parse(payloadJSON) as object),
        [
          { n: 2 },
          { n: 3 },
          { type: 'UPLINK_MIC', error: 'wrong code (12 times)' },
          { type: 'UPLINK_CODEC', error: 'no codec' },
          { n: 4 },
          { type: 'OTAA', error: 'nonce' },
        ],
      );
      assert.equal(new Set(kept.map(({ streamID }) => streamID)).size, kept.length);
      assert.equal((await readHistory(database, devEUI, 0)).length, 0);
    });
  });
}

describe('watching events', () => {
  it('shows an event once that is published after the history was read', async () => {
    await using app = await startTestApp('sqlite');
    const devEUI = await createDevice(app, await createSurroundings(app));
    const { database } = app.needs;
    const rows = [1, 2].map((seq) => ({
      dev_eui: devEUI,
      slot: seq,
      seq,
      type: 'up',
      payload_json: '{}',
      published_at: '2026-01-01T00:00:00Z',
      stream_id: `9-${seq}`,
    }));
    await database.query.insertInto('device_event').values(rows).execute();
    const bus = inProcessBus((error) => assert.fail(String(error)));
    const seen: DeviceEvent[] = [];
    const full = Promise.withResolvers<void>();
    const stop = await watchEvents({ database, bus, historySize: 10 }, devEUI, (one) => {
      if (seen.push(one) === 3) full.resolve();
    });
    for (const seq of [2, 3]) bus.publish('device-event', devEUI, event(seq));
    await full.promise;
    stop();
    assert.deepEqual(seen, [event(1), event(2), event(3)]);
  });
});
