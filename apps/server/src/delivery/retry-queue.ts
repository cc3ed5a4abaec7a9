import { isStorageFailure } from '../database/storage-failure.ts';
import { failPoint } from '../fail-points.ts';
import type { Configured, DeliveryTrouble } from '../integrations/integration.ts';
import type { Kind, Tried } from './attempt.ts';
import { retryMs } from './back-off.ts';
import { createDeviceQueues, type DeliveryEntry, type DeviceQueue, type DeviceQueues } from './device-queues.ts';
import type { Endpoint } from './endpoint.ts';
import type { DeliveryRuntime } from './engine.ts';
import {
  deleteParked,
  insertParked,
  oldestParked,
  type Parked,
  type ParkedPlace,
  updateParked,
} from './parked-rows.ts';
import type { DeliveryRecord } from './record.ts';
import { storageAgainMs, untilStored } from './storing.ts';

/** The events of one integration that are set aside: rows, in lanes by device, each tried when its time has come. */
export interface RetryQueue {
  readonly lanes: DeviceQueues;
  /** How many there are. */
  rows(): number;
  isFull(): boolean;
  /** The first is tried again at `nextAt`, the others after it; beyond the bound they are given up. */
  add(devEUI: string, entries: readonly DeliveryEntry[], why: FailureReason, nextAt?: number): Promise<void>;
  /** Nothing can be made of this one: a dead letter from the beginning. */
  moveToDeadLetters(entry: DeliveryEntry, why: FailureReason): Promise<void>;
  /** Tries the oldest of a device once more. */
  retryOldest(lane: DeviceQueue): Promise<void>;
  /** These rows are alive again. */
  requeue(places: readonly ParkedPlace[]): void;
  /** When the next one is tried, on the wall; infinite when none waits for a time. */
  nextAt(): number;
}

export type FailureReason = Pick<Tried, 'status'> & { message?: string; trouble?: DeliveryTrouble | undefined };

/** The runner whose events these are. */
interface RetryQueueHost {
  configured(): Configured;
  readonly kind: Kind;
  readonly record: DeliveryRecord;
  readonly endpoint: Endpoint;
  isStopped(): boolean;
  isTooOld(at: Date): boolean;
  /** Whether events of the device are read and not done. */
  hasUnfinished(devEUI: string): boolean;
  /** A row of it is written. */
  finish(entry: DeliveryEntry): void;
  /** There is room for more. */
  onRoom(): void;
  /** Their number has changed. */
  onCountChanged(): void;
  /** People see this as what is wrong. */
  reportProblem(message: string): void;
  succeeded(): void;
  pause(why: DeliveryTrouble, startedAt: number): void;
  suspend(reason: string): void;
}

const mostOfDevice = 1000;
const most = 10_000;
/** Rows that are being written are looked for again. */
const lookAgainMs = 100;

