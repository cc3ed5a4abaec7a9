import type { Clock, Log } from '../surroundings.ts';

/** Warns about each kind of trouble once, then at most once a minute with the number of times it was left out. */
export function createOccasionalLog(clock: Clock, log: Log) {
  const everyMs = 60_000;
  const kinds = new Map<string, { quietUntil: number; leftOut: number }>();
  return function warn(kind: string, fields: object, text: string): void {
    const now = clock.monotonicMs();
    const known = kinds.get(kind);
    if (known && now < known.quietUntil) {
      known.leftOut += 1;
      return;
    }
    log.warn({ ...fields, ...(known?.leftOut && { leftOut: known.leftOut }) }, text);
    kinds.set(kind, { quietUntil: now + everyMs, leftOut: 0 });
  };
}
