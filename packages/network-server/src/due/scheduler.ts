import type { Network } from '../network/network.ts';
import type { DueClaim, DueKind } from '../state/due.ts';

/** Handles due work. A handler settles its claim; when it fails, the work is claimed again after the lease. */
export type DueHandlers = Record<DueKind, (claim: DueClaim) => Promise<void>>;

export interface Scheduler {
  /** Claims due work, including that from before a restart. */
  start(): void;
  /** Claims nothing more, and resolves when all claimed work is done. */
  stop(): Promise<void>;
  /**
   * Until when a transaction may claim work for this scheduler that is due now; undefined when it has enough to do, or
   * does not run.
   */
  leaseUntil(): number | undefined;
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
export function createScheduler(network: Network, handlers: DueHandlers): Scheduler {
  return new DueScheduler(network, handlers);
}

class DueScheduler implements Scheduler {
  readonly #network: Network;
  readonly #handlers: DueHandlers;
  readonly #underway = new Set<Promise<void>>();
  #timer: { at: number; cancel: () => void } | null = null;
  #claiming: Promise<void> | null = null;
  #isAskedMeanwhile = false;
  #isRunning = false;
  /** The wall clock minus the monotonic clock. */
  #offset: number | null = null;

  constructor(network: Network, handlers: DueHandlers) {
    this.#network = network;
    this.#handlers = handlers;
    network.state.onDue((at, claim) => (claim ? this.#startClaimed(claim, at) : this.#wake(at)));
  }

  start(): void {
    this.#isRunning = true;
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#timer?.cancel();
    await this.#claiming;
    await Promise.all(this.#underway);
  }

  leaseUntil(): number | undefined {
    if (!this.#isRunning || this.#underway.size >= mostAtOnce) return undefined;
    return this.#network.clock.now().getTime() + this.#leaseMs;
  }

  get #leaseMs(): number {
    return this.#network.isShared ? sharedLeaseMs : leaseMs;
  }

  /** Without this instance the work is claimed again when the lease is over. */
  #startClaimed(claim: DueClaim, leaseUntil: number): void {
    if (!this.#isRunning) return;
    this.#wake(leaseUntil);
    this.#run(claim);
  }

  #run(claim: DueClaim): void {
    const work: Promise<void> = this.#handle(claim).finally(() => this.#underway.delete(work));
    this.#underway.add(work);
  }

  #wake(at: number): void {
    if (!this.#isRunning) return;
    const now = this.#network.clock.now().getTime();
    this.#offset = Math.max(
      this.#offset ?? now - this.#network.clock.monotonicMs(),
      now - this.#network.clock.monotonicMs(),
    );
    if (at <= now) this.#begin();
    else this.#setTimer(at, now);
  }

  #setTimer(at: number, now: number): void {
    if (this.#timer && this.#timer.at <= at) return;
    this.#timer?.cancel();
    this.#timer = {
      at,
      cancel: this.#network.clock.after(Math.min(at - now, this.#network.isShared ? sharedWaitMs : longestWaitMs), () =>
        this.#begin(),
      ),
    };
  }

  #begin(): void {
    if (this.#claiming) this.#isAskedMeanwhile = true;
    else this.#claiming = this.#claimAll().then(() => this.#afterClaims());
  }

  #afterClaims(): void {
    this.#claiming = null;
    if (this.#isAskedMeanwhile && this.#isRunning) this.#begin();
  }

  /** When the clock was set back, checks all work whose time has not come, since its time may be too late. */
  async #adjustToClock(): Promise<void> {
    const now = this.#network.clock.now().getTime();
    const before = this.#offset;
    this.#offset = now - this.#network.clock.monotonicMs();
    if (before !== null && before - this.#offset < slackMs) return;
    const after = before === null ? now + plausibleAheadMs : now;
    await this.#network.state.commit({ writes: [{ kind: 'advanceDue', after, to: now }], effects: [] });
  }

  async #claimAll(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    this.#isAskedMeanwhile = false;
    try {
      await this.#adjustToClock();
      while (this.#isRunning && (await this.#claimBatch()));
      const at = await this.#network.state.nextDueAt();
      const now = this.#network.clock.now().getTime();
      if (at !== null && this.#isRunning) this.#setTimer(Math.max(at, now), now);
      else if (this.#network.isShared && this.#isRunning) this.#setTimer(now + sharedWaitMs, now);
    } catch (error) {
      this.#network.count('due_unreadable');
      this.#network.log.error({ err: error }, 'Due work could not be taken; the next try follows.');
      const now = this.#network.clock.now().getTime();
      if (this.#isRunning) this.#setTimer(now + storageRetryMs, now);
    }
  }

  /** Answers whether there may be more. */
  async #claimBatch(): Promise<boolean> {
    while (this.#underway.size >= mostAtOnce) await Promise.race(this.#underway);
    const now = this.#network.clock.now().getTime();
    const most = mostAtOnce - this.#underway.size;
    const claims = await this.#network.state.claimDue({
      now,
      leaseUntil: now + this.#leaseMs,
      most,
    });
    for (const claim of claims) this.#run(claim);
    return claims.length === most;
  }

  async #handle(claim: DueClaim): Promise<void> {
    const { kind, key } = claim;
    try {
      await this.#handlers[kind](claim);
    } catch (error) {
      this.#network.count('due_failed', { kind });
      this.#network.log.error({ err: error, kind, key }, 'Due work failed; it is tried again when its lease is over.');
    }
  }
}
