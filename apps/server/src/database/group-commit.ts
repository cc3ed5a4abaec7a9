import type { Unit } from './unit.ts';

/** Units that arrive during a write wait and share the next one: one disk flush for all of them. */
export interface GroupCommits {
  /** The unit waits at most `maxWaitMs` for others that share its transaction; 0 when not given. */
  add: (unit: Unit, maxWaitMs?: number) => Promise<boolean>;
  /** Resolves when no unit is waiting. */
  idle: () => Promise<void>;
}

export interface CommitJob {
  unit: Unit;
  answer?: PromiseSettledResult<boolean>;
}

export interface Limits {
  /** With a larger batch, its first unit would wait too long for the last. */
  mostTogether: number;
  /**
   * A transaction and its flush cost about as much as ten units: two transactions start at least this time apart, in which
   * units gather. A unit after a pause does not wait, nor do units that arrive so rarely that hardly two would share one.
   */
  leastApartMs: number;
  /** The more units the last batch had, the longer the next one gathers, up to this time. */
  mostApartMs: number;
  /** The additional time for each unit of the last batch. */
  apartPerUnitMs: number;
}

/** Up to 2,500 units a second they gather for the least time, above that soon for the most. */
export const usualLimits: Limits = { mostTogether: 256, leastApartMs: 2, mostApartMs: 5, apartPerUnitMs: 0.4 };

/** Called when a batch only waits for the disk: the next one may start. */
type Flushing = () => void;

/**
 * `together` writes all jobs in one transaction and records each job's own result. When the transaction as a whole
 * fails (a deadlock, a lost connection), every job is tried separately by `alone`.
 */
export function groupCommits(
  write: {
    together: (jobs: CommitJob[], flushing: Flushing) => Promise<void>;
    alone: (job: CommitJob, flushing?: Flushing) => Promise<void>;
  },
  limits = usualLimits,
): GroupCommits {
  type Waiting = CommitJob & { resolve: (done: boolean) => void; reject: (error: unknown) => void };

  async function oneByOne(jobs: CommitJob[]): Promise<void> {
    for (const job of jobs) {
      delete job.answer;
      await write.alone(job);
    }
  }

  const batches = inBatches<Waiting>(async (jobs, flushing) => {
    if (jobs.length === 1) await write.alone(jobs[0]!, flushing);
    else await write.together(jobs, flushing).catch(() => oneByOne(jobs));
    for (const job of jobs) {
      if (job.answer?.status === 'fulfilled') job.resolve(job.answer.value);
      else job.reject(job.answer?.reason ?? new Error('The unit was not written.'));
    }
  }, limits);

  return {
    add: (unit, maxWaitMs) => new Promise((resolve, reject) => batches.add({ unit, resolve, reject }, maxWaitMs)),
    idle: batches.idle,
  };
}

/** Units wait only when at least this many arrive within the least time. */
const minToGather = 2;
const paceOverMs = 50;

/** How many units arrive per millisecond, estimated from the last few dozen. */
function paceOf(): { note: (items: number, now: number) => number } {
  let [recent, at] = [0, Number.NEGATIVE_INFINITY];
  return {
    note: (items, now) => {
      recent = recent * Math.exp((at - now) / paceOverMs) + items;
      at = now;
      return recent / paceOverMs;
    },
  };
}

/**
 * Writes gathered items in batches. A batch starts when the previous one is done or waits for the disk, and the one
 * before that is done. `write` must not reject.
 */
export function inBatches<Item>(
  write: (items: Item[], flushing: Flushing) => Promise<void>,
  { mostTogether, leastApartMs, mostApartMs, apartPerUnitMs }: Limits = usualLimits,
): { add: (item: Item, maxWaitMs?: number) => void; idle: () => Promise<void> } {
  const waiting: Item[] = [];
  /** When the most urgent of the waiting items has waited for as long as it may. */
  let latestStart = Number.POSITIVE_INFINITY;
  let start: (() => void) | undefined;
  let starting: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  /** The last batch, which may be waiting for the disk. */
  let last = Promise.resolve();
  let nextAt = 0;
  const pace = paceOf();

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      await nextStart();
      const items = waiting.splice(0, mostTogether);
      const now = performance.now();
      latestStart = waiting.length > 0 ? now : Number.POSITIVE_INFINITY;
      const leastMs = pace.note(items.length, now) * leastApartMs < minToGather ? 0 : leastApartMs;
      nextAt = now + Math.min(Math.max(leastMs, items.length * apartPerUnitMs), mostApartMs);
      const before = last;
      const { promise: flushes, resolve } = Promise.withResolvers<void>();
      last = write(items, resolve);
      await Promise.race([flushes, last]);
      await before;
    }
    // In the same task as the last check of `waiting`: a later item starts the next run.
    running = undefined;
  }

  /** Resolves after this iteration of the event loop at the earliest: everything that arrives in it shares a batch. */
  function nextStart(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    start = resolve;
    scheduleStart();
    return promise;
  }

  function scheduleStart(): void {
    if (!start) return;
    clearTimeout(starting);
    const waitMs = waiting.length < mostTogether ? Math.max(nextAt, latestStart) - performance.now() : 0;
    if (waitMs >= 0.5) {
      starting = setTimeout(startNow, waitMs);
      return;
    }
    setImmediate(start);
    start = undefined;
  }

  function startNow(): void {
    start?.();
    start = undefined;
  }

  return {
    add: (item, maxWaitMs = 0) => {
      waiting.push(item);
      const latest = performance.now() + maxWaitMs;
      const isMoreUrgent = latest < latestStart;
      if (isMoreUrgent) latestStart = latest;
      if (!running) running = runAll();
      else if (isMoreUrgent) scheduleStart();
    },
    idle: async () => {
      do {
        await running;
        await last;
      } while (running);
    },
  };
}
