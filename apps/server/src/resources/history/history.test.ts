import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type EventNote,
  type FrameLogItem,
  type InputOf,
  matchesHistory,
  operations,
  type ResponseOf,
} from '@hilltop/contract';
import { enact } from '../../events/effect.ts';
import type { PendingEvent } from '../../events/event.ts';
import { describeAccess, readers, row, type Side } from '../../testing/access-matrix.ts';
import { databases } from '../../testing/databases.ts';
import { pendingEvent } from '../../testing/event.ts';
import { createAPIKey, createDeviceProfile } from '../../testing/factories.ts';
import {
  createActivatedDevice,
  createDevice,
  createGateway,
  createSurroundings,
  simulateDevice,
  simulateGateway,
} from '../../testing/field.ts';
import { killAtEachStep } from '../../testing/history-kills.ts';
import { seeded } from '../../testing/seeded.ts';
import { startTestApp, type TestApp } from '../../testing/test-app.ts';
import { watch } from '../../testing/watch.ts';

const { history, series, device, download } = operations;
const frameColumns =
  'time direction mType devAddr devEUI fCnt fPort frequency spreadingFactor rssi snr gateways sentBy macCommands dropped'.split(
    ' ',
  );
type Filter = Omit<InputOf<typeof history.list>, 'devEUI'>;
type Page = ResponseOf<typeof history.list>;

/** What the test reads of a diagnosis. */
interface Diagnosis {
  device: { device: { devEUI: string; variables: string[] } };
  deviceProfile: { deviceProfile: { id: string } };
  loss: object;
  gateways: { gatewayID: string; uplinks: number }[];
  events: { kind: string }[];
}

