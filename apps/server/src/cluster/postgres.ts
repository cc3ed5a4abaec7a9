import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseInUse } from '../database/lock.ts';
import { ClockOffset } from './clock-offset.ts';
import { type Cluster, type Member, mostSilentMs } from './cluster.ts';
import { ClusterConnection, tryLock, within } from './cluster-connection.ts';
import { type Agreement, type ClusterJoin, SettingsMismatch } from './join.ts';
import { Leases } from './leases.ts';
import { chosenFor, lockKey } from './rendezvous.ts';

interface PostgresClusterDependencies {
  url: string;
  self: Omit<Member, 'id'>;
  log: Logger;
  /** Called when a single-process Hilltop has taken the database over. */
  takenOver: () => void;
  /** The time between two heartbeats, which look for live members and free leases. */
  beatMs?: number;
  /** The clock of this machine, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** After this long without an answer, this instance considers its leases lost: a second before the database does. */
const answerMs = 2_500;
/** How the database detects an instance that is paused or cannot reach it. */
const endWhenSilent = `set idle_session_timeout = ${mostSilentMs}`;
const startPatienceMs = 1_000;
const takenOverMs = 60_000;
/** Until the database has ended the previous connection, with some margin. */
const appearMs = 3 * mostSilentMs;
/**
 * After all instances have lost the database, members count as live for this long: some may reconnect later than
 * others.
 */
const comeBackMs = mostSilentMs;
/** Another instance may be running migrations. */
const startTimeoutMs = 600_000;
const retryStartMs = 50;
const startKey = lockKey('start');
/** The first half of the lock key that shows an instance live; the second is its id. */
const presence = 0x48696c6c;

const selectLive = `select i.id, i.name, i.version, i.started_at, i.agreement, clock_timestamp() as told_at
  from instance i
  join pg_locks l on l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${presence}
    and l.objid = i.lock_number and l.database = (select oid from pg_database where datname = current_database())
  order by i.started_at, i.id`;

type InstanceRow = {
  id: string;
  name: string;
  version: string;
  started_at: Date;
  agreement: string;
  told_at: Date;
};

/**
 * Several instances on one PostgreSQL. Each has one connection with advisory locks, which show that it is live and
 * which leases it holds. PostgreSQL ends the connection and its locks when the instance has died, is paused or cannot
 * reach it. Throws DatabaseInUse when a single-process Hilltop has the database.
 */
export async function enterPostgres(dependencies: PostgresClusterDependencies): Promise<ClusterJoin> {
  const cluster = new PostgresCluster(dependencies);
  await cluster.enter();
  return {
    id: cluster.id,
    close: () => cluster.close(),
    peers: () => cluster.peers(),
    join: (agreement) => cluster.join(agreement),
  };
}

class PostgresCluster {
  readonly id: string;
  readonly #lockNumber = randomInt(1, 0x7fffffff);
  readonly #self: Omit<Member, 'id'>;
  readonly #log: Logger;
  readonly #takenOver: () => void;
  readonly #beatMs: number;
  readonly #now: () => number;
  readonly #connection: ClusterConnection;
  readonly #leases: Leases;
  readonly #clockOffset: ClockOffset;
  readonly #listeners = new Set<() => void>();
  readonly #ending = new AbortController();
  #memberIDs: readonly string[];
  /** Until this time, a missing member still counts as live. */
  #believedUntil = Number.NEGATIVE_INFINITY;
  #agreement: Agreement = {};
  #beating: Promise<void> = Promise.resolve();

  constructor({ url, self, log, takenOver, beatMs = 500, now = Date.now }: PostgresClusterDependencies) {
    this.id = this.#lockNumber.toString(16).padStart(8, '0');
    this.#self = self;
    this.#log = log;
    this.#takenOver = takenOver;
    this.#beatMs = beatMs;
    this.#now = now;
    this.#memberIDs = [this.id];
    this.#clockOffset = new ClockOffset(log);
    this.#connection = new ClusterConnection(url, () => this.#leases.loseAll());
    this.#leases = new Leases({
      connection: this.#connection,
      log,
      isMine: (name) => chosenFor(name, this.#memberIDs) === this.id,
    });
  }

  /** Connects, and waits until no other instance is starting. */
  async enter(): Promise<void> {
    await this.#connection.connect(startPatienceMs);
    try {
      await this.#acquireStart();
    } catch (error) {
      await this.#connection.end();
      throw error;
    }
  }

  /** None before the first migration. */
  async peers(): Promise<Member[]> {
    const [row] = await this.#connection.query<{ is_new: boolean }>("select to_regclass('instance') is null as is_new");
    return row!.is_new ? [] : this.#members();
  }

