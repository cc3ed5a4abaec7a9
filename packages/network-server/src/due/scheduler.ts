import type { Network } from '../network/network.ts';
import type { DueClaim, DueKind } from '../state/due.ts';

/** Handles due work. A handler settles its claim; when it fails, the work is claimed again after the lease. */
export type DueHandlers = Record<DueKind, (claim: DueClaim) => Promise<void>>;

export interface Scheduler {
  /** Claims due work, including that from before a restart. */
  start(): void;
  /** Claims nothing more, and resolves when all claimed work is done. */
  stop(): Promise<void>;
}

const leaseMs = 10_000;
/** Among several instances: work of an instance that has ended is done by a peer within five seconds. */
const sharedLeaseMs = 3_000;
/** The most work that runs at once; the rest stays in the database, where a peer can claim it. */
const mostAtOnce = 200;
/** The longest time without a query of the database, because clocks may be set. */
const longestWaitMs = 60_000;
/** The same among several instances, because peers schedule work and may end. */
const sharedWaitMs = 1_000;
const storageRetryMs = 1000;
/** Work from before a restart that is further ahead than this is checked: the clock may have been wrong. */
const plausibleAheadMs = 3_600_000;
/** A clock that is corrected by less does no harm. */
const slackMs = 1000;

/**
 * One timer for the earliest due time, set again when earlier work is scheduled. With nothing due nothing runs, unless
 * peers work on the same state.
 */
export function createScheduler({ state, clock, count, log, isShared }: Network, handlers: DueHandlers): Scheduler {
  const underway = new Set<Promise<void>>();
  let timer: { at: number; cancel: () => void } | null = null;
  let claiming: Promise<void> | null = null;
  let isAskedMeanwhile = false;
  let isRunning = false;
  /** The wall clock minus the monotonic clock. */
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
    timer = { at, cancel: clock.after(Math.min(at - now, isShared ? sharedWaitMs : longestWaitMs), begin) };
  }

  function begin(): void {
    if (claiming) isAskedMeanwhile = true;
    else claiming = claimAll().then(afterClaims);
  }

  function afterClaims(): void {
    claiming = null;
    if (isAskedMeanwhile && isRunning) begin();
  }

  /** When the clock was set back, checks all work whose time has not come, since its time may be too late. */
  async function adjustToClock(): Promise<void> {
    const now = clock.now().getTime();
    const before = offset;
    offset = now - clock.monotonicMs();
    if (before !== null && before - offset < slackMs) return;
    const after = before === null ? now + plausibleAheadMs : now;
    await state.commit({ writes: [{ kind: 'hurryDue', after, to: now }], effects: [] });
  }

  async function claimAll(): Promise<void> {
    timer?.cancel();
    timer = null;
    isAskedMeanwhile = false;
    try {
      await adjustToClock();
      while (isRunning && (await claimBatch()));
      const at = await state.nextDueAt();
      const now = clock.now().getTime();
      if (at !== null && isRunning) setTimer(Math.max(at, now), now);
      else if (isShared && isRunning) setTimer(now + sharedWaitMs, now);
    } catch (error) {
      count('due_unreadable');
      log.error({ err: error }, 'Due work could not be taken; the next try follows.');
      const now = clock.now().getTime();
      if (isRunning) setTimer(now + storageRetryMs, now);
    }
  }

  /** Answers whether there may be more. */
  async function claimBatch(): Promise<boolean> {
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
      await claiming;
      await Promise.all(underway);
    },
  };
}
