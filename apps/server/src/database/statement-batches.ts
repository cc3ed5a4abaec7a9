import type { CompiledQuery, QueryResult } from 'kysely';
import type { BatchArguments, BatchStatement } from './batch-statement.ts';
import { inBatches, type Limits } from './group-commit.ts';

type StatementResult = QueryResult<Record<string, unknown>>;
type Run = (query: CompiledQuery<Record<string, unknown>>) => StatementResult | Promise<StatementResult>;
interface Call {
  args: BatchArguments;
  resolve: (result: StatementResult) => void;
  reject: (error: unknown) => void;
}

const maxCallsPerStatement = 256;

/** Callers of the same statement, which share one run of it. */
export interface StatementBatches {
  run: (statement: BatchStatement, args: BatchArguments) => Promise<StatementResult>;
}

/**
 * In a transaction that units share: a batch has all calls of the same iteration of the event loop. One failing call
 * rolls back the whole transaction.
 */
export function writeTogether(run: Run): StatementBatches {
  const waiting = new Map<BatchStatement, Call[]>();

  function send(statement: BatchStatement): void {
    const calls = waiting.get(statement)!;
    waiting.delete(statement);
    const batches =
      statement.sumOf === undefined ? withDistinctRows(statement, calls) : [summedByRow(statement, calls)];
    for (const batch of batches) {
      const failAll = (error: unknown) => batch.forEach(({ reject }) => reject(error));
      resolveAll(run, statement, batch).catch(failAll);
    }
  }

  // After all callers that continue because of the same result.
  return gather(waiting, (statement) => process.nextTick(send, statement));
}

/** Calls `work` with statements of one connection, which run in the order in which they are sent. */
type OnOneConnection = (work: (run: Run) => Promise<void>) => Promise<void>;

/**
 * For reading outside of transactions: a batch has all calls that arrive while the statement runs for others, or in the
 * same iteration of the event loop. Batches of several statements that start in the same iteration take one round trip
 * on one connection. When a batch fails, each call is tried alone.
 */
export function readTogether(run: Run, onOneConnection: OnOneConnection = (work) => work(run)): StatementBatches {
  const waiting = new Map<BatchStatement, Call[]>();
  let starting: BatchStatement[] = [];

  async function runAlone(statement: BatchStatement, { args, resolve, reject }: Call): Promise<void> {
    try {
      resolve(await run(statement.forOne(args)));
    } catch (error) {
      reject(error);
    }
  }

  async function answer(statement: BatchStatement, batch: readonly Call[], by: Run): Promise<void> {
    await resolveAll(by, statement, batch).catch(() => Promise.all(batch.map((call) => runAlone(statement, call))));
  }

  async function answerRest(statement: BatchStatement): Promise<void> {
    for (let calls = waiting.get(statement)!; calls.length > 0; )
      await answer(statement, calls.splice(0, maxCallsPerStatement), run);
    waiting.delete(statement);
  }

  async function start(): Promise<void> {
    const batches = starting.map((statement) => ({
      statement,
      batch: waiting.get(statement)!.splice(0, maxCallsPerStatement),
    }));
    starting = [];
    const answerAll = async (by: Run) => {
      await Promise.all(batches.map(({ statement, batch }) => answer(statement, batch, by)));
    };
    if (batches.length === 1) await answerAll(run);
    else await onOneConnection(answerAll).catch(() => answerAll(run));
    await Promise.all(batches.map(({ statement }) => answerRest(statement)));
  }

  return gather(waiting, (statement) => {
    if (starting.push(statement) === 1) setImmediate(start);
  });
}

interface PendingInsert {
  rows: readonly BatchArguments[];
  resolve: (rows: Record<string, unknown>[]) => void;
  reject: (error: unknown) => void;
}

/**
 * For inserting outside of transactions: a batch has the rows of all calls of the same iteration of the event loop, or
 * that arrive while the previous statement runs. The statement is a transaction, so rows of one caller are never in
 * two; when it fails, the rows of each caller are tried separately.
 */
