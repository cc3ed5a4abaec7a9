import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { ApiError, mostJobRows, refusal } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../../database/database.ts';
import type { Metrics } from '../../metrics.ts';
import type { JobSubject, RowChange } from './kind.ts';
import { removeRows } from './retention.ts';
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
  resetRows,
  storeCounts,
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
  while (!signal.aborted && !run.isOver) {
    const rows = await pendingRows(database, job.id, slice);
    if (rows.length === 0) return finish(needs, job, run.counts);
    await run.slice(rows, signal);
    await yieldToEventLoop();
  }
}

/** The progress of a job at this instance. */
class JobRun {
  readonly counts: JobCounts;
  /** The job was stopped or paused. */
  isOver = false;
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
    this.#needs.metrics.count('job_rows', { outcome });
    if (outcome !== 'FAILED') this.#failing = { reason: '', message: '', positions: [] };
    else if (this.#failing.reason === error!.reason) this.#failing.positions.push(position);
    else this.#failing = { reason: error!.reason, message: error!.message, positions: [position] };
    if (this.#failing.positions.length >= mostFailures) this.isOver = true;
    if (this.#needs.clock.monotonicMs() - this.#countsStoredMs >= countsEveryMs) await this.#storeCounts();
  }

  async #storeCounts(): Promise<void> {
    this.#countsStoredMs = this.#needs.clock.monotonicMs();
    await storeCounts(this.#needs.database, this.#job.id, this.counts);
  }

  async #pause(): Promise<void> {
    const { database, log, metrics } = this.#needs;
    const { id } = this.#job;
    const { message: problem, positions } = this.#failing;
    await database.transaction(async () => {
      await resetRows(database, id, positions);
      await endRun(database, id, ['RUNNING'], { state: 'PAUSED', problem });
    });
    metrics.count('jobs_paused');
    log.warn({ job: id, problem }, 'a job is paused: its last rows failed for one reason');
  }
}

async function finish({ database, clock, log }: RunDependencies, { id }: RunningJob, counts: JobCounts): Promise<void> {
  const ended = { state: 'DONE' as const, ended_at: clock.now().getTime() };
  if (await endRun(database, id, ['RUNNING'], ended)) log.info({ job: id, ...counts }, 'a job has ended');
}

/** Inserts the rows of a job. Answers false when it cannot run. */
async function prepare(needs: RunDependencies, job: RunningJob, undoOf: string | null): Promise<boolean> {
  const { database, clock } = needs;
  if (!(await removeUnprepared(database, job.id))) return true;
  try {
    const total = await insertSubjects(needs, job, undoOf);
    return await changeState(database, job.id, ['RUNNING'], { is_prepared: true, total });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    await removeRows(database, job.id);
    const stopped = { state: 'STOPPED' as const, problem: error.message, ended_at: clock.now().getTime() };
    await changeState(database, job.id, ['RUNNING'], stopped);
    return false;
  }
}

/** Removes the rows of a preparation that did not end. Answers false when another instance has prepared the job meanwhile. */
function removeUnprepared(database: Database, id: string): Promise<boolean> {
  return database.transaction(async () => {
    // Locks the row of the job.
    const { numUpdatedRows } = await database.query
      .updateTable('job')
      .set({ is_prepared: false })
      .where('id', '=', id)
      .where('is_prepared', '=', false)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    await removeRows(database, id);
    return true;
  });
}

async function insertSubjects(needs: RunDependencies, job: RunningJob, undoOf: string | null): Promise<number> {
  const pages = undoOf === null ? job.kind.subjects(job.order as never) : changesOf(needs, undoOf);
  const seen = new Set<string>();
  for await (const page of pages) {
    const fresh = page.filter(({ subject }) => !seen.has(subject) && seen.add(subject));
    if (seen.size > mostJobRows) throw refusal('TOO_MANY_SELECTED', { called: 'records', most: mostJobRows });
    if (fresh.length > 0) await insertRows(needs.database, job.id, seen.size - fresh.length, fresh);
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
