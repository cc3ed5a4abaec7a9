import type { OwnKind } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { integration } from '@hilltop/protobuf';
import { sql, type Updateable } from 'kysely';
import type { Bus } from '../bus/bus.ts';
import { awaitAll } from '../database/await-all.ts';
import type { Database, DatabaseKind } from '../database/database.ts';
import { sqlWith } from '../database/sql-with.ts';
import { statement } from '../database/statement.ts';
import type { Tables } from '../database/tables.ts';
import type { PreparedStatement, PreparedWrites } from '../database/unit.ts';
import {
  hasTransaction,
  linkColumns,
  nextLink,
  nextTime,
  setNext,
  takeErrorTime,
  takeLink,
  timedLinkColumns,
} from '../event-log/chain.ts';
import type { StoredNote } from '../event-log/event.ts';
import type { EventLog, TimedLink } from '../event-log/event-log.ts';
import { setLatest } from '../latest-n.ts';
import type { Metrics } from '../metrics.ts';
import type { Counters } from '../statistics/counters.ts';
import type { Statistics } from '../statistics/statistics.ts';
import type { ServerEffect } from './effect.ts';
import type { DeviceEvent, PendingEvent } from './event.ts';
import { seenMarkLagMs } from './seen-mark.ts';
import { marksChange, marksOf, setMarks, type UplinkMarks } from './uplink-marks.ts';

/** Everything that one message of the network changes about a device. */
export type DeviceUpdate = {
  about: string;
  devEUI: string;
  events: PendingEvent[];
  /** Events that only the history shows, after the others. */
  ownEvents?: readonly OwnEvent[];
  at: Date;
  /** Columns of the device to set. */
  change?: Updateable<Tables['device']>;
  /** Of an uplink. */
  marks?: UplinkMarks;
  counters?: Counters;
  /** Called with each event after the commit. */
  onStored?: (event: DeviceEvent) => void;
};

/** The history shows `payload` with the time of the update. */
export interface OwnEvent {
  readonly kind: OwnKind;
  readonly payload: object;
  readonly note?: StoredNote | undefined;
}

export type EventRecorder = { record(update: DeviceUpdate): ServerEffect };

interface RecorderDependencies {
  database: Database;
  bus: Bus;
  statistics: Statistics;
  eventLog: Pick<EventLog, 'append' | 'appendNext' | 'prepareAppend' | 'appendOwn'>;
  clock: Clock;
  metrics: Pick<Metrics, 'count'>;
  historySize: number;
}

type UpdatedDevice = TimedLink & { seen_mark: Date | null };

