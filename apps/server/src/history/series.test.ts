import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { databases } from '../testing/databases.ts';
import { type LoggedRow, openHistoryLog } from '../testing/history-log.ts';
import { seeded } from '../testing/seeded.ts';
import { cut } from './cut.ts';
import { fieldValuesOf } from './field-values.ts';
import { readFields, readSeries, type SeriesAnswer } from './read-series.ts';
import { seal } from './seal.ts';
import { dayMs, hourMs, type ValueStats } from './series-day.ts';

const start = Date.UTC(2026, 0, 1);
const keepAll = {
  ...{ before: undefined, seriesBefore: undefined, perDevice: 0 },
  ...{ mostBytes: Number.POSITIVE_INFINITY, isDiskLow: false },
};

type Sample = readonly [at: number, value: number];

const up = (seq: number, at: number, decoded: unknown, note: object = {}): LoggedRow => ({
  ...{ at, seq, type: 'up', note: JSON.stringify(note) },
  payload: JSON.stringify({ dr: 5, fCnt: seq, objectJSON: JSON.stringify(decoded), tags: { dr: '"objectJSON":"x"' } }),
});

/** What an answer must have for a field, from all of its values. */
function expected(samples: readonly Sample[], { stepMs }: SeriesAnswer) {
  const steps = new Map<number, ValueStats>();
  for (const [at, value] of samples) {
    const begin = stepMs === 0 ? at : Math.floor(at / stepMs) * stepMs;
    const known = steps.get(begin) ?? {
      count: 0,
      sum: 0,
      min: Number.POSITIVE_INFINITY,
      max: Number.NEGATIVE_INFINITY,
    };
    const { count, sum, min, max } = known;
    steps.set(begin, { count: count + 1, sum: sum + value, min: Math.min(min, value), max: Math.max(max, value) });
  }
  return [...steps].sort(([one], [other]) => one - other);
}

