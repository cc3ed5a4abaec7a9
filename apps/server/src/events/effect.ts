import type { Effect } from '@hilltop/network-server';

/**
 * The application's reaction to something of the network: decided before, written in the transaction of the session
 * change that caused it. What is to be published afterwards goes through `database.afterCommit` inside `write`.
 */
export interface ServerEffect extends Effect {
  write: () => Promise<void>;
}

/** Writes an effect made by this server; the network server hands them back without looking inside. */
export function enact(effect: Effect): Promise<void> {
  return (effect as ServerEffect).write();
}

/** An effect that writes nothing. */
export function noEffect(about: string): ServerEffect {
  return { about, write: () => Promise.resolve() };
}
