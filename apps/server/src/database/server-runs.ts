import { randomUUID } from 'node:crypto';
import type { Clock } from '@hilltop/network-server';
import type { Database } from './database.ts';

/** A time in which no server ran, in milliseconds since 1970. */
export interface ServerStop {
  readonly from: number;
  readonly to: number;
}

export interface ServerRuns {
  /** In the order of time. None can appear while this server runs. */
  readonly stops: readonly ServerStop[];
  /** Stores the end of this run. */
  stop(): Promise<void>;
}

const heartbeatMs = 10_000;
const mostRuns = 1000;
const retentionMs = 30 * 86_400_000;

interface Needs {
  database: Database;
  clock: Clock;
  cluster: { readonly id: string; isLive: (id: string) => boolean };
}

/** Stores when this server runs, and reads when no server ran. */
export async function startServerRun({ database, clock, cluster }: Needs): Promise<ServerRuns> {
  const { query } = database;
  const now = () => clock.now().getTime();
  const startedAt = now();
  const runs = await query.selectFrom('server_run').selectAll().orderBy('seen_at', 'desc').limit(mostRuns).execute();
  const earlier = runs.filter(({ seen_at }) => seen_at >= startedAt - retentionMs);
  const oldest = earlier.at(-1)?.seen_at ?? startedAt;
  await query.deleteFrom('server_run').where('seen_at', '<', oldest).execute();
  const id = randomUUID();
  const run = { id, instance: cluster.id, started_at: startedAt, seen_at: startedAt };
  await query.insertInto('server_run').values(run).execute();

  const storeHeartbeat = () => query.updateTable('server_run').set({ seen_at: now() }).where('id', '=', id).execute();
  // While the database is away, the server receives nothing either: the next heartbeat is enough.
  const timer = setInterval(() => void storeHeartbeat().catch(() => undefined), heartbeatMs).unref();
  return {
    stops: stopsBetween(
      earlier.map(({ instance, started_at, seen_at }) => {
        const isRunning = instance !== cluster.id && cluster.isLive(instance);
        return { from: started_at, to: isRunning ? startedAt : seen_at };
      }),
      startedAt,
    ),
    stop: async () => {
      clearInterval(timer);
      await storeHeartbeat().catch(() => undefined);
    },
  };
}

/** The times between the runs, up to `until`. */
function stopsBetween(runs: readonly ServerStop[], until: number): ServerStop[] {
  const stops: ServerStop[] = [];
  let from: number | undefined;
  for (const run of [...runs, { from: until, to: until }].sort((a, b) => a.from - b.from)) {
    if (from !== undefined && run.from > from) stops.push({ from, to: run.from });
    from = Math.max(from ?? run.to, run.to);
  }
  return stops;
}