for (const kind of databases) {
  async function prepare() {
    const log = await openHistoryLog(kind);
    const ownerOf = async (devEUI: string, above = 0) => {
      const { rows } = await sql<{ last_event: number | null }>`select last_event from device
        where dev_eui = ${devEUI}`.execute(log.query);
      return { devEUI, above, last: rows[0]?.last_event == null ? null : Number(rows[0].last_event) };
    };
    return {
      ...log,
      sealAll: (upTo = log.last(), perDevice = 0) =>
        seal(log.stores(), { upTo, now: start, perDevice, isForced: true }),
      series: async (devEUI: string, request: { fields: string[]; start: number; end: number; points?: number }) =>
        readSeries(log.stores(), { ...(await ownerOf(devEUI, 0)), points: 500, ...request }),
      seriesAbove: async (devEUI: string, above: number, fields: string[]) =>
        readSeries(log.stores(), {
          ...{ ...(await ownerOf(devEUI, above)), fields, points: 500 },
          ...{ start, end: start + 30 * dayMs },
        }),
      fields: async (devEUI: string) => readFields(log.stores(), await ownerOf(devEUI)),
      /** The stored size of all series, and what it must be. */
      sizes: async () => {
        const { read } = log.stores().blocks!;
        const state = await read.selectFrom('history_state').select('series_bytes').executeTakeFirstOrThrow();
        const size = sql<number>`coalesce(sum(length(bytes) + 60), 0)`.as('size');
        const days = await read.selectFrom('series_day').select(size).executeTakeFirstOrThrow();
        return [state.series_bytes, Number(days.size)] as const;
      },
    };
  }
  const uplinksOf = ({ result }: SeriesAnswer) => result[0]!.count.reduce((sum, count) => sum + count, 0);

  describe(`series on ${kind}`, () => {
    it('have mean, minimum, maximum and count of the raw values, sealed or not, across restarts', async () => {
      await using history = await prepare();
      const random = seeded(11);
      const whole = (most: number) => Math.floor(random() * most);
      for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
      const values = new Map<string, Sample[]>();
      const keep = (field: string, at: number, value: number) => {
        const known = values.get(field);
        if (known) known.push([at, value]);
        else values.set(field, [[at, value]]);
      };
      let at = start;
      let waiting: LoggedRow[] = [];
      for (let seq = 1; seq <= 6_000; seq += 1) {
        at += 1 + (whole(2) === 0 ? whole(600_000) : whole(200_000));
        const row = { at, seq, note: null };
        const chance = random();
        if (chance < 0.05) {
          waiting.push({ ...row, type: 'error', payload: '{"type":"UPLINK_MIC"}' });
          keep('@errors', at, 1);
        } else if (chance < 0.1) {
          waiting.push({ ...row, type: 'status', payload: JSON.stringify({ batteryLevel: seq % 100, margin: -3 }) });
          keep('@battery', at, seq % 100);
        } else {
          const temperature = Math.round(random() * 4000) / 100 - 10;
          const isRare = chance < 0.2;
          const decoded = { temperature, ...(isRare && { rare: { level: whole(7) } }) };
          waiting.push(up(seq, at, decoded, { bestRSSI: -1 - (seq % 120), lost: whole(2) }));
          keep('temperature', at, temperature);
          if (isRare) keep('rare.level', at, (decoded as { rare: { level: number } }).rare.level);
          keep('@rssi', at, -1 - (seq % 120));
          keep('@lost', at, (JSON.parse(waiting.at(-1)!.note!) as { lost: number }).lost);
        }
        if (whole(400) === 0 || seq === 6_000) {
          await history.append('0a', waiting);
          await history.append('0b', [up(seq, at, { temperature: 99 })]);
          waiting = [];
          const chosen = whole(4);
          if (chosen === 0) await history.reopen();
          // Often a part of what waits.
          if (chosen !== 1) await history.sealAll(history.last() - whole(300));
        }
      }
      const fields = ['temperature', 'rare.level', '@rssi', '@lost', '@battery', '@errors'];
      let events = 0;
      for (let n = 0; n < 60; n += 1) {
        const length = [hourMs, dayMs, 6 * dayMs, 30 * dayMs, 90 * dayMs][n % 5]!;
        const range = { start: start + whole(at - start), points: 10 + whole(900) };
        const end = n < 5 ? at : range.start + length;
        const from = n < 5 ? at - length : range.start;
        const answer = await history.series('0a', { ...range, fields, start: from, end });
        const firstAt = length > 7 * dayMs ? Math.floor(from / hourMs) * hourMs : from;
        const lastAt = length > 7 * dayMs && end < at ? Math.floor(end / hourMs) * hourMs + hourMs - 1 : end;
        const isSealed = length > 7 * dayMs;
        if (!isSealed) events += 1;
        for (const [index, field] of fields.entries()) {
          const { at: times, count, mean, min, max } = answer.result[index]!;
          assert.ok(times.length <= Math.max(range.points, 10), `${times.length} of ${range.points} points`);
          const steps = expected(
            values.get(field)!.filter(([one]) => one >= firstAt && one <= lastAt),
            answer,
          );
          const about = `${field} of ${length / dayMs} days, step ${answer.stepMs}`;
          assert.deepEqual(
            times,
            steps.map(([begin]) => begin),
            about,
          );
          assert.deepEqual(
            [count, min, max],
            [
              steps.map(([, stats]) => stats.count),
              steps.map(([, stats]) => stats.min),
              steps.map(([, stats]) => stats.max),
            ],
            about,
          );
          for (const [nth, [, stats]] of steps.entries())
            assert.ok(Math.abs(mean[nth]! - stats.sum / stats.count) < 1e-6, `${about}: mean ${mean[nth]}`);
        }
      }
      assert.ok(events > 20);
      const known = await history.fields('0a');
      assert.deepEqual(
        known.fields.filter(({ field }) => field === 'temperature').map(({ since, lastValue }) => [since, lastValue]),
        [[values.get('temperature')![0]![0], values.get('temperature')!.at(-1)![1]]],
      );
      const [stored, sum] = await history.sizes();
      assert.equal(stored, sum);
    });

    it('have at most 32 decoded fields, of which a silent one gives its place to a new one', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`v${index}`, index]));
      await history.append('0a', [up(1, start, many), up(2, start + 1, many)]);
      const { omitted } = await history.sealAll();
      const known = await history.fields('0a');
      const decoded = known.fields.map(({ field }) => field).filter((field) => !field.startsWith('@'));
      assert.deepEqual([omitted, known.omitted, known.omittedField, decoded.length], [16, 16, 'v32', 32]);
      const later = start + dayMs + 1000;
      await history.append('0a', [up(3, later, { v1: 1 }), up(4, later, { fresh: 7 })]);
      const names = async () => (await history.fields('0a')).fields.map(({ field }) => field);
      const before = await names();
      await history.sealAll();
      assert.deepEqual((await names()).toSorted(), before.toSorted());
      assert.ok(before.includes('fresh') && before.includes('v1') && !before.includes('v0'));
    });

    it('are incomplete rather than slow when events that are not sealed have large payloads', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      const large = (seq: number) => up(seq, start + seq * 1000, { n: seq, text: 'x'.repeat(60_000) });
      await history.append('0a', [1, 2].map(large));
      const range = { fields: ['n'], start, end: start + hourMs };
      assert.equal((await history.series('0a', range)).isComplete, true);
      await history.append(
        '0a',
        Array.from({ length: 160 }, (_, index) => large(3 + index)),
      );
      const { isComplete, result } = await history.series('0a', range);
      assert.deepEqual([isComplete, result[0]!.max.at(-1)], [false, 162]);
      assert.ok((await history.fields('0a')).fields.some(({ field }) => field === 'n'));
    });

    it('outlive the events, and are removed by age and with the device', async () => {
      await using history = await prepare();
      for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
      for (const devEUI of ['0a', '0b'])
        await history.append(
          devEUI,
          Array.from({ length: 20 }, (_, day) => up(day + 1, start + day * dayMs, { day })),
        );
      await history.sealAll();
      const range = { fields: ['@uplinks'], start, end: start + 30 * dayMs };
      await cut(history.stores(), { ...keepAll, before: start + 100 * dayMs });
      assert.equal(uplinksOf(await history.series('0a', range)), 20);
      const ofFirstDays = { fields: ['day'], start, end: start + 3 * dayMs };
      assert.deepEqual((await history.series('0a', ofFirstDays)).result[0]!.mean, [0, 1, 2, 3]);
      const { series } = await cut(history.stores(), { ...keepAll, seriesBefore: start + 5 * dayMs + 1 });
      assert.deepEqual(series.removed, { age: 10, size: 0, device: 0 });
      assert.deepEqual([uplinksOf(await history.series('0a', range)), series.bytes], [15, (await history.sizes())[1]]);

      const from = history.last();
      await sql`update device set log_from = ${from} where dev_eui = '0a'`.execute(history.query);
      await history.append('0a', [up(21, start + 19 * dayMs + hourMs, { day: 19 })]);
      await history.append('0a', [up(22, start + 20 * dayMs, { day: 20 })]);
      await history.sealAll();
      assert.equal(uplinksOf(await history.seriesAbove('0a', from, ['@uplinks'])), 2);
      assert.equal((await cut(history.stores(), keepAll)).series.removed.device, 14);
      await sql`delete from device`.execute(history.query);
      assert.equal((await cut(history.stores(), keepAll)).series.removed.device, 17);
      assert.deepEqual(await history.sizes(), [0, 0]);
    });

    it('of a full disk lose their oldest days once no events are left', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      await history.append(
        '0a',
        Array.from({ length: 9 }, (_, day) => up(day, start + day * dayMs, { day })),
      );
      await history.sealAll();
      const low = { ...keepAll, isDiskLow: true };
      assert.equal((await cut(history.stores(), low)).series.removed.size, 0);
      assert.equal((await cut(history.stores(), low)).series.removed.size, 1);
    });

    it('begin with the sealed events where there are none yet', async () => {
      await using history = await prepare();
      await history.addDevice('0a');
      const rows = Array.from({ length: 600 }, (_, index) => up(index + 1, start + index * hourMs, { index }));
      await history.append('0a', rows.slice(0, 500));
      await history.sealAll();
      const { write } = history.stores().blocks!;
      const range = { fields: ['index', '@rssi'], start, end: start + 30 * dayMs };
      const before = await history.series('0a', range);
      for (const table of ['series_day', 'series_device'] as const) await write.deleteFrom(table).execute();
      await write.updateTable('history_state').set({ series_bytes: 0 }).execute();
      await history.append('0a', rows.slice(500));
      await history.sealAll();
      const after = await history.series('0a', range);
      assert.equal(
        after.result[0]!.count.reduce((sum, count) => sum + count, 0),
        600,
      );
      const { at, mean } = before.result[0]!;
      assert.deepEqual(
        [after.result[0]!.at.slice(0, at.length - 1), after.result[0]!.mean.slice(0, at.length - 1)],
        [at.slice(0, -1), mean.slice(0, -1)],
      );
    });

    if (kind === 'sqlite')
      it('of a time after the backup that was restored are removed', async () => {
        await using history = await prepare();
        for (const devEUI of ['0a', '0b']) await history.addDevice(devEUI);
        await history.append(
          '0a',
          Array.from({ length: 30 }, (_, index) => up(index + 1, start + index * hourMs, { index })),
        );
        await history.sealAll();
        const range = { fields: ['@uplinks', 'index', 'other'], start, end: start + 30 * dayMs };
        const before = await history.series('0a', range);
        const last = history.last();
        await history.append(
          '0a',
          Array.from({ length: 30 }, (_, index) => up(index + 31, start + (index + 30) * hourMs, { other: 1 })),
        );
        await history.append('0b', [up(1, start, { index: 1 })]);
        await history.sealAll();
        await sql`update device set last_event = ${last} where dev_eui = '0a'`.execute(history.query);
        await sql`update device set last_event = null where dev_eui = '0b'`.execute(history.query);
        await history.query.deleteFrom('event').where('pos', '>', last).execute();
        await sql`update sqlite_sequence set seq = ${last} where name = 'event'`.execute(history.query);
        await cut(history.stores(), keepAll);
        assert.deepEqual(await history.series('0a', range), before);
        assert.deepEqual((await history.fields('0a')).fields.map(({ field }) => field).includes('other'), false);
        assert.equal(uplinksOf(await history.series('0b', range)), 0);
        const [stored, sum] = await history.sizes();
        assert.equal(stored, sum);
      });
  });
}

