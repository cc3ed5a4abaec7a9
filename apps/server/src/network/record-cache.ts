import type { Clock, RecordKind, Records } from '@hilltop/network-server';
import type { Bus, RecordChange } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { perDatabase } from '../database/per-database.ts';
import { setLatest } from '../latest-n.ts';
import type { Secrets } from '../secrets.ts';
import { type RecordRows, recordRows } from './record-rows.ts';
import { RegisteredGateways } from './registered-gateways.ts';

interface RecordCacheDependencies {
  database: Database;
  secrets: Secrets;
  clock: Clock;
}

type NetworkRecord = Records[RecordKind];

/** Per kind of record; that many devices take about 30 MB. */
const maxCached = 100_000;
/**
 * Changes made directly in the database, or by another instance whose message was lost, take effect after this time.
 */
const validMs = 5_000;
/**
 * A record in use is read again in the background after this time. Otherwise an uplink could overtake an earlier one
 * while the record of its gateway is read.
 */
const freshMs = 4_000;
/** How often the database is asked whether another process has written. */
const checkWrittenEveryMs = 1_000;

interface CachedRecord {
  record: NetworkRecord;
  validUntil: number;
  isBeingRead?: boolean;
  /** `writtenElsewhere` of the database before the read. */
  written: number | undefined;
}

/** By network server: the cache in use, and the function that publishes its changes. */
const shared = perDatabase(() => ({
  onChange: new Map<number, (change: RecordChange) => void>(),
  publish: (_change: RecordChange) => undefined as void,
}));

/** Invalidates the caches of this instance when peers write records, and those of peers when this instance writes. */
export async function synchronizeRecordCaches(database: Database, bus: Bus): Promise<void> {
  const caches = shared(database);
  await bus.subscribeToPeers('record-changed', '', (change) => caches.onChange.get(change.networkServerID)?.(change));
  caches.publish = (change) => bus.publish('record-changed', '', change);
}

/**
 * Provisioned records of one embedded network server, sealed in the table and cached in memory: each uplink needs four of
 * them. A transaction reads what it has written from the table, and the cache does not store it: a rollback leaves nothing.
 */
export class RecordCache {
  readonly #ns: number;
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #rows: RecordRows;
  readonly #gateways: RegisteredGateways;
  readonly #shared: ReturnType<typeof shared>;
  readonly #recordsByKind = new Map<string, Map<string, CachedRecord>>();
  /** The names of the records that each open transaction has written. */
  readonly #written = new WeakMap<object, Set<string>>();
  /** Profiles that each open transaction has read: hundreds of devices that are created together have the same. */
  readonly #profiles = new WeakMap<object, Map<string, Promise<NetworkRecord | null>>>();
  /** Counts changes, so that a read that began before one is not cached after it. */
  #changes = 0;
  #lastCheck = { atMs: Number.NEGATIVE_INFINITY, written: undefined as number | undefined };

  constructor({ database, secrets, clock }: RecordCacheDependencies, networkServerID: number) {
    this.#ns = networkServerID;
    this.#database = database;
    this.#clock = clock;
    this.#rows = recordRows({ database, secrets }, networkServerID);
    this.#gateways = new RegisteredGateways(() => this.#rows.gatewayIDs(), { clock, validMs });
    this.#shared = shared(database);
    this.#shared.onChange.set(networkServerID, (change) => this.#applyChange(change));
  }

  async get(kind: RecordKind, id: string): Promise<NetworkRecord | null> {
    const transaction = this.#database.transactionKey;
    if (transaction && this.#mustRead(transaction, kind, id)) return this.#readInTransaction(transaction, kind, id);
    const cached = this.#recordsByKind.get(kind)?.get(id);
    if (cached && this.#isValid(cached)) {
      if (cached.written === undefined && !transaction) this.#refreshInBackground(cached, kind, id);
      return cached.record;
    }
    if (kind === 'gateway' && !transaction && !(await this.#gateways.has(id))) return null;
    return await this.#readAndCache(kind, id);
  }

  async save(kind: RecordKind, id: string, record: NetworkRecord): Promise<void> {
    await this.#rows.save(kind, id, record);
    this.#invalidate(kind, id, true);
  }

  async remove(kind: RecordKind, id: string): Promise<void> {
    await this.#rows.remove(kind, id);
    this.#invalidate(kind, id, false);
  }

  #cacheOf(kind: string): Map<string, CachedRecord> {
    let records = this.#recordsByKind.get(kind);
    if (!records) this.#recordsByKind.set(kind, (records = new Map()));
    return records;
  }

  #drop(kind: string, id: string): void {
    this.#changes += 1;
    this.#cacheOf(kind).delete(id);
  }

  #applyChange({ kind, id, isThere }: RecordChange): void {
    this.#drop(kind, id);
    if (kind === 'gateway') this.#gateways.note(id, isThere);
  }

