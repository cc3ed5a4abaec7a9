import { BatchWriter } from './batch-writer.ts';
import type { DatabaseEngine } from './engine.ts';
import { type GroupCommits, groupCommits, type Limits, usualLimits } from './group-commit.ts';
import type { Transactions } from './transactions.ts';
import type { Unit } from './unit.ts';

interface CommitOptions {
  /** The unit takes long: where several transactions are written at once, it gets one that no other unit waits for. */
  isSeparate?: boolean;
  /** How long the unit may wait for others that share its transaction. */
  maxWaitMs?: number;
}

interface TransactionOptions {
  /** The work does not depend on concurrent writes of the same kind, except for constraints of the schema. */
  isShared?: boolean;
  /** The work has no effect outside of the transaction. */
  isRepeatable?: boolean;
}

interface WriteQueueDependencies {
  engine: Pick<DatabaseEngine, 'isPipelined' | 'writePrepared'>;
  transactions: Transactions;
  limits: Limits;
  onBatchSplit: (error: unknown, units: number) => void;
}

const ignoreFlushing = () => undefined;
const maxTransactionsTogether = 32;

/**
 * The queue of all transactional writes. It has two operations: `commit` writes one unit, `transaction` runs work that
 * reads and writes. Whatever arrives at about the same time shares a transaction and a disk flush, and succeeds or
 * fails separately. Inside a transaction both join that one.
 */
export class WriteQueue {
  readonly #transactions: Transactions;
  readonly #isPipelined: boolean;
  readonly #writer: BatchWriter;
  readonly #unitBatches: GroupCommits;
  readonly #transactionBatches: GroupCommits;

  constructor({ engine: { isPipelined, writePrepared }, transactions, limits, onBatchSplit }: WriteQueueDependencies) {
    this.#transactions = transactions;
    this.#isPipelined = isPipelined;
    this.#writer = new BatchWriter(transactions, { isPipelined, writePrepared, onBatchSplit });
    this.#unitBatches = this.#batchesOfUnits(limits);
    this.#transactionBatches = isPipelined ? this.#batchesInHalves() : this.#batchesInSavepoints();
  }

  commit(unit: Unit, { isSeparate = false, maxWaitMs }: CommitOptions = {}): Promise<boolean> {
    if (this.#transactions.isInside || (isSeparate && this.#isPipelined)) return this.#writer.attempt(unit);
    return this.#transactions.outside(() => this.#unitBatches.add(unit, maxWaitMs));
  }

  /** On PostgreSQL only shared work is batched: transactions of several connections are written at once anyway. */
  async transaction<T>(
    work: () => Promise<T>,
    { isShared = false, isRepeatable = isShared }: TransactionOptions = {},
  ): Promise<T> {
    if (this.#transactions.isInside || (this.#isPipelined && !isShared)) return this.#transactions.run(work);
    let result: T;
    const carried = this.#transactions.carry(work);
    const run = async () => {
      result = await carried();
      return true;
    };
    await this.#transactions.outside(() => this.#transactionBatches.add({ run, isRepeatable }));
    return result!;
  }

  async idle(): Promise<void> {
    await Promise.all([this.#unitBatches.idle(), this.#transactionBatches.idle()]);
  }

  #batchesOfUnits(limits: Limits): GroupCommits {
    const writer = this.#writer;
    if (this.#isPipelined)
      return groupCommits(
        {
          together: (jobs, onFlushing) => writer.together(jobs, onFlushing),
          alone: (job, onFlushing) => writer.alone(job, onFlushing),
        },
        limits,
      );
    return groupCommits(
      {
        together: (jobs) => writer.together(jobs, ignoreFlushing),
        alone: (job) => writer.together([job], ignoreFlushing),
      },
      limits,
    );
  }

  /** SQLite writes and flushes once for all transactions that arrive in the same iteration of the event loop. */
  #batchesInSavepoints(): GroupCommits {
    const writer = this.#writer;
    return groupCommits(
      { together: (jobs) => writer.inTurn(jobs), alone: (job) => writer.aloneInTurn(job) },
      { mostTogether: maxTransactionsTogether, leastApartMs: 0, mostApartMs: 0, apartPerUnitMs: 0 },
    );
  }

  /** Not in batches with units: transactions that fail because of their caller would delay them. */
  #batchesInHalves(): GroupCommits {
    const writer = this.#writer;
    return groupCommits(
      {
        together: (jobs, onFlushing) => writer.inHalves(jobs, onFlushing),
        alone: (job, onFlushing) => writer.alone(job, onFlushing),
      },
      { ...usualLimits, mostTogether: maxTransactionsTogether },
    );
  }
}
