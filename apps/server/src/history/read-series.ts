import { ownFieldOf } from '@hilltop/contract/own-fields';
import { keyAt } from './event-key.ts';
import { FieldList, type KnownFields } from './field-list.ts';
import { fieldValuesOf } from './field-values.ts';
import { logPart } from './log-part.ts';
import { type HistoryEvent, type HistoryPart, readEach } from './part.ts';
import { olderOf } from './read-page.ts';
import { sealedPosition } from './seal.ts';
import { sealedPart } from './sealed-part.ts';
import { addStats, dayMs, dayOf, hourMs, statsOf, unpackDay, type ValueStats } from './series-day.ts';
import { storedFieldsOf } from './series-writer.ts';
import type { HistoryStores } from './stores.ts';

/** A device as its history is read. */
export interface HistoryOwner {
  readonly devEUI: string;
  /** The position of the newest event of the device in the log. */
  readonly last: number | null;
  /** Events up to this position are of an earlier device with the same DevEUI. */
  readonly above: number;
}

export interface SeriesRequest extends HistoryOwner {
  readonly fields: readonly string[];
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** At most so many of a field. */
  readonly points: number;
}

export interface SeriesAnswer {
  /** 0 for raw values. */
  readonly stepMs: number;
  readonly isComplete: boolean;
  readonly result: readonly FieldSeries[];
}

interface FieldSeries {
  readonly field: string;
  readonly at: readonly number[];
  readonly count: readonly number[];
  readonly mean: readonly number[];
  readonly min: readonly number[];
  readonly max: readonly number[];
}

/** Up to this range and this number, events are read themselves. */
const longestOfEvents = 7 * dayMs;
const mostEvents = 5000;
/** The most events that a call reads because they are not sealed yet. */
const mostUnsealed = 20_000;
/** The most characters of payloads that a call reads, about a third of a second of work: codecs may return 64 kB. */
const mostCharacters = 8 << 20;
/** For the last values; fields that have none among them are known from sealing. */
const mostForFields = 500;

const minuteMs = 60_000;
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 4, 6, 8, 12].map((hours) => hours * hourMs),
  ...[1, 2, 3, 4, 5, 6, 7, 14, 28, 56].map((days) => days * dayMs),
];

function stepOf({ start, end, points }: SeriesRequest, least: number): number {
  // One more is begun before the range.
  const needed = Math.max(least, (end - start) / (points - 1));
  return steps.find((step) => step >= needed) ?? steps.at(-1)!;
}

export async function readSeries(stores: HistoryStores, request: SeriesRequest): Promise<SeriesAnswer> {
  return (await fromEvents(stores, request)) ?? (await fromSeries(stores, request));
}

/** Undefined when there are too many events, or when some of the range are not stored any more. */
async function fromEvents(stores: HistoryStores, request: SeriesRequest): Promise<SeriesAnswer | undefined> {
  const { devEUI, last, above, fields, start, end, points } = request;
  const { kind, blocks } = stores;
  if (blocks && (end - start > longestOfEvents || !(await areEventsStored(blocks.read, request)))) return undefined;
  const parts: HistoryPart[] = [
    logPart(stores, { devEUI, last, above: Math.max(above, await sealedPosition(stores)) }),
  ];
  if (blocks) parts.push(sealedPart({ kind, query: blocks.read }, { devEUI, above, kinds: [] }));
  const found = new Map(fields.map((field): [string, [at: number, value: number][]] => [field, []]));
  const budget = new ReadingBudget(mostEvents);
  let isComplete = true;
  await readEach(olderOf(parts, keyAt(end + 1)), (event) => {
    if (event.at < start) return false;
    isComplete = budget.spend(event);
    if (!isComplete) return false;
    for (const { field, value } of fieldValuesOf(event)) found.get(field)?.push([event.at, value]);
    return true;
  });
  if (blocks && !isComplete) return undefined;
  const areCounters = fields.every((field) => ownFieldOf(field)?.kind === 'counter');
  const isRaw = !areCounters && [...found.values()].every((values) => values.length <= points);
  const stepMs = isRaw ? 0 : stepOf(request, 1);
  const buckets = new SeriesBuckets(stepMs);
  for (const [field, values] of found)
    for (const [at, value] of values.reverse()) buckets.add(field, at, statsOf(value));
  return { stepMs, isComplete, result: fields.map((field) => buckets.of(field)) };
}

/** Whether the range has few enough events, and no series without them. */
async function areEventsStored(
  query: NonNullable<HistoryStores['blocks']>['read'],
  { devEUI, above, start, end }: SeriesRequest,
): Promise<boolean> {
  const blocks = query.selectFrom('event_block').where('dev_eui', '=', devEUI).where('from_pos', '>', above);
  const { events } = await blocks
    .select(({ fn }) => fn.sum('count').as('events'))
    // Blocks that reach beyond the range may have most of their events there.
    .where('from_at', '>=', start)
    .where('to_at', '<=', end)
    .executeTakeFirstOrThrow();
  if (Number(events) > mostEvents) return false;
  const oldest = await blocks.select('from_at').orderBy('to_at').limit(1).executeTakeFirst();
  if (oldest && oldest.from_at <= start) return true;
  const stored = await query
    .selectFrom('series_day')
    .select('day')
    .where('dev_eui', '=', devEUI)
    .where('from_pos', '>', above)
    .where('day', '>=', dayOf(start))
    .where('day', '<', oldest ? dayOf(oldest.from_at) : dayOf(end) + 1)
    .limit(1)
    .executeTakeFirst();
  return !stored;
}

