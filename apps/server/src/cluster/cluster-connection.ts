import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { advisoryKey, DatabaseInUse } from '../database/lock.ts';

const connectMs = 5_000;
const retryLockMs = 100;

/** Rejects when `work` does not answer in time, and ignores a later answer. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), ms);
  // This error was reported as a timeout already.
  work.catch(() => undefined);
  return Promise.race([work, timedOut]).finally(() => clearTimeout(timer));
}

/** A database connection with advisory locks: they show peers that this instance is live and which leases it holds. */
export class ClusterConnection {
  readonly #url: string;
  readonly #onLost: () => void;
  #client: pg.Client | undefined;
  /** Queries run one after the other, as the connection requires. */
  #lastQuery: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** `onLost` is called as soon as the connection ends, and with it every lock. */
  constructor(url: string, onLost: () => void) {
    this.#url = url;
    this.#onLost = onLost;
  }

  /** Throws DatabaseInUse when a single-process Hilltop still uses the database after `patienceMs`. */
  async connect(patienceMs: number): Promise<void> {
    const client = await openShared(this.#url, patienceMs);
    this.#client = client;
    client.once('end', () => {
      if (!this.#isClosed) this.#onLost();
    });
  }

  /** Pass it to `query` from work that must not continue on a later connection. */
  get client(): pg.Client {
    if (!this.#client) throw new Error('The connection of the cluster is not open.');
    return this.#client;
  }

  query<R extends pg.QueryResultRow>(text: string, values: unknown[] = [], client = this.client): Promise<R[]> {
    const rows = this.#lastQuery.then(async () => (await client.query<R>(text, values)).rows);
    this.#lastQuery = rows.catch(() => undefined);
    return rows;
  }

  /** Ends the connection; it can be opened again. */
  disconnect(): void {
    void this.#client?.end().catch(() => undefined);
  }

  /** After this call, the end of the connection is not reported as a loss. */
  expectEnd(): void {
    this.#isClosed = true;
  }

  async end(): Promise<void> {
    await this.#client?.end().catch(() => undefined);
  }
}

/** Whether an advisory lock was acquired; `attempt` is a call of `pg_try_advisory_lock` or the like. */
export async function tryLock(client: pg.Client, attempt: string): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>(`select ${attempt} as got`);
  return rows[0]!.got;
}

/** Opens a connection that shares the database with other instances. */
async function openShared(url: string, patienceMs: number): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const until = performance.now() + patienceMs;
    while (!(await within(tryLock(client, `pg_try_advisory_lock_shared(${advisoryKey})`), connectMs))) {
      if (performance.now() > until) throw new DatabaseInUse();
      await sleep(retryLockMs);
    }
    return client;
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}
