import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeviceEventItem } from '@hilltop/contract';
import type { integration } from '@hilltop/protobuf';
import type { KyselyPlugin } from 'kysely';
import { inProcessBus } from '../bus/in-process.ts';
import { takeLink } from '../event-log/chain.ts';
import { databases } from '../testing/databases.ts';
import { pendingEvent, storedEvent } from '../testing/event.ts';
import { createDevice, createSurroundings } from '../testing/field.ts';
import { startTestApp } from '../testing/test-app.ts';
import { enact } from './effect.ts';
import { type PendingEvent, streamItemOf } from './event.ts';
import { readHistory, watchEvents } from './history.ts';
import { eventRecorder } from './recorder.ts';

for (const kind of databases) {
  describe(`errors of a device on ${kind}`, () => {
    it('displace no other events, and share a row with a count', async () => {
      await using app = await startTestApp(kind, { eventHistory: '3' });
      const devEUI = await createDevice(app, await createSurroundings(app));
      const { database } = app.parts;
      const recorder = eventRecorder({ ...app.parts, historySize: 3 });
      const record = async (...events: PendingEvent[]) => {
        const happening = { about: 'a test', devEUI, events, at: new Date() };
        const run = async () => {
          await enact(recorder.record(happening));
          return true;
        };
        assert.equal(await database.commit({ run }), true);
      };
      const up = (fCnt: number) => pendingEvent('up', devEUI, { fCnt });
      const error = (type: integration.ErrorType, text: string) => pendingEvent('error', devEUI, { type, error: text });
      for (const n of [1, 2, 3]) await record(up(n));
      const mic = error('UPLINK_MIC', 'wrong code');
      for (let n = 0; n < 12; n++) await record(mic);
      await record(error('UPLINK_CODEC', 'no codec'), up(4));
      await record(error('OTAA', 'nonce'), error('DOWNLINK_FCNT', 'low'));
      const stored = await readHistory(database, devEUI, 3);
      assert.deepEqual(
        stored.map(({ payloadJSON }) => {
          const { fCnt, type, error: text } = JSON.parse(payloadJSON) as Record<string, unknown>;
          return type === undefined ? fCnt : [type, text];
        }),
        [
          2,
          3,
          ['UPLINK_MIC', 'wrong code (12 times)'],
          ['UPLINK_CODEC', 'no codec'],
          4,
          ['OTAA', 'nonce'],
          ['DOWNLINK_FCNT', 'low'],
        ],
      );
      assert.equal(new Set(stored.map(({ streamID }) => streamID)).size, stored.length);
      assert.equal((await readHistory(database, devEUI, 0)).length, 0);
    });
  });
}

describe('watching events', () => {
  it('shows an event once that is published after it was read with the history', async () => {
    await using app = await startTestApp('sqlite');
    const devEUI = await createDevice(app, await createSurroundings(app));
    const { database, eventLog } = app.parts;
    const event = (seq: number) => storedEvent(devEUI, `9-${seq}`);
    for (const seq of [1, 2]) await eventLog.append(event(seq), await takeLink(database).first({ devEUI, now: 9 }));
    const bus = inProcessBus((error) => assert.fail(String(error)));
    const seen: DeviceEventItem[] = [];
    const full = Promise.withResolvers<void>();
    const stop = await watchEvents({ ...app.parts, bus, historySize: 10 }, devEUI, (one) => {
      if (seen.push(one) === 3) full.resolve();
    });
    for (const seq of [2, 3]) bus.publish('device-event', devEUI, event(seq));
    await full.promise;
    stop();
    assert.deepEqual(
      seen,
      [1, 2, 3].map((seq) => streamItemOf(event(seq))),
    );
  });

  it('shows events in order, and reads a lost one when a later one arrives', async () => {
    await using app = await startTestApp('sqlite');
    const devEUI = await createDevice(app, await createSurroundings(app));
    const { database, eventLog } = app.parts;
    const event = (seq: number) => storedEvent(devEUI, `9-${seq}`);
    const append = async (...all: number[]) => {
      for (const seq of all)
        await database.transaction(async () =>
          eventLog.append(event(seq), await takeLink(database).first({ devEUI, now: 9 })),
        );
    };
    await append(1);
    const bus = inProcessBus((error) => assert.fail(String(error)));
    const seen: string[] = [];
    const full = Promise.withResolvers<void>();
    const stop = await watchEvents({ ...app.parts, bus, historySize: 10 }, devEUI, ({ streamID }) => {
      if (seen.push(streamID) === 8) full.resolve();
    });
    const publish = (seq: number) => bus.publish('device-event', devEUI, event(seq));
    await append(2, 3);
    for (const seq of [3, 2]) publish(seq);
    await append(4, 5, 6, 7);
    for (const seq of [6, 4, 7]) publish(seq);
    await append(8);
    publish(8);
    await full.promise;
    stop();
    assert.deepEqual(
      seen,
      [1, 2, 3, 4, 5, 6, 7, 8].map((seq) => `9-${seq}`),
    );
  });

  it('keeps a thousand events while the database is slow, and reads later ones as far as the history reaches', async () => {
    await using app = await startTestApp('sqlite');
    const devEUI = await createDevice(app, await createSurroundings(app));
    const { database, eventLog, metrics } = app.parts;
    const event = (seq: number) => storedEvent(devEUI, `9-${seq}`);
    const bus = inProcessBus((error) => assert.fail(String(error)));
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const slowly: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        asked.resolve();
        await answer.promise;
        return result;
      },
    };
    const slow = { ...database, query: database.query.withPlugin(slowly) };
    const seen: string[] = [];
    const full = Promise.withResolvers<void>();
    const watching = watchEvents({ metrics, bus, database: slow, historySize: 10 }, devEUI, ({ streamID }) => {
      if (seen.push(streamID) === 1010) full.resolve();
    });
    await asked.promise;
    for (let seq = 1; seq <= 1030; seq++) {
      await eventLog.append(event(seq), await takeLink(database).first({ devEUI, now: 9 }));
      bus.publish('device-event', devEUI, event(seq));
    }
    await nextTurn();
    assert.equal(await metrics.total('live_items_dropped'), 30);
    answer.resolve();
    const stop = await watching;
    await full.promise;
    stop();
    assert.deepEqual(
      seen,
      Array.from({ length: 1010 }, (_, index) => `9-${index < 1000 ? index + 1 : index + 21}`),
    );
  });
});
