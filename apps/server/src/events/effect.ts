import type { Effect } from '@hilltop/network-server';

/**
 * What the application server writes for a message of the network: computed before, written in the transaction that
 * also changes the session. `write` publishes by `database.afterCommit`.
 */
export interface ServerEffect extends Effect {
  write: () => Promise<void>;
}

/** Writes an effect of this server. The network server passes effects back without looking inside. */
export function enact(effect: Effect): Promise<void> {
  return (effect as ServerEffect).write();
}

/** An effect that writes nothing. */
export function noEffect(about: string): ServerEffect {
  return { about, write: () => Promise.resolve() };
}
