import { awaitAll } from './await-all.ts';
import { Collision } from './collision.ts';
import type { DatabaseEngine } from './engine.ts';
import type { CommitJob } from './group-commit.ts';
import { isLocked } from './storage-failure.ts';
import type { Transactions } from './transactions.ts';
import type { Unit } from './unit.ts';

const gaveUp = Symbol('gave up');
/** Units that are written in separate transactions need a connection each. */
const maxSeparateAtOnce = 4;
/** After a failure in a batch without savepoints, the next batches have them: a client that fails may go on. */
const batchesWithSavepoints = 32;

type OnFlushing = () => void;

type WritePrepared = DatabaseEngine['writePrepared'];

interface BatchWriterOptions {
  isPipelined: boolean;
  writePrepared: WritePrepared;
  /** Called when one unit of a batch failed: this many units are now written with a savepoint each. */
  onBatchSplit: (error: unknown, units: number) => void;
}

/** Writes the units of a batch in as few transactions as possible. Each job gets its own result. */
export class BatchWriter {
  readonly #transactions: Transactions;
  readonly #isPipelined: boolean;
  readonly #writePrepared: WritePrepared;
  readonly #onBatchSplit: BatchWriterOptions['onBatchSplit'];
  #batchesInSavepoints = 0;

  constructor(transactions: Transactions, { isPipelined, writePrepared, onBatchSplit }: BatchWriterOptions) {
    this.#transactions = transactions;
    this.#writePrepared = writePrepared;
    this.#isPipelined = isPipelined;
    this.#onBatchSplit = onBatchSplit;
  }

  /** Writes one unit in its own transaction, or in the current one. False when the unit gave up. */
  async attempt(unit: Unit, onFlushing?: OnFlushing): Promise<boolean> {
    try {
      await this.#transactions.run(() => this.#write(unit), onFlushing);
      return true;
    } catch (error) {
      if (error === gaveUp) return false;
      throw error;
    }
  }

  async alone(job: CommitJob, onFlushing?: OnFlushing): Promise<void> {
    const [answer] = await Promise.allSettled([this.attempt(job.unit, onFlushing)]);
    job.answer = answer;
  }

  /**
   * Writes prepared units in one transaction, and the others in another; when a unit of these fails, in one with a
   * savepoint each.
   */
  async together(all: readonly CommitJob[], onFlushing: OnFlushing): Promise<void> {
    const jobs = await this.#withoutPrepared(all);
    if (jobs.length === 0) return;
    if (jobs.length === 1) return this.alone(jobs[0]!, onFlushing);
    try {
      await this.#togetherOrAgain(jobs, onFlushing);
    } catch (error) {
      const unanswered = jobs.filter((job) => !job.answer);
      // Another transaction would meet the same lock.
      if (isLocked(error)) return reject(unanswered, error);
      this.#onBatchSplit(error, unanswered.length);
      // The caller would repeat the whole batch, with the units that are written.
      await this.inSavepoints(unanswered).catch(() => this.#oneByOne(unanswered));
    }
  }

  async #oneByOne(jobs: readonly CommitJob[]): Promise<void> {
    for (const job of jobs) await this.alone(job);
  }

