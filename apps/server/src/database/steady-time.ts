import type { Clock } from '@hilltop/network-server';
import type { Logger } from 'pino';
import type { Database } from './database.ts';

/** The steady time advances a little faster than real time, to catch up after the server was off. */
const fastest = 1.25;
const jumpMs = 60_000;
const longAwayMs = 86_400_000;

/**
 * The time by which old rows are removed, instead of the clock alone: it is stored in the database and advances no
 * faster than the process runs. A clock that is set forward therefore removes no more rows than the elapsed time
 * allows.
 */
export interface SteadyTime {
  /** Whole milliseconds since 1970; never ahead of the clock. */
  moveOn: () => Promise<number>;
  /** The same without storing it; before the first `moveOn` the time of the clock. */
  now: () => number;
}

export function createSteadyTime({
  database,
  log,
  clock,
}: {
  database: Database;
  log: Logger;
  clock: Clock;
}): SteadyTime {
  let last: { at: number; wallMs: number; monotonicMs: number } | undefined;

  async function start(wallMs: number): Promise<number> {
    const stored = await database.query.selectFrom('retention').select('at').executeTakeFirst();
    const at = stored?.at ?? (await newestBucket(database)) ?? wallMs;
    if (wallMs - at > longAwayMs)
      log.warn(
        { days: Math.round((wallMs - at) / 86_400_000) },
        'the clock is days ahead of the last statistics: unless the server was off so long, set it right; old ones are removed no faster than time passes',
      );
    return at;
  }

  function now(): number {
    const wallMs = clock.now().getTime();
    if (!last) return wallMs;
    return Math.min(wallMs, Math.floor(last.at + (clock.monotonicMs() - last.monotonicMs) * fastest));
  }

  async function moveOn(): Promise<number> {
    const wallMs = clock.now().getTime();
    const monotonicMs = clock.monotonicMs();
    let at: number;
    if (last) {
      const passedMs = monotonicMs - last.monotonicMs;
      const jumpedMs = wallMs - last.wallMs - passedMs;
      if (Math.abs(jumpedMs) > jumpMs)
        log.warn({ seconds: Math.round(jumpedMs / 1000) }, 'the clock jumped: set it right; nothing is removed for it');
      at = now();
    } else at = Math.min(wallMs, await start(wallMs));
    last = { at, wallMs, monotonicMs };
    await database.query
      .insertInto('retention')
      .values({ id: 1, at })
      .onConflict((on) => on.column('id').doUpdateSet({ at }))
      .execute();
    return at;
  }

  return { moveOn, now };
}

/** The initial value for a database of a version that did not store the time. */
async function newestBucket({ query }: Database): Promise<number | undefined> {
  const newest = await query
    .selectFrom('metric')
    .select('start')
    .where('interval', '=', 'HOUR')
    .orderBy('start', 'desc')
    .limit(1)
    .executeTakeFirst();
  return newest?.start;
}
