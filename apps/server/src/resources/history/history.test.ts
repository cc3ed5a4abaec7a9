import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type EventNote, type InputOf, matchesHistory, operations, type ResponseOf } from '@hilltop/contract';
import { enact } from '../../events/effect.ts';
import type { PendingEvent } from '../../events/event.ts';
import { describeAccess, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { pendingEvent } from '../../testing/event.ts';
import { createDeviceProfile } from '../../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createSurroundings,
  simulateGateway,
} from '../../testing/field.ts';
import { killAtEachStep } from '../../testing/history-kills.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const { history, device } = operations;
type Filter = Omit<InputOf<typeof history.list>, 'devEUI'>;
type Page = ResponseOf<typeof history.list>;

/** How often a process ends at each step of sealing and removal. */
const kills = Number(process.env['HILLTOP_TEST_FAIL_POINTS'] ?? 1);

/** Numbers from 0 to below 1, the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

for (const database of databases) {
  describe(`history on ${database}`, () => {
    let app: TestApp;
    before(async () => {
      app = await startTestApp(database);
    });
    after(() => app[Symbol.asyncDispose]());

    const newDevice = async () => createDevice(app, await createSurroundings(app));
    const record = async (devEUI: string, ...events: PendingEvent[]) => {
      const run = async () => {
        await enact(app.parts.recorder.record({ about: 'a test', devEUI, events, at: new Date() }));
        return true;
      };
      assert.equal(await app.parts.database.commit({ run }), true);
    };
    const seal = () => app.parts.history.round({ isForced: true });
    const up = (devEUI: string, fCnt: number, fPort = 1) =>
      pendingEvent('up', devEUI, { fCnt, fPort, data: new Uint8Array([fCnt]) });
    const list = (devEUI: string, filter: Filter = {}): Promise<Page> => app.call(history.list, { devEUI, ...filter });
    const countersOf = ({ result }: Page) =>
      result.map(({ payloadJSON }) => (JSON.parse(payloadJSON) as { fCnt: number }).fCnt);
    const refusalOf = async (call: Promise<Page>) => {
      const error = await call.then(
        () => assert.fail('was answered'),
        (reason: unknown) => reason as { code: number; message: string },
      );
      return [error.code, error.message] as const;
    };

    it('returns pages in both directions, each event once, and the surroundings of one', async () => {
      const devEUI = await newDevice();
      for (let fCnt = 1; fCnt <= 25; fCnt++) {
        await record(devEUI, up(devEUI, fCnt));
        if (fCnt === 9 || fCnt === 17) await seal();
      }
      await record(await newDevice(), up(devEUI, 99));
      const pages = [await list(devEUI, { limit: 10 })];
      while (pages.at(-1)!.older !== '') pages.push(await list(devEUI, { limit: 10, before: pages.at(-1)!.older }));
      const counters = Array.from({ length: 25 }, (_, index) => 25 - index);
      assert.deepEqual(pages.flatMap(countersOf), counters);
      assert.deepEqual(
        pages.map(({ result, isComplete, newer }) => [result.length, isComplete, newer === '']),
        [
          [10, true, true],
          [10, true, false],
          [5, true, false],
        ],
      );
      const [third] = pages[2]!.result;
      assert.equal(
        pages[0]!.keptSince,
        new Date(Number(pages[2]!.result.at(-1)!.streamID.split('-')[0])).toISOString(),
      );
      const next = await list(devEUI, { limit: 8, after: third!.streamID });
      assert.deepEqual(
        countersOf(next),
        counters.filter((counter) => counter > 5 && counter <= 13),
      );
      const last = await list(devEUI, { limit: 50, after: next.newer });
      assert.deepEqual([countersOf(last), last.newer], [counters.slice(0, 12), '']);
      const around = await list(devEUI, { limit: 5, around: third!.streamID });
      assert.deepEqual(countersOf(around), [7, 6, 5, 4, 3]);
      const all = await list(devEUI);
      assert.deepEqual([countersOf(all), all.older, all.newer], [counters, '', '']);
    });

    it('has errors between the other events, and the notes of uplinks', async () => {
      const devEUI = await newDevice();
      const error = pendingEvent('error', devEUI, { type: 'UPLINK_MIC', error: 'wrong' });
      await record(devEUI, error, up(devEUI, 1), error, error, { ...up(devEUI, 2), note: { bestRSSI: -80, lost: 3 } });
      await record(devEUI, error);
      const { result } = await list(devEUI);
      await seal();
      assert.deepEqual((await list(devEUI)).result, result);
      assert.deepEqual(
        result.map(({ kind, noteJSON }) => [kind, noteJSON]),
        [
          ['error', ''],
          ['up', '{"bestRSSI":-80,"lost":3}'],
          ['error', ''],
          ['error', ''],
          ['up', ''],
          ['error', ''],
        ],
      );
      const pages: Page[] = [await list(devEUI, { limit: 1 })];
      while (pages.at(-1)!.older !== '') pages.push(await list(devEUI, { limit: 1, before: pages.at(-1)!.older }));
      assert.deepEqual(
        pages.flatMap((page) => page.result.map(({ streamID }) => streamID)),
        result.map(({ streamID }) => streamID),
      );
      const forward = await list(devEUI, { limit: 100, after: result.at(-1)!.streamID });
      assert.deepEqual(forward.result, result.slice(0, -1));
    });

    it('has events of its own kinds, which no reader of the event log and no stream gets', async () => {
      const devEUI = await newDevice();
      const { eventLog, recorder } = app.parts;
      const begin = await eventLog.end();
      const following = eventLog.reader(undefined, begin);
      assert.deepEqual(await following.next(1), []);
      const step = async (state: string) => {
        const ownEvents = [{ kind: 'downlink' as const, payload: { state } }];
        const effect = recorder.record({ about: 'a test', devEUI, events: [], ownEvents, at: new Date() });
        await app.parts.database.commit({ run: () => enact(effect).then(() => true) });
      };
      await step('QUEUED');
      await record(devEUI, up(devEUI, 1));
      await step('SENDING');
      await step('SENT');
      const error = pendingEvent('error', devEUI, { type: 'UPLINK_MIC', error: 'wrong' });
      await record(devEUI, error, up(devEUI, 2));
      await step('ACKNOWLEDGED');
      assert.equal((await eventLog.behind(undefined, begin)).events, 3);
      // The first reads what is in memory, the other one the table.
      for (const reader of [following, eventLog.reader(undefined, begin)]) {
        const read = [...(await reader.next(2)), ...(await reader.next(2))];
        assert.deepEqual(
          read.map(({ type }) => type),
          ['up', 'error', 'up'],
        );
      }
      await using stream = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      await record(devEUI, up(devEUI, 3));
      const shown = [await stream.next(), await stream.next(), await stream.next(), await stream.next()];
      assert.deepEqual(
        shown.map(({ result }) => result!.type),
        ['up', 'error', 'up', 'up'],
      );
      const { result } = await list(devEUI);
      const kinds = ['up', 'downlink', 'up', 'error', 'downlink', 'downlink', 'up', 'downlink'];
      assert.deepEqual(
        result.map(({ kind }) => kind),
        kinds,
      );
      await seal();
      assert.deepEqual((await list(devEUI)).result, result);
      const own = (await list(devEUI, { kinds: ['downlink'] })).result;
      const states = own.map(({ payloadJSON }) => (JSON.parse(payloadJSON) as { state: string }).state);
      assert.deepEqual(states, ['ACKNOWLEDGED', 'SENT', 'SENDING', 'QUEUED']);
    });

    it('filters as a search of every event does', async () => {
      const devEUI = await newDevice();
      const random = seeded(7);
      const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
      for (let n = 0; n < 120; n++) {
        const error = pendingEvent('error', devEUI, { type: 'UPLINK_CODEC', error: pick(['late', 'Wrong']) });
        const join = pendingEvent('join', devEUI, { dr: 1 });
        await record(devEUI, pick([up(devEUI, n, pick([1, 2, 200])), up(devEUI, n, 1), join, error]));
        if (n === 30 || n === 90) await seal();
      }
      const all = (await list(devEUI, { limit: 500 })).result;
      assert.equal(all.length, 120);
      const timeOf = () => new Date(Number(pick(all).streamID.split('-')[0])).toISOString();
      for (let n = 0; n < 60; n++) {
        const filter = {
          kinds: pick([[], ['up'], ['join', 'error'], ['status']]),
          fPorts: pick([[], [], [1], [2, 200]]),
          text: pick(['', '', 'LATE', '0a', 'nobody']),
          ...(random() < 0.3 && { start: timeOf() }),
          ...(random() < 0.3 && { end: timeOf() }),
        };
        const expected = all.filter(matchesHistory(filter));
        const found: Page['result'] = [];
        for (let cursor = '', isFirst = true; isFirst || cursor !== ''; isFirst = false) {
          const page = await list(devEUI, { ...filter, limit: 7, before: cursor });
          found.push(...page.result);
          cursor = page.older;
        }
        const ids = (events: Page['result']) => events.map(({ streamID }) => streamID);
        assert.deepEqual(ids(found), ids(expected), JSON.stringify(filter));
      }
    });

    it('tells of an uplink how it was received, also without gateway metadata', async () => {
      const surroundings = await createSurroundings(app, {}, { addGWMetaData: false });
      await using gateway = await simulateGateway(app, await createGateway(app, surroundings.organizationID));
      const { devEUI, start } = await createActivatedDevice(app, surroundings);
      const simulated = start();
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      for (const isHeard of [true, false, false, true]) {
        const frame = simulated.uplink({ fPort: 1 });
        if (!isHeard) continue;
        gateway.receiveFrame(frame);
        await events.next();
      }
      const notes = (await list(devEUI, { kinds: ['up'] })).result.map(
        ({ noteJSON }) => JSON.parse(noteJSON) as EventNote,
      );
      assert.deepEqual(
        notes.map(({ lost, gatewayCount }) => [lost, gatewayCount]),
        [
          [2, 1],
          [undefined, 1],
        ],
      );
      for (const { bestRSSI, bestSNR, airtimeMs } of notes)
        assert.deepEqual([typeof bestRSSI, typeof bestSNR, airtimeMs! > 0], ['number', 'number', true]);
    });

    it('refuses events that are not kept, two cursors, and unknown devices', async () => {
      const devEUI = await newDevice();
      for (const fCnt of [1, 2]) await record(devEUI, up(devEUI, fCnt));
      const gone = [
        5,
        'This event is no longer stored: events are stored for 30 days or 10000 events. (code: 5)',
      ] as const;
      assert.deepEqual(await refusalOf(list(devEUI, { around: '1000-1' })), gone);
      assert.deepEqual(await refusalOf(list(devEUI, { after: '1000-1' })), gone);
      assert.equal((await refusalOf(list(devEUI, { before: '5-1', after: '1000-1' })))[0], 3);
      assert.equal((await refusalOf(list(devEUI, { before: 'yesterday' })))[0], 3);
      assert.equal((await refusalOf(list('ffffffffffffffff')))[0], 5);
    });

    it('belongs to one device: a new one with the same EUI does not have the events of the former', async () => {
      const surroundings = await createSurroundings(app);
      const devEUI = await createDevice(app, surroundings);
      const error = pendingEvent('error', devEUI, { type: 'UPLINK_MIC', error: 'wrong' });
      await record(devEUI, up(devEUI, 1), error);
      await seal();
      await record(devEUI, up(devEUI, 2));
      await app.call(device.delete, { devEUI });
      await createDevice(app, surroundings, { devEUI });
      assert.deepEqual((await list(devEUI)).result, []);
      await record(devEUI, up(devEUI, 7));
      assert.deepEqual(countersOf(await list(devEUI)), [7]);
      await seal();
      assert.deepEqual(countersOf(await list(devEUI)), [7]);
    });

    for (const nth of Array.from({ length: kills }, (_, index) => 2 - (index % 2)))
      it(`has each event once and in order after kill -9 at each step, with device ${nth}`, () =>
        killAtEachStep(app, nth));
  });

  const one = async ({ app, organizationID, applicationID }: Side) => {
    const deviceProfileID = await createDeviceProfile(app, { organizationID });
    return {
      devEUI: await createDevice(app, { organizationID, serviceProfileID: '', deviceProfileID, applicationID }),
    };
  };
  describeAccess(database, 'history', [row(history.list, one, [...readers, 'applicationKey'])]);
}
