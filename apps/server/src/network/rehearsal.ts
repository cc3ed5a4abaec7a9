import { AsyncLocalStorage } from 'node:async_hooks';
import { create, Empty, type Message, ns, RpcError, toBinary } from '@hilltop/protobuf';
import type { Database } from '../database/database.ts';

/**
 * Keeps calls to remote network servers out of transactions. A transaction that makes such calls is played as a
 * rehearsal first and undone; then the calls are made; then it runs again, finds their answers waiting, and stays.
 * docs/decisions/0008-remote-network-servers.md explains why.
 */

type Outcome = { answer: object } | { error: unknown };

interface Rehearsal {
  /** The calls that have been made, by what was said to whom. */
  told: ReadonlyMap<string, Outcome>;
  /** Those that this run came upon. */
  asked: Map<string, () => Promise<object>>;
  /** What outlives its run is no part of the play. */
  isOver: boolean;
}

const stage = new AsyncLocalStorage<Rehearsal>();
const current = () => {
  const rehearsal = stage.getStore();
  return rehearsal?.isOver === false ? rehearsal : undefined;
};
const undo = Symbol('only a rehearsal');
const mostRounds = 20;

/** The same database, whose outermost transactions are rehearsed when they call a remote network server. */
export function rehearsed(database: Database): Database {
  type Transaction = Database['transaction'];

  /** Another run than the first is by itself: it comes after calls to elsewhere, and the others do not. */
  async function rounds<T>(first: Transaction, work: () => Promise<T>): Promise<T> {
    if (current()) return database.transaction(work);
    const told = new Map<string, Outcome>();
    for (let round = 0; round < mostRounds; round++) {
      const rehearsal: Rehearsal = { told, asked: new Map(), isOver: false };
      const outcome = await play(round === 0 ? first : database.transaction, rehearsal, work);
      if (outcome) return outcome.result;
      await tell(rehearsal.asked, told);
    }
    throw new RpcError('Aborted', 'What this is about keeps changing. Try again.');
  }

  /** Undefined for a rehearsal, which is undone. An error of our own is final: then nobody need be told anything. */
  async function play<T>(
    transaction: Transaction,
    rehearsal: Rehearsal,
    work: () => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    try {
      return await transaction(async () => {
        // A run that collided with another transaction does not count.
        rehearsal.asked.clear();
        const result = await stage.run(rehearsal, work);
        if (rehearsal.asked.size > 0) throw undo;
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
  const sharedTransaction: Transaction = (work) => rounds(database.sharedTransaction, work);
  return Object.create(database, {
    transaction: { value: transaction },
    sharedTransaction: { value: sharedTransaction },
  }) as Database;
}

/** Stops where the work itself will probably stop; that something to be deleted is not there stops nobody. */
async function tell(asked: Rehearsal['asked'], told: Map<string, Outcome>): Promise<void> {
  for (const [said, call] of asked) {
    try {
      told.set(said, { answer: await call() });
    } catch (error) {
      told.set(said, { error });
      if (!(error instanceof RpcError && error.code === 'NotFound')) return;
    }
  }
}

/**
 * The service of a remote network server for use inside and outside of transactions. `name` tells it from others and is
 * the same in every run. In a rehearsal a change counts as accepted; a question ends the run, since what follows
 * depends on the answer.
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
    const said = `${name} ${toBinary(request, message as never).toBase64()}`;
    const outcome = rehearsal.told.get(said);
    if (outcome && 'error' in outcome) throw outcome.error;
    if (outcome) return outcome.answer;
    rehearsal.asked.set(said, () => call(message));
    if (isQuestion) throw undo;
    return create(response);
  };
}
