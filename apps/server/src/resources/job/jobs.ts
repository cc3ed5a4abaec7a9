import { type JobKindName, refusal } from '@hilltop/contract';
import type { SteadyTime } from '../../database/steady-time.ts';
import { nameOf } from '../../identity/name-of.ts';
import type { CallerID, Principal } from '../../identity/principals.ts';
import type { JobKinds, JobOrder } from './kind.ts';
import { removeOldJobs } from './retention.ts';
import { type RunDependencies, runJob } from './run-job.ts';
import type { RunningJob } from './run-row.ts';
import {
  changeState,
  endRun,
  insertJob,
  type JobRecord,
  loadJob,
  undoingJob,
  undoUntil,
  unfinishedStates,
} from './store.ts';

export interface JobsDependencies extends RunDependencies {
  steadyTime: Pick<SteadyTime, 'now'>;
  metrics: RunDependencies['metrics'] & { gauge: (name: string, help: string, read: () => number) => void };
}

export interface NewJob extends JobOrder {
  readonly kind: JobKindName;
  /** A second job of the same caller with this id is the first one. */
  readonly requestID?: string;
}

/** Creates jobs, and runs them while this instance has the lease. */
export interface Jobs {
  readonly kinds: JobKinds;
  /** Throws code 9 when the organization has too many unfinished jobs. */
  create: (job: NewJob, by: NonNullable<Principal>) => Promise<JobRecord>;
  stop: (id: string) => Promise<void>;
  resume: (id: string) => Promise<void>;
  /** Creates the job that undoes another one. */
  undo: (id: string, by: NonNullable<Principal>) => Promise<JobRecord>;
  /** Runs the jobs of all instances, from now until it is stopped. */
  running: { start: () => void; stop: () => Promise<void> };
}

/** Unfinished jobs of an organization. */
const mostUnfinished = 20;
const mostRunning = 4;
/** Another instance may have created a job. */
const lookEveryMs = 1000;
/** After the database was away. */
const retryMs = 5000;
const removeEveryMs = 3_600_000;

export function createJobs(needs: JobsDependencies, kinds: JobKinds): Jobs {
  const { database, clock } = needs;
  const runner = new JobRunner(needs, kinds);
  needs.metrics.gauge('jobs_running', 'Jobs that this instance runs.', () => runner.running);
  const now = () => clock.now().getTime();

  async function create(job: NewJob, by: NonNullable<Principal>, undoOf?: JobRecord): Promise<JobRecord> {
    const caller: CallerID = { kind: by.kind, id: by.id };
    const order: JobOrder = { organizationID: job.organizationID, parameters: job.parameters };
    const target =
      undoOf?.target ?? (await kinds[job.kind]!.check?.(order as never, { principal: by, by: nameOf(by) }));
    const id = crypto.randomUUID();
    const record = await database.transaction(async () => {
      const known = await ofRequest(caller, job.requestID);
      if (known) {
        if (known.kind !== job.kind || known.parameters !== JSON.stringify(job.parameters))
          throw refusal('JOB_REQUEST_USED');
        return known;
      }
      await checkUnfinished(job.organizationID);
      if (undoOf) await checkFirstUndo(undoOf.id);
      await insertJob(database, {
        id,
        organization_id: job.organizationID,
        kind: job.kind,
        parameters: JSON.stringify(job.parameters),
        target: target ?? '',
        undo_of: undoOf?.id ?? null,
        request_id: job.requestID || null,
        caller_kind: by.kind,
        caller_id: by.id,
        created_by: nameOf(by),
        state: 'WAITING',
        created_at: now(),
        started_at: null,
        ended_at: null,
      });
      return loadJob(database, id);
    });
    if (record.id === id) needs.log.info({ job: id, kind: job.kind, by: nameOf(by) }, 'a job was created');
    runner.look();
    return record;
  }

  const ofRequest = async (caller: CallerID, requestID: string | undefined): Promise<JobRecord | undefined> =>
    requestID
      ? database.query
          .selectFrom('job')
          .selectAll()
          .where('caller_kind', '=', caller.kind)
          .where('caller_id', '=', caller.id)
          .where('request_id', '=', requestID)
          .executeTakeFirst()
      : undefined;

  /** Locks the job that is undone: one of several calls at the same time creates the undo. */
  async function checkFirstUndo(id: string): Promise<void> {
    await database.query
      .updateTable('job')
      .set((eb) => ({ has_before: eb.ref('has_before') }))
      .where('id', '=', id)
      .execute();
    if (await undoingJob(database, id)) throw refusal('JOB_NOT_UNDOABLE');
  }

  async function checkUnfinished(organizationID: number | null): Promise<void> {
    const rows = await database.query
      .selectFrom('job')
      .select('id')
      .where('organization_id', organizationID === null ? 'is' : '=', organizationID)
      .where('state', 'in', unfinishedStates)
      .limit(mostUnfinished)
      .execute();
    if (rows.length === mostUnfinished) throw refusal('TOO_MANY_JOBS', { most: mostUnfinished });
  }

  return {
    kinds,
    create,
    stop: async (id) => {
      await loadJob(database, id);
      if (!(await endRun(database, id, unfinishedStates, { state: 'STOPPED', ended_at: now() })))
        throw refusal('JOB_ENDED');
    },
    resume: async (id) => {
      await loadJob(database, id);
      if (!(await changeState(database, id, ['PAUSED'], { state: 'WAITING', problem: '' })))
        throw refusal('JOB_NOT_PAUSED');
      runner.look();
    },
    undo: async (id, by) => {
      const job = await loadJob(database, id);
      const until = undoUntil(job, await undoingJob(database, id));
      if (until === undefined || until <= now()) throw refusal('JOB_NOT_UNDOABLE');
      const parameters: unknown = JSON.parse(job.parameters);
      return create({ kind: job.kind as JobKindName, organizationID: job.organization_id, parameters }, by, job);
    },
    running: { start: () => runner.start(), stop: () => runner.stop() },
  };
}

