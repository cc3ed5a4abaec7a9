import type { Network } from '../network/network.ts';
import type { DueClaim, DueKind } from '../state/due.ts';

/** Handles due work. A handler settles its claim; when it fails, the work is claimed again after the lease. */
export type DueHandlers = Record<DueKind, (claim: DueClaim) => Promise<void>>;

export interface Scheduler {
  /** Claims what is due, also from before a restart. */
  start(): void;
  /** Claims nothing more, and resolves when all claimed work is done. */
  stop(): Promise<void>;
}

const leaseMs = 10_000;
/** Among several instances: work of an instance that has ended is done by a peer within five seconds. */
const sharedLeaseMs = 3_000;
/** So much runs at once; other work stays in the database, where a peer can claim it. */
const mostAtOnce = 200;
/** The longest time without a look at the database: clocks may be set. */
const longestRestMs = 60_000;
/** Peers schedule work, and end. */
const sharedRestMs = 1_000;
const storageRestMs = 1000;
/** Work from before a restart that is further ahead than this is checked: the clock may have been wrong. */
const believedAheadMs = 3_600_000;
/** A clock that is corrected by less does no harm. */
const slackMs = 1000;

/**
 * One timer for the earliest due time, set again when earlier work is scheduled. With nothing due nothing runs, unless
 * peers work on the same state.
 */
export function createScheduler({ state, clock, count, log, isShared }: Network, handlers: DueHandlers): Scheduler {
  const underway = new Set<Promise<void>>();
  let timer: { at: number; cancel: () => void } | null = null;
  let turn: Promise<void> | null = null;
  let isAskedMeanwhile = false;
  let isRunning = false;
  /** Wall clock less time that passes. */
  let offset: number | null = null;

  function wake(at: number): void {
    if (!isRunning) return;
    const now = clock.now().getTime();
    offset = Math.max(offset ?? now - clock.monotonicMs(), now - clock.monotonicMs());
    if (at <= now) begin();
    else setTimer(at, now);
  }

  function setTimer(at: number, now: number): void {
    if (timer && timer.at <= at) return;
    timer?.cancel();
    timer = { at, cancel: clock.after(Math.min(at - now, isShared ? sharedRestMs : longestRestMs), begin) };
  }

  function begin(): void {
    if (turn) isAskedMeanwhile = true;
    else turn = takeAll().then(rest);
  }

  function rest(): void {
    turn = null;
    if (isAskedMeanwhile && isRunning) begin();
  }

  /** When the clock was set back, all that waits for a time to come is looked at: whether it still is to come. */
  async function heedClock(): Promise<void> {
    const now = clock.now().getTime();
    const before = offset;
    offset = now - clock.monotonicMs();
    if (before !== null && before - offset < slackMs) return;
    const after = before === null ? now + believedAheadMs : now;
    await state.commit({ writes: [{ kind: 'hurryDue', after, to: now }], effects: [] });
  }

  async function takeAll(): Promise<void> {
    timer?.cancel();
    timer = null;
    isAskedMeanwhile = false;
    try {
      await heedClock();
      while (isRunning && (await takeSome()));
      const at = await state.nextDueAt();
      const now = clock.now().getTime();
      if (at !== null && isRunning) setTimer(Math.max(at, now), now);
      else if (isShared && isRunning) setTimer(now + sharedRestMs, now);
    } catch (error) {
      count('due_unreadable');
      log.error({ err: error }, 'Due work could not be taken; the next try follows.');
      const now = clock.now().getTime();
      if (isRunning) setTimer(now + storageRestMs, now);
    }
  }

  /** Whether there may be more. */
  async function takeSome(): Promise<boolean> {
    while (underway.size >= mostAtOnce) await Promise.race(underway);
    const now = clock.now().getTime();
    const most = mostAtOnce - underway.size;
    const claims = await state.claimDue({ now, leaseUntil: now + (isShared ? sharedLeaseMs : leaseMs), most });
    for (const claim of claims) {
      const work: Promise<void> = handle(claim).finally(() => underway.delete(work));
      underway.add(work);
    }
    return claims.length === most;
  }

  async function handle(claim: DueClaim): Promise<void> {
    const { kind, key } = claim;
    try {
      await handlers[kind](claim);
    } catch (error) {
      count('due_failed', { kind });
      log.error({ err: error, kind, key }, 'Due work failed; it is tried again when its lease is over.');
    }
  }

  state.onDue(wake);
  return {
    start() {
      isRunning = true;
      begin();
    },
    async stop() {
      isRunning = false;
      timer?.cancel();
      await turn;
      await Promise.all(underway);
    },
  };
}
