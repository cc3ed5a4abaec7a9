import { AsyncLocalStorage } from 'node:async_hooks';
import { CompiledQuery, type ControlledTransaction, type Kysely, type QueryResult } from 'kysely';
import { Collision } from './collision.ts';
import { type CommitJob, type GroupCommits, groupCommits, usualLimits } from './group-commit.ts';
import type { Arguments, Joined } from './joined.ts';
import { sideBySide } from './side-by-side.ts';
import type { Tables } from './tables.ts';
import { insertTogether, readTogether, type Together, writeTogether } from './together.ts';
import type { Unit } from './unit.ts';
import type { Watch } from './watch.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** What one database product supplies: a Kysely over it and how to let go of it. */
export interface DatabaseEngine {
  kind: DatabaseKind;
  kysely: Kysely<Tables>;
  /** Statements of one transaction leave without waiting for each other, and run in the order in which they left. */
  isPipelined?: boolean;
  /** Other processes write to it as well. */
  hasOthers?: boolean;
  /** A number that is another one once another process has written, where the product tells without being waited for. */
  writtenElsewhere?: () => number;
  /** Tells of all that is written by this process, where the product can. To be called outside of transactions. */
  watch?: Watch;
  /** Lets go of what it keeps in memory of the files, where it keeps any. */
  forgetPages?: () => void;
  /** Runs a statement at once, where the product can: in the open transaction, or reading outside of any. */
  direct?: Record<'inTransaction' | 'reading', <Row>(query: CompiledQuery<Row>) => QueryResult<Row>> & {
    /** Whether the open transaction is still there: a full disk undoes it. */
    isOpen: () => boolean;
    /** Writes one statement outside of a transaction without waiting for the disk. */
    unflushed: <Row>(query: CompiledQuery<Row>) => Promise<QueryResult<Row>>;
  };
}

/** The one door to stored data. Durable when a call has resolved: SQLite with synchronous=FULL, or PostgreSQL. */
export interface Database {
  readonly kind: DatabaseKind;
  /** The transaction of the current async context, else the database itself. */
  readonly query: Kysely<Tables>;
  /** Stands for that transaction with all its savepoints; undefined outside of any. */
  readonly transactionKey: object | undefined;
  /** A compiled statement through `query`, by the shortest way: for the ones that run thousands of times a second. */
  execute: <Row>(compiled: CompiledQuery<Row>) => QueryResult<Row> | Promise<QueryResult<Row>>;
  /**
   * The same for a change that a power cut may undo: nobody waits for the disk where the product can do without. It is on
   * disk at the latest with the next change that is.
   */
  executeUnflushed: <Row>(compiled: CompiledQuery<Row>) => QueryResult<Row> | Promise<QueryResult<Row>>;
  /**
   * Runs a statement for all who ask for it at about the same time; undefined where everybody has to run it alone. Only
   * PostgreSQL has it: there each statement costs a way to the server and back.
   */
  together: <Row>(joined: Joined, args: Arguments) => Promise<QueryResult<Row>> | undefined;
  /**
   * Inserts rows that stand or fall by themselves, all or none of them, in one statement with those of others, which is a
   * transaction of its own and waits for none; undefined where they go through `commit`.
   */
  insertTogether: <Row>(joined: Joined, rows: readonly Arguments[]) => Promise<Row[]> | undefined;
  /** Whether statements of a transaction that do not need each other's answers are asked side by side. */
  readonly isPipelined: boolean;
  /**
   * Runs `work` in a transaction that everything awaited inside shares through `query`. Inside another transaction it
   * becomes a savepoint of it. A throw undoes it and is passed on; one that collided with another transaction runs again.
   * Never wait inside for a codec, a socket or a person: SQLite has one writer.
   */
  transaction: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * `transaction` for work that needs nothing of what others of its kind write meanwhile, beyond what the schema refuses.
   * On PostgreSQL what arrives at about the same time is one transaction, whose joined statements go one way for all; when
   * one fails all run again, each half by itself, until who failed is alone.
   */
  sharedTransaction: <T>(work: () => Promise<T>) => Promise<T>;
  /**
   * Writes one unit. Units that arrive together share one SQL transaction and one disk flush, yet each stands or falls
   * alone. Resolves when it is on disk: true, or false when the unit gave up. Inside `transaction` it joins that one.
   */
  commit: (unit: Unit) => Promise<boolean>;
  /**
   * The same for a unit that takes long: where several transactions are written at once it has one of its own, and those
   * that `commit` brings together do not wait for it.
   */
  commitApart: (unit: Unit) => Promise<boolean>;
  /**
   * Calls `act` once the current transaction is on disk, never when it is undone; at once outside a transaction. What it
   * throws is nobody's failure: the work is done and stays done.
   */
  afterCommit: (act: () => void) => void;
  /**
   * A number that stays the same as long as nobody but this process writes; undefined where only reading again tells.
   * What was kept in memory is still true while it does.
   */
  writtenElsewhere: () => number | undefined;
  /** Tells of all that this process writes; undefined where nobody does. For `keep`, outside of transactions. */
  readonly watch: Watch | undefined;
  /** Whether reading now finds what has been committed, all of it and nothing else. */
  isSettled: () => boolean;
  /** Gives back memory that only spares reading files again; for when there is little to do. */
  forgetPages: () => void;
  /** Fails when the database cannot answer. */
  ping: () => Promise<void>;
  close: () => Promise<void>;
}