  async join(agreement: Agreement): Promise<Cluster> {
    for (const other of await this.#selectLive()) {
      const otherAgreement = JSON.parse(other.agreement) as Agreement;
      const different = Object.keys(agreement).find(
        (name) => name in otherAgreement && otherAgreement[name] !== agreement[name],
      );
      if (different) throw new SettingsMismatch(different, memberOf(other));
    }
    this.#agreement = agreement;
    await this.#appear();
    const liveIDs = (await this.#selectLive()).map((row) => row.id);
    await this.#connection.query('delete from instance where id <> all($1)', [liveIDs]);
    await this.#connection.query(`select pg_advisory_unlock(${startKey})`);
    this.#memberIDs = liveIDs;
    this.#beating = this.#keepBeating(this.#ending.signal);
    return this.#asCluster();
  }

  async close(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#connection.expectEnd();
    this.#ending.abort();
    await this.#beating;
    await this.#leases.handBackAll();
    await this.#connection.query('delete from instance where id = $1', [this.id]).catch(() => undefined);
    await this.#connection.end();
  }

  #asCluster(): Cluster {
    return {
      isAlone: false,
      id: this.id,
      name: this.#self.name,
      live: () => this.#memberIDs,
      clockOffMs: () => this.#clockOffset.ms,
      isLive: (id) => this.#memberIDs.includes(id),
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      lease: (name, work, whole) => this.#leases.add(name, work, whole),
      whileNobodyStarts: (work) => this.#whileNobodyStarts(work),
      holderOf: (name) => chosenFor(name, this.#memberIDs) ?? this.id,
      members: () => this.#members(),
    };
  }

  /**
   * Lets instances start one after the other. Polls: a statement that waits for a lock would hold its snapshot, and a
   * migration that creates an index concurrently waits for all snapshots.
   */
  async #acquireStart(): Promise<void> {
    const until = performance.now() + startTimeoutMs;
    while (!(await tryLock(this.#connection.client, `pg_try_advisory_lock(${startKey})`))) {
      if (performance.now() > until) throw new Error('another instance has been starting for ten minutes');
      await sleep(retryStartMs);
    }
  }

  async #whileNobodyStarts<T>(work: () => Promise<T>): Promise<T | undefined> {
    const [row] = await this.#connection.query<{ got: boolean }>(`select pg_try_advisory_lock(${startKey}) as got`);
    if (!row!.got) return undefined;
    try {
      return await work();
    } finally {
      await this.#connection.query(`select pg_advisory_unlock(${startKey})`);
    }
  }

  async #members(): Promise<Member[]> {
    return (await this.#selectLive()).map(memberOf);
  }

  async #selectLive(): Promise<InstanceRow[]> {
    const askedAtMs = this.#now();
    const rows = await this.#connection.query<InstanceRow>(selectLive);
    const [first] = rows;
    if (first) this.#clockOffset.note({ askedAtMs, databaseMs: first.told_at.getTime(), answeredAtMs: this.#now() });
    return rows;
  }

  /** Makes this instance visible to its peers. */
  async #appear(): Promise<void> {
    const { name, version, startedAt } = this.#self;
    await this.#connection.query(`select pg_advisory_lock(${presence}, ${this.#lockNumber})`);
    await this.#connection.query(
      `insert into instance (id, lock_number, name, version, started_at, agreement) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do nothing`,
      [this.id, this.#lockNumber, name, version, startedAt, JSON.stringify(this.#agreement)],
    );
    await this.#connection.query(endWhenSilent);
  }

  async #keepBeating(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await within(this.#beat(), answerMs - this.#beatMs);
        await sleep(this.#beatMs, undefined, { signal, ref: false }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        this.#log.error({ err: error }, 'the database is unreachable: other instances take over the work of this one');
        this.#leases.loseAll();
        this.#connection.disconnect();
        await this.#comeBack(signal);
      }
    }
  }

  async #beat(): Promise<void> {
    const live = (await this.#selectLive()).map((row) => row.id);
    const members = performance.now() < this.#believedUntil ? [...new Set([...this.#memberIDs, ...live])] : live;
    if (members.join() !== this.#memberIDs.join()) {
      this.#memberIDs = members;
      for (const listener of this.#listeners) listener();
    }
    await this.#leases.balance();
  }

  async #comeBack(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#connection.connect(takenOverMs);
        await within(this.#appear(), appearMs);
        this.#believedUntil = performance.now() + comeBackMs;
        return this.#log.info('the database is reachable again');
      } catch (error) {
        if (error instanceof DatabaseInUse) return this.#takenOver();
        this.#connection.disconnect();
        await sleep(250 + Math.random() * 750, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }
}

const memberOf = ({ id, name, version, started_at: startedAt }: InstanceRow): Member => ({
  id,
  name,
  version,
  startedAt,
});
