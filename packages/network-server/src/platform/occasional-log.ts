import type { Clock, Log, LogFields } from './runtime.ts';

/** Logs each kind of warning once, then at most once a minute with the number of omitted warnings. */
export function createOccasionalLog(clock: Clock, log: Log) {
  const everyMs = 60_000;
  /** A kind may contain a gateway ID. With more kinds, the one that warned longest ago is removed. */
  const most = 1000;
  const kinds = new Map<string, { quietUntil: number; leftOut: number }>();
  return function warn(kind: string, fields: LogFields, text: string): void {
    const now = clock.monotonicMs();
    const known = kinds.get(kind);
    if (known && now < known.quietUntil) {
      known.leftOut += 1;
      return;
    }
    log.warn({ ...fields, ...(known?.leftOut && { leftOut: known.leftOut }) }, text);
    kinds.delete(kind);
    kinds.set(kind, { quietUntil: now + everyMs, leftOut: 0 });
    const [oldest] = kinds.keys();
    if (kinds.size > most && oldest !== undefined) kinds.delete(oldest);
  };
}