  /** Call it after a write in the current transaction; peers are informed after the commit. */
  #invalidate(kind: RecordKind, id: string, isThere: boolean): void {
    this.#noteWritten(`${kind}/${id}`);
    this.#drop(kind, id);
    this.#database.afterCommit(() => {
      const change = { networkServerID: this.#ns, kind, id, isThere };
      this.#applyChange(change);
      this.#shared.publish(change);
    });
  }

  #noteWritten(name: string): void {
    const { transactionKey } = this.#database;
    if (!transactionKey) return;
    const names = this.#written.get(transactionKey);
    if (names) names.add(name);
    else this.#written.set(transactionKey, new Set([name]));
  }

  /** Whether a transaction of several instances must read the committed record instead of a cached one. */
  #mustRead(transaction: object, kind: RecordKind, id: string): boolean {
    return this.#database.kind === 'postgres' || this.#written.get(transaction)?.has(`${kind}/${id}`) === true;
  }

  /** Reads profiles once for all calls in the transaction. */
  async #readInTransaction(transaction: object, kind: RecordKind, id: string): Promise<NetworkRecord | null> {
    const name = `${kind}/${id}`;
    if (!kind.endsWith('Profile') || this.#written.get(transaction)?.has(name)) return this.#rows.read(kind, id);
    const profiles = this.#profiles.get(transaction) ?? new Map<string, Promise<NetworkRecord | null>>();
    this.#profiles.set(transaction, profiles);
    const known = profiles.get(name);
    if (known) return known;
    const reading = this.#rows.read(kind, id).then((record) => record && freeze(record));
    profiles.set(name, reading);
    // A read that failed in a savepoint may be repeated after it.
    reading.catch(() => profiles.delete(name));
    return reading;
  }

  async #readAndCache(kind: RecordKind, id: string): Promise<NetworkRecord | null> {
    const before = this.#changes;
    const { written } = this.#checkWritten();
    const record = await this.#rows.read(kind, id);
    const hasChanged = before !== this.#changes;
    if (record) freeze(record);
    else if (kind === 'gateway' && !this.#database.transactionKey && !hasChanged) this.#gateways.note(id, false);
    if (hasChanged) return record;
    const validUntil = this.#clock.monotonicMs() + validMs;
    if (record) setLatest(this.#cacheOf(kind), maxCached, id, { record, validUntil, written });
    else this.#cacheOf(kind).delete(id);
    return record;
  }

  /** While no other process writes, a cached record stays valid. */
  #isValid(cached: CachedRecord): boolean {
    if (cached.validUntil > this.#clock.monotonicMs()) return true;
    const { atMs, written } = this.#checkWritten();
    if (cached.written === undefined || cached.written !== written) return false;
    cached.validUntil = atMs + validMs;
    return true;
  }

  #checkWritten(): { atMs: number; written: number | undefined } {
    const atMs = this.#clock.monotonicMs();
    if (atMs - this.#lastCheck.atMs >= checkWrittenEveryMs)
      this.#lastCheck = { atMs, written: this.#database.writtenElsewhere() };
    return this.#lastCheck;
  }

  #refreshInBackground(cached: CachedRecord, kind: RecordKind, id: string): void {
    if (cached.isBeingRead || this.#clock.monotonicMs() < cached.validUntil + freshMs - validMs) return;
    cached.isBeingRead = true;
    // A database that does not answer is reported to the callers that wait for it.
    this.#readAndCache(kind, id)
      .catch(() => undefined)
      .finally(() => (cached.isBeingRead = false));
  }
}

/** All callers share one record: none may change it. */
function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) freeze(member as object);
  return Object.freeze(value);
}
