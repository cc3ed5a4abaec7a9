import { Violation } from '../database/violation.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import type { Configured, DeliveryTrouble } from '../integrations/integration.ts';
import type { Kind, Tried } from './attempt.ts';
import { retryMs } from './back-off.ts';
import { createDeviceQueues, type DeliveryEntry, type DeviceQueue } from './device-queues.ts';
import { createEndpoint } from './endpoint.ts';
import type { DeliveryRuntime } from './engine.ts';
import { createRecent, type Health, judge } from './health.ts';
import type { ParkedPlace } from './parked-rows.ts';
import { createReading } from './reading.ts';
import type { DeliveryRecord } from './record.ts';
import { createRetryQueue } from './retry-queue.ts';
import { type Saved, saveState } from './state-rows.ts';
import { oneAtATime, storageAgainMs } from './storing.ts';
import { createUnfinished } from './unfinished.ts';

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

const page = 500;
const storeEveryMs = 200;
const storeEvery = 500;
const lookEveryMs = 1000;
const mostUnlucky = 3;
const mostBatchBytes = 200_000;
/** A process has 4.5 s to end, and more than this to put away. */
export const stopMs = 2_500;
const clockJumpMs = 60_000;

/** `parked` is what is set aside when it begins. */
export function createRunner(
  engine: DeliveryRuntime,
  first: Configured,
  kind: Kind,
  { saved: before, parked, record }: { saved: Saved; parked: readonly ParkedPlace[]; record: DeliveryRecord },
): Runner {
  const { database, eventLog, clock, steadyTime, share, attempt, random, log, maxAgeMs, giveUpMs } = engine;
  let configured = first;
  let saved = before;
  let health: Health = before.health;
  let trouble = before.health.reason;
  const unfinished = createUnfinished([...before.doneAhead, ...parked.map(({ pos }) => pos)]);
  const reading = createReading(eventLog.reader(first.applicationID, before.position), () => unfinished.events());
  const live = createDeviceQueues(false);
  const endpoint = createEndpoint(engine, before.maxInFlight);
  const recent = createRecent();
  const retryQueue = createRetryQueue(engine, {
    configured: () => configured,
    kind,
    record,
    endpoint,
    isStopped: () => isStopped,
    isTooOld,
    finish,
    hasUnfinished: (devEUI) => unfinished.events().some((event) => event.devEUI === devEUI),
    onRoom: () => {
      isLevel = false;
    },
    onCountChanged: () => change(health),
    reportProblem: (message) => {
      trouble = message;
    },
    succeeded: succeed,
    pause,
    suspend,
  });
  const storing = oneAtATime(write);

  let lastPos = before.pos;
  let isReading = false;
  let hasRead: (() => void) | undefined;
  /** All there is has been read. */
  let isLevel = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  let inFlight = 0;
  let isStopped = false;
  let isOver = false;
  let lookedAtWall = clock.now().getTime();
  let idle: (() => void) | undefined;
  let isDirty = false;
  /** Since it was stored. */
  let done = 0;
  let storedAt = Number.NEGATIVE_INFINITY;

  retryQueue.requeue(parked.filter(({ isDead }) => !isDead));

  // Reading

  const isRunning = () => !isStopped && health.state !== 'SUSPENDED';
  const room = () => (retryQueue.isFull() ? 0 : unfinished.room());

  async function look(): Promise<void> {
    if (isReading || !isRunning()) return;
    isReading = true;
    try {
      for (let space = room(); space > 0 && isRunning(); space = room()) {
        // A read costs as much as a delivery: behind, there is one for a whole page.
        if (space < page && unfinished.size() >= page) break;
        isLevel = true;
        lookedAt = clock.monotonicMs();
        const found = await reading.next(Math.min(page, space), take);
        if (found > 0) isLevel = false;
        else if (isLevel) {
          unfinished.forgetDone();
          break;
        }
      }
    } catch (error) {
      isLevel = false;
      log.debug({ err: error }, 'events could not be read; tried again');
    } finally {
      isReading = false;
      hasRead?.();
    }
  }

  function take(events: readonly LoggedEvent[]): void {
    const expired: LoggedEvent[] = [];
    for (const event of events) {
      isDirty = true;
      lastPos = Math.max(lastPos, event.pos);
      if (!kind.takes.includes(event.type) || unfinished.wasDone(event)) done += 1;
      else if (isTooOld(event.at)) expired.push(event);
      else queue(unfinished.add(event));
    }
    expire(expired);
    failPoint('read');
    share.want(sender);
  }

  function queue(entry: DeliveryEntry): void {
    const { devEUI } = entry.event;
    if (!isHeld(devEUI)) live.add(entry);
    else void retryQueue.add(devEUI, [entry], { status: 0, message: 'Waits for an earlier event of its device.' });
  }

  /** Whether events of the device wait behind one that is set aside. */
  function isHeld(devEUI: string): boolean {
    return saved.keepOrder && retryQueue.lanes.of(devEUI) !== undefined;
  }

  function isTooOld(at: Date): boolean {
    return steadyTime.now() - at.getTime() > maxAgeMs;
  }

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

  const sender = {
    isDegraded: () => endpoint.isInTrouble() || health.state === 'DEGRADED',
    next: () => {
      if (!isRunning() || !endpoint.mayBeAsked(inFlight)) return undefined;
      // An event that was set aside is not the one to ask with whether the endpoint is back.
      const [one, other] = endpoint.isInTrouble() ? [live, retryQueue.lanes] : [retryQueue.lanes, live];
      const lane = one.acquire() ?? other.acquire();
      if (!lane) return undefined;
      inFlight += 1;
      return lane.isParked ? () => retryQueue.retryOldest(lane).finally(() => end([lane])) : serve(lanesOf(lane));
    },
  };

  const mostTogether = () => (endpoint.isInTrouble() ? 1 : (kind.deliverMany?.most ?? 1));

  /** The lanes of one request: several where the kind carries many and there is no trouble. */
  function lanesOf(lane: DeviceQueue): DeviceQueue[] {
    const lanes = [lane];
    for (let many = lane.waiting.length; many < mostTogether(); ) {
      const next = live.acquire();
      if (!next) break;
      lanes.push(next);
      many += next.waiting.length;
    }
    return lanes;
  }

  function serve(lanes: DeviceQueue[]): () => Promise<void> {
    const most = mostTogether();
    const entries: DeliveryEntry[] = [];
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

  function end(lanes: readonly DeviceQueue[]): void {
    inFlight -= 1;
    for (const lane of lanes) (lane.isParked ? retryQueue.lanes : live).release(lane);
    if (inFlight === 0) idle?.();
    if (isStopped) return;
    if (done >= storeEvery) void storeLater();
    if (!isLevel) void look();
    share.want(sender);
  }

  /** Answers whether to go on with what belongs to the same request. */
  async function deliver(all: readonly DeliveryEntry[]): Promise<boolean> {
    const old = all.filter(({ event }) => isTooOld(event.at));
    expire(old.map(({ event }) => event));
    for (const entry of old) finish(entry);
    // What was set aside meanwhile with an earlier one of its device is not ours any more.
    const entries = all.filter(({ event }) => unfinished.has(event) && !isHeld(event.devEUI));
    const [entry] = entries;
    if (!entry) return true;
    const startedAt = clock.monotonicMs();
    for (const one of entries) one.attempts += 1;
    const tried = await attempt({
      configured,
      kind,
      attempt: entry.attempts,
      done: entry.done,
      events: entries.map(({ event }) => event),
    });
    if (!tried.trouble) {
      for (const one of entries) record.tried('DELIVERED', about(one), tried, endpoint.isInTrouble());
      for (const one of entries) finish(one);
      succeed();
      return true;
    }
    if (entries.length > 1 && tried.trouble.about === 'event' && !tried.isOurs) {
      const half = Math.ceil(entries.length / 2);
      return (await deliver(entries.slice(0, half))) && (await deliver(entries.slice(half)));
    }
    if (tried.isOurs) await delay(storageAgainMs);
    else await fail(entries, tried, startedAt);
    return tried.trouble.about === 'event';
  }

  const about = ({ event, attempts }: DeliveryEntry) => ({ event, attempt: attempts });

  function finish(entry: DeliveryEntry): void {
    if (!unfinished.finish(entry)) return;
    done += 1;
    isDirty = true;
    const { waiting } = live.lane(entry.event.devEUI);
    const at = waiting.findIndex((one) => one.event === entry.event);
    if (at >= 0) waiting.splice(at, 1);
  }

  // What came of it

  function succeed(): void {
    endpoint.succeeded(saved.maxInFlight);
    recent.add(true);
    change({ ...health, failingSince: undefined, lastSuccessAt: clock.now() });
  }

  async function fail(entries: readonly DeliveryEntry[], tried: Tried, startedAt: number): Promise<void> {
    const why = tried.trouble!;
    const [entry] = entries as [DeliveryEntry, ...DeliveryEntry[]];
    if (why.about === 'event') {
      // The endpoint is there and says what it wants.
      endpoint.answered();
      await refused(entry, tried);
    } else if (why.about === 'gone') {
      record.tried('RETRIED', about(entry), tried, true);
      suspend(why.message);
    } else if (!(await isUnlucky(entries, tried, startedAt))) {
      record.tried('RETRIED', about(entry), tried, endpoint.isWorthALine());
      pause(why, startedAt);
    }
  }

  /** The endpoint does not want this event: it is set aside, or given up when nothing can be made of it. */
  async function refused(entry: DeliveryEntry, tried: Tried): Promise<void> {
    const { status, message } = tried.trouble!;
    const wait = status === undefined ? undefined : retryMs('refused', 1, random);
    trouble = message;
    record.tried(wait === undefined ? 'DEAD' : 'PARKED', about(entry), tried, true);
    if (wait === undefined) await retryQueue.moveToDeadLetters(entry, tried);
    else await setAside(entry, tried, wait);
    change(health);
  }

  /** Fails an endpoint once between successes, the event may be to blame: it waits a little, and is then set aside. */
  async function isUnlucky(entries: readonly DeliveryEntry[], tried: Tried, startedAt: number): Promise<boolean> {
    const why = tried.trouble!;
    const isAlone = endpoint.stumbled() && !endpoint.isInTrouble();
    const [entry] = entries as [DeliveryEntry, ...DeliveryEntry[]];
    if (!isAlone || entries.length > 1 || why.retryAfterMs !== undefined) return false;
    recent.add(false);
    trouble = why.message;
    entry.unlucky += 1;
    if (entry.unlucky >= mostUnlucky) {
      record.tried('PARKED', about(entry), tried, true);
      await setAside(entry, tried, retryMs('unlucky', 1, random)!);
    } else {
      record.tried('RETRIED', about(entry), tried, entry.unlucky === 1);
      live.lane(entry.event.devEUI).notBefore = clock.now().getTime() + 1000 * entry.unlucky;
    }
    change({ ...health, failingSince: health.failingSince ?? begun(startedAt) });
    return true;
  }

  /** On the wall: when a request began. */
  const begun = (startedAt: number) => new Date(clock.now().getTime() - (clock.monotonicMs() - startedAt));

  /** With the later ones of its device, which must not pass it. */
  function setAside(entry: DeliveryEntry, tried: Tried, waitMs: number): Promise<void> {
    const { devEUI } = entry.event;
    const entries = saved.keepOrder ? [...live.lane(devEUI).waiting] : [entry];
    return retryQueue.add(devEUI, entries, tried, clock.now().getTime() + waitMs);
  }

  function pause(why: DeliveryTrouble, startedAt: number): void {
    trouble = why.message;
    if (endpoint.failed(why, startedAt)) recent.add(false);
    else recent.alsoFailed();
    const failingSince = health.failingSince ?? begun(startedAt);
    change({ ...health, failingSince });
    if (steadyTime.now() - failingSince.getTime() >= giveUpMs)
      suspend(`Nothing was delivered since ${failingSince.toISOString()}. ${why.message}`);
  }

  // State

  function change(next: Health): void {
    const oldest = inFlight < unfinished.size() ? unfinished.oldest() : undefined;
    const circumstances = {
      now: clock.now(),
      parked: retryQueue.rows(),
      oldestAt: oldest?.event.at,
      trouble,
      pauseMs: endpoint.pauseLeftMs(),
    };
    const judged = judge(next, recent, circumstances);
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
    endpoint.forget(saved.maxInFlight);
    recent.clear();
    unfinished.pardon();
    const { lastSuccessAt } = health;
    change({ state: 'HEALTHY', reason: '', since: clock.now(), failingSince: undefined, lastSuccessAt });
    live.clearDelays();
    retryQueue.lanes.clearDelays();
    isLevel = false;
    void look();
    share.want(sender);
  }

  async function write(isLast: boolean): Promise<void> {
    if (isOver) return;
    const position = reading.position();
    const { revision } = configured;
    const moved = { position, pos: lastPos, doneAhead: unfinished.doneAhead(), revision, health };
    const isChanged = isDirty;
    [isDirty, done, storedAt] = [reading.isUnderway(), 0, clock.monotonicMs()];
    try {
      await database.commit({
        run: async () => {
          if (isChanged) await saveState(database, configured.id, { ...saved, ...moved });
          await record.write(isLast);
          return true;
        },
      });
      saved = { ...saved, ...moved };
      failPoint('position stored');
    } catch (error) {
      isDirty ||= isChanged;
      if (!(error instanceof Violation)) throw error;
    }
  }

  function storeLater(isLast = false): Promise<void> {
    return storing
      .start(isLast)
      .catch((error: unknown) => log.debug({ err: error }, 'a position could not be stored; tried again'));
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
        live.clearDelays();
        retryQueue.lanes.clearDelays();
        share.want(sender);
      }
      lookedAtWall = wall;
      const isLiveDue = live.isAnyDue(wall);
      if (retryQueue.lanes.isAnyDue(wall) || isLiveDue) share.want(sender);
    },
    wake: () => {
      isLevel = false;
      void look();
    },
    now: () => {
      const pauseLeft = endpoint.pauseLeftMs();
      const next = pauseLeft > 0 ? clock.now().getTime() + pauseLeft : retryQueue.nextAt();
      return {
        saved: { ...saved, health },
        inFlight,
        parked: retryQueue.rows(),
        oldestAt: unfinished.oldest()?.event.at,
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
      endpoint.keepBelow(maxInFlight);
      isDirty = true;
    },
    revive: (places) => {
      failPoint('revived');
      retryQueue.requeue(places);
      share.want(sender);
    },
    placeOf: (event) => (event.pos > lastPos || unfinished.has(event) ? 'waiting' : 'passed'),
    store: () => storing.startAfresh(false),
    stop: async () => {
      isStopped = true;
      const ends: Promise<void>[] = [];
      if (inFlight > 0) ends.push(new Promise((resolve) => (idle = resolve)));
      if (isReading) ends.push(new Promise((resolve) => (hasRead = resolve)));
      if (ends.length > 0) await Promise.race([Promise.all(ends), delay(stopMs)]);
      await storing.settled();
      await storeLater(true);
      isOver = true;
    },
  };
}