export function createRetryQueue(
  { database, clock, attempt, random, log }: DeliveryRuntime,
  { kind, record, endpoint, ...host }: RetryQueueHost,
): RetryQueue {
  const lanes = createDeviceQueues(true);
  let rows = 0;

  const idOf = () => host.configured().id;
  const stored = (work: () => Promise<void>) => untilStored({ database, clock, log }, () => host.isStopped(), work);

  function removeRows(lane: DeviceQueue, count: number): void {
    lane.rows -= count;
    rows -= count;
    lane.notBefore = 0;
    host.onRoom();
  }

  /** Its rows are being written, or somebody has removed them. */
  function handleMissingRow(lane: DeviceQueue): void {
    if (host.hasUnfinished(lane.devEUI)) lane.notBefore = clock.now().getTime() + lookAgainMs;
    else {
      removeRows(lane, lane.rows);
      host.onCountChanged();
    }
  }

  async function deliver(lane: DeviceQueue, row: Parked): Promise<void> {
    const doneParts = new Set(row.done);
    const startedAt = clock.monotonicMs();
    const next: Parked = { ...row, attempts: row.attempts + 1 };
    if (host.isTooOld(row.revivedAt ?? row.event.at)) {
      const message = `Too old: ${row.message}`;
      record.note('DEAD', message, row.event, 1);
      await giveUp(lane, { ...next, message });
      return;
    }
    const what = { configured: host.configured(), kind, attempt: next.attempts, done: doneParts };
    const tried = await attempt({ ...what, events: [row.event] });
    const about = { event: row.event, attempt: next.attempts };
    if (!tried.trouble) {
      record.tried('DELIVERED', about, tried, true);
      if (await stored(() => deleteParked(database, idOf(), row.event.pos))) {
        failPoint('taken back');
        removeRows(lane, 1);
      }
      host.succeeded();
      return;
    }
    if (tried.isOurs) {
      lane.notBefore = clock.now().getTime() + storageAgainMs;
      return;
    }
    const { about: whose, message, status = 0 } = tried.trouble;
    if (whose === 'gone' || (whose === 'endpoint' && endpoint.isInTrouble())) {
      // Nobody else passes either: not this event's fault.
      record.tried('RETRIED', about, tried, endpoint.isWorthALine());
      if (whose === 'gone') host.suspend(message);
      else host.pause(tried.trouble, startedAt);
      lane.notBefore = clock.now().getTime() + retryMs('unlucky', 1, random)!;
      return;
    }
    await retryLater(lane, { ...next, failures: row.failures + 1, done: [...doneParts], status, message }, tried);
    // One that fails alone is unlucky; when nothing else is sent, it may as well be the endpoint.
    if (whose === 'event') endpoint.answered();
    else if (!endpoint.stumbled()) host.pause(tried.trouble, startedAt);
  }

  /** It has failed once more: it waits longer, or is given up. */
  async function retryLater(lane: DeviceQueue, failed: Parked, tried: Tried): Promise<void> {
    const { about: whose, message, status } = tried.trouble!;
    const isHopeless = whose === 'event' && status === undefined;
    const wait = isHopeless
      ? undefined
      : retryMs(whose === 'event' ? 'refused' : 'unlucky', Math.max(failed.failures, 1), random);
    const about = { event: failed.event, attempt: failed.attempts };
    if (wait === undefined) {
      record.tried('DEAD', about, tried, true);
      await giveUp(lane, failed);
      return;
    }
    record.tried('RETRIED', about, tried, true);
    const nextAt = new Date(clock.now().getTime() + wait);
    lane.notBefore = nextAt.getTime();
    host.reportProblem(message);
    if (await stored(() => updateParked(database, idOf(), { ...failed, nextAt }))) failPoint('put off');
  }

  async function giveUp(lane: DeviceQueue, row: Parked): Promise<void> {
    if (!(await stored(() => updateParked(database, idOf(), { ...row, deadAt: clock.now() })))) return;
    failPoint('given up');
    removeRows(lane, 1);
    host.onCountChanged();
  }

  return {
    lanes,
    rows: () => rows,
    isFull: () => rows >= most,
    add: async (devEUI, entries, why, nextAt = 0) => {
      const now = clock.now();
      const lane = lanes.lane(devEUI);
      const next = new Date(nextAt === 0 ? now : nextAt);
      if (lane.rows === 0) lane.notBefore = next.getTime();
      const parked = entries.map((entry, at) => {
        const isOver = lane.rows + at >= mostOfDevice;
        if (isOver) record.note('DEAD', 'Too many events of this device wait already.', entry.event, 1);
        const failed = at === 0 ? why : { status: 0, message: '' };
        return {
          ...toParked(entry, failed, next, isOver ? now : undefined),
          failures: entry.attempts > 0 ? 1 : 0,
        };
      });
      const alive = parked.filter(({ deadAt }) => !deadAt).length;
      lane.rows += alive;
      rows += alive;
      if (!(await stored(() => insertParked(database, idOf(), parked)))) return;
      failPoint('set aside');
      for (const entry of entries) host.finish(entry);
      if (!lane.isBusy) lanes.release(lane);
      host.onCountChanged();
    },
    moveToDeadLetters: async (entry, why) => {
      const dead = toParked(entry, why, clock.now(), clock.now());
      if (!(await stored(() => insertParked(database, idOf(), [dead])))) return;
      failPoint('buried');
      host.finish(entry);
    },
    retryOldest: async (lane) => {
      try {
        const row = await oldestParked(database, idOf(), lane.devEUI);
        if (row) await deliver(lane, row);
        else handleMissingRow(lane);
      } catch (error) {
        if (!isStorageFailure(error)) throw error;
        lane.notBefore = clock.now().getTime() + storageAgainMs;
      }
    },
    requeue: (places) => {
      for (const { devEUI, nextAt } of places) {
        const lane = lanes.lane(devEUI);
        lane.rows += 1;
        rows += 1;
        if (lane.rows === 1) lane.notBefore = nextAt.getTime();
      }
      for (const lane of lanes.all()) if (!lane.isBusy) lanes.release(lane);
    },
    nextAt: () => {
      let next = Number.POSITIVE_INFINITY;
      for (const { notBefore } of lanes.all()) if (notBefore > 0) next = Math.min(next, notBefore);
      return next;
    },
  };
}

function toParked(
  { event, done, attempts }: DeliveryEntry,
  { status, message, trouble }: FailureReason,
  nextAt: Date,
  deadAt: Date | undefined,
): Parked {
  const text = { status, message: message ?? trouble?.message ?? '' };
  return { event, done: [...done], attempts, failures: 1, nextAt, deadAt, ...text };
}
