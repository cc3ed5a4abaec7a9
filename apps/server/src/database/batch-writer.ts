import { Collision } from './collision.ts';
import type { CommitJob } from './group-commit.ts';
import { sideBySide } from './side-by-side.ts';
import type { Transactions } from './transactions.ts';
import type { Unit } from './unit.ts';

const gaveUp = Symbol('gave up');
/** Units that are written each in a transaction of its own take a connection each. */
const maxSeparateAtOnce = 4;

type OnFlushing = () => void;

interface BatchWriterOptions {
  isPipelined: boolean;
  /** One unit of a batch failed: so many are now written each in a savepoint. */
  onBatchSplit: (error: unknown, units: number) => void;
}

/** Writes the units of a batch in as few transactions as it can. Each job gets its own answer. */
export class BatchWriter {
  readonly #transactions: Transactions;
  readonly #isPipelined: boolean;
  readonly #onBatchSplit: BatchWriterOptions['onBatchSplit'];

  constructor(transactions: Transactions, { isPipelined, onBatchSplit }: BatchWriterOptions) {
    this.#transactions = transactions;
    this.#isPipelined = isPipelined;
    this.#onBatchSplit = onBatchSplit;
  }

  /** Writes one unit in a transaction of its own, or in the current one. False when the unit gave up. */
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

  /** All in one transaction; when a unit fails, each in a savepoint of one. */
  async together(jobs: readonly CommitJob[], onFlushing: OnFlushing): Promise<void> {
    try {
      await this.#togetherOrAgain(jobs, onFlushing);
    } catch (error) {
      const unanswered = jobs.filter((job) => !job.answer);
      this.#onBatchSplit(error, unanswered.length);
      await this.inSavepoints(unanswered);
    }
  }

  /** One transaction in which each unit has a savepoint: a failed unit undoes only its own writes. */
  async inSavepoints(jobs: readonly CommitJob[]): Promise<void> {
    await this.#transactions.outermost(async (expectOpen) => {
      for (const job of jobs) {
        await this.alone(job);
        expectOpen();
      }
    });
  }

  /**
   * One transaction for all, and when that fails one for each half, and so on. One transaction with savepoints would hold
   * locks on rows while it asks for others; transactions of other processes do that too, in another order.
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

  /** A transaction that ended because of another one's locks is written once more. */
  async #togetherOrAgain(jobs: readonly CommitJob[], onFlushing: OnFlushing): Promise<void> {
    try {
      await this.#withoutRejected(jobs, onFlushing);
    } catch (error) {
      if (!(error instanceof Collision)) throw error;
      const unanswered = jobs.filter((job) => !job.answer);
      await this.#withoutRejected(unanswered, onFlushing);
    }
  }

  /** A unit that gave up may have lost its race to another unit of the batch: it is tried alone after the others. */
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
   * Nearly always all units succeed. Answers the jobs whose units gave up; then nothing was written, and the other jobs
   * can be written as fast without them. Rejects when a unit failed.
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
      if (this.#isPipelined) await sideBySide(jobs.map(writeJob));
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
    if ('run' in unit) {
      if (!(await unit.run())) throw gaveUp;
      return;
    }
    for (const { query: statement, mustChange } of unit.statements) {
      const { numAffectedRows } = await this.#transactions.execute(statement);
      if (mustChange !== undefined && Number(numAffectedRows ?? 0) !== mustChange) throw gaveUp;
    }
  }
}