/** A transaction or savepoint while it is open; work that outlives it falls back to the database itself. */
interface Scope {
  transaction: Transaction;
  /** Sends a statement of it at once, where the transaction would wait for the answer to the one before. */
  send: Send | undefined;
  /** The same in all savepoints of a transaction. */
  key: object;
  open: boolean;
  acts: (() => void)[];
  /** Savepoints of one transaction follow each other: two open at once would undo each other. */
  last: Promise<unknown>;
  /** Units write into it side by side, where a savepoint would hold what is another's: a failure in it is one of all. */
  isShared?: boolean;
  together?: Together;
  hasFailed?: boolean;
}

type Send = <Row>(compiled: CompiledQuery<Row>) => Promise<QueryResult<Row>>;

const gaveUp = Symbol('gave up');
const mostRuns = 5;
/** Each takes a connection. */
const losersAtOnce = 4;
/** Statements cost as much in one process as in the other, whatever they bring. */
const statementsApartMs = 5;
/**
 * Of several processes each has a part of what comes, for which the ways are as many and cost as much: from some 250 rows a
 * second on those that stand by themselves gather for twice as long.
 */
const limitsAmongOthers = { ...usualLimits, leastApartMs: statementsApartMs, mostApartMs: 10, apartPerUnitMs: 4 };

/**
 * `actFailed` hears what acts after a commit throw, `fellApart` why so many units that came together are now written one
 * by one, each with statements and a flush of its own.
 */