/** The series, and the events that are not sealed yet. */
async function fromSeries(stores: HistoryStores, request: SeriesRequest): Promise<SeriesAnswer> {
  const { devEUI, last, above, fields, end } = request;
  const start = Math.floor(request.start / hourMs) * hourMs;
  const stepMs = stepOf(request, hourMs);
  const buckets = new SeriesBuckets(stepMs);
  // One statement, so that the position and the rows are of the same time.
  const rows = await stores
    .blocks!.read.selectFrom('history_state')
    .leftJoin('series_day', (join) =>
      join
        .on('dev_eui', '=', devEUI)
        .on('from_pos', '>', above)
        .on('day', '>=', dayOf(start))
        .on('day', '<=', dayOf(end)),
    )
    .select(['sealed_pos', 'day', 'series_day.bytes'])
    .orderBy('day')
    .execute();
  for (const { day, bytes } of rows) {
    if (day === null || bytes === null) continue;
    const values = unpackDay(bytes);
    for (const field of fields)
      for (const [hour, stats] of (values.get(field) ?? []).entries()) {
        const at = day * dayMs + hour * hourMs;
        if (stats && at >= start && at <= end) buckets.add(field, at, stats);
      }
  }
  const wanted = new Set(fields);
  const unsealed = logPart(stores, { devEUI, last, above: Math.max(above, rows[0]!.sealed_pos) });
  const budget = new ReadingBudget(mostUnsealed);
  let isComplete = true;
  await readEach(unsealed.older(keyAt(end + 1)), (event) => {
    if (event.at < start) return false;
    isComplete = budget.spend(event);
    if (!isComplete) return false;
    for (const { field, value } of fieldValuesOf(event))
      if (wanted.has(field)) buckets.add(field, event.at, statsOf(value));
    return true;
  });
  return { stepMs, isComplete, result: fields.map((field) => buckets.of(field)) };
}

/** Bounds the work of one call. */
class ReadingBudget {
  #events: number;
  #characters = mostCharacters;

  constructor(events: number) {
    this.#events = events;
  }

  /** False: the event is beyond the budget. */
  spend({ payload }: HistoryEvent): boolean {
    this.#events -= 1;
    this.#characters -= payload.length;
    return this.#events >= 0 && this.#characters >= 0;
  }
}

/** Values by field and step, or each for itself when the step is 0. */
class SeriesBuckets {
  readonly #stepMs: number;
  readonly #fields = new Map<string, [at: number, stats: ValueStats][]>();
  readonly #open = new Map<string, ValueStats>();

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  add(field: string, at: number, stats: ValueStats): void {
    const begin = this.#stepMs === 0 ? at : Math.floor(at / this.#stepMs) * this.#stepMs;
    const key = `${begin} ${field}`;
    const open = this.#stepMs === 0 ? undefined : this.#open.get(key);
    if (open) return addStats(open, stats);
    const own = { ...stats };
    this.#open.set(key, own);
    const points = this.#fields.get(field);
    if (points) points.push([begin, own]);
    else this.#fields.set(field, [[begin, own]]);
  }

  /** The oldest first. */
  of(field: string): FieldSeries {
    const points = (this.#fields.get(field) ?? []).toSorted(([one], [other]) => one - other);
    const stats = points.map(([, one]) => one);
    return {
      field,
      at: points.map(([at]) => at),
      count: stats.map(({ count }) => count),
      mean: stats.map(({ sum, count }) => Number((sum / count).toPrecision(12))),
      min: stats.map(({ min }) => min),
      max: stats.map(({ max }) => max),
    };
  }
}

/** The fields of a device with their last values. */
export async function readFields(stores: HistoryStores, { devEUI, last, above }: HistoryOwner): Promise<KnownFields> {
  const { blocks } = stores;
  const position = await sealedPosition(stores);
  const stored = blocks && (await storedFieldsOf(blocks.read, { devEUI, from: above }));
  const list = new FieldList(stored?.known);
  const budget = new ReadingBudget(blocks ? mostForFields : mostEvents);
  const newest: HistoryEvent[] = [];
  await readEach(logPart(stores, { devEUI, last, above: Math.max(above, position) }).older(undefined), (event) => {
    const isWithin = budget.spend(event);
    if (isWithin) newest.push(event);
    return isWithin;
  });
  for (const event of newest.reverse()) for (const value of fieldValuesOf(event)) list.accept(value, event.at);
  return list.all();
}
