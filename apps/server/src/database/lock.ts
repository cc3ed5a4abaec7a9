import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * One process at a time works on a database: two would process each other's unfinished work and answer from stale caches.
 * The lock ends with the process, however it ends.
 */
export interface Lock {
  release: () => Promise<void>;
}

/** Another process has the lock. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse';
}

/** The previous process may be about to end. */
const patienceMs = 1000;
const sqliteBusy = 5;

/** For the embedded database: SQLite's own lock on a file beside it. Throws DatabaseInUse. */
export function lockFile(path: string): Lock {
  const holder = new DatabaseSync(path, { timeout: patienceMs });
  try {
    holder.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    holder.close();
    throw (error as { errcode?: number }).errcode === sqliteBusy ? new DatabaseInUse() : error;
  }
  return { release: async () => holder.close() };
}

/** The bytes of "Hilltop", as a number that no other program uses. Several instances share the lock. */
export const advisoryKey = '20382112720121712';
const retryMs = 250;

/** Makes PostgreSQL notice a lost connection and release the lock after 25 s, even when this machine has lost power. */
const keepAlive = 'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3';

/**
 * For PostgreSQL: an advisory lock, held by a connection of its own. When that is lost the lock is acquired again; only
 * when another process holds it for `mostWaitMs` by then, `takenOver` is called. Throws DatabaseInUse.
 */
export async function lockPostgres(url: string, takenOver: () => void, mostWaitMs = 60_000): Promise<Lock> {
  const { default: pg } = await import('pg');
  let isReleased = false;
  let holder = await hold(patienceMs);
  if (!holder) throw new DatabaseInUse();

  /** A connection that has the lock; undefined when another process held it all the time. */
  async function hold(waitMs: number) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, keepAlive: true });
    let isLost = false;
    client.on('error', () => {
      isLost = true;
    });
    try {
      await client.connect();
      await client.query(keepAlive);
      const until = performance.now() + waitMs;
      while (!isReleased && !isLost) {
        const { rows } = await client.query<{ got: boolean }>(`select pg_try_advisory_lock(${advisoryKey}) as got`);
        if (rows[0]?.got) {
          client.once('end', () => void again());
          return client;
        }
        if (performance.now() > until) break;
        await sleep(retryMs, undefined, { ref: false });
      }
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    await client.end().catch(() => undefined);
    return undefined;
  }

  async function again(): Promise<void> {
    holder = undefined;
    while (!isReleased && !holder) {
      try {
        holder = await hold(mostWaitMs);
        if (!holder && !isReleased) return takenOver();
      } catch {
        // The database cannot be reached: no other process can have the lock either.
        await sleep(retryMs, undefined, { ref: false });
      }
    }
    if (isReleased) await holder?.end();
  }

  return {
    release: async () => {
      isReleased = true;
      await holder?.end();
    },
  };
}
