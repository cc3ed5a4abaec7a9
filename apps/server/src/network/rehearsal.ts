import { AsyncLocalStorage } from 'node:async_hooks';
import { create, Empty, type Message, ns, RpcError, toBinary } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';

/**
 * Keeps calls to remote network servers out of transactions. A transaction that makes such calls runs first as a rehearsal
 * that is rolled back; then the calls are made; then it runs again with their answers, and commits.
 * docs/decisions/0008-remote-network-servers.md explains why.
 */

type Outcome = { answer: object } | { error: unknown };

interface Rehearsal {
  /** The outcomes of calls that have been made, by call. */
  outcomes: ReadonlyMap<string, Outcome>;
  /** The calls that this run needs. */
  needed: Map<string, () => Promise<object>>;
  /** Set after the run: later calls of its work are not rehearsed. */
  isOver: boolean;
}

const rehearsals = new AsyncLocalStorage<Rehearsal>();
const current = () => {
  const rehearsal = rehearsals.getStore();
  return rehearsal?.isOver === false ? rehearsal : undefined;
};
const undo = Symbol('only a rehearsal');
const mostRounds = 20;

/** The same database, whose outermost transactions are rehearsed when they call a remote network server. */
export function rehearsed(database: Database): Database {
  type Transaction = Database['transaction'];

  /** Only the first run shares a transaction with others, because later ones wait for remote calls. */
  async function rounds<T>(first: Transaction, work: () => Promise<T>): Promise<T> {
    if (current()) return database.transaction(work);
    const outcomes = new Map<string, Outcome>();
    for (let round = 0; round < mostRounds; round++) {
      const rehearsal: Rehearsal = { outcomes, needed: new Map(), isOver: false };
      const outcome = await rehearse(round === 0 ? first : database.transaction, rehearsal, work);
      if (outcome) return outcome.result;
      await makeCalls(rehearsal.needed, outcomes);
    }
    throw new RpcError('Aborted', 'What this is about keeps changing. Try again.');
  }

  /** Undefined for a rehearsal, which is rolled back. Another error is final: then no call is made. */
  async function rehearse<T>(
    transaction: Transaction,
    rehearsal: Rehearsal,
    work: () => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    try {
      return await transaction(async () => {
        // A run that collided with another transaction does not count.
        rehearsal.needed.clear();
        const result = await rehearsals.run(rehearsal, work);
        if (rehearsal.needed.size > 0) throw undo;
        return { result };
      });
    } catch (error) {
      if (error === undo) return undefined;
      throw error;
    } finally {
      rehearsal.isOver = true;
    }
  }

  const transaction: Transaction = (work) => rounds(database.transaction, work);
  const repeatableTransaction: Transaction = (work) => rounds(database.repeatableTransaction, work);
  const sharedTransaction: Transaction = (work) => rounds(database.sharedTransaction, work);
  return Object.create(database, {
    transaction: { value: transaction },
    repeatableTransaction: { value: repeatableTransaction },
    sharedTransaction: { value: sharedTransaction },
  }) as Database;
}

/**
 * Stops at the first failure, as the work will probably do. It is no failure when a record to delete does not exist.
 */
async function makeCalls(needed: Rehearsal['needed'], outcomes: Map<string, Outcome>): Promise<void> {
  for (const [callKey, call] of needed) {
    try {
      outcomes.set(callKey, { answer: await call() });
    } catch (error) {
      outcomes.set(callKey, { error });
      if (!(error instanceof RpcError && error.code === 'NotFound')) return;
    }
  }
}

/**
 * The service of a remote network server for use inside and outside of transactions. `name` identifies it in every run.
 * In a rehearsal a change counts as accepted; a question ends the run, since the rest depends on its answer.
 */
export function inRehearsals(name: string, service: ns.NetworkServerService): ns.NetworkServerService {
  const unary = Object.entries(ns.NetworkServerService.methods).flatMap(([method, [request, response]]) => {
    if (response.kind === 'stream') return [];
    const call = service[method as 'getVersion'] as (message: object) => Promise<object>;
    const isQuestion = response !== Empty && !method.startsWith('create');
    return [[method, rehearsing({ name: `${name} ${method}`, request, response, isQuestion, call })] as const];
  });
  return { ...service, ...Object.fromEntries(unary) };
}

function rehearsing({
  name,
  request,
  response,
  isQuestion,
  call,
}: {
  name: string;
  request: Message;
  response: Message;
  isQuestion: boolean;
  call: (message: object) => Promise<object>;
}): (message: object) => Promise<object> {
  return async (message) => {
    const rehearsal = current();
    if (!rehearsal) return call(message);
    const callKey = `${name} ${toBinary(request, message as never).toBase64()}`;
    const outcome = rehearsal.outcomes.get(callKey);
    if (outcome && 'error' in outcome) throw outcome.error;
    if (outcome) return outcome.answer;
    rehearsal.needed.set(callKey, () => call(message));
    if (isQuestion) throw undo;
    return create(response);
  };
}
