import type { Unit } from './database.ts';

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

/** A batch larger than this would make its first unit wait too long for the last. */
const mostTogether = 256;

/**
 * `together` writes all jobs in one transaction and notes each job's own answer; when the transaction as a whole fails
 * (a deadlock, a lost connection), every job gets its own try by `alone`.
 */
export function groupCommits(write: {
  together: (jobs: Job[]) => Promise<void>;
  alone: (job: Job) => Promise<void>;
}): GroupCommits {
  type Waiting = Job & { resolve: (done: boolean) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;

  async function runAll(): Promise<void> {
    while (waiting.length > 0) {
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

  /** Everything that arrives in the same turn of the event loop goes together. */
  function start(): Promise<void> {
    return new Promise<void>((resolve) => setImmediate(resolve)).then(runAll);
  }

  return {
    add: (unit) =>
      new Promise((resolve, reject) => {
        waiting.push({ unit, resolve, reject });
        running ??= start();
      }),
    idle: async () => {
      while (running) await running;
    },
  };
}