export function createDatabase(
  {
    kind,
    kysely,
    direct,
    isPipelined = false,
    hasOthers = false,
    writtenElsewhere,
    watch,
    forgetPages,
  }: DatabaseEngine,
  actFailed: (error: unknown) => void,
  onBatchSplit: (error: unknown, units: number) => void = () => undefined,
): Database {
  const scopes = new AsyncLocalStorage<Scope>();
  const current = () => {
    const scope = scopes.getStore();
    return scope?.open ? scope : undefined;
  };
  const query = () => current()?.transaction ?? kysely;

  function execute<Row>(compiled: CompiledQuery<Row>): QueryResult<Row> | Promise<QueryResult<Row>> {
    const scope = current();
    if (direct && scope) return direct.inTransaction(compiled);
    if (scope?.send) return scope.send(compiled);
    if (direct && compiled.query.kind === 'SelectQueryNode') return direct.reading(compiled);
    return query().executeQuery(compiled);
  }

  const executeUnflushed = <Row>(compiled: CompiledQuery<Row>) =>
    direct && !current() ? direct.unflushed(compiled) : execute(compiled);

  const limits = isPipelined ? { ...usualLimits, leastApartMs: statementsApartMs } : usualLimits;
  const reading = isPipelined && readTogether((compiled) => kysely.executeQuery(compiled));
  const inserting = isPipelined
    ? insertTogether((compiled) => kysely.executeQuery(compiled), onBatchSplit, hasOthers ? limitsAmongOthers : limits)
    : undefined;
  function together<Row>(joined: Joined, args: Arguments): Promise<QueryResult<Row>> | undefined {
    const scope = current();
    const fitting = scope ? scope.together : joined.isReading && reading;
    return (fitting || undefined)?.run(joined, args) as Promise<QueryResult<Row>> | undefined;
  }

  function perform(act: () => void): void {
    try {
      act();
    } catch (error) {
      actFailed(error);
    }
  }

  /** `flushing` is called once nothing but the disk is waited for. */
  async function outermost<T>(work: () => Promise<T>, isShared = false, flushing?: () => void): Promise<T> {
    const transaction = await kysely.startTransaction().execute();
    const send = isPipelined ? await sendingThrough(transaction) : undefined;
    const scope: Scope = { transaction, send, key: {}, open: true, acts: [], last: Promise.resolve(), isShared };
    if (isShared && send) scope.together = writeTogether(send);
    let result: T;
    try {
      result = await scopes.run(scope, work);
      scope.open = false;
      if (scope.hasFailed) throw new Error('A part of a unit was undone.');
      const committed = transaction.commit().execute();
      flushing?.();
      await committed;
    } catch (error) {
      scope.open = false;
      // The first error is the one that tells; a lost connection cannot roll back and need not.
      await transaction
        .rollback()
        .execute()
        .catch(() => undefined);
      throw error;
    }
    for (const act of scope.acts) perform(act);
    return result;
  }

  async function untilAlone<T>(work: () => Promise<T>, flushing?: () => void, runs = 1): Promise<T> {
    try {
      return await outermost(work, false, flushing);
    } catch (error) {
      if (!(error instanceof Collision) || runs === mostRuns) throw error;
      return untilAlone(work, flushing, runs + 1);
    }
  }

  async function savepoint<T>(outer: Scope, work: () => Promise<T>): Promise<T> {
    const nested = direct ? directly(direct.inTransaction, outer.transaction) : await nestedIn(outer.transaction);
    const { key, send } = outer;
    const { transaction } = nested;
    const scope: Scope = { transaction, send, key, open: true, acts: [], last: Promise.resolve() };
    try {
      const result = await scopes.run(scope, work);
      await nested.release();
      outer.acts.push(...scope.acts);
      return result;
    } catch (error) {
      await nested.rollBack();
      await nested.release();
      throw error;
    } finally {
      scope.open = false;
    }
  }

  async function unsaved<T>(outer: Scope, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      outer.hasFailed = true;
      throw error;
    }
  }

  function transaction<T>(work: () => Promise<T>): Promise<T> {
    return direct && !current() ? amongOthers(work, neighbours) : byItself(work);
  }

  function sharedTransaction<T>(work: () => Promise<T>): Promise<T> {
    return isPipelined && !current() ? amongOthers(work, sharing) : transaction(work);
  }

  function byItself<T>(work: () => Promise<T>, flushing?: () => void): Promise<T> {
    const outer = current();
    if (!outer) return untilAlone(work, flushing);
    if (outer.isShared) return unsaved(outer, work);
    const mine = outer.last.then(() => savepoint(outer, work));
    outer.last = mine.catch(() => undefined);
    return mine;
  }

  async function write(unit: Unit): Promise<void> {
    if ('run' in unit) {
      if (!(await unit.run())) throw gaveUp;
      return;
    }
    for (const { query: statement, mustChange } of unit.statements) {
      const { numAffectedRows } = await execute(statement);
      if (mustChange !== undefined && Number(numAffectedRows ?? 0) !== mustChange) throw gaveUp;
    }
  }

  async function attempt(unit: Unit, flushing?: () => void): Promise<boolean> {
    try {
      await byItself(() => write(unit), flushing);
      return true;
    } catch (error) {
      if (error === gaveUp) return false;
      throw error;
    }
  }

  /**
   * Nearly always all units succeed. Answers those that gave up, after which nothing is written: without them the others
   * can be written as fast. Rejects when a unit failed.
   */
  async function allAtOnce(jobs: readonly CommitJob[], flushing: () => void): Promise<Set<CommitJob>> {
    const losers = new Set<CommitJob>();
    const writeOne = async (job: CommitJob) => {
      try {
        await write(job.unit);
      } catch (error) {
        if (error !== gaveUp) throw error;
        losers.add(job);
      }
    };
    try {
      const work = async () => {
        if (isPipelined) await sideBySide(jobs.map(writeOne));
        else for (const job of jobs) await writeOne(job);
        if (losers.size > 0) throw gaveUp;
      };
      await outermost(work, isPipelined, flushing);
    } catch (error) {
      if (error !== gaveUp) throw error;
      return losers;
    }
    for (const job of jobs) job.answer = { status: 'fulfilled', value: true };
    return losers;
  }

  async function alone(job: CommitJob, flushing?: () => void): Promise<void> {
    job.answer = await settle(attempt(job.unit, flushing));
  }

  /** Who lost its race has perhaps lost it to a unit beside it: each has a try of its own, after the others. */
  async function retryRejected(jobs: readonly CommitJob[], flushing: () => void): Promise<void> {
    let left = jobs;
    for (let losers: Set<CommitJob>; left.length > 0; left = left.filter((job) => !losers.has(job))) {
      losers = await allAtOnce(left, flushing);
      if (losers.size === 0) break;
    }
    const losers = jobs.filter((job) => !job.answer);
    const atOnce = isPipelined ? losersAtOnce : 1;
    for (let from = 0; from < losers.length; from += atOnce)
      await Promise.all(losers.slice(from, from + atOnce).map((job) => alone(job)));
  }

  /** A transaction that another one's locks ended as a whole is written as a whole once more. */
  async function twice(jobs: readonly CommitJob[], flushing: () => void): Promise<void> {
    try {
      await retryRejected(jobs, flushing);
    } catch (error) {
      if (!(error instanceof Collision)) throw error;
      await retryRejected(
        jobs.filter((job) => !job.answer),
        flushing,
      );
    }
  }

  const commits = groupCommits(
    {
      together: async (jobs, flushing) => {
        try {
          await twice(jobs, isPipelined ? flushing : () => undefined);
        } catch (error) {
          // A unit failed, and nobody knows which: each in a savepoint.
          onBatchSplit(error, jobs.filter((job) => !job.answer).length);
          await inSavepoints(jobs.filter((job) => !job.answer));
        }
      },
      alone: (job, flushing) => alone(job, isPipelined ? flushing : undefined),
    },
    limits,
  );

  /**
   * In one transaction, each in a savepoint: what one of them does is undone without the others. `afterEach` throws where
   * all of them ended with it.
   */
  async function inSavepoints(jobs: readonly CommitJob[], afterEach?: () => void): Promise<void> {
    await outermost(async () => {
      for (const job of jobs) {
        await alone(job);
        afterEach?.();
      }
    });
  }

  function expectOpen(): void {
    if (!direct!.isOpen()) throw new Error('The transaction is gone.');
  }

  /** SQLite writes and flushes once for all transactions that come in the same turn of the event loop. */
  const neighbours = groupCommits(
    { together: (jobs) => inSavepoints(jobs, expectOpen), alone: (job) => alone(job) },
    { mostTogether: 32, leastApartMs: 0, mostApartMs: 0, apartPerUnitMs: 0 },
  );

  /**
   * All in one transaction, or when that fails in two, and so on. One for all with savepoints would hold rows of those that
   * are written already while it asks for those of others, as such ones of other processes do, in another order.
   */
  async function inHalves(jobs: readonly CommitJob[], flushing: () => void): Promise<void> {
    if (jobs.length === 1) return alone(jobs[0]!, flushing);
    try {
      await allAtOnce(jobs, flushing);
    } catch {
      const half = jobs.length >> 1;
      await inHalves(jobs.slice(0, half), () => undefined);
      await inHalves(jobs.slice(half), flushing);
    }
  }

  /** Apart from units, which those that fail for a reason of their caller's would hold up. */
  const sharing = groupCommits(
    { together: inHalves, alone: (job, flushing) => alone(job, flushing) },
    { ...usualLimits, mostTogether: 32 },
  );

  async function amongOthers<T>(work: () => Promise<T>, others: GroupCommits): Promise<T> {
    const asCaller = AsyncLocalStorage.snapshot();
    let result: T;
    const run = async () => {
      const scope = scopes.getStore()!;
      result = await asCaller(() => scopes.run(scope, work));
      return true;
    };
    await scopes.exit(() => others.add({ run }));
    return result!;
  }

  const commit = (unit: Unit) => (current() ? attempt(unit) : scopes.exit(() => commits.add(unit)));

  return {
    kind,
    get query() {
      return query();
    },
    get transactionKey() {
      return current()?.key;
    },
    execute,
    executeUnflushed,
    together,
    isPipelined,
    insertTogether: <Row>(joined: Joined, rows: readonly Arguments[]) =>
      current() ? undefined : (inserting?.run(joined, rows) as Promise<Row[]> | undefined),
    transaction,
    sharedTransaction,
    commit,
    commitApart: (unit) => (isPipelined ? attempt(unit) : commit(unit)),
    afterCommit: (act) => {
      const scope = current();
      if (scope) scope.acts.push(act);
      else perform(act);
    },
    writtenElsewhere: () => writtenElsewhere?.(),
    watch,
    isSettled: () => direct !== undefined && !direct.isOpen(),
    forgetPages: () => forgetPages?.(),
    ping: async () => {
      await kysely.selectNoFrom((eb) => eb.lit(1).as('one')).execute();
    },
    close: async () => {
      await Promise.all([commits.idle(), neighbours.idle(), sharing.idle(), inserting?.idle()]);
      await kysely.destroy();
    },
  };
}