export function insertTogether(run: Run, onBatchSplit: (error: unknown, callers: number) => void, limits: Limits) {
  const insert = async (statement: BatchStatement, pending: readonly PendingInsert[]) => {
    const { rows } = await run(statement.forAll(pending.flatMap((call) => call.rows)));
    let from = 0;
    for (const call of pending) call.resolve(rows.slice(from, (from += call.rows.length)));
  };
  const insertAlone = (statement: BatchStatement, call: PendingInsert) => insert(statement, [call]).catch(call.reject);
  const batchesOf = (statement: BatchStatement) =>
    inBatches<PendingInsert>(async (pending) => {
      await insert(statement, pending).catch((error: unknown) => {
        if (pending.length > 1) onBatchSplit(error, pending.length);
        return Promise.all(pending.map((call) => insertAlone(statement, call)));
      });
    }, limits);
  const batchesByStatement = new Map<BatchStatement, ReturnType<typeof batchesOf>>();

  return {
    run: (statement: BatchStatement, rows: readonly BatchArguments[]) =>
      new Promise<Record<string, unknown>[]>((resolve, reject) => {
        const batches = batchesByStatement.get(statement) ?? batchesOf(statement);
        batchesByStatement.set(statement, batches);
        batches.add({ rows, resolve, reject });
      }),
    idle: () => Promise.all([...batchesByStatement.values()].map((batches) => batches.idle())),
  };
}

/** Queues calls by statement; the first call schedules the batch. */
function gather(waiting: Map<BatchStatement, Call[]>, schedule: (statement: BatchStatement) => void): StatementBatches {
  return {
    run: (statement, args) =>
      new Promise((resolve, reject) => {
        const calls = waiting.get(statement);
        if (calls) return void calls.push({ args, resolve, reject });
        waiting.set(statement, [{ args, resolve, reject }]);
        schedule(statement);
      }),
  };
}

/**
 * Calls that change the same row are in successive batches. All processes change rows in the same order, so that two
 * transactions that change the same two rows wait for each other in one direction only, and never deadlock.
 */
function withDistinctRows({ rowKey }: BatchStatement, calls: readonly Call[]): Call[][] {
  if (!rowKey) return [[...calls]];
  const batches: Call[][] = [];
  const countByRow = new Map<unknown, number>();
  const inOrder = calls.map((call) => ({ call, row: rowKey(call.args) as string })).sort(byRow);
  for (const { call, row } of inOrder) {
    const earlier = countByRow.get(row) ?? 0;
    countByRow.set(row, earlier + 1);
    (batches[earlier] ??= []).push(call);
  }
  return batches;
}

/** One call for each row, whose result is that of all its callers: whether the row was changed. */
function summedByRow({ rowKey, sumOf }: BatchStatement, calls: readonly Call[]): Call[] {
  const callsByRow = Map.groupBy(calls, ({ args }) => rowKey!(args) as string);
  const summed = [...callsByRow].map(([row, ofRow]) => {
    const total = ofRow.reduce((sum, { args }) => sum + Number(args[sumOf!]), 0);
    const call: Call = {
      args: { ...ofRow[0]!.args, [sumOf!]: total },
      resolve: (result) => ofRow.forEach(({ resolve }) => resolve(result)),
      reject: (error) => ofRow.forEach(({ reject }) => reject(error)),
    };
    return { call, row };
  });
  return summed.sort(byRow).map(({ call }) => call);
}

const byRow = (a: { row: string }, b: { row: string }) => (a.row < b.row ? -1 : Number(a.row > b.row));

async function resolveAll(run: Run, statement: BatchStatement, calls: readonly Call[]): Promise<void> {
  if (calls.length === 1) return calls[0]!.resolve(await run(statement.forOne(calls[0]!.args)));
  const { rows } = await run(statement.forAll(calls.map(({ args }) => args)));
  if (statement.isInsert) {
    for (const [index, { resolve }] of calls.entries())
      resolve({ rows: rows.slice(index, index + 1), numAffectedRows: 1n });
    return;
  }
  const rowsByCall = calls.map((): Record<string, unknown>[] => []);
  for (const { caller, ...row } of rows) rowsByCall[Number(caller) - 1]!.push(row);
  for (const [index, { resolve }] of calls.entries())
    resolve({ rows: rowsByCall[index]!, numAffectedRows: BigInt(rowsByCall[index]!.length) });
}
