import { randomUUID } from 'node:crypto';
import type { Clock } from '@hilltop/network-server';
import type { Selectable } from 'kysely';
import type { Database } from './database.ts';
import { ClockSteps, type KnownTime, type RunAhead, type TimeSpan, usualDifferenceMs } from './elapsed-time.ts';
import type { Tables } from './tables.ts';

/** A time in which no server ran. */
export type ServerStop = TimeSpan;

export interface ServerRuns {
  /** In the order of time. None can appear while this server runs. */
  readonly stops: readonly ServerStop[];
  /** The time now, with what durations must leave out. */
  time(): KnownTime;
  /** Stores that the server runs, and how the clock was set. */
  heartbeat(): Promise<void>;
  /** Stores the end of this run. */
  stop(): Promise<void>;
}

const heartbeatMs = 10_000;
const mostRuns = 1000;
/** These are never too old: the clock may be wrong now, or the server was stopped for long. */
const runsOfAnyAge = 100;
/** A clock that is set more often than this stores no more runs. */
const mostRunsOfProcess = 100;
const retentionMs = 30 * 86_400_000;

interface Needs {
  database: Database;
  clock: Clock;
  cluster: { readonly id: string; isLive: (id: string) => boolean };
}

/** Stores when this server runs, and reads when no server ran. A run ends when the clock is set, and another begins. */
export async function startServerRun({ database, clock, cluster }: Needs): Promise<ServerRuns> {
  const startedAt = clock.now().getTime();
  const earlier = await earlierRuns(database, startedAt);
  const stops = stopsBetween(runsOf(earlier, { cluster, startedAt }), startedAt);
  const steps = new ClockSteps(clock, { stops, ahead: runsAhead(earlier, startedAt) });
  const run = new StoredRun(database, cluster.id);
  await run.begin(startedAt, startedAt);

  let unstored: TimeSpan | undefined;
  let peer: RunAhead | undefined;
  const time = (): KnownTime => {
    const { step, ...known } = steps.read();
    if (step) unstored = { from: unstored?.from ?? step.from, to: step.to };
    return peer ? { ...known, ahead: [...known.ahead, peer] } : known;
  };
  /** The next heartbeat stores a step that could not be stored, with any later one. */
  const storeLater = (step: TimeSpan): void => {
    unstored = { from: step.from, to: unstored?.to ?? step.to };
  };
  const heartbeat = async () => {
    const { now } = time();
    const step = unstored;
    unstored = undefined;
    try {
      await run.store(now, step);
      peer = await peerAhead({ database, cluster }, now, peer);
    } catch (error) {
      if (step) storeLater(step);
      throw error;
    }
  };
  // While the database is away, the server receives nothing either: the next heartbeat is enough.
  const timer = setInterval(() => void heartbeat().catch(() => undefined), heartbeatMs).unref();
  return {
    stops,
    time,
    heartbeat,
    stop: async () => {
      clearInterval(timer);
      await heartbeat().catch(() => undefined);
    },
  };
}

type RunRow = Selectable<Tables['server_run']>;

/** The newest first. Others are removed. */
async function earlierRuns({ query }: Database, startedAt: number): Promise<RunRow[]> {
  const runs = await query.selectFrom('server_run').selectAll().orderBy('seen_at', 'desc').limit(mostRuns).execute();
  const earlier = runs.filter(({ seen_at }, index) => index < runsOfAnyAge || seen_at >= startedAt - retentionMs);
  const oldest = earlier.at(-1)?.seen_at ?? startedAt;
  await query.deleteFrom('server_run').where('seen_at', '<', oldest).execute();
  return earlier;
}

/** The last run of an instance that is live goes on; those before have ended. */
function runsOf(
  rows: readonly RunRow[],
  { cluster, startedAt }: { cluster: Needs['cluster']; startedAt: number },
): TimeSpan[] {
  const seen = new Set<string>();
  return rows.map(({ instance, started_at, seen_at }) => {
    const isRunning = !seen.has(instance) && instance !== cluster.id && cluster.isLive(instance);
    seen.add(instance);
    return { from: started_at, to: isRunning ? startedAt : seen_at };
  });
}

/** Runs that were seen later than now: the clock was set back since. */
function runsAhead(rows: readonly RunRow[], startedAt: number): RunAhead[] {
  return rows
    .filter(({ seen_at }) => seen_at > startedAt + usualDifferenceMs)
    .map(({ started_at, seen_at }) => ({ from: started_at, to: seen_at, foundAt: startedAt }));
}

/**
 * The run of another instance whose clock is ahead of this one. An instance that has ended was ahead as it was when
 * its last heartbeat was read.
 */
async function peerAhead(
  { database: { query }, cluster }: Pick<Needs, 'database' | 'cluster'>,
  now: number,
  before: RunAhead | undefined,
): Promise<RunAhead | undefined> {
  const last = await query
    .selectFrom('server_run')
    .select(['started_at', 'seen_at'])
    .where('instance', '!=', cluster.id)
    .where('seen_at', '>', now + usualDifferenceMs)
    .orderBy('seen_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!last) return undefined;
  return last.seen_at === before?.to ? before : { from: last.started_at, to: last.seen_at, foundAt: now };
}

class StoredRun {
  readonly #database: Database;
  readonly #instance: string;
  #id = '';
  #count = 0;

  constructor(database: Database, instance: string) {
    this.#database = database;
    this.#instance = instance;
  }

  async begin(startedAt: number, now: number): Promise<void> {
    const run = { id: randomUUID(), instance: this.#instance, started_at: startedAt, seen_at: now };
    await this.#database.query.insertInto('server_run').values(run).execute();
    this.#id = run.id;
    this.#count += 1;
  }

  async store(now: number, step: TimeSpan | undefined): Promise<void> {
    const begins = step !== undefined && this.#count < mostRunsOfProcess;
    const seen_at = begins ? step.from : now;
    await this.#database.query.updateTable('server_run').set({ seen_at }).where('id', '=', this.#id).execute();
    if (begins) await this.begin(step.to, now);
  }
}

/** The times between the runs, up to `until`. */
function stopsBetween(runs: readonly TimeSpan[], until: number): ServerStop[] {
  const stops: ServerStop[] = [];
  let from: number | undefined;
  const sorted = [...runs.filter((run) => run.from <= until), { from: until, to: until }];
  for (const run of sorted.sort((a, b) => a.from - b.from)) {
    if (from !== undefined && run.from > from) stops.push({ from, to: run.from });
    from = Math.max(from ?? run.to, run.to);
  }
  return stops;
}