type Transaction = ControlledTransaction<Tables, string[]>;
interface Nested {
  transaction: Transaction;
  release: () => unknown;
  rollBack: () => unknown;
}

async function nestedIn(outer: Transaction): Promise<Nested> {
  const transaction = await outer.savepoint('nested').execute();
  return {
    transaction,
    release: () => transaction.releaseSavepoint('nested').execute(),
    rollBack: () => transaction.rollbackToSavepoint('nested').execute(),
  };
}

const savepointStatements = {
  begin: CompiledQuery.raw('savepoint nested'),
  release: CompiledQuery.raw('release nested'),
  rollBack: CompiledQuery.raw('rollback to nested'),
};

/** The same without the way through Kysely, which takes longer than SQLite does. */
function directly(run: (query: CompiledQuery) => unknown, transaction: Transaction): Nested {
  run(savepointStatements.begin);
  return {
    transaction,
    release: () => run(savepointStatements.release),
    rollBack: () => run(savepointStatements.rollBack),
  };
}

async function settle(outcome: Promise<boolean>): Promise<PromiseSettledResult<boolean>> {
  return (await Promise.allSettled([outcome]))[0];
}

/** By its connection: what goes through the transaction itself follows each other. */
async function sendingThrough(transaction: ControlledTransaction<Tables, string[]>): Promise<Send> {
  return transaction
    .getExecutor()
    .provideConnection((connection) => Promise.resolve((compiled) => connection.executeQuery(compiled)));
}
