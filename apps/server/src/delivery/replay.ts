import type { LoggedEvent } from '../event-log/event-log.ts';
import { failPoint } from '../fail-points.ts';
import type { Kind, Tried } from './attempt.ts';
import { pauseMs } from './back-off.ts';
import { createDeviceQueues, type DeviceQueue } from './device-queues.ts';
import type { DeliveryRuntime } from './engine.ts';
import { createReading } from './reading.ts';
import { type Replay, saveReplay } from './replay-rows.ts';
import { type Runner, stopMs } from './runner.ts';
import { oneAtATime } from './storing.ts';
import { createUnfinished } from './unfinished.ts';

/** Sends events of the past once more, beside those that happen. */
export interface RunningReplay {
  tick(): void;
  now(): Replay;
  /** Sends nothing more; what is under way arrives. */
  cancel(): Promise<void>;
  /** The same, to go on after the next start. */
  stop(): Promise<void>;
}

const mostInFlight = 8;
const mostOpen = 256;
const storeEveryMs = 1000;
/** Events of different devices may have taken their time in another order than their number. */
const unorderedMs = 10_000;

export function createReplay(
  { database, eventLog, clock, share, attempt, random, log }: DeliveryRuntime,
  runner: Runner,
  kind: Kind,
  { begun, tried }: { begun: Replay; tried: (about: { event: LoggedEvent; attempt: number }, tried: Tried) => void },
): RunningReplay {
  const lanes = createDeviceQueues(false);
  const unfinished = createUnfinished(begun.doneAhead);
  const reader = eventLog.reader(runner.configured().applicationID, begun.position);
  const reading = createReading(reader, () => unfinished.events());
  let replay = begun;
  let isReading = false;
  let isRead = false;
  let isStopped = false;
  let inFlight = 0;
  let failures = 0;
  let pausedUntil = 0;
  let isDirty = false;
  let storedAt = clock.monotonicMs();
  let idle: (() => void) | undefined;

  const isWanted = ({ at, devEUI, type }: LoggedEvent) =>
    at >= replay.from &&
    at <= replay.to &&
    (replay.devEUI === '' || replay.devEUI === devEUI) &&
    (replay.types.length === 0 || replay.types.includes(type)) &&
    kind.takes.includes(type);

  async function look(): Promise<void> {
    if (isReading || isRead || isStopped || unfinished.size() >= mostOpen || unfinished.room() <= 0) return;
    isReading = true;
    try {
      await reading.next(mostOpen, take);
      share.wantLater(sender);
    } catch (error) {
      log.debug({ err: error }, 'events of a replay could not be read; tried again');
    } finally {
      isReading = false;
    }
  }

  function take(events: readonly LoggedEvent[]): void {
    isDirty = true;
    for (const event of events) if (isWanted(event) && !unfinished.wasDone(event)) lanes.add(unfinished.add(event));
    const last = events.at(-1);
    isRead = !last || last.at.getTime() > replay.to.getTime() + unorderedMs;
  }

  const sender = {
    isDegraded: () => true,
    next: () => {
      const most = failures > 0 ? 1 : mostInFlight;
      const isBarred = isStopped || runner.now().saved.health.state === 'SUSPENDED';
      if (isBarred || inFlight >= most || clock.monotonicMs() < pausedUntil) return undefined;
      const lane = lanes.acquire();
      if (!lane) return undefined;
      inFlight += 1;
      return () => send(lane);
    },
  };

  async function send(lane: DeviceQueue): Promise<void> {
    const entry = lane.waiting[0]!;
    entry.attempts += 1;
    const { event, attempts, done } = entry;
    const what = {
      configured: runner.configured(),
      kind,
      events: [event],
      attempt: attempts,
      done,
      replayID: replay.id,
    };
    const result = await attempt(what);
    if (result.isOurs || (result.trouble && result.trouble.about !== 'event')) {
      failures += 1;
      pausedUntil = clock.monotonicMs() + (result.trouble?.retryAfterMs ?? pauseMs(failures, random));
    } else {
      failures = 0;
      lane.waiting.shift();
      unfinished.finish(entry);
      replay = result.trouble ? { ...replay, failed: replay.failed + 1 } : { ...replay, sent: replay.sent + 1 };
      isDirty = true;
      tried({ event, attempt: attempts }, result);
      failPoint('replayed');
    }
    inFlight -= 1;
    lanes.release(lane);
    if (inFlight === 0) idle?.();
    void look();
    share.wantLater(sender);
  }

  async function write(): Promise<void> {
    const isOver = isRead && unfinished.size() === 0 && replay.state === 'RUNNING';
    const next: Replay = {
      ...replay,
      position: reading.position(),
      doneAhead: unfinished.doneAhead(),
      state: isOver ? 'DONE' : replay.state,
    };
    isDirty = reading.isUnderway();
    storedAt = clock.monotonicMs();
    try {
      await saveReplay(database, next);
      failPoint('replay stored');
      replay = { ...replay, position: next.position, state: next.state };
      if (isOver) isStopped = true;
    } catch (error) {
      isDirty = true;
      log.debug({ err: error }, 'a replay could not be stored; tried again');
    }
  }

  const storing = oneAtATime(write);

  return {
    tick: () => {
      if (isStopped) return;
      if ((isDirty || (isRead && unfinished.size() === 0)) && clock.monotonicMs() - storedAt >= storeEveryMs)
        void storing.start();
      void look();
      share.wantLater(sender);
    },
    now: () => replay,
    cancel: async () => {
      isStopped = true;
      await storing.settled();
      if (replay.state === 'RUNNING') replay = { ...replay, state: 'CANCELLED' };
      await saveReplay(database, replay);
    },
    stop: async () => {
      isStopped = true;
      const arrived = inFlight === 0 || new Promise<void>((resolve) => (idle = resolve));
      await Promise.race([arrived, new Promise<void>((resolve) => void clock.after(stopMs, resolve))]);
      await storing.settled();
      if (isDirty) await storing.start();
    },
  };
}
