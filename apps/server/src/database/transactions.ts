import { AsyncLocalStorage } from 'node:async_hooks';
import type { CompiledQuery, Kysely } from 'kysely';
import { Collision } from './collision.ts';
import type { DatabaseEngine, EngineSavepoint, EngineTransaction, Result } from './engine.ts';
import { type StatementBatches, writeTogether } from './statement-batches.ts';
import type { Tables } from './tables.ts';

/** An open transaction or savepoint; work that outlives it uses the database itself. */
interface Scope {
  transaction: Pick<EngineTransaction, 'query' | 'execute' | 'savepoint'>;
  /** The key of the transaction, shared by all its savepoints. */
  key: object;
  isOpen: boolean;
  afterCommit: (() => void)[];
  /** Savepoints of one transaction run one after the other: two open at once would roll back each other. */
  lastSavepoint: Promise<unknown>;
  /** A failed part fails the whole transaction, which has no savepoints. */
  isShared: boolean;
  hasFailedPart: boolean;
  statementBatches: StatementBatches | undefined;
}

interface OutermostOptions {
  /**
   * Units share it without savepoints. Where they write concurrently, a savepoint of one would also contain writes of
   * another.
   */
  isShared?: boolean;
  /** Called when the transaction waits for nothing but the disk. */
  onFlushing?: (() => void) | undefined;
}

const maxAttempts = 5;

/** Transactions of the current async context: whatever is awaited inside of one shares it. */
export class Transactions {
  readonly #scopes = new AsyncLocalStorage<Scope>();
  readonly #engine: DatabaseEngine;
  readonly #onAfterCommitError: (error: unknown) => void;

  constructor(engine: DatabaseEngine, onAfterCommitError: (error: unknown) => void) {
    this.#engine = engine;
    this.#onAfterCommitError = onAfterCommitError;
  }

  get #current(): Scope | undefined {
    const scope = this.#scopes.getStore();
    return scope?.isOpen ? scope : undefined;
  }

  /** Identifies the current transaction with all its savepoints. */
  get key(): object | undefined {
    return this.#current?.key;
  }

  get isInside(): boolean {
    return this.#current !== undefined;
  }

  get query(): Kysely<Tables> {
    return this.#current?.transaction.query ?? this.#engine.kysely;
  }

  /** The batches of a transaction that units share. */
  get statementBatches(): StatementBatches | undefined {
    return this.#current?.statementBatches;
  }

  execute<Row>(statement: CompiledQuery<Row>): Result<Row> {
    return (this.#current?.transaction ?? this.#engine).execute(statement);
  }

  executeUnflushed<Row>(statement: CompiledQuery<Row>): Result<Row> {
    const scope = this.#current;
    return scope ? scope.transaction.execute(statement) : this.#engine.executeUnflushed(statement);
  }

  /** Runs `action` when the current transaction is on disk; at once outside of one. */
  afterCommit(action: () => void): void {
    const scope = this.#current;
    if (scope) scope.afterCommit.push(action);
    else this.perform(action);
  }

  /** Runs `work` outside of the current transaction. */
  outside<T>(work: () => T): T {
    return this.#scopes.exit(work);
  }

  /**
   * Moves `work` to another async context: the returned function runs it in the transaction that is current there, with
   * all other values of the context in which `carry` was called.
   */
  carry<T>(work: () => Promise<T>): () => Promise<T> {
    const inCallerContext = AsyncLocalStorage.snapshot();
    return () => {
      const scope = this.#scopes.getStore()!;
      return inCallerContext(() => this.#scopes.run(scope, work));
    };
  }

  /** Runs a transaction, or a savepoint inside of one. A transaction that collides with another one runs again. */
  run<T>(work: () => Promise<T>, onFlushing?: () => void): Promise<T> {
    const outer = this.#current;
    if (!outer) return this.#untilNoCollision(work, onFlushing);
    if (outer.isShared) return markFailure(outer, work);
    const result = outer.lastSavepoint.then(() => this.#savepoint(outer, work));
    outer.lastSavepoint = result.catch(() => undefined);
    return result;
  }

  async #untilNoCollision<T>(work: () => Promise<T>, onFlushing?: () => void): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.outermost(work, { onFlushing });
      } catch (error) {
        if (!(error instanceof Collision) || attempt === maxAttempts) throw error;
      }
    }
  }

  /** Runs a transaction once. `work` gets a check that throws when the engine has ended the transaction. */
  async outermost<T>(
    work: (expectOpen: () => void) => Promise<T>,
    { isShared = false, onFlushing }: OutermostOptions = {},
  ): Promise<T> {
    const transaction = await this.#engine.begin();
    const scope = scopeOf(transaction, { key: {}, isShared });
    if (isShared) scope.statementBatches = writeTogether((statement) => transaction.execute(statement));
    const expectOpen = () => {
      if (!transaction.isOpen()) throw new Error('The transaction is gone.');
    };
    let result: T;
    try {
      result = await this.#scopes.run(scope, work, expectOpen);
      scope.isOpen = false;
      if (scope.hasFailedPart) throw new Error('A part of a unit was undone.');
      const committed = transaction.commit();
      onFlushing?.();
      await committed;
    } catch (error) {
      scope.isOpen = false;
      // The first error tells the cause; a lost connection cannot roll back and need not.
      await transaction.rollback().catch(() => undefined);
      throw error;
    }
    for (const action of scope.afterCommit) this.perform(action);
    return result;
  }

  async #savepoint<T>(outer: Scope, work: () => Promise<T>): Promise<T> {
    const opened = outer.transaction.savepoint();
    const savepoint: EngineSavepoint = opened instanceof Promise ? await opened : opened;
    const scope = scopeOf(savepoint, { key: outer.key });
    try {
      const result = await this.#scopes.run(scope, work);
      await savepoint.release();
      outer.afterCommit.push(...scope.afterCommit);
      return result;
    } catch (error) {
      await savepoint.rollback();
      await savepoint.release();
      throw error;
    } finally {
      scope.isOpen = false;
    }
  }

  /** Runs an action after a commit: its exception affects nothing else. */
  perform(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#onAfterCommitError(error);
    }
  }
}

function scopeOf(
  transaction: Scope['transaction'],
  { key, isShared = false }: { key: object; isShared?: boolean },
): Scope {
  return {
    transaction,
    key,
    isOpen: true,
    afterCommit: [],
    lastSavepoint: Promise.resolve(),
    isShared,
    hasFailedPart: false,
    statementBatches: undefined,
  };
}

async function markFailure<T>(outer: Scope, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    outer.hasFailedPart = true;
    throw error;
  }
}
