import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ApiError, mostJobRows, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { Metrics } from '../../metrics.ts';
import type { JobSubject, RowChange } from './kind.ts';
import { removePositions, slicesOf } from './retention.ts';
import { type RowDependencies, type RowResult, type RunningJob, runRow } from './run-row.ts';
import {
  changedRows,
  changeState,
  countRows,
  endRun,
  insertRows,
  type JobCounts,
  type JobRecord,
  pendingRows,
  storeCounts,
  whileRunning,
} from './store.ts';

export interface RunDependencies extends RowDependencies {
  clock: Clock;
  metrics: Pick<Metrics, 'count'>;
}

const slice = 100;
/** Rows at a time. On SQLite they share a disk flush; a remote network server answers several calls at once. */
const rowsAtOnce = 8;
/** Failures of one reason in a row that pause the job. */
const mostFailures = 20;
/** The counts are stored this often, and after each slice. */
const countsEveryMs = 500;

/** Runs a job to its end, or until `signal` aborts. Throws when the database is away: then run it again. */
export async function runJob(
  needs: RunDependencies,
  job: RunningJob,
  record: JobRecord,
  signal: AbortSignal,
): Promise<void> {
  const { database } = needs;
  if (!record.is_prepared && !(await prepare(needs, job, record.undo_of))) return;
  const run = new JobRun(needs, job, await countRows(database, job.id));
  try {
    while (!signal.aborted && !run.isOver) {
      const rows = await pendingRows(database, job.id, slice);
      if (rows.length === 0) return await finish(needs, job, run.counts);
      await run.slice(rows, signal);
      await yieldToEventLoop();
    }
  } finally {
    logAudit(needs, job, run.done);
  }
}

/** One line for all entries of the audit log that a run of a job has written. A resumed job logs another one. */
function logAudit({ log }: RunDependencies, job: RunningJob, records: number): void {
  if (records === 0) return;
  const { kind, id } = job.caller;
  log.info(
    {
      audit: true,
      operation: job.isUndo ? 'job.undo' : 'job.run',
      actor: { kind: kind === 'user' ? 'USER' : 'API_KEY', id, name: job.createdBy },
      organizationID: job.order.organizationID ?? 0,
      subject: { kind: 'job', id: job.id },
      records,
      outcome: 'OK',
      jobID: job.id,
    },
    'audit',
  );
}

/** The progress of a job at this instance. */
class JobRun {
  readonly counts: JobCounts;
  /** The job was stopped or paused, or another runner has claimed it. */
  isOver = false;
  /** Rows that this run changed. */
  done = 0;
  /** The last rows, while all of them fail for one reason. */
  #failing: { reason: string; message: string; positions: number[] } = { reason: '', message: '', positions: [] };
  #countsStoredMs: number;
  readonly #needs: RunDependencies;
  readonly #job: RunningJob;

  constructor(needs: RunDependencies, job: RunningJob, counts: JobCounts) {
    this.#needs = needs;
    this.#job = job;
    this.counts = counts;
    this.#countsStoredMs = needs.clock.monotonicMs();
  }

