import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeviceEvent } from '../bus/bus.ts';
import { inProcessBus } from '../bus/in-process.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import { watchEvents } from './history.ts';

const event = (seq: number): DeviceEvent => ({
  type: 'up',
  payloadJSON: '{}',
  publishedAt: '2026-01-01T00:00:00Z',
  streamID: `9-${seq}`,
});

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