/** Writes the events of devices into the log, their last error of each kind, and counters; publishes events after the commit. */
export function eventRecorder(dependencies: RecorderDependencies): EventRecorder {
  const { database, bus, statistics, eventLog, clock, metrics, historySize } = dependencies;
  const nowMs = () => clock.now().getTime();

  async function write(update: DeviceUpdate): Promise<void> {
    const { events, change, counters, ownEvents = [] } = update;
    if (ownEvents.length === 0 || events.length > 0 || change || counters) await writeUpdate(update);
    for (const event of ownEvents) await appendOwn(update, event);
  }

  async function appendOwn({ devEUI, at }: DeviceUpdate, { kind: type, payload, note }: OwnEvent): Promise<void> {
    const json = () => JSON.stringify({ publishedAt: at.toISOString(), ...payload });
    await eventLog.appendOwn({ type, devEUI, json, note }, nowMs());
  }

  async function writeUpdate(update: DeviceUpdate): Promise<void> {
    const { devEUI, counters, at } = update;
    if (isOnlyNextEvent(database, update)) return await writeNextEvent(update);
    const device = await updateDevice(database, update, nowMs());
    if (!device) return;
    const lastSeenAt = update.change?.last_seen_at;
    const writeMark = async () => {
      if (lastSeenAt instanceof Date)
        await updateSeenMark(database, { devEUI, lastSeenAt, seenMark: device.seen_mark });
    };
    const writeEvents = () => appendAll(update, device);
    const writeCounters = async () => {
      if (counters) await statistics.record(`device:${devEUI}`, at.getTime(), counters);
    };
    if (database.isPipelined) return void (await awaitAll([writeMark(), writeEvents(), writeCounters()]));
    await writeMark();
    await writeEvents();
    await writeCounters();
  }

  async function writeNextEvent({ devEUI, events, counters, at, onStored }: DeviceUpdate): Promise<void> {
    const [event] = events as [PendingEvent];
    const appending = eventLog.appendNext(event, nowMs());
    const counting = counters ? statistics.record(`device:${devEUI}`, at.getTime(), counters) : Promise.resolve();
    const [id] = await awaitAll([appending, counting]);
    if (id) database.afterCommit(() => publish({ ...event, id }, onStored));
  }

  async function appendAll({ devEUI, events, onStored }: DeviceUpdate, first: TimedLink): Promise<void> {
    let link = first;
    for (const [index, event] of events.entries()) {
      const isError = event.type === 'error';
      const takeNext = isError ? takeErrorTime(database) : takeLink(database);
      if (index > 0) link = (await takeNext.first({ devEUI, now: nowMs() }))!;
      const { event_seq: seq, stream_ms: ms } = link;
      const stored: DeviceEvent = { ...event, id: `${devEUI}-${ms}-${seq}` };
      await eventLog.append(stored, isError ? undefined : link);
      if (event.type === 'error') {
        const errorKind = integration.ErrorType.numbers[event.payload.type];
        await storeLastError(database).run({ devEUI, kind: errorKind, at: ms, seq, payload: stored.json() });
      }
      database.afterCommit(() => publish(stored, onStored));
    }
  }

  function publish(stored: DeviceEvent, onStored: DeviceUpdate['onStored']): void {
    metrics.count('events', { type: stored.type });
    if (historySize > 0) bus.publish('device-event', stored.devEUI, stored);
    onStored?.(stored);
  }

  const prepare = preparing(dependencies, publish);
  return {
    record: (update) => ({
      about: update.about,
      write: () => write(update),
      isSentAtOnce: isOnlyNextEvent(database, update) && !update.ownEvents?.length,
      prepare: () => prepare(update),
    }),
  };
}

/** Whether an update appends one event and changes nothing else of the device. */
function isOnlyNextEvent({ kind }: Pick<Database, 'kind'>, { events, change, marks }: DeviceUpdate): boolean {
  return kind === 'postgres' && events.length === 1 && events[0]!.type !== 'error' && !change && !marks;
}

/** Prepares the updates of most uplinks: one event, and of the device only what `updateSeen` changes. */
function preparing(
  { database, eventLog, statistics, clock }: RecorderDependencies,
  publish: (stored: DeviceEvent, onStored: DeviceUpdate['onStored']) => void,
): (update: DeviceUpdate) => PreparedWrites | undefined {
  const seenMarks = new SeenMarks(database);
  return (update) => {
    const { devEUI, events, ownEvents = [], counters, at, onStored } = update;
    const [event, ...more] = events;
    const seen = seenOf(update);
    if (!event || !seen || more.length + ownEvents.length > 0) return undefined;
    const appending = eventLog.prepareAppend(event);
    const marking = seenMarks.prepare(devEUI, seen.lastSeenAt);
    const statements: PreparedStatement[] = [
      { query: updateSeen(database).query({ devEUI, now: clock.now().getTime(), ...seen }), mustChange: 1 },
      appending.statement,
      ...(marking ? [marking.statement] : []),
      ...(counters ? [statistics.recording(`device:${devEUI}`, at.getTime(), counters)] : []),
    ];
    return {
      statements,
      onWritten: ([updated]) => {
        const [link] = updated as unknown as [UpdatedDevice];
        appending.onWritten(link);
        marking?.onWritten();
        publish({ ...event, id: `${devEUI}-${link.stream_ms}-${link.event_seq}` }, onStored);
      },
    };
  };
}

/** Devices whose mark is known; others get one more statement with their next uplink. */
const maxKnownMarks = 50_000;

