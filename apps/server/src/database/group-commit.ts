import type { Unit } from './unit.ts';

/** Units handed in while a write is under way wait and share the next one: one disk flush for all of them. */
export interface GroupCommits {
  add: (unit: Unit) => Promise<boolean>;
  /** Resolves when nothing is waiting any more. */
  idle: () => Promise<void>;
}

export interface Job {
  unit: Unit;
  answer?: PromiseSettledResult<boolean>;
}

interface Limits {
  /** A batch larger than this would make its first unit wait too long for the last. */
  mostTogether: number;
  /**
   * A transaction and its flush cost about as much as ten units: between the beginnings of two lies this time at least,
   * in which units gather. Whoever comes after a rest does not wait.
   */
  leastApartMs: number;
}

/**
 * `together` writes all jobs in one transaction and notes each job's own answer; when the transaction as a whole fails
 * (a deadlock, a lost connection), every job gets its own try by `alone`.
 */
export function groupCommits(
  write: { together: (jobs: Job[]) => Promise<void>; alone: (job: Job) => Promise<void> },
  { mostTogether, leastApartMs }: Limits = { mostTogether: 256, leastApartMs: 2 },
): GroupCommits {
  type Waiting = Job & { resolve: (done: boolean) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let nextAt = 0;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
      await turn();
      nextAt = performance.now() + leastApartMs;
      const jobs = waiting.splice(0, mostTogether);
      if (jobs.length === 1) await write.alone(jobs[0]!);
      else await write.together(jobs).catch(() => oneByOne(jobs));
      for (const job of jobs) {
        if (job.answer?.status === 'fulfilled') job.resolve(job.answer.value);
        else job.reject(job.answer?.reason ?? new Error('The unit was not written.'));
      }
    }
    // In the same turn as the last look at `waiting`: a unit that comes later starts the next run.
    running = undefined;
  }

  async function oneByOne(jobs: Job[]): Promise<void> {
    for (const job of jobs) {
      delete job.answer;
      await write.alone(job);
    }
  }

  /** At the earliest after this turn of the event loop: everything that arrives in it goes together. */
  function turn(): Promise<void> {
    const waitMs = waiting.length < mostTogether ? nextAt - performance.now() : 0;
    return new Promise((resolve) => {
      if (waitMs < 0.5) setImmediate(resolve);
      else setTimeout(resolve, waitMs);
    });
  }

  return {
    add: (unit) =>
      new Promise((resolve, reject) => {
        waiting.push({ unit, resolve, reject });
        running ??= runAll();
      }),
    idle: async () => {
      while (running) await running;
    },
  };
}
