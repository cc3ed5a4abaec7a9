import type { Effect } from '@hilltop/network-server';
import { awaitAll } from '../database/await-all.ts';
import type { Database } from '../database/database.ts';
import type { PreparedWrites } from '../database/unit.ts';

/**
 * What the application server writes for a message of the network: computed before, written in the transaction that
 * also changes the session. `write` publishes by `database.afterCommit`.
 */
export interface ServerEffect extends Effect {
  write: () => Promise<void>;
  /**
   * `write` sends all its statements before it returns, and needs no results of other effects: on a pipelined database
   * the next effect need not wait for it.
   */
  isSentAtOnce?: boolean;
  /** The same writes for a prepared unit; undefined when they need results of each other. */
  prepare?: () => PreparedWrites | undefined;
}

/** Writes an effect of this server. The network server passes effects back without looking inside. */
export function enact(effect: Effect): Promise<void> {
  return (effect as ServerEffect).write();
}

/** Writes effects one after the other, because effects of one device have an order. */
export async function enactAll(effects: readonly Effect[], database: Pick<Database, 'isPipelined'>): Promise<void> {
  const sent: Promise<void>[] = [];
  for (const effect of effects as readonly ServerEffect[]) {
    const written = effect.write();
    sent.push(written);
    if (!database.isPipelined || !effect.isSentAtOnce) await awaitAll(sent);
  }
  await awaitAll(sent);
}

/** The writes of an effect of this server for a prepared unit. */
export function preparedOf(effect: Effect): PreparedWrites | undefined {
  return (effect as ServerEffect).prepare?.();
}

/** An effect that writes nothing. */
export function noEffect(about: string): ServerEffect {
  return { about, write: () => Promise.resolve(), prepare: () => ({ statements: [], onWritten: () => undefined }) };
}
