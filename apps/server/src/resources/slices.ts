import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';

/** On SQLite uplinks wait while a slice is written. */
const targetMs = 2.5;
/** Between slices it pauses so many times as long as the last one took; on a busy machine not longer than this. */
const pauseTimes = 3;
const mostPauseMs = 10;
const [leastRows, usualRows, mostRows] = [8, 10, 50];

interface Timing {
  monotonicMs: () => number;
  pause: (ms: number) => Promise<unknown>;
}
const realTiming: Timing = { monotonicMs: () => performance.now(), pause: (ms) => pause(ms) };

/** The work on one slice. */
export interface Slice {
  /** How many rows it has. */
  readonly rows: number;
  /** Measures what other writes wait for: its transaction. */
  timed: <T>(work: () => Promise<T>) => Promise<T>;
}

/**
 * Removes rows in slices until `removeSlice` finds fewer than a slice has. On SQLite it adapts their size to how long they
 * take, so that uplinks are hardly delayed; PostgreSQL writes others meanwhile. Inside a transaction pauses would delay
 * others for longer.
 */
export async function inSlices(
  { kind, transactionKey }: Pick<Database, 'kind' | 'transactionKey'>,
  removeSlice: (slice: Slice) => Promise<number>,
  { monotonicMs, pause }: Timing = realTiming,
): Promise<void> {
  const isPaced = kind === 'sqlite' && transactionKey === undefined;
  let rows = isPaced ? usualRows : mostRows;
  for (;;) {
    let ms = 0;
    const timed = async <T>(work: () => Promise<T>) => {
      const startedMs = monotonicMs();
      const result = await work();
      ms = monotonicMs() - startedMs;
      return result;
    };
    if ((await removeSlice({ rows, timed })) < rows) return;
    if (!isPaced) continue;
    rows = Math.max(leastRows, Math.min(Math.round((rows * targetMs) / Math.max(ms, 0.1)), mostRows));
    await pause(Math.min(ms * pauseTimes, mostPauseMs));
  }
}
