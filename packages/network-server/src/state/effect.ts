/**
 * What the application server writes in the same transaction as the session change that caused it, and publishes
 * afterwards. The network server passes it to `state.commit` without reading it; `about` names it in logs.
 */
export interface Effect {
  readonly about: string;
}