/** Runs waiting jobs: one of each organization, and `mostRunning` in all. */
class JobRunner {
  readonly #needs: JobsDependencies;
  readonly #kinds: JobKinds;
  /** The jobs that run here, by organization. */
  readonly #jobs = new Map<number | null, Promise<void>>();
  #ending: AbortController | undefined;
  #looking: Promise<void> = Promise.resolve();
  #cancelLook: () => void = () => undefined;
  #removedMs: number | undefined;

  constructor(needs: JobsDependencies, kinds: JobKinds) {
    this.#needs = needs;
    this.#kinds = kinds;
  }

  get running(): number {
    return this.#jobs.size;
  }

  start(): void {
    this.#ending = new AbortController();
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
      .limit(mostUnfinished * mostRunning * 10)
      .execute();
    for (const job of jobs) {
      const { organization_id: organizationID } = job;
      if (signal.aborted || this.#jobs.size >= mostRunning) return;
      if (this.#jobs.has(organizationID)) continue;
      const running = this.#run(job, signal).finally(() => {
        this.#jobs.delete(organizationID);
        if (!signal.aborted) this.look();
      });
      this.#jobs.set(organizationID, running);
    }
  }

  async #run(record: JobRecord, signal: AbortSignal): Promise<void> {
    const { database, clock, log } = this.#needs;
    const { id } = record;
    try {
      const kind = this.#kinds[record.kind]!;
      const started = { state: 'RUNNING' as const, started_at: record.started_at ?? clock.now().getTime() };
      if (!(await changeState(database, id, ['WAITING', 'RUNNING'], started))) return;
      const job: RunningJob = {
        id,
        kind,
        createdBy: record.created_by,
        isUndo: record.undo_of !== null,
        order: { organizationID: record.organization_id, parameters: JSON.parse(record.parameters) as unknown },
        caller: { kind: record.caller_kind as CallerID['kind'], id: record.caller_id },
      };
      await runJob(this.#needs, job, record, signal);
      const { ended_at } = await loadJob(database, id);
      if (ended_at !== null) await kind.ended?.(job.order as never, id);
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