describe('values of an event', () => {
  const valuesOf = (decoded: unknown, note?: object) =>
    Object.fromEntries(
      fieldValuesOf(up(1, start, decoded, note))
        .filter(({ field }) => !field.startsWith('@'))
        .map(({ field, value, quantity }) => [field, quantity ? [value, quantity.quantity, quantity.unit] : value]),
    );

  it('are numbers and booleans by their names, with the unit of the codec', () => {
    assert.deepEqual(
      valuesOf(
        {
          ...{ temperature: 21.5, open: true, name: 'x', nothing: null },
          ...{ temperatureSensor: { 3: 4 }, list: [1, 2], mixed: [1, 'x'], long: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
          water: { value: 17, unit: 'L' },
          'odd "name"\\': -1e-3,
          ['x'.repeat(101)]: 1,
          ...{ 'zero\0': 1, 'half\ud800': 1, huge: 1e301, huger: Number('1e400') },
          '@rssi': 5,
          a: { b: { c: { d: { e: { f: { g: { h: 8, i: { j: 9 } } } } } } } },
        },
        { quantities: { temperature: { quantity: 'temperature', unit: '°C' } } },
      ),
      {
        ...{ temperature: [21.5, 'temperature', '°C'], open: 1, 'temperatureSensor.3': 4, 'list.0': 1, 'list.1': 2 },
        ...{ water: [17, '', 'L'], 'odd "name"\\': -1e-3, 'a.b.c.d.e.f.g.h': 8 },
      },
    );
    for (const decoded of [5, null, 'x', []]) assert.deepEqual(valuesOf(decoded), {});
  });

  it('of an uplink include how it was received, except for one that a user sent as the device', () => {
    const note = { bestRSSI: -80, bestSNR: 7.5, gatewayCount: 2, airtimeMs: 61.7, lost: 3 };
    const found = (given: object) =>
      Object.fromEntries(fieldValuesOf(up(1, start, {}, given)).map(({ field, value }) => [field, value]));
    assert.deepEqual(found(note), {
      ...{ '@uplinks': 1, '@rssi': -80, '@snr': 7.5, '@gateways': 2, '@dr': 5, '@airtime': 61.7, '@lost': 3 },
    });
    const { '@lost': lost, '@stopped': stopped } = found({ ...note, lostWhileStopped: 2 });
    assert.deepEqual([lost, stopped, found({ counterReset: true })['@resets']], [1, 2, 1]);
    assert.deepEqual(found({ ...note, simulated: true }), {});
  });

  it('of a status are battery, if it has one, and margin', () => {
    const of = (payload: object) =>
      fieldValuesOf({ type: 'status', note: null, payload: JSON.stringify(payload) }).map(({ field, value }) => [
        field,
        value,
      ]);
    assert.deepEqual(of({ batteryLevel: 50.2, margin: 9 }), [
      ['@battery', 50.2],
      ['@margin', 9],
    ]);
    assert.deepEqual(of({ externalPowerSource: true, margin: -1 }), [['@margin', -1]]);
    assert.deepEqual(of({ batteryLevelUnavailable: true }), [['@margin', 0]]);
  });
});