/** How often a process ends at each step of sealing and removal. */
const kills = Number(process.env['HILLTOP_TEST_FAIL_POINTS'] ?? 1);

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
      const other = await newDevice();
      await record(other, up(other, 99));
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
        pages[0]!.storedSince,
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
        const [start, end] = [timeOf(), timeOf()].sort();
        const filter = {
          kinds: pick([[], ['up'], ['join', 'error'], ['status']]),
          fPorts: pick([[], [], [1], [2, 200]]),
          text: pick(['', '', 'LATE', '0a', 'nobody']),
          ...(random() < 0.3 && { start }),
          ...(random() < 0.3 && { end }),
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

    it('shows how an uplink was received, also without gateway metadata', async () => {
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

    it('has the frames of a device that cause no event, and those that were refused', async () => {
      const surroundings = await createSurroundings(app);
      await using gateway = await simulateGateway(app, await createGateway(app, surroundings.organizationID));
      const devEUI = await createDevice(app, surroundings);
      await using events = await watch(app.url, `/api/devices/${devEUI}/events`, app.adminToken);
      const simulated = simulateDevice(devEUI);
      gateway.receiveFrame(simulated.joinRequest());
      simulated.receive((await gateway.nextDownlink(8000)).phyPayload);
      const first = simulated.uplink({ fPort: 1 });
      gateway.receiveFrame(first);
      await events.next();
      await events.next();
      simulated.ask('LinkCheckReq');
      gateway.receiveFrame(simulated.uplink({ fPort: 1, confirmed: true }));
      await gateway.nextDownlink(8000);
      gateway.receiveFrame({ ...first, phyPayload: first.phyPayload.with(first.phyPayload.length - 1, 0) });
      let result: Page['result'] = [];
      while (result.length < 8) ({ result } = await list(devEUI));
      const rows = result.toReversed().map(({ kind, payloadJSON, noteJSON }) => {
        const { direction, mType, gatewayID, window, ack, reason } = JSON.parse(payloadJSON) as Record<string, unknown>;
        const { mac = [], gatewayCount } = JSON.parse(noteJSON || '{}') as EventNote;
        const commands = mac.map(({ name }) => name).filter((name) => name.startsWith('LinkCheck'));
        return { kind, direction, mType, gatewayID: gatewayID && 'known', window, ack, reason, gatewayCount, commands };
      });
      const ofKind = (kind: string) => rows.filter((row) => row.kind === kind);
      assert.deepEqual(
        ofKind('frame').map(({ direction, mType, gatewayID, window, ack, gatewayCount, commands }) => {
          return [direction, mType, gatewayID, window, ack, gatewayCount, commands];
        }),
        [
          ['up', 'JoinRequest', undefined, undefined, undefined, 1, []],
          ['down', 'JoinAccept', 'known', 'RX1', undefined, undefined, []],
          ['down', 'UnconfirmedDataDown', 'known', 'RX1', true, undefined, ['LinkCheckAns']],
        ],
      );
      assert.deepEqual(
        ofKind('up').map(({ commands }) => commands),
        [[], ['LinkCheckReq']],
      );
      assert.deepEqual(
        ofKind('dropped').map(({ reason, mType, gatewayCount }) => [reason, mType, gatewayCount]),
        [['wrong-mic', 'UnconfirmedDataUp', 1]],
      );
    });

    it('has the frames of a device as the frame stream shows them, and those that were dropped', async () => {
      const surroundings = await createSurroundings(app);
      const gatewayID = await createGateway(app, surroundings.organizationID);
      await using gateway = await simulateGateway(app, gatewayID);
      const devEUI = await createDevice(app, surroundings);
      await using live = await watch<FrameLogItem>(app.url, `/api/devices/${devEUI}/frames`, app.adminToken);
      const shown: FrameLogItem[] = [];
      const showUntil = async (isLast: (item: FrameLogItem) => boolean) => {
        do shown.unshift((await live.next()).result!);
        while (!isLast(shown[0]!));
      };
      const simulated = simulateDevice(devEUI);
      gateway.receiveFrame(simulated.joinRequest());
      simulated.receive((await gateway.nextDownlink(8000)).phyPayload);
      await showUntil(({ downlinkFrame }) => downlinkFrame !== undefined);
      const first = simulated.uplink({ fPort: 1 });
      gateway.receiveFrame(first);
      await showUntil(() => true);
      await app.call(operations.downlink.create, { downlink: { devEUI, fPort: 9, hex: '0102' } });
      simulated.ask('LinkCheckReq');
      gateway.receiveFrame(simulated.uplink({ fPort: 1, confirmed: true }));
      await showUntil(({ downlinkFrame }) => downlinkFrame?.phyPayloadJSON.includes('LinkCheck') === true);
      gateway.receiveFrame({ ...first, phyPayload: first.phyPayload.with(first.phyPayload.length - 1, 0) });
      gateway.receiveFrame(simulateDevice(devEUI, '1.0.3', 'f'.repeat(32)).joinRequest());
      await showUntil(({ uplinkFrame }) => uplinkFrame?.phyPayloadJSON.includes('"WRONG_KEY"') === true);

      const frames = (filter: Omit<InputOf<typeof history.listFrames>, 'devEUI'> = {}) =>
        app.call(history.listFrames, { devEUI, ...filter });
      let all = await frames();
      while (all.result.length < shown.length + 1) all = await frames();
      await seal();
      assert.deepEqual((await frames()).result, all.result);
      const asShown = all.result.map(({ uplinkFrame, downlinkFrame }) => ({ uplinkFrame, downlinkFrame }));
      const typeOf = ({ uplinkFrame, downlinkFrame }: Partial<FrameLogItem>) =>
        (JSON.parse((uplinkFrame ?? downlinkFrame)!.phyPayloadJSON) as { mhdr: { mType: string } }).mhdr.mType;
      const dropped = all.result.findIndex(({ uplinkFrame }) => uplinkFrame?.phyPayloadJSON.includes('"wrong-mic"'));
      assert.deepEqual(all.result[dropped]?.kind, 'dropped');
      assert.equal(all.isRemote, false);
      for (const [index, item] of shown.entries()) {
        const stored = asShown.filter((_, at) => at !== dropped)[index]!;
        const [liveFrame, storedFrame] = [
          item.uplinkFrame ?? item.downlinkFrame,
          stored.uplinkFrame ?? stored.downlinkFrame,
        ];
        const { dropped: _, ...phyPayload } = JSON.parse(storedFrame!.phyPayloadJSON) as Record<string, unknown>;
        assert.deepEqual(phyPayload, JSON.parse(liveFrame!.phyPayloadJSON));
        assert.equal(storedFrame!.publishedAt, liveFrame!.publishedAt, typeOf(item));
        assert.equal(storedFrame!.txInfo?.frequency, liveFrame!.txInfo!.frequency);
        assert.deepEqual(storedFrame!.txInfo!.loRaModulationInfo, liveFrame!.txInfo!.loRaModulationInfo);
        assert.equal(stored.downlinkFrame?.gatewayID, item.downlinkFrame?.gatewayID);
        assert.deepEqual(stored.uplinkFrame?.rxInfo, item.uplinkFrame?.rxInfo);
      }
      const typesOf = async (filter: Parameters<typeof frames>[0]) => (await frames(filter)).result.map(typeOf);
      assert.deepEqual(await typesOf({ kinds: ['join-accept', 'rejoin-request'] }), ['JoinAccept']);
      assert.deepEqual((await typesOf({ kinds: ['dropped'] })).sort(), ['JoinRequest', 'UnconfirmedDataUp']);
      assert.deepEqual((await typesOf({ text: 'linkcheck' })).sort(), ['ConfirmedDataUp', 'UnconfirmedDataDown']);
      assert.deepEqual(
        await typesOf({ kinds: ['downlink'], text: gatewayID.slice(2) }),
        shown.map(typeOf).filter((type) => type === 'UnconfirmedDataDown'),
      );
      const [newest, second] = all.result;
      assert.deepEqual((await frames({ limit: 1 })).older, newest!.streamID);
      assert.deepEqual((await frames({ limit: 1, before: newest!.streamID })).result, [second]);
      assert.deepEqual((await frames({ limit: 1, around: second!.streamID })).result, [second]);
      const file = async (format: 'NDJSON' | 'CSV') => {
        const requestJSON = JSON.stringify({ devEUI, kinds: ['join-request'] });
        const { url } = await app.call(download.create, { kind: 'FRAMES', requestJSON, format });
        return (await (await app.fetch(url)).text()).trimEnd().split(/\r?\n/);
      };
      const joins = (await file('NDJSON')).map((line) => JSON.parse(line) as { direction: string; note: EventNote });
      assert.deepEqual(
        joins.map(({ direction, note }) => [direction, note.refused, note.gatewayCount]),
        [
          ['up', 'WRONG_KEY', 1],
          ['up', undefined, 1],
        ],
      );
      const [names, refusedJoin] = await file('CSV');
      assert.equal(names, frameColumns.join(','));
      assert.match(refusedJoin!, new RegExp(`^2\\d{3}-.*Z,up,JoinRequest,,${devEUI},,,\\d+,7,-60,9,1,,,WRONG_KEY$`));
      // Frames are no part of the events.
      assert.equal(JSON.stringify(await list(devEUI)).includes('phy'), false);
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

    it('answers values over time: raw ones with those that wait in the log, counters by step', async () => {
      const devEUI = await newDevice();
      const decoded = (fCnt: number, temperature: number) => ({
        ...pendingEvent('up', devEUI, {
          fCnt,
          dr: 3,
          objectJSON: JSON.stringify({ temperatureSensor: { 1: temperature } }),
        }),
        note: { bestRSSI: -80 - fCnt, lost: 2, quantities: {} },
      });
      const [start, end] = [-3_600_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
      const read = (fields: string[], more = {}) => app.call(series.get, { devEUI, fields, start, end, ...more });
      await record(devEUI, decoded(1, 20.5), pendingEvent('error', devEUI, { type: 'UPLINK_MIC', error: 'wrong' }));
      await seal();
      await record(devEUI, decoded(2, 21));
      const raw = await read(['temperatureSensor.1', '@rssi', 'nothing', '@lost']);
      assert.deepEqual([raw.isRaw, raw.stepMs, raw.isComplete], [true, 0, true]);
      assert.deepEqual(
        raw.result.map(({ field, mean, count }) => [field, mean, count]),
        [
          ['temperatureSensor.1', [20.5, 21], [1, 1]],
          ['@rssi', [-81, -82], [1, 1]],
          ['nothing', [], []],
          ['@lost', [2, 2], [1, 1]],
        ],
      );
      const counted = await read(['@lost', '@errors', '@joins'], { points: 10 });
      assert.deepEqual([counted.isRaw, counted.stepMs], [false, 600_000]);
      assert.deepEqual(
        counted.result.map(({ count, mean }) => count.reduce((sum, one, nth) => sum + one * mean[nth]!, 0)),
        [4, 1, 0],
      );
      const { result, omitted } = await app.call(series.listFields, { devEUI });
      const [temperature] = result.filter(({ field }) => field === 'temperatureSensor.1');
      assert.deepEqual(
        [temperature!.lastValue, temperature!.unit, temperature!.kind, omitted],
        [21, '°C', 'number', 0],
      );
      const late = { end: new Date(Date.parse(start!) + 501 * 86_400_000).toISOString() };
      for (const wrong of [{ end: '2026-01-01T00:00:00Z' }, late, { fields: [] }, { start: '' }])
        await assert.rejects(read(['@rssi'], wrong), { code: 3 }, JSON.stringify(wrong));
    });

    describe('downloads', () => {
      const link = (devEUI: string, filter: Filter = {}, format: 'NDJSON' | 'CSV' = 'NDJSON', token = app.adminToken) =>
        app.call(
          download.create,
          { kind: 'HISTORY', requestJSON: JSON.stringify({ devEUI, ...filter }), format },
          token,
        );
      const fetched = async (devEUI: string, filter?: Filter, format?: 'NDJSON' | 'CSV') => {
        const response = await app.fetch((await link(devEUI, filter, format)).url);
        assert.equal(response.status, 200);
        return response;
      };
      const refused = async ({ url }: { url: string }) => {
        const response = await app.fetch(url);
        return [response.status, ((await response.json()) as { message: string }).message];
      };
      const gone = [404, 'This link was used already or has expired. Start the download again.'];
      const decoded = (devEUI: string, fCnt: number, objectJSON: string) =>
        pendingEvent('up', devEUI, { fCnt, fPort: 2, data: Uint8Array.of(1, 255), objectJSON });

      it('contain every event that matches, from all pages', async () => {
        const devEUI = await newDevice();
        await record(devEUI, ...Array.from({ length: 1100 }, (_, at) => up(devEUI, at + 1, ((at + 1) % 2) + 1)));
        await seal();
        const response = await fetched(devEUI, { fPorts: [2] });
        assert.equal(
          response.headers.get('content-disposition'),
          `attachment; filename="device-${devEUI}-events.ndjson"`,
        );
        const lines = (await response.text()).trimEnd().split('\n');
        const counters = lines.map((line) => (JSON.parse(line) as { payload: { fCnt: number } }).payload.fCnt);
        assert.deepEqual(
          counters,
          Array.from({ length: 550 }, (_, index) => 1099 - 2 * index),
        );
        assert.equal(await (await fetched(devEUI, { fPorts: [9] })).text(), '');
      });

      it('have a column for each decoded value as CSV, and no formulas', async () => {
        const devEUI = await newDevice();
        const at = { note: { bestRSSI: -80, bestSNR: 7.5, gatewayCount: 2, lost: 3 } };
        await record(devEUI, { ...decoded(devEUI, 4, '{"temperature":-2.5,"air":{"+ppm":[1,2]}}'), ...at });
        await record(devEUI, decoded(devEUI, 5, '{"state":"=1+1, \\"x\\""}'));
        const bytes = await (await fetched(devEUI, {}, 'CSV')).bytes();
        assert.deepEqual([...bytes.slice(0, 3)], [0xef, 0xbb, 0xbf]);
        const [head, ...rows] = new TextDecoder().decode(bytes).trimEnd().split('\r\n');
        assert.equal(
          head,
          'time,kind,fCnt,fPort,dr,frequency,rssi,snr,gateways,lost,data,state,temperature,air.+ppm.0,air.+ppm.1',
        );
        const withoutTime = rows.map((row) => row.slice(row.indexOf(',') + 1));
        assert.deepEqual(withoutTime, [`up,5,2,0,,,,,,01ff,"'=1+1, ""x""",,,`, 'up,4,2,0,,-80,7.5,2,3,01ff,,-2.5,1,2']);
      });

      it('write values beyond the last column into one', async () => {
        const devEUI = await newDevice();
        const many = Object.fromEntries(Array.from({ length: 203 }, (_, index) => [`v${index}`, index]));
        await record(devEUI, decoded(devEUI, 1, JSON.stringify(many)));
        const [head, row] = (await (await fetched(devEUI, {}, 'CSV')).text()).split('\r\n');
        assert.match(head!, /,v199,otherValues$/);
        assert.match(row!, /,199,"\{""v200"":200,""v201"":201,""v202"":202\}"$/);
      });

      it('are sent once, within a minute, and only while the caller may read the device', async () => {
        const surroundings = await createSurroundings(app);
        const devEUI = await createDevice(app, surroundings);
        const { token } = await createAPIKey(app, { organizationID: surroundings.organizationID });
        const used = await link(devEUI);
        assert.equal((await app.fetch(used.url, { method: 'HEAD' })).status, 404);
        assert.equal((await app.fetch(used.url)).status, 200);
        assert.deepEqual(await refused(used), gone);
        assert.deepEqual(await refused({ url: '/api/downloads/unknown' }), gone);
        const late = await link(devEUI);
        await app.parts.database.query.updateTable('download').set({ expires_at: new Date() }).execute();
        assert.deepEqual(await refused(late), gone);
        const ofKey = await link(devEUI, {}, 'NDJSON', token);
        await app.parts.database.query
          .deleteFrom('api_key')
          .where('organization_id', '=', Number(surroundings.organizationID))
          .execute();
        assert.deepEqual(await refused(ofKey), [401, 'The session is invalid or has ended. Sign in again.']);
      });

      it('are two at a time for each person, and refuse what nobody can send', async () => {
        const devEUI = await newDevice();
        const links = [await link(devEUI), await link(devEUI)];
        const errorOf = async (call: Promise<unknown>) => {
          const error = await call.then(
            () => assert.fail('was answered'),
            (reason: unknown) => reason as { code: number; message: string },
          );
          return [error.code, error.message.split(' (code')[0]];
        };
        assert.deepEqual(await errorOf(link(devEUI)), [8, 'Too many downloads at once. Try again in 60 s.']);
        for (const { url } of links) await (await app.fetch(url)).text();
        const create = (input: InputOf<typeof download.create>) => errorOf(app.call(download.create, input));
        assert.deepEqual(await create({ kind: 'DIAGNOSIS', format: 'CSV', requestJSON: '{}' }), [
          3,
          'format: Must be JSON for DIAGNOSIS.',
        ]);
        assert.equal((await create({ kind: 'HISTORY', format: 'CSV', requestJSON: '{' }))[0], 3);
        assert.equal((await create({ kind: 'HISTORY', format: 'CSV', requestJSON: '{"devEUI":"x"}' }))[0], 3);
        const backwards = { devEUI, start: '2026-01-02T00:00:00Z', end: '2026-01-01T00:00:00Z' };
        const refusal = [3, 'end: Must not be before the start.'];
        for (const kind of ['HISTORY', 'FRAMES', 'AUDIT'] as const)
          assert.deepEqual(
            await create({ kind, format: 'CSV', requestJSON: JSON.stringify(backwards) }),
            refusal,
            kind,
          );
        for (const call of [history.list, history.listFrames])
          assert.deepEqual(await errorOf(app.call(call, backwards)), refusal);
      });

      it('show support what a device did, without keys and tokens', async () => {
        const surroundings = await createSurroundings(app);
        const gatewayID = await createGateway(app, surroundings.organizationID);
        const devEUI = await createDevice(app, surroundings, { variables: { token: 'secret value' } });
        const rxInfo = [{ gatewayID: Uint8Array.fromHex(gatewayID) }];
        const heard = pendingEvent('up', devEUI, { fCnt: 9, rxInfo });
        await record(devEUI, { ...heard, note: { lost: 2 } }, pendingEvent('error', devEUI, { error: 'wrong' }));
        const { url } = await app.call(download.create, {
          ...{ kind: 'DIAGNOSIS', format: 'JSON' },
          requestJSON: JSON.stringify({ devEUI }),
        } as const);
        const text = await (await app.fetch(url)).text();
        assert.doesNotMatch(text, /secret value|nwkKey|appKey/i);
        const { device: found, deviceProfile, loss, gateways, events } = JSON.parse(text) as Diagnosis;
        assert.deepEqual(
          [found.device.devEUI, found.device.variables, deviceProfile.deviceProfile.id, loss],
          [devEUI, ['token'], surroundings.deviceProfileID, { uplinks: 1, lost: 2 }],
        );
        assert.deepEqual(
          gateways.map((one) => [one.gatewayID, one.uplinks]),
          [[gatewayID, 1]],
        );
        assert.deepEqual(
          events.map(({ kind }) => kind),
          ['error', 'up'],
        );
      });
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
  const range = { fields: ['@rssi'], start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };
  const oneSeries = async (side: Side) => ({ ...(await one(side)), ...range });
  const diagnosis = async (side: Side) =>
    ({ kind: 'DIAGNOSIS', format: 'JSON', requestJSON: JSON.stringify(await one(side)) }) as const;
  describeAccess(database, 'history', [
    row(history.list, one, [...readers, 'applicationKey']),
    row(history.listFrames, one, [...readers, 'applicationKey']),
    row(download.create, diagnosis, [...readers, 'applicationKey']),
    row(series.listFields, one, [...readers, 'applicationKey']),
    row(series.get, oneSeries, [...readers, 'applicationKey']),
  ]);
}
