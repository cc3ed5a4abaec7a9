import type { SteadyTime } from '../../database/steady-time.ts';
import type { CallerID } from '../../identity/principals.ts';
import { areAllEmbedded } from '../../network/embedded-address.ts';
import type { JobKinds } from './kind.ts';
import { removeOldJobs } from './retention.ts';
import { type RunDependencies, runJob } from './run-job.ts';
import type { RunningJob } from './run-row.ts';
import { claimJob, type JobClaim, nextEpoch } from './store.ts';

export interface RunnerDependencies extends RunDependencies {
  steadyTime: Pick<SteadyTime, 'now'>;
}

const mostRunning = 4;
/** Jobs that wait or run, in one look. */
const mostRead = 800;
/** Another instance may have created a job. */
const lookEveryMs = 1000;
/** After the database was away. */
const retryMs = 5000;
/** Longer than two instances can believe that they have the lease. */
const drawEveryMs = 10_000;
const removeEveryMs = 3_600_000;

/** Runs waiting jobs: one of each organization, and `mostRunning` in all. */
export class JobRunner {
  readonly #needs: RunnerDependencies;
  readonly #kinds: JobKinds;
  /** The jobs that run here, by organization. */
  readonly #jobs = new Map<number | null, Promise<void>>();
  #ending: AbortController | undefined;
  #looking: Promise<void> = Promise.resolve();
  #cancelLook: () => void = () => undefined;
  #removedMs: number | undefined;
  /** Jobs are claimed under it; undefined until the first look after a start. */
  #epoch: { number: number; drawnMs: number } | undefined;

  constructor(needs: RunnerDependencies, kinds: JobKinds) {
    this.#needs = needs;
    this.#kinds = kinds;
  }

  get running(): number {
    return this.#jobs.size;
  }

  start(): void {
    this.#ending = new AbortController();
    this.#epoch = undefined;
    this.look();
  }

  async stop(): Promise<void> {
    this.#ending?.abort();
    this.#ending = undefined;
    this.#cancelLook();
    await this.#looking;
    await Promise.all(this.#jobs.values());
  }

  /** Begins waiting jobs now and from time to time; without effect at an instance that does not run jobs. */
  look(): void {
    const signal = this.#ending?.signal;
    if (!signal) return;
    this.#cancelLook();
    this.#looking = this.#looking
      .then(() => this.#beginJobs(signal))
      .catch((error: unknown) => this.#needs.log.warn({ err: error }, 'jobs could not be read; trying again'))
      .then(() => {
        if (signal.aborted) return;
        this.#cancelLook();
        this.#cancelLook = this.#needs.clock.after(lookEveryMs, () => this.look());
      });
  }

  async #beginJobs(signal: AbortSignal): Promise<void> {
    await this.#removeOld();
    const jobs = await this.#needs.database.query
      .selectFrom('job')
      .selectAll()
      .where('state', 'in', ['WAITING', 'RUNNING'])
      // A newer release may have created others.
      .where('kind', 'in', Object.keys(this.#kinds))
      .orderBy('created_at')
      .limit(mostRead)
      .execute();
    const epoch = await this.#currentEpoch(Math.max(0, ...jobs.map((job) => job.epoch)));
    for (const job of jobs) {
      const { organization_id: organizationID } = job;
      if (signal.aborted || this.#jobs.size >= mostRunning) return;
      if (this.#jobs.has(organizationID) || job.epoch > epoch) continue;
      const running = this.#run({ id: job.id, epoch }, signal).finally(() => {
        this.#jobs.delete(organizationID);
        if (!signal.aborted) this.look();
      });
      this.#jobs.set(organizationID, running);
    }
  }

  /**
   * The epoch of this start. A job with a greater one belongs to a runner that started later, or was claimed by one that
   * has ended since: a new epoch takes it over, but rarely, so that two runners at once do not only take jobs from each
   * other.
   */
  async #currentEpoch(greatest: number): Promise<number> {
    const { database, clock } = this.#needs;
    const nowMs = clock.monotonicMs();
    if (!this.#epoch || (greatest > this.#epoch.number && nowMs - this.#epoch.drawnMs >= drawEveryMs))
      this.#epoch = { number: await nextEpoch(database, greatest), drawnMs: nowMs };
    return this.#epoch.number;
  }

  async #run(claim: JobClaim, signal: AbortSignal): Promise<void> {
    const { database, clock, log } = this.#needs;
    const { id } = claim;
    try {
      const record = await claimJob(database, claim, clock.now().getTime());
      if (!record) return;
      const job: RunningJob = {
        ...claim,
        kind: this.#kinds[record.kind]!,
        createdBy: record.created_by,
        isUndo: record.undo_of !== null,
        sharesTransactions: await areAllEmbedded(database),
        order: { organizationID: record.organization_id, parameters: JSON.parse(record.parameters) as unknown },
        caller: { kind: record.caller_kind as CallerID['kind'], id: record.caller_id },
      };
      await runJob(this.#needs, job, record, signal);
    } catch (error) {
      log.error({ err: error, job: id }, 'a job could not go on; trying again');
      await this.#pause(signal);
    }
  }

  /** Waits before the next try, or until the runner is stopped. */
  #pause(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#needs.clock.after(retryMs, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      resolve();
    });
    return promise;
  }

  async #removeOld(): Promise<void> {
    const { database, clock, steadyTime } = this.#needs;
    const nowMs = clock.monotonicMs();
    if (this.#removedMs !== undefined && nowMs - this.#removedMs < removeEveryMs) return;
    this.#removedMs = nowMs;
    await removeOldJobs(database, steadyTime.now());
  }
}
