import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { advisoryKey, DatabaseInUse } from '../database/lock.ts';
import { type Member, mostSilentMs } from './cluster.ts';
import { type Agreement, type ClusterJoin, SettingsMismatch } from './join.ts';
import { chosenFor, lockKey } from './rendezvous.ts';

interface PostgresClusterDependencies {
  url: string;
  self: Omit<Member, 'id'>;
  log: Logger;
  /** A Hilltop that wants the database for itself has it now. */
  takenOver: () => void;
  /** Between two looks at who is there and what is free. */
  beatMs?: number;
  /** What the clock of this machine says, in milliseconds since 1970. */
  now?: (() => number) | undefined;
}

/** After this long without an answer this instance holds nothing any more: a second before the database says so. */
const ownDeathMs = 2_500;
/** How the database finds out about a holder that stands still or cannot reach it. */
const silence = `set idle_session_timeout = ${mostSilentMs}`;
const connectMs = 5_000;
const startPatienceMs = 1_000;
const takenOverMs = 60_000;
/** Until the database has noticed that the connection before is gone, and some more. */
const appearMs = 3 * mostSilentMs;
/** When all have lost the database, for as long nobody is missed who only comes back after this instance. */
const comeBackMs = mostSilentMs;
/** Another instance migrates. */
const turnMs = 600_000;
const askAgainMs = 50;
/** What an instance that gives a lease back still has under way. */
const finishMs = 3_000;
const startKey = lockKey('start');
/** The first half of the key that shows an instance alive; the second is its id. */
const presence = 0x48696c6c;

const livingMembers = `select i.id, i.name, i.version, i.started_at, i.agreement, clock_timestamp() as told_at
  from instance i
  join pg_locks l on l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid = ${presence}
    and l.objid = i.lock_number and l.database = (select oid from pg_database where datname = current_database())
  order by i.started_at, i.id`;

/** A part is free while nobody has the whole; who has had a part keeps others from the whole until it ends. */
const takeOpen = `select name, case when whole is null or pg_try_advisory_lock_shared(whole)
    then pg_try_advisory_lock(key) else false end as got
  from unnest($1::text[], $2::bigint[], $3::bigint[]) as wanted (name, key, whole)`;

type Row = { id: string; name: string; version: string; started_at: Date; agreement: string; told_at: Date };

/** Clocks that are kept together differ by less. */
const bearableMs = 500;

/** Work that one instance does at a time, as this one sees it. */
interface Lease {
  name: string;
  whole: string | undefined;
  work: (signal: AbortSignal) => Promise<void>;
  /** While this instance has it. */
  held: { ending: AbortController; working: Promise<void> } | undefined;
  /** Begun here and not ended, whoever has it by now. */
  isWorking: boolean;
  isWanted: boolean;
}

/**
 * Instances start one after the other. Asked for again and again: a statement that waits for a lock would keep its view of
 * the database, and a step of the migration that makes an index beside the work waits for all who have one.
 */
async function takeStart(client: pg.Client): Promise<void> {
  const until = performance.now() + turnMs;
  while (!(await locked(client, `pg_try_advisory_lock(${startKey})`))) {
    if (performance.now() > until) throw new Error('another instance has been starting for ten minutes');
    await sleep(askAgainMs);
  }
}

async function locked(by: pg.Client, attempt: string): Promise<boolean> {
  const { rows } = await by.query<{ got: boolean }>(`select ${attempt} as got`);
  return rows[0]!.got;
}

/**
 * Several instances on one PostgreSQL: each has one connection whose advisory locks say what it is and does. That an
 * instance has died, stands still or is cut off is noticed by the database, which ends the connection and with it the
 * locks. Throws Taken when a single Hilltop has the database.
 */
