import type { Effect } from '@hilltop/network-server';
import type { PreparedWrites } from '../database/unit.ts';

/**
 * What the application server writes for a message of the network: computed before, written in the transaction that
 * also changes the session. `write` publishes by `database.afterCommit`.
 */
export interface ServerEffect extends Effect {
  write: () => Promise<void>;
  /** The same writes for a prepared unit; undefined when they need results of each other. */
  prepare?: () => PreparedWrites | undefined;
}

/** Writes an effect of this server. The network server passes effects back without looking inside. */
export function enact(effect: Effect): Promise<void> {
  return (effect as ServerEffect).write();
}

/** The writes of an effect of this server for a prepared unit. */
export function preparedOf(effect: Effect): PreparedWrites | undefined {
  return (effect as ServerEffect).prepare?.();
}

/** An effect that writes nothing. */
export function noEffect(about: string): ServerEffect {
  return { about, write: () => Promise.resolve(), prepare: () => ({ statements: [], onWritten: () => undefined }) };
}