/** The marks that prepared updates have set: they cannot read that of the device. */
class SeenMarks {
  readonly #database: Database;
  readonly #lastByDevice = new Map<string, number>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Undefined when the mark of the device does not lag behind. */
  prepare(devEUI: string, lastSeenAt: Date): { statement: PreparedStatement; onWritten: () => void } | undefined {
    const seenAt = lastSeenAt.getTime();
    const lag = seenAt - (this.#lastByDevice.get(devEUI) ?? Number.NEGATIVE_INFINITY);
    if (lag >= 0 && lag <= seenMarkLagMs) return undefined;
    return {
      statement: { query: setSeenMark(this.#database).query({ devEUI, lastSeenAt }) },
      onWritten: () => setLatest(this.#lastByDevice, maxKnownMarks, devEUI, seenAt),
    };
  }
}

/** The parameters of `updateSeen`; undefined when the update changes something else. */
function seenOf({ change = {}, marks, events }: DeviceUpdate) {
  const { last_seen_at: lastSeenAt, dr, ...others } = change;
  const isLinked = events.length > 0 && events[0]!.type !== 'error';
  if (!isLinked || !(lastSeenAt instanceof Date) || !marks || typeof dr !== 'number') return undefined;
  return Object.keys(others).length === 0 ? { lastSeenAt, dr, ...marksOf(marks) } : undefined;
}

/** Updates the device; returns the link of the first event, or of the last one before an error. Undefined: no device. */
async function updateDevice(database: Database, update: DeviceUpdate, now: number): Promise<UpdatedDevice | undefined> {
  const { kind } = database;
  const { devEUI, change = {}, marks, events } = update;
  const seen = seenOf(update);
  if (seen) return updateSeen(database).first({ devEUI, now, ...seen });
  const isLinked = events.length > 0 && events[0]!.type !== 'error';
  const { last_seen_at: lastSeenAt } = change;
  const isSeen = lastSeenAt instanceof Date && marks;
  return database.query
    .updateTable('device')
    .set((row) => ({
      ...change,
      ...(change.margin !== undefined && { previous_margin: row.ref('margin') }),
      ...(isSeen && marksChange(kind, marks, { at: lastSeenAt, now })),
      ...(isLinked ? nextLinkIn(kind) : { event_seq: row.ref('event_seq') }),
      // An error shares the number of the event before it, never its time.
      ...(events.length > 0 && { stream_ms: sqlWith<number>(nextTime(kind, isLinked ? 0 : 1), { now }) }),
    }))
    .where('dev_eui', '=', devEUI)
    .where(sql.raw<boolean>(hasTransaction(kind)))
    .returning([...linkColumns, 'stream_ms', 'seen_mark'])
    .executeTakeFirst();
}

/** `seen_mark` is indexed and lags behind, so that most uplinks change no index. */
async function updateSeenMark(
  database: Database,
  { devEUI, lastSeenAt, seenMark }: { devEUI: string; lastSeenAt: Date; seenMark: Date | null },
): Promise<void> {
  const lag = seenMark && lastSeenAt.getTime() - seenMark.getTime();
  if (lag === null || lag > seenMarkLagMs || lag < 0) await setSeenMark(database).run({ devEUI, lastSeenAt });
}

function nextLinkIn(kind: DatabaseKind) {
  const { event_seq, previous_event, last_event } = nextLink(kind);
  return {
    event_seq: sql.raw<number>(event_seq),
    previous_event: sql.raw<number>(previous_event),
    last_event: sql.raw<number>(last_event),
  };
}

/** For most uplinks: only `last_seen_at`, `dr`, the marks and the link change. */
const updateSeen = statement<UpdatedDevice>()({
  sql: ({
    kind,
    from,
  }) => `update device set last_seen_at = $lastSeenAt, dr = $dr, ${setMarks(kind)}, ${setNext(kind)} ${from}
    where dev_eui = $devEUI and ${hasTransaction(kind)}
    returning ${timedLinkColumns}, seen_mark`,
  given: {
    devEUI: 'text',
    lastSeenAt: 'timestamptz',
    dr: 'int8',
    now: 'int8',
    shift: 'int8',
    lostBits: 'int8',
    codecError: 'int8',
    soleGateway: 'text',
  },
  batch: { rowKey: 'devEUI' },
});

const setSeenMark = statement()({
  sql: ({ from }) => `update device set seen_mark = $lastSeenAt ${from} where dev_eui = $devEUI`,
  given: { devEUI: 'text', lastSeenAt: 'timestamptz' },
  batch: { rowKey: 'devEUI' },
});

const storeLastError = statement()({
  sql: `insert into last_error (dev_eui, kind, at, seq, payload, count)
    values ($devEUI, $kind, $at, $seq, $payload, 1)
    on conflict (dev_eui, kind) do update set
      at = excluded.at, seq = excluded.seq, payload = excluded.payload, count = last_error.count + 1,
      second_at = last_error.at, third_at = last_error.second_at`,
  given: { devEUI: 'text', kind: 'int8', at: 'int8', seq: 'int8', payload: 'text' },
});
