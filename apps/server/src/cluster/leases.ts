import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ClusterConnection } from './cluster-connection.ts';
import { lockKey } from './rendezvous.ts';

/** A job that one instance does at a time, with its state at this instance. */
interface Lease {
  name: string;
  /** The lease that includes this one, if any. */
  whole: string | undefined;
  work: (signal: AbortSignal) => Promise<void>;
  /** Set while this instance has the lease. */
  held: { ending: AbortController; working: Promise<void> } | undefined;
  /** `work` is still running here, even if another instance holds the lease by now. */
  isWorking: boolean;
  isWanted: boolean;
}

interface LeasesDependencies {
  connection: ClusterConnection;
  log: Logger;
  /** Whether this instance should have the lease of this name, given the live instances. */
  isMine: (name: string) => boolean;
}

/** How long work may take to end before another instance may begin it. */
const finishMs = 3_000;

/**
 * A partial lease is free while no instance has the whole. An instance that had a partial lease prevents others from
 * acquiring the whole until it ends.
 */
const acquireFree = `select name, case when whole is null or pg_try_advisory_lock_shared(whole)
    then pg_try_advisory_lock(key) else false end as got
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as wanted (name, key, whole)`;

/** The leases that this instance needs or holds: advisory locks of its connection. */
export class Leases {
  readonly #leases = new Map<string, Lease>();
  readonly #dependencies: LeasesDependencies;

  constructor(dependencies: LeasesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Runs `work` whenever this instance has the lease. The returned function gives the lease up for good. */
  add(name: string, work: Lease['work'], whole?: string): () => Promise<void> {
    const lease: Lease = { name, whole, work, held: undefined, isWorking: false, isWanted: true };
    this.#leases.set(name, lease);
    return async () => {
      lease.isWanted = false;
      await this.#handBack(lease);
      if (this.#leases.get(name) === lease) this.#leases.delete(name);
    };
  }

  /** Hands back leases that now belong to another instance, and acquires free ones that belong to this one. */
  async balance(): Promise<void> {
    const { connection, isMine } = this.#dependencies;
    const all = [...this.#leases.values()];
    for (const lease of all) if (lease.held && !isMine(lease.name)) void this.#handBack(lease);
    const wanted = all.filter((lease) => lease.isWanted && !lease.isWorking && isMine(lease.name));
    if (wanted.length === 0) return;
    const rows = await connection.query<{ name: string; got: boolean }>(acquireFree, [
      wanted.map(({ name }) => name),
      wanted.map(({ name }) => lockKey(name)),
      wanted.map(({ whole }) => (whole === undefined ? null : lockKey(whole))),
    ]);
    const acquired = new Set(rows.filter(({ got }) => got).map(({ name }) => name));
    for (const lease of wanted) if (acquired.has(lease.name)) this.#begin(lease);
  }

  /** After the connection is lost, the database may have given every lease to other instances. */
  loseAll(): void {
    for (const lease of this.#leases.values()) {
      lease.held?.ending.abort();
      lease.held = undefined;
    }
  }

  async handBackAll(): Promise<void> {
    await Promise.all([...this.#leases.values()].map((lease) => this.#handBack(lease)));
  }

  #begin(lease: Lease): void {
    const ending = new AbortController();
    lease.isWorking = true;
    const working = lease
      .work(ending.signal)
      .catch((error: unknown) =>
        this.#dependencies.log.error({ err: error, lease: lease.name }, 'the work of a lease failed'),
      )
      .finally(() => {
        lease.isWorking = false;
        if (!ending.signal.aborted) void this.#handBack(lease);
      });
    lease.held = { ending, working };
    if (!lease.isWanted) void this.#handBack(lease);
  }

  /** Lets the next holder begin when this one has finished, or after `finishMs`. */
  async #handBack(lease: Lease): Promise<void> {
    const { connection } = this.#dependencies;
    const { held } = lease;
    if (!held || held.ending.signal.aborted) return;
    const { client } = connection;
    held.ending.abort();
    await Promise.race([held.working, sleep(finishMs, undefined, { ref: false })]);
    if (lease.held !== held) return;
    await connection.query(`select pg_advisory_unlock(${lockKey(lease.name)})`, [], client).catch(() => undefined);
    lease.held = undefined;
  }
}