export async function enterPostgres(needed: PostgresClusterDependencies): Promise<ClusterJoin> {
  const { url, self, log, takenOver, beatMs = 500, now = Date.now } = needed;
  const number = randomInt(1, 0x7fffffff);
  const id = number.toString(16).padStart(8, '0');
  const leases = new Map<string, Lease>();
  const listeners = new Set<() => void>();
  let members: readonly string[] = [id];
  let isClosed = false;
  let clockOffMs = 0;
  let believedUntil = Number.NEGATIVE_INFINITY;
  let entered: Agreement | undefined;
  let beating: Promise<void> = Promise.resolve();
  const ending = new AbortController();
  let client = await connected();
  watch();

  /** A connection that shares the database with other instances. */
  async function connected(patienceMs = startPatienceMs): Promise<pg.Client> {
    const fresh = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs, keepAlive: true });
    fresh.on('error', () => undefined);
    await fresh.connect();
    try {
      const until = performance.now() + patienceMs;
      while (!(await answered(locked(fresh, `pg_try_advisory_lock_shared(${advisoryKey})`), connectMs))) {
        if (performance.now() > until) throw new DatabaseInUse();
        await sleep(100);
      }
      return fresh;
    } catch (error) {
      void fresh.end().catch(() => undefined);
      throw error;
    }
  }

  /** Nothing is held any more the moment the connection ends. */
  function watch(): void {
    client.once('end', () => !isClosed && loseAll());
  }

  /** One after the other, as the connection wants it. */
  let last: Promise<unknown> = Promise.resolve();
  function query<R extends pg.QueryResultRow>(text: string, values: unknown[] = [], by = client): Promise<R[]> {
    const asked = last.then(async () => (await by.query<R>(text, values)).rows);
    last = asked.catch(() => undefined);
    return asked;
  }

  // Being one of them

  async function living(): Promise<Row[]> {
    const askedAt = now();
    const rows = await query<Row>(livingMembers);
    const [first] = rows;
    if (first) noteTime({ askedAt, told: first.told_at.getTime(), answeredAt: now() });
    return rows;
  }

  /** The database said it at some time between question and answer. */
  function noteTime({ askedAt, told, answeredAt }: Record<'askedAt' | 'told' | 'answeredAt', number>): void {
    const wasOff = clockOffMs !== 0;
    if (told > answeredAt + bearableMs) clockOffMs = told - answeredAt;
    else if (told < askedAt - bearableMs) clockOffMs = told - askedAt;
    else clockOffMs = 0;
    if (clockOffMs !== 0 && !wasOff)
      log.warn({ seconds: Math.round(clockOffMs / 1000) }, 'the clock here is not that of the database: set it by NTP');
  }

  async function appear(agreement: Agreement): Promise<void> {
    await query(`select pg_advisory_lock(${presence}, ${number})`);
    await query(
      `insert into instance (id, lock_number, name, version, started_at, agreement) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do nothing`,
      [id, number, self.name, self.version, self.startedAt, JSON.stringify(agreement)],
    );
    await query(silence);
  }

  async function beat(): Promise<void> {
    const there = (await living()).map((row) => row.id);
    const now = performance.now() < believedUntil ? [...new Set([...members, ...there])] : there;
    if (now.join() !== members.join()) {
      members = now;
      for (const listener of listeners) listener();
    }
    for (const lease of leases.values()) if (lease.held && !isMine(lease)) void handBack(lease);
    const open = [...leases.values()].filter((lease) => lease.isWanted && !lease.isWorking && isMine(lease));
    if (open.length === 0) return;
    const rows = await query<{ name: string; got: boolean }>(takeOpen, [
      open.map(({ name }) => name),
      open.map(({ name }) => lockKey(name)),
      open.map(({ whole }) => (whole === undefined ? null : lockKey(whole))),
    ]);
    for (const { name, got } of rows) if (got) begin(leases.get(name)!);
  }

  const isMine = ({ name }: Lease) => chosenFor(name, members) === id;

  function begin(lease: Lease): void {
    const ending = new AbortController();
    lease.isWorking = true;
    const working = lease
      .work(ending.signal)
      .catch((error: unknown) => log.error({ err: error, lease: lease.name }, 'work that one instance does ended'))
      .finally(() => {
        lease.isWorking = false;
        if (!ending.signal.aborted) void handBack(lease);
      });
    lease.held = { ending, working };
    if (!lease.isWanted) void handBack(lease);
  }

  /** The next holder begins when this one has finished, or has had the time to. */
  async function handBack(lease: Lease): Promise<void> {
    const { held } = lease;
    if (!held || held.ending.signal.aborted) return;
    const holder = client;
    held.ending.abort();
    await Promise.race([held.working, sleep(finishMs, undefined, { ref: false })]);
    if (lease.held !== held) return;
    await query(`select pg_advisory_unlock(${lockKey(lease.name)})`, [], holder).catch(() => undefined);
    lease.held = undefined;
  }

  /** The database may have given everything to others. */
  function loseAll(): void {
    for (const lease of leases.values()) {
      lease.held?.ending.abort();
      lease.held = undefined;
    }
  }

  async function keepBeating(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await answered(beat());
        await sleep(beatMs, undefined, { signal, ref: false }).catch(() => undefined);
      } catch (error) {
        if (signal.aborted) return;
        log.error({ err: error }, 'the database is out of reach: this instance leaves its work to others');
        loseAll();
        void client.end().catch(() => undefined);
        await comeBack(signal);
      }
    }
  }

  async function answered<T>(work: Promise<T>, withinMs = ownDeathMs - beatMs): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error('no answer in time')), withinMs);
    // What fails after it was given up is known already.
    work.catch(() => undefined);
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  }

  async function comeBack(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        client = await connected(takenOverMs);
        watch();
        await answered(appear(entered!), appearMs);
        believedUntil = performance.now() + comeBackMs;
        return log.info('the database is there again');
      } catch (error) {
        if (error instanceof DatabaseInUse) return takenOver();
        void client.end().catch(() => undefined);
        await sleep(250 + Math.random() * 750, undefined, { signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async function close(): Promise<void> {
    if (isClosed) return;
    isClosed = true;
    ending.abort();
    await beating;
    await Promise.all([...leases.values()].map(handBack));
    await query('delete from instance where id = $1', [id]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  try {
    await takeStart(client);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }

  return {
    id,
    close,
    peers: async () => {
      const [row] = await query<{ is_new: boolean }>("select to_regclass('instance') is null as is_new");
      return row!.is_new ? [] : (await living()).map(memberOf);
    },
    join: async (agreement) => {
      for (const other of await living()) {
        const theirs = JSON.parse(other.agreement) as Agreement;
        const different = Object.keys(agreement).find((name) => name in theirs && theirs[name] !== agreement[name]);
        if (different) throw new SettingsMismatch(different, memberOf(other));
      }
      entered = agreement;
      await appear(agreement);
      const there = (await living()).map((row) => row.id);
      await query('delete from instance where id <> all($1)', [there]);
      await query(`select pg_advisory_unlock(${startKey})`);
      members = there;
      beating = keepBeating(ending.signal);
      return {
        isAlone: false,
        id,
        name: self.name,
        live: () => members,
        clockOffMs: () => clockOffMs,
        isLive: (one) => members.includes(one),
        onChange: (listener) => {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        lease: (name, work, whole) => {
          const lease: Lease = { name, whole, work, held: undefined, isWorking: false, isWanted: true };
          leases.set(name, lease);
          return async () => {
            lease.isWanted = false;
            await handBack(lease);
            if (leases.get(name) === lease) leases.delete(name);
          };
        },
        whileNobodyStarts: async (work) => {
          const [row] = await query<{ got: boolean }>(`select pg_try_advisory_lock(${startKey}) as got`);
          if (!row!.got) return undefined;
          try {
            return await work();
          } finally {
            await query(`select pg_advisory_unlock(${startKey})`);
          }
        },
        holderOf: (name) => chosenFor(name, members) ?? id,
        members: async () => (await living()).map(memberOf),
      };
    },
  };
}

const memberOf = ({ id, name, version, started_at: startedAt }: Row): Member => ({ id, name, version, startedAt });
