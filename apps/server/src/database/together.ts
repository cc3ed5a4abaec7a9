import type { CompiledQuery, QueryResult } from 'kysely';
import { inBatches, type Limits } from './group-commit.ts';
import type { Arguments, Joined } from './joined.ts';

type StatementResult = QueryResult<Record<string, unknown>>;
type Run = (query: CompiledQuery<Record<string, unknown>>) => Promise<StatementResult>;
interface Call {
  args: Arguments;
  resolve: (answer: StatementResult) => void;
  reject: (error: unknown) => void;
}

const mostTogether = 256;

/** Callers of the same statement, which run it together. */
export interface Together {
  run: (joined: Joined, args: Arguments) => Promise<StatementResult>;
}

/** In a transaction that units share: all that ask in the same turn of the event loop. Who fails has spoilt it for all. */
export function writeTogether(run: Run): Together {
  const waiting = new Map<Joined, Call[]>();

  function send(joined: Joined): void {
    const calls = waiting.get(joined)!;
    waiting.delete(joined);
    for (const some of joined.sum === undefined ? apartFrom(joined, calls) : [summed(joined, calls)]) {
      const failed = (error: unknown) => some.forEach(({ reject }) => reject(error));
      answerAll(run, joined, some).catch(failed);
    }
  }

  // After everything that goes on with what came back together.
  return gather(waiting, (joined) => process.nextTick(send, joined));
}

/**
 * Outside of transactions, for reading: all that ask while the statement is under way for others, or in the same round of the
 * event loop. When it fails each has a try of its own.
 */
export function readTogether(run: Run): Together {
  const waiting = new Map<Joined, Call[]>();

  async function send(joined: Joined): Promise<void> {
    for (let calls = waiting.get(joined)!; calls.length > 0; ) {
      const some = calls.splice(0, mostTogether);
      await answerAll(run, joined, some).catch(() =>
        Promise.all(some.map(({ args, resolve, reject }) => run(joined.alone(args)).then(resolve, reject))),
      );
    }
    waiting.delete(joined);
  }

  return gather(waiting, (joined) => setImmediate(send, joined));
}

/**
 * Outside of transactions, for inserting: rows of all who ask in the same turn of the event loop, or while the statement
 * before is under way. The statement is a transaction of its own, so those of one caller are in one; when it fails each
 * caller has a try of its own.
 */
export function insertTogether(run: Run, fellApart: (error: unknown, callers: number) => void, limits: Limits) {
  interface Inserting {
    rows: readonly Arguments[];
    resolve: (rows: Record<string, unknown>[]) => void;
    reject: (error: unknown) => void;
  }
  const insert = async (joined: Joined, some: readonly Inserting[]) => {
    const { rows } = await run(joined.of(some.flatMap((one) => one.rows)));
    let from = 0;
    for (const one of some) one.resolve(rows.slice(from, (from += one.rows.length)));
  };
  const alone = (joined: Joined, one: Inserting) => insert(joined, [one]).catch(one.reject);
  const batchesOf = (joined: Joined) =>
    inBatches<Inserting>(async (some) => {
      await insert(joined, some).catch((error: unknown) => {
        if (some.length > 1) fellApart(error, some.length);
        return Promise.all(some.map((one) => alone(joined, one)));
      });
    }, limits);
  const all = new Map<Joined, ReturnType<typeof batchesOf>>();

  return {
    run: (joined: Joined, rows: readonly Arguments[]) =>
      new Promise<Record<string, unknown>[]>((resolve, reject) => {
        const batches = all.get(joined) ?? batchesOf(joined);
        all.set(joined, batches);
        batches.add({ rows, resolve, reject });
      }),
    idle: () => Promise.all([...all.values()].map((batches) => batches.idle())),
  };
}

/** Lets callers wait by statement; the first of them has it sent, and with it those that came meanwhile. */
function gather(waiting: Map<Joined, Call[]>, sendLater: (joined: Joined) => void): Together {
  return {
    run: (joined, args) =>
      new Promise((resolve, reject) => {
        const calls = waiting.get(joined);
        if (calls) return void calls.push({ args, resolve, reject });
        waiting.set(joined, [{ args, resolve, reject }]);
        sendLater(joined);
      }),
  };
}

/**
 * Who changes the same row as somebody before comes in a statement after that. Rows are changed in the same order by all
 * processes: two transactions that change the same two rows then wait for each other, and not both for ever.
 */
function apartFrom({ apart }: Joined, calls: readonly Call[]): Call[][] {
  if (!apart) return [[...calls]];
  const rounds: Call[][] = [];
  const before = new Map<unknown, number>();
  const inOrder = calls.map((call) => ({ call, row: apart(call.args) as string })).sort(byRow);
  for (const { call, row } of inOrder) {
    const round = before.get(row) ?? 0;
    before.set(row, round + 1);
    (rounds[round] ??= []).push(call);
  }
  return rounds;
}

/** Of one row the answer is the same for all: whether it was changed. */
function summed({ apart, sum }: Joined, calls: readonly Call[]): Call[] {
  const rows = Map.groupBy(calls, ({ args }) => apart!(args) as string);
  const all = [...rows].map(([row, some]) => {
    const total = some.reduce((before, { args }) => before + Number(args[sum!]), 0);
    const call: Call = {
      args: { ...some[0]!.args, [sum!]: total },
      resolve: (answer) => some.forEach(({ resolve }) => resolve(answer)),
      reject: (error) => some.forEach(({ reject }) => reject(error)),
    };
    return { call, row };
  });
  return all.sort(byRow).map(({ call }) => call);
}

const byRow = (one: { row: string }, other: { row: string }) =>
  one.row < other.row ? -1 : Number(one.row > other.row);

async function answerAll(run: Run, joined: Joined, calls: readonly Call[]): Promise<void> {
  if (calls.length === 1) return calls[0]!.resolve(await run(joined.alone(calls[0]!.args)));
  const { rows } = await run(joined.of(calls.map(({ args }) => args)));
  if (joined.isInsert) {
    for (const [at, { resolve }] of calls.entries()) resolve({ rows: rows.slice(at, at + 1), numAffectedRows: 1n });
    return;
  }
  const found = calls.map((): Record<string, unknown>[] => []);
  for (const { turn, ...row } of rows) found[Number(turn) - 1]!.push(row);
  for (const [at, { resolve }] of calls.entries())
    resolve({ rows: found[at]!, numAffectedRows: BigInt(found[at]!.length) });
}
