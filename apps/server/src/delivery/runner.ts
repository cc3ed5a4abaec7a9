import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from '../database/database.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import { isStorageFailure } from '../database/storage-failure.ts';
import { Violation } from '../database/violation.ts';
import type { EventLog, LoggedEvent, LogReader } from '../event-log/event-log.ts';
import { type Configured, DeliveryTrouble } from '../integrations/integration.ts';
import type { Attempt, Kind, Tried } from './attempt.ts';
import { pauseMs, retryMs } from './back-off.ts';
import type { FairShare } from './fair-share.ts';
import { createRecent, type Health, judge } from './health.ts';
import { createLanes, type Entry, type Lane } from './lanes.ts';
import {
  deleteParked,
  insertParked,
  oldestParked,
  type Parked,
  type ParkedPlace,
  updateParked,
} from './parked-rows.ts';
import type { DeliveryRecord } from './record.ts';
import { type Saved, saveState } from './state-rows.ts';

/** Delivers the events of one integration. */
export interface Runner {
  configured(): Configured;
  /** To be called ten times a second: what time brings. */
  tick(): void;
  /** Something was committed. */
  wake(): void;
  now(): Snapshot;
  /** Another configuration: the position stays, troubles are forgotten, and everything is tried at once. */
  configure(configured: Configured): void;
  suspend(reason: string): void;
  resume(): void;
  setOptions(options: { keepOrder: boolean; maxInFlight: number }): void;
  /** Events that were given up are tried again: these rows are alive now. */
  revive(places: readonly ParkedPlace[]): void;
  /** Where an event of its application is. */
  placeOf(event: LoggedEvent): 'passed' | 'waiting';
  /** Writes what there is to write; what was called before is on disk then. @throws when the storage is away */
  store(): Promise<void>;
  /** Takes nothing more, waits for what is under way, and stores where it stands. */
  stop(): Promise<void>;
}

/** What people see of a runner. */
export interface Snapshot {
  saved: Saved;
  inFlight: number;
  parked: number;
  nextTryAt: Date | undefined;
  oldestAt: Date | undefined;
}

export interface RunnerNeeds {
  database: Database;
  eventLog: EventLog;
  clock: Clock;
  steadyTime: SteadyTime;
  share: FairShare;
  attempt: Attempt;
  random: () => number;
  log: Logger;
  /** Older events are not worth delivering. */
  maxAgeMs: number;
  /** Suspended after so long without a success. */
  giveUpMs: number;
}

const window = { events: 2048, bytes: 8_000_000 };
const page = 500;
const storeEveryMs = 200;
const storeEvery = 500;
const lookEveryMs = 1000;
const storageAgainMs = 1000;
const firstInFlight = 8;
const mostUnlucky = 3;
const mostParkedOfDevice = 1000;
const mostParked = 10_000;
const mostBatchBytes = 200_000;
const stopMs = 10_000;
const clockJumpMs = 60_000;

