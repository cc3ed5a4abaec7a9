import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inProcessBus } from '../bus/in-process.ts';
import { partsOfEventID } from '../event-log/event.ts';
import { databases } from '../testing/databases.ts';
import { pendingEvent } from '../testing/event.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp, type TestApp } from '../testing/test-app.ts';
import { enact } from './effect.ts';
import type { DeviceEvent, PendingEvent } from './event.ts';
import { eventRecorder } from './recorder.ts';

const hour = 3_600_000;

/** The recorder of an instance with this clock. */
function recorderAt({ parts }: TestApp, ms: () => number, received: (event: DeviceEvent) => void) {
  const bus = inProcessBus((error) => assert.fail(String(error)));
  const clock = { ...parts.clock, now: () => new Date(ms()) };
  const publish = (_topic: string, _key: string, event: unknown) => received(event as DeviceEvent);
  const recorder = eventRecorder({ ...parts, bus: { ...bus, publish: publish as never }, clock, historySize: 10 });
  return async (devEUI: string, ...events: PendingEvent[]) => {
    const happening = { about: 'a test', devEUI, events, at: new Date(ms()), change: { margin: 1 } };
    await parts.database.commit({ run: async () => (await enact(recorder.record(happening)), true) });
  };
}

for (const kind of databases)
  describe(`stream ids of a device on ${kind}`, () => {
    it('grow from instance to instance, an hour apart, and when a clock is set back', async () => {
      await using app = await startTestApp(kind);
      const devEUI = await createDevice(app, await createSurroundings(app));
      const received: DeviceEvent[] = [];
      const start = Date.now();
      let now = start;
      const ahead = recorderAt(
        app,
        () => start + hour,
        (event) => received.push(event),
      );
      const behind = recorderAt(
        app,
        () => now,
        (event) => received.push(event),
      );
      const up = () => pendingEvent('up', devEUI, { fCnt: received.length });
      const error = () => pendingEvent('error', devEUI, { type: 'UPLINK_MIC', error: 'wrong code' });
      await behind(devEUI, up());
      await ahead(devEUI, up(), error());
      now -= hour;
      for (const events of [[up()], [error(), up()], [up(), up(), error()], [error(), error()], [up()]])
        await behind(devEUI, ...events);
      const places = received.map(({ id }) => partsOfEventID(id));
      assert.equal(places.length, 12);
      for (const [index, { at, seq }] of places.entries()) {
        const { at: before, seq: last } = places[index - 1] ?? { at: 0, seq: 0 };
        assert.ok(at > before || (at === before && seq > last), `${before}-${last}, then ${at}-${seq}`);
      }
    });
  });
