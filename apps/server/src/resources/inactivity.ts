import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';

/** A device or gateway that is silent for this many of its intervals is inactive. */
export const inactiveAfterIntervals = 1.5;

/** Whether a time is at most that many intervals ago. The databases subtract times differently. */
export function isYounger(
  kind: DatabaseKind,
  at: string,
  now: Date,
  intervalMs: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const then = sql.ref(at);
  const ageMs =
    kind === 'sqlite'
      ? sql`(julianday(${now.toISOString()}) - julianday(${then})) * 86400000`
      : sql`extract(epoch from (${now.toISOString()}::timestamptz - ${then})) * 1000`;
  // Half a millisecond absorbs the rounding of Julian days.
  return sql`${ageMs} <= ${sql.lit(inactiveAfterIntervals)} * ${intervalMs} + 0.5`;
}