/** `parked` is what is set aside when it begins. */
export function createRunner(
  needs: RunnerNeeds,
  first: Configured,
  kind: Kind,
  { saved: before, parked, record }: { saved: Saved; parked: readonly ParkedPlace[]; record: DeliveryRecord },
): Runner {
  const { database, eventLog, clock, steadyTime, share, attempt, random, log, maxAgeMs, giveUpMs } = needs;
  let configured = first;
  let saved = before;
  let health: Health = before.health;
  const reader: LogReader = eventLog.reader(first.applicationID, before.position);

  /** Read and not done, in the order of reading. */
  const open = new Map<number, Entry>();
  let openBytes = 0;
  let read = 0;
  let lastPos = before.pos;
  let isReading = false;
  let isLevel = false;
  let isStopped = false;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const live = createLanes(false);
  const aside = createLanes(true);
  /** Numbers of events that were done or set aside in an earlier process, until they have been read again. */
  const known = new Set([...before.doneAhead, ...parked.map(({ pos }) => pos)]);
  /** Done while one that was read before is not, by when they were read: they stay done in a later process. */
  const ahead = new Map<number, number>();
  let parkedRows = 0;

  const recent = createRecent();
  let inFlight = 0;
  let limit = Math.min(firstInFlight, before.maxInFlight);
  let pausedUntil = 0;
  /** Of the endpoint in a row, of requests that began after the one before was known. */
  let failures = 0;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isLastFailed = false;
  let trouble = before.health.reason;
  let failuresShown = 0;

  let isDirty = false;
  let done = 0;
  let storedAt = Number.NEGATIVE_INFINITY;
  let storing: Promise<void> | undefined;
  let isOver = false;
  let lookedAtWall = clock.now().getTime();
  let idle: (() => void) | undefined;

  revive(parked.filter(({ isDead }) => !isDead));

  // Reading

  const isRunning = () => !isStopped && health.state !== 'SUSPENDED';

  function room(): number {
    if (openBytes >= window.bytes || parkedRows >= mostParked) return 0;
    const [oldest] = open.values();
    return window.events - (oldest ? read - oldest.number : 0);
  }

  async function look(): Promise<void> {
    if (isReading || !isRunning()) return;
    isReading = true;
    try {
      for (let space = room(); space > 0 && isRunning(); space = room()) {
        // A read costs as much as a delivery: behind, there is one for a whole page.
        if (space < page && open.size >= page) break;
        const asked = Math.min(page, space);
        isLevel = true;
        lookedAt = clock.monotonicMs();
        const events = await reader.next(asked);
        if (isStopped) return;
        take(events);
        if (events.length > 0) isLevel = false;
        else if (isLevel) {
          known.clear();
          break;
        }
      }
    } catch (error) {
      isLevel = false;
      log.debug({ err: error }, 'events could not be read; tried again');
    } finally {
      isReading = false;
    }
  }

  function take(events: readonly LoggedEvent[]): void {
    const expired: LoggedEvent[] = [];
    for (const event of events) {
      isDirty = true;
      lastPos = Math.max(lastPos, event.pos);
      if (!kind.takes.includes(event.type)) done += 1;
      else if (known.delete(event.pos)) {
        ahead.set(event.pos, read);
        done += 1;
      } else if (isTooOld(event)) expired.push(event);
      else {
        const entry: Entry = { event, number: read, attempts: 0, done: new Set(), unlucky: 0 };
        read += 1;
        open.set(event.pos, entry);
        openBytes += event.json.length;
        const behind = saved.keepOrder && aside.of(event.devEUI);
        if (behind) void setAside(behind, [entry], { status: 0, message: 'Waits for an earlier event of its device.' });
        else live.add(entry);
      }
    }
    expire(expired);
    share.want(sender);
  }

  const isTooOld = ({ at }: LoggedEvent) => steadyTime.now() - at.getTime() > maxAgeMs;

  function expire(events: readonly LoggedEvent[]): void {
    const [oldest] = events;
    if (!oldest) return;
    const [from, to] = [oldest, events.at(-1)!].map(({ at }) => at.toISOString());
    const many = events.length === 1 ? `1 event of ${from}` : `${events.length} events from ${from} to ${to}`;
    record.note('EXPIRED', `${many} expired: they had waited too long.`, undefined, events.length);
    done += events.length;
    isDirty = true;
  }

  // Sending

  function mayStart(): boolean {
    if (!isRunning() || inFlight >= limit) return false;
    return clock.monotonicMs() >= pausedUntil;
  }

  const sender = {
    isDegraded: () => failures > 0 || health.state === 'DEGRADED',
    next: () => {
      if (!mayStart()) return undefined;
      // An event that was set aside is not the one to ask with whether the endpoint is back.
      const lane = failures > 0 ? (live.take() ?? aside.take()) : (aside.take() ?? live.take());
      if (!lane) return undefined;
      inFlight += 1;
      return lane.isParked ? () => serveParked(lane) : serve(lanesOf(lane));
    },
  };

  /** The lanes of one request: several where the kind carries many and there is no trouble. */
  function lanesOf(lane: Lane): Lane[] {
    const lanes = [lane];
    const most = failures > 0 ? 1 : (kind.deliverMany?.most ?? 1);
    for (let many = lane.waiting.length; many < most; ) {
      const next = live.take();
      if (!next) break;
      lanes.push(next);
      many += next.waiting.length;
    }
    return lanes;
  }

  function serve(lanes: Lane[]): () => Promise<void> {
    const most = failures > 0 ? 1 : (kind.deliverMany?.most ?? 1);
    const entries: Entry[] = [];
    let bytes = 0;
    for (const { waiting } of lanes)
      for (const entry of waiting) {
        bytes += entry.event.json.length;
        if (entries.length > 0 && (entries.length >= most || bytes > mostBatchBytes)) break;
        entries.push(entry);
      }
    return async () => {
      try {
        await deliver(entries);
      } finally {
        end(lanes);
      }
    };
  }

  function end(lanes: readonly Lane[]): void {
    inFlight -= 1;
    for (const lane of lanes) (lane.isParked ? aside : live).giveBack(lane);
    if (inFlight === 0) idle?.();
    if (isStopped) return;
    if (done >= storeEvery) void storeLater();
    if (!isLevel) void look();
    share.want(sender);
  }

  /** Answers whether to go on with what belongs to the same request. */
  async function deliver(all: readonly Entry[]): Promise<boolean> {
    const old = all.filter(({ event }) => isTooOld(event));
    expire(old.map(({ event }) => event));
    for (const entry of old) finish(entry);
    // What was set aside meanwhile with an earlier one of its device is not ours any more.
    const entries = all.filter(({ event }) => open.has(event.pos) && !(saved.keepOrder && aside.of(event.devEUI)));
    const [entry] = entries;
    if (!entry) return true;
    const startedAt = clock.monotonicMs();
    for (const one of entries) one.attempts += 1;
    const tried = await attempt({
      ...{ configured, kind, attempt: entry.attempts, done: entry.done },
      events: entries.map(({ event }) => event),
    });
    if (!tried.trouble) {
      for (const one of entries) record.tried('DELIVERED', about(one), tried, failures > 0);
      for (const one of entries) finish(one);
      succeed();
      return true;
    }
    if (entries.length > 1 && tried.trouble.about === 'event' && !tried.isStorage) {
      const half = Math.ceil(entries.length / 2);
      return (await deliver(entries.slice(0, half))) && (await deliver(entries.slice(half)));
    }
    await fail(entries, tried, startedAt);
    return tried.trouble.about === 'event';
  }

  const about = ({ event, attempts }: Pick<Entry, 'event' | 'attempts'>) => ({ event, attempt: attempts });

  function finish({ event, number }: Entry): void {
    if (!open.delete(event.pos)) return;
    ahead.set(event.pos, number);
    openBytes -= event.json.length;
    done += 1;
    isDirty = true;
    const { waiting } = live.lane(event.devEUI);
    const at = waiting.findIndex((one) => one.event === event);
    if (at >= 0) waiting.splice(at, 1);
  }

  function succeed(): void {
    failures = 0;
    failuresShown = 0;
    isLastFailed = false;
    pausedUntil = 0;
    limit = Math.min(saved.maxInFlight, limit + 1);
    recent.add(true);
    change({ ...health, failingSince: undefined, lastSuccessAt: clock.now() });
  }

  async function fail(entries: readonly Entry[], tried: Tried, startedAt: number): Promise<void> {
    const { trouble: why, isStorage } = tried as { trouble: DeliveryTrouble; isStorage: boolean };
    const [entry] = entries as [Entry, ...Entry[]];
    const lane = live.lane(entry.event.devEUI);
    if (isStorage) {
      await delay(storageAgainMs);
      return;
    }
    if (why.about === 'event') {
      // The endpoint is there and says what it wants.
      isLastFailed = false;
      await refused(entry, lane, tried);
      return;
    }
    if (why.about === 'gone') {
      record.tried('RETRIED', about(entry), tried, true);
      suspend(why.message);
      return;
    }
    if (await isUnlucky(entries, lane, tried)) return;
    record.tried('RETRIED', about(entry), tried, failuresShown % 10 === 0);
    failuresShown += 1;
    pause(why, startedAt);
  }

  /** Fails an endpoint once between successes, the event may be to blame: it waits a little, and is then set aside. */
  async function isUnlucky(entries: readonly Entry[], lane: Lane, tried: Tried): Promise<boolean> {
    const why = tried.trouble!;
    const isAlone = !isLastFailed && failures === 0;
    isLastFailed = true;
    const [entry] = entries as [Entry, ...Entry[]];
    if (!isAlone || entries.length > 1 || why.retryAfterMs !== undefined) return false;
    recent.add(false);
    trouble = why.message;
    entry.unlucky += 1;
    if (entry.unlucky >= mostUnlucky) {
      record.tried('PARKED', about(entry), tried, true);
      const nextAt = clock.now().getTime() + retryMs('unlucky', 1, random)!;
      await setAside(aside.lane(entry.event.devEUI), saved.keepOrder ? [...lane.waiting] : [entry], tried, nextAt);
    } else {
      record.tried('RETRIED', about(entry), tried, entry.unlucky === 1);
      lane.notBefore = clock.now().getTime() + 1000 * entry.unlucky;
    }
    change({ ...health, failingSince: health.failingSince ?? clock.now() });
    return true;
  }

  function pause(why: DeliveryTrouble, startedAt: number): void {
    limit = 1;
    const now = clock.now();
    trouble = why.message;
    // Whatever was under way when the trouble began tells nothing new.
    if (startedAt >= failedAt) {
      failedAt = clock.monotonicMs();
      failures += 1;
      pausedUntil = failedAt + (why.retryAfterMs ?? pauseMs(failures, random));
      recent.add(false);
    }
    const failingSince = health.failingSince ?? now;
    change({ ...health, failingSince });
    if (steadyTime.now() - failingSince.getTime() >= giveUpMs)
      suspend(`Nothing was delivered since ${failingSince.toISOString()}. ${why.message}`);
  }

  /** The endpoint does not want this event: it is set aside, or given up when nothing can be made of it. */
  async function refused(entry: Entry, lane: Lane, tried: Tried): Promise<void> {
    const { status } = tried.trouble!;
    const wait = status === undefined ? undefined : retryMs('refused', 1, random);
    trouble = tried.trouble!.message;
    record.tried(wait === undefined ? 'DEAD' : 'PARKED', about(entry), tried, true);
    if (wait === undefined) {
      await stored(() => insertParked(database, configured.id, [toParked(entry, tried, clock.now(), clock.now())]));
      finish(entry);
    } else {
      const entries = saved.keepOrder ? [...lane.waiting] : [entry];
      await setAside(aside.lane(entry.event.devEUI), entries, tried, clock.now().getTime() + wait);
    }
    change(health);
  }

  // What is set aside

  /** The first of them is tried again at `nextAt`, the others after it; beyond the bound they are given up. */
  async function setAside(
    lane: Lane,
    entries: readonly Entry[],
    why: Pick<Tried, 'status'> & { message?: string; trouble?: DeliveryTrouble | undefined },
    nextAt = 0,
  ): Promise<void> {
    const now = clock.now();
    const next = new Date(nextAt === 0 ? now : nextAt);
    if (lane.rows === 0) lane.notBefore = next.getTime();
    const rows = entries.map((entry, at) => {
      const isOver = lane.rows + at >= mostParkedOfDevice;
      if (isOver) record.note('DEAD', 'Too many events of this device wait already.', entry.event, 1);
      const { status, message } = at === 0 ? toText(why) : { status: 0, message: '' };
      return {
        ...toParked(entry, { status, message }, next, isOver ? now : undefined),
        failures: entry.attempts > 0 ? 1 : 0,
      };
    });
    const alive = rows.filter(({ deadAt }) => !deadAt).length;
    lane.rows += alive;
    parkedRows += alive;
    await stored(() => insertParked(database, configured.id, rows));
    for (const entry of entries) finish(entry);
    if (!lane.isBusy) aside.giveBack(lane);
    change(health);
  }

  async function serveParked(lane: Lane): Promise<void> {
    try {
      const row = await oldestParked(database, configured.id, lane.devEUI);
      if (row) await deliverParked(lane, row);
      else missing(lane);
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      lane.notBefore = clock.now().getTime() + storageAgainMs;
    } finally {
      end([lane]);
    }
  }

  /** Its rows are being written, or somebody has removed them. */
  function missing(lane: Lane): void {
    const isComing = [...open.values()].some(({ event }) => event.devEUI === lane.devEUI);
    if (isComing) lane.notBefore = clock.now().getTime() + 100;
    else {
      leave(lane, lane.rows);
      change(health);
    }
  }

  function leave(lane: Lane, rows: number): void {
    lane.rows -= rows;
    parkedRows -= rows;
    lane.notBefore = 0;
    isLevel = false;
  }

  async function deliverParked(lane: Lane, row: Parked): Promise<void> {
    const doneParts = new Set(row.done);
    const startedAt = clock.monotonicMs();
    const next: Parked = { ...row, attempts: row.attempts + 1 };
    if (isTooOld(row.event)) {
      await bury(lane, next, { status: row.status, message: `Too old: ${row.message}` });
      return;
    }
    const tried = await attempt({
      ...{ configured, kind, attempt: next.attempts, done: doneParts },
      events: [row.event],
    });
    const what = { event: row.event, attempt: next.attempts };
    if (!tried.trouble) {
      record.tried('DELIVERED', what, tried, true);
      await stored(() => deleteParked(database, configured.id, row.event.pos));
      leave(lane, 1);
      succeed();
      return;
    }
    const { about: whose, message, status = 0 } = tried.trouble;
    if (tried.isStorage) {
      lane.notBefore = clock.now().getTime() + storageAgainMs;
      return;
    }
    if (whose === 'gone' || (whose === 'endpoint' && failures > 0)) {
      // Nobody else passes either: not this event's fault.
      record.tried('RETRIED', what, tried, failuresShown % 10 === 0);
      failuresShown += 1;
      if (whose === 'gone') suspend(message);
      else pause(tried.trouble, startedAt);
      lane.notBefore = clock.now().getTime() + retryMs('unlucky', 1, random)!;
      return;
    }
    const failed = { ...next, failures: row.failures + 1, done: [...doneParts], status, message };
    const wait =
      whose === 'event' && tried.trouble.status === undefined
        ? undefined
        : retryMs(whose === 'event' ? 'refused' : 'unlucky', Math.max(failed.failures, 1), random);
    if (wait === undefined) {
      record.tried('DEAD', what, tried, true);
      await bury(lane, failed, { status, message }, true);
      return;
    }
    record.tried('RETRIED', what, tried, true);
    failed.nextAt = new Date(clock.now().getTime() + wait);
    lane.notBefore = failed.nextAt.getTime();
    trouble = message;
    await stored(() => updateParked(database, configured.id, failed));
    // One that fails alone is unlucky; when nothing else is sent, it may as well be the endpoint.
    if (whose === 'endpoint') {
      if (isLastFailed) pause(tried.trouble, startedAt);
      isLastFailed = true;
    } else isLastFailed = false;
  }

  async function bury(
    lane: Lane,
    row: Parked,
    why: { status: number; message: string },
    isNoted = false,
  ): Promise<void> {
    if (!isNoted) record.note('DEAD', why.message, row.event, 1);
    await stored(() => updateParked(database, configured.id, { ...row, ...why, deadAt: clock.now() }));
    leave(lane, 1);
    change(health);
  }

  function revive(places: readonly ParkedPlace[]): void {
    for (const { devEUI, nextAt } of places) {
      const lane = aside.lane(devEUI);
      lane.rows += 1;
      parkedRows += 1;
      if (lane.rows === 1) lane.notBefore = nextAt.getTime();
    }
    for (const lane of aside.all()) if (!lane.isBusy) aside.giveBack(lane);
  }

  // State

  function change(next: Health): void {
    const now = clock.now();
    const [oldest] = open.values();
    const oldestAt = oldest && inFlight < open.size ? oldest.event.at : undefined;
    const judged = judge(next, recent, { now, parked: parkedRows, oldestAt, trouble });
    if (judged.state !== health.state) {
      record.note('STATE', `${judged.state.toLowerCase()}${judged.reason === '' ? '' : `: ${judged.reason}`}`);
      log.info({ integration: configured.id, kind: configured.kind, state: judged.state }, 'integration');
    }
    if (judged !== health) isDirty = true;
    health = judged;
  }

  function suspend(reason: string): void {
    change({ ...health, state: 'SUSPENDED', reason, since: clock.now() });
  }

  function resume(): void {
    trouble = '';
    failures = 0;
    failuresShown = 0;
    pausedUntil = 0;
    isLastFailed = false;
    failedAt = clock.monotonicMs();
    limit = Math.min(firstInFlight, saved.maxInFlight);
    recent.clear();
    const { lastSuccessAt } = health;
    change({ state: 'HEALTHY', reason: '', since: clock.now(), failingSince: undefined, lastSuccessAt });
    live.hurry();
    aside.hurry();
    isLevel = false;
    void look();
    share.want(sender);
  }

  // Storing

  function stillAhead(): number[] {
    const [oldest] = open.values();
    for (const [pos, number] of ahead) if (!oldest || number < oldest.number) ahead.delete(pos);
    return [...ahead.keys(), ...known];
  }

  async function write(isLast: boolean): Promise<void> {
    if (isOver) return;
    const position = reader.position([...open.values()].map(({ event }) => event));
    const { revision } = configured;
    const moved = { position, pos: lastPos, doneAhead: stillAhead(), revision, health };
    const isChanged = isDirty;
    [isDirty, done, storedAt] = [false, 0, clock.monotonicMs()];
    try {
      await database.commit({
        run: async () => {
          if (isChanged) await saveState(database, configured.id, { ...saved, ...moved });
          await record.write(isLast);
          return true;
        },
      });
      saved = { ...saved, ...moved };
    } catch (error) {
      isDirty ||= isChanged;
      if (!(error instanceof Violation)) throw error;
    }
  }

  function storeLater(isLast = false): Promise<void> {
    storing ??= write(isLast)
      .catch((error: unknown) => log.debug({ err: error }, 'a position could not be stored; tried again'))
      .finally(() => {
        storing = undefined;
      });
    return storing;
  }

  /** One that has begun knows nothing of what was changed since. */
  async function store(): Promise<void> {
    while (storing) await storing;
    const writing = write(false);
    storing = writing
      .catch(() => undefined)
      .finally(() => {
        storing = undefined;
      });
    await writing;
  }

  /** Writes until it is written, however long the storage is away; an integration that is gone needs nothing. */
  async function stored(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await database.commit({ run: () => work().then(() => true) });
        return;
      } catch (error) {
        if (error instanceof Violation || isStopped) return;
        log.debug({ err: error }, 'an event could not be set aside; tried again');
        await delay(storageAgainMs);
      }
    }
  }

  const delay = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));

  return {
    configured: () => configured,
    tick: () => {
      if (isStopped) return;
      const nowMs = clock.monotonicMs();
      const wall = clock.now().getTime();
      if ((isDirty || record.isDirty()) && nowMs - storedAt >= storeEveryMs) void storeLater();
      if (!isLevel || nowMs - lookedAt >= lookEveryMs) void look();
      if (wall < lookedAtWall - clockJumpMs) {
        // Set back: what waits for a time would wait for it once more.
        live.hurry();
        aside.hurry();
        share.want(sender);
      }
      lookedAtWall = wall;
      const isLiveDue = live.isAnyDue(wall);
      if (aside.isAnyDue(wall) || isLiveDue) share.want(sender);
    },
    wake: () => {
      isLevel = false;
      void look();
    },
    now: () => {
      const [oldest] = open.values();
      const pause = pausedUntil - clock.monotonicMs();
      const parkedNext = Math.min(...[...aside.all()].map(({ notBefore }) => notBefore).filter((at) => at > 0));
      const now = clock.now().getTime();
      const next = pause > 0 ? now + pause : parkedNext;
      return {
        saved: { ...saved, health },
        ...{ inFlight, parked: parkedRows, oldestAt: oldest?.event.at },
        nextTryAt: Number.isFinite(next) && health.state !== 'SUSPENDED' ? new Date(next) : undefined,
      };
    },
    configure: (next) => {
      configured = next;
      isDirty = true;
      resume();
    },
    suspend,
    resume,
    setOptions: ({ keepOrder, maxInFlight }) => {
      saved = { ...saved, keepOrder, maxInFlight };
      limit = Math.min(limit, maxInFlight);
      isDirty = true;
    },
    revive: (places) => {
      revive(places);
      share.want(sender);
    },
    placeOf: ({ pos }) => (pos > lastPos || open.has(pos) ? 'waiting' : 'passed'),
    store,
    stop: async () => {
      isStopped = true;
      if (inFlight > 0)
        await Promise.race([
          new Promise<void>((resolve) => {
            idle = resolve;
          }),
          delay(stopMs),
        ]);
      await storing;
      await storeLater(true);
      isOver = true;
    },
  };
}

const toText = ({
  status,
  message,
  trouble,
}: Pick<Tried, 'status'> & { message?: string; trouble?: Tried['trouble'] }) => ({
  status,
  message: message ?? trouble?.message ?? '',
});

function toParked(
  { event, done, attempts }: Entry,
  why: Parameters<typeof toText>[0],
  nextAt: Date,
  deadAt: Date | undefined,
): Parked {
  return { event, done: [...done], attempts, failures: 1, nextAt, deadAt, ...toText(why) };
}
