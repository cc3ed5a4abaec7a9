import { isStorageFailure } from '../database/storage-failure.ts';
import { passed } from '../delivery-steps.ts';
import type { Configured, DeliveryTrouble } from '../integrations/integration.ts';
import type { Kind, Tried } from './attempt.ts';
import { retryMs } from './back-off.ts';
import type { Endpoint } from './endpoint.ts';
import type { Engine } from './engine.ts';
import { createLanes, type Entry, type Lane, type Lanes } from './lanes.ts';
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
export interface Aside {
  readonly lanes: Lanes;
  /** How many there are. */
  rows(): number;
  isFull(): boolean;
  /** The first is tried again at `nextAt`, the others after it; beyond the bound they are given up. */
  add(devEUI: string, entries: readonly Entry[], why: Why, nextAt?: number): Promise<void>;
  /** Nothing can be made of this one: a dead letter from the beginning. */
  bury(entry: Entry, why: Why): Promise<void>;
  /** Tries the oldest of a device once more. */
  serve(lane: Lane): Promise<void>;
  /** These rows are alive again. */
  revive(places: readonly ParkedPlace[]): void;
  /** When the next one is tried, on the wall; infinite when none waits for a time. */
  nextAt(): number;
}

export type Why = Pick<Tried, 'status'> & { message?: string; trouble?: DeliveryTrouble | undefined };

/** The runner whose events these are. */
interface Host {
  configured(): Configured;
  readonly kind: Kind;
  readonly record: DeliveryRecord;
  readonly endpoint: Endpoint;
  isStopped(): boolean;
  isTooOld(at: Date): boolean;
  /** Whether events of the device are read and not done. */
  isComing(devEUI: string): boolean;
  /** A row of it is written. */
  finish(entry: Entry): void;
  /** There is room for more. */
  left(): void;
  /** Their number has changed. */
  changed(): void;
  /** People see this as what is wrong. */
  troubled(message: string): void;
  succeeded(): void;
  pause(why: DeliveryTrouble, startedAt: number): void;
  suspend(reason: string): void;
}

const mostOfDevice = 1000;
const most = 10_000;
/** Rows that are being written are looked for again. */
const lookAgainMs = 100;

export function createAside(
  { database, clock, attempt, random, log }: Engine,
  { kind, record, endpoint, ...host }: Host,
): Aside {
  const lanes = createLanes(true);
  let rows = 0;

  const idOf = () => host.configured().id;
  const stored = (work: () => Promise<void>) => untilStored({ database, clock, log }, () => host.isStopped(), work);

  function leave(lane: Lane, count: number): void {
    lane.rows -= count;
    rows -= count;
    lane.notBefore = 0;
    host.left();
  }

  /** Its rows are being written, or somebody has removed them. */
  function missing(lane: Lane): void {
    if (host.isComing(lane.devEUI)) lane.notBefore = clock.now().getTime() + lookAgainMs;
    else {
      leave(lane, lane.rows);
      host.changed();
    }
  }

  async function deliver(lane: Lane, row: Parked): Promise<void> {
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
        passed('taken back');
        leave(lane, 1);
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
    await again(lane, { ...next, failures: row.failures + 1, done: [...doneParts], status, message }, tried);
    // One that fails alone is unlucky; when nothing else is sent, it may as well be the endpoint.
    if (whose === 'event') endpoint.answered();
    else if (!endpoint.stumbled()) host.pause(tried.trouble, startedAt);
  }

  /** It has failed once more: it waits longer, or is given up. */
  async function again(lane: Lane, failed: Parked, tried: Tried): Promise<void> {
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
    host.troubled(message);
    if (await stored(() => updateParked(database, idOf(), { ...failed, nextAt }))) passed('put off');
  }

  async function giveUp(lane: Lane, row: Parked): Promise<void> {
    if (!(await stored(() => updateParked(database, idOf(), { ...row, deadAt: clock.now() })))) return;
    passed('given up');
    leave(lane, 1);
    host.changed();
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
      passed('set aside');
      for (const entry of entries) host.finish(entry);
      if (!lane.isBusy) lanes.giveBack(lane);
      host.changed();
    },
    bury: async (entry, why) => {
      const dead = toParked(entry, why, clock.now(), clock.now());
      if (!(await stored(() => insertParked(database, idOf(), [dead])))) return;
      passed('buried');
      host.finish(entry);
    },
    serve: async (lane) => {
      try {
        const row = await oldestParked(database, idOf(), lane.devEUI);
        if (row) await deliver(lane, row);
        else missing(lane);
      } catch (error) {
        if (!isStorageFailure(error)) throw error;
        lane.notBefore = clock.now().getTime() + storageAgainMs;
      }
    },
    revive: (places) => {
      for (const { devEUI, nextAt } of places) {
        const lane = lanes.lane(devEUI);
        lane.rows += 1;
        rows += 1;
        if (lane.rows === 1) lane.notBefore = nextAt.getTime();
      }
      for (const lane of lanes.all()) if (!lane.isBusy) lanes.giveBack(lane);
    },
    nextAt: () => {
      let next = Number.POSITIVE_INFINITY;
      for (const { notBefore } of lanes.all()) if (notBefore > 0) next = Math.min(next, notBefore);
      return next;
    },
  };
}

function toParked(
  { event, done, attempts }: Entry,
  { status, message, trouble }: Why,
  nextAt: Date,
  deadAt: Date | undefined,
): Parked {
  const text = { status, message: message ?? trouble?.message ?? '' };
  return { event, done: [...done], attempts, failures: 1, nextAt, deadAt, ...text };
}