  async slice(rows: Parameters<typeof runRow>[2][], signal: AbortSignal): Promise<void> {
    const waiting = rows.values();
    const run = async () => {
      for (const row of waiting) {
        if (signal.aborted || this.isOver) return;
        await this.#ended(row.position, await runRow(this.#needs, this.#job, row));
      }
    };
    // All must end before an error of one of them is passed on: nothing of this slice runs beside the next one.
    const ends = await Promise.allSettled(Array.from({ length: rowsAtOnce }, run));
    await this.#storeCounts();
    if (this.#failing.positions.length >= mostFailures) await this.#pause();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  async #ended(position: number, result: RowResult): Promise<void> {
    if (!result) {
      this.isOver = true;
      return;
    }
    const { outcome, error } = result;
    this.counts[outcome.toLowerCase() as keyof JobCounts] += 1;
    if (outcome === 'DONE') this.done += 1;
    this.#needs.metrics.count('job_rows', { outcome });
    if (outcome !== 'FAILED') this.#failing = { reason: '', message: '', positions: [] };
    else if (this.#failing.reason === error!.reason) this.#failing.positions.push(position);
    else this.#failing = { reason: error!.reason, message: error!.message, positions: [position] };
    if (this.#failing.positions.length >= mostFailures) this.isOver = true;
    if (this.#needs.clock.monotonicMs() - this.#countsStoredMs >= countsEveryMs) await this.#storeCounts();
  }

  async #storeCounts(): Promise<void> {
    this.#countsStoredMs = this.#needs.clock.monotonicMs();
    await storeCounts(this.#needs.database, this.#job, this.counts);
  }

  async #pause(): Promise<void> {
    const { database, log, metrics } = this.#needs;
    const { message: problem, positions } = this.#failing;
    if (!(await endRun(database, this.#job, ['RUNNING'], { state: 'PAUSED', problem }, positions))) return;
    metrics.count('jobs_paused');
    log.warn({ job: this.#job.id, problem }, 'a job is paused: its last rows failed for one reason');
  }
}

async function finish({ database, clock, log }: RunDependencies, job: RunningJob, counts: JobCounts): Promise<void> {
  await job.kind.finish?.(job.order as never, job.id);
  const ended = { state: 'DONE' as const, ended_at: clock.now().getTime() };
  if (await endRun(database, job, ['RUNNING'], ended)) log.info({ job: job.id, ...counts }, 'a job has ended');
}

/** Inserts the rows of a job, after those of a run that ended within this phase are removed. Answers false when it cannot run. */
async function prepare(needs: RunDependencies, job: RunningJob, undoOf: string | null): Promise<boolean> {
  const { database, clock } = needs;
  if (!(await removePrepared(database, job))) return false;
  try {
    const total = await insertSubjects(needs, job, undoOf);
    if (total === undefined) return false;
    return await changeState(database, job, ['RUNNING'], { is_prepared: true, total });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!(await removePrepared(database, job))) return false;
    const stopped = { state: 'STOPPED' as const, problem: error.message, ended_at: clock.now().getTime() };
    await changeState(database, job, ['RUNNING'], stopped);
    return false;
  }
}

/** Answers false when the job no longer runs here. */
async function removePrepared(database: Database, job: RunningJob): Promise<boolean> {
  for await (const positions of slicesOf(database, job.id))
    if (!(await whileRunning(database, job, () => removePositions(database, job.id, positions)))) return false;
  return true;
}

/** Answers the number of rows; undefined when the job no longer runs here. */
async function insertSubjects(
  needs: RunDependencies,
  job: RunningJob,
  undoOf: string | null,
): Promise<number | undefined> {
  const { database } = needs;
  const pages = undoOf === null ? job.kind.subjects(job.order as never) : changesOf(needs, undoOf);
  const seen = new Set<string>();
  for await (const page of pages) {
    const fresh = page.filter(({ subject }) => !seen.has(subject) && seen.add(subject));
    if (seen.size > mostJobRows) throw refusal('TOO_MANY_SELECTED', { called: 'records', most: mostJobRows });
    const insert = () => insertRows(database, job.id, seen.size - fresh.length, fresh);
    if (fresh.length > 0 && !(await whileRunning(database, job, insert))) return undefined;
    await yieldToEventLoop();
  }
  return seen.size;
}

/** The rows that a job changed. */
async function* changesOf({ database }: RunDependencies, jobID: string): AsyncGenerator<JobSubject[]> {
  for (let after = -1; ; ) {
    const rows = await changedRows(database, jobID, after, slice);
    if (rows.length === 0) return;
    yield rows.map(({ subject, name, before, after: set }) => {
      const change: RowChange = { before: JSON.parse(before!), after: JSON.parse(set!) };
      return { subject, name, input: JSON.stringify(change) };
    });
    after = rows.at(-1)!.position;
  }
}