  /**
   * Writes one transaction in which each unit has a savepoint, so that a failed unit rolls back only its own writes.
   */
  async inSavepoints(jobs: readonly CommitJob[]): Promise<void> {
    await this.#transactions.outermost(async (expectOpen) => {
      for (const job of jobs) {
        await this.alone(job);
        expectOpen();
      }
    });
  }

  /** Writes one transaction, one job after the other, if possible without savepoints. */
  async inTurn(jobs: readonly CommitJob[]): Promise<void> {
    if (!(await this.#withoutSavepoints(jobs))) await this.inSavepoints(jobs);
  }

  /** `alone`, if possible without savepoints of the parts of the job. */
  async aloneInTurn(job: CommitJob): Promise<void> {
    if (!(await this.#withoutSavepoints([job]))) await this.alone(job);
  }

  /**
   * Writes jobs that may all run again after a failure: SQLite copies each page that a savepoint changes, which took a
   * fifth of the time of an entry of the audit log. False: nothing was written.
   */
  async #withoutSavepoints(jobs: readonly CommitJob[]): Promise<boolean> {
    if (!jobs.every(({ unit }) => unit.isRepeatable)) return false;
    if (this.#batchesInSavepoints > 0) {
      this.#batchesInSavepoints -= 1;
      return false;
    }
    const work = async (expectOpen: () => void) => {
      for (const { unit } of jobs) {
        await this.#write(unit);
        expectOpen();
      }
    };
    try {
      await this.#transactions.outermost(work, { isShared: true });
    } catch {
      this.#batchesInSavepoints = batchesWithSavepoints;
      return false;
    }
    for (const job of jobs) job.answer = { status: 'fulfilled', value: true };
    return true;
  }

  /**
   * Writes all jobs in one transaction. When that fails, writes each half in one, and so on. One transaction with
   * savepoints would hold row locks while it requests others; transactions of other processes do that too, in another
   * order.
   */
  async inHalves(jobs: readonly CommitJob[], onFlushing: OnFlushing): Promise<void> {
    if (jobs.length === 1) return this.alone(jobs[0]!, onFlushing);
    try {
      await this.#inOneTransaction(jobs, onFlushing);
    } catch {
      const half = jobs.length >> 1;
      await this.inHalves(jobs.slice(0, half), () => undefined);
      await this.inHalves(jobs.slice(half), onFlushing);
    }
  }

  /** Writes the prepared units if the engine can; answers the jobs that `run` has to write. */
  async #withoutPrepared(jobs: readonly CommitJob[]): Promise<readonly CommitJob[]> {
    const prepared = this.#writePrepared ? jobs.filter(({ unit }) => unit.prepared) : [];
    if (prepared.length === 0) return jobs;
    try {
      const results = await this.#writePrepared!(prepared.flatMap(({ unit }) => unit.prepared!.statements));
      if (!results) return jobs;
      let from = 0;
      for (const job of prepared) {
        const { statements, onWritten } = job.unit.prepared!;
        const ofUnit = results.slice(from, (from += statements.length));
        this.#transactions.perform(() => onWritten(ofUnit));
        job.answer = { status: 'fulfilled', value: true };
      }
    } catch (reason) {
      reject(prepared, reason);
    }
    return jobs.filter(({ answer }) => !answer);
  }

  /** Repeats a transaction that the database ended because of another one's locks. */
  async #togetherOrAgain(jobs: readonly CommitJob[], onFlushing: OnFlushing): Promise<void> {
    try {
      await this.#withoutRejected(jobs, onFlushing);
    } catch (error) {
      if (!(error instanceof Collision)) throw error;
      const unanswered = jobs.filter((job) => !job.answer);
      await this.#withoutRejected(unanswered, onFlushing);
    }
  }

  /** A unit that gave up may have lost its race to another unit of the batch, so it is tried alone after the others. */
  async #withoutRejected(jobs: readonly CommitJob[], onFlushing: OnFlushing): Promise<void> {
    for (let remaining = jobs; remaining.length > 0; ) {
      const rejected = await this.#inOneTransaction(remaining, onFlushing);
      if (rejected.size === 0) break;
      remaining = remaining.filter((job) => !rejected.has(job));
    }
    const rejected = jobs.filter((job) => !job.answer);
    const atOnce = this.#isPipelined ? maxSeparateAtOnce : 1;
    for (let from = 0; from < rejected.length; from += atOnce)
      await Promise.all(rejected.slice(from, from + atOnce).map((job) => this.alone(job)));
  }

  /**
   * Writes all jobs in one transaction, which nearly always succeeds. Answers the jobs whose units gave up; then
   * nothing was written, and the other jobs can be written without them. Rejects when a unit failed.
   */
  async #inOneTransaction(jobs: readonly CommitJob[], onFlushing: OnFlushing): Promise<Set<CommitJob>> {
    const rejected = new Set<CommitJob>();
    const writeJob = async (job: CommitJob) => {
      try {
        await this.#write(job.unit);
      } catch (error) {
        if (error !== gaveUp) throw error;
        rejected.add(job);
      }
    };
    const work = async () => {
      if (this.#isPipelined) await awaitAll(jobs.map(writeJob));
      else for (const job of jobs) await writeJob(job);
      if (rejected.size > 0) throw gaveUp;
    };
    try {
      await this.#transactions.outermost(work, { isShared: this.#isPipelined, onFlushing });
    } catch (error) {
      if (error !== gaveUp) throw error;
      return rejected;
    }
    for (const job of jobs) job.answer = { status: 'fulfilled', value: true };
    return rejected;
  }

  async #write(unit: Unit): Promise<void> {
    if (!(await unit.run())) throw gaveUp;
  }
}

function reject(jobs: readonly CommitJob[], reason: unknown): void {
  for (const job of jobs) job.answer = { status: 'rejected', reason };
}
