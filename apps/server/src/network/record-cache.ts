import type { Clock, RecordKind, Records } from '@hilltop/network-server';
import type { Bus, RecordChange } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { perDatabase, prepare } from '../database/prepared.ts';
import { setLatest } from '../latest-n.ts';
import type { Secrets } from '../secrets.ts';

export type RecordCache = ReturnType<typeof createRecordCache>;
type RecordCacheDependencies = { database: Database; secrets: Secrets; clock: Clock };

/** Of each kind; of devices that is some 6 MB. */
const keptInMemory = 20_000;
const sharedTexts = 10_000;
/** What a hand changed in the database, or another instance that was not heard, is seen after this time. */
const keptMs = 5_000;
/**
 * What is in use is read again before that, by nobody who waits: uplinks that follow each other by two gateways would
 * overtake each other while one of the gateways is read.
 */
const freshMs = 4_000;
/** So often is looked whether somebody else has written at all. */
const lookEveryMs = 1_000;

/** A record, until when it is believed, and `writtenElsewhere` of the database before it was read. */
interface CachedRecord {
  record: Records[RecordKind];
  until: number;
  isBeingRead?: boolean;
  written: number | undefined;
}

/** By network server the shelf that is used now, and who is told of its changes. */
const shared = perDatabase(() => ({
  cachesByKind: new Map<number, (change: RecordChange) => void>(),
  tellOthers: (_change: RecordChange) => undefined as void,
}));

/** From now on shelves follow what other instances write, and theirs what is written here. */
export async function synchronizeRecordCaches(database: Database, bus: Bus): Promise<void> {
  const all = shared(database);
  await bus.subscribeToPeers('record-changed', '', (change) => all.cachesByKind.get(change.networkServerID)?.(change));
  all.tellOthers = (change) => bus.publish('record-changed', '', change);
}

/**
 * Provisioned records, sealed in the table and kept readable in memory: each uplink asks for four of them. What a
 * transaction has written is read by it from the table and not kept, so nothing that is rolled back later stays.
 */
export function createRecordCache({ database, secrets, clock }: RecordCacheDependencies, ns: number) {
  const shelves = new Map<string, Map<string, CachedRecord>>();
  /** What records of devices name is named by thousands of them: it is kept once. */
  const texts = new Map<string, string>();
  /** The names of what each open transaction has written. */
  const written = new WeakMap<object, Set<string>>();
  /** What each has read of what its devices name: of hundreds that are made at a time it is the same. */
  const readOf = new WeakMap<object, Map<string, ReturnType<typeof read>>>();
  /** Counts changes, so that a read that began before one is not kept after it. */
  let changes = 0;
  /** Every registered gateway: a flood of strangers must not cost a query each. */
  let gateways = new Set<string>();
  /** Those that changed since the last reading began. */
  const changedGateways = new Map<string, boolean>();
  let gatewaysUntil = Number.NEGATIVE_INFINITY;
  let gatewaysRead: Promise<void> | undefined;
  const purpose = (of: string, id: string) => recordPurpose(ns, of, id);

  type Key = { kind: string; id: string };
  const select = prepare<Key>()(
    database,
    (query, $) =>
      query
        .selectFrom('ns_record')
        .select('body')
        .where('network_server_id', '=', ns)
        .where('kind', '=', $.kind)
        .where('id', '=', $.id),
    { isBatched: true },
  );
  const upsert = prepare<Key & { body: Uint8Array }>()(
    database,
    (query, $) =>
      query
        .insertInto('ns_record')
        .values({ network_server_id: ns, kind: $.kind, id: $.id, body: $.body })
        .onConflict((on) =>
          on.columns(['network_server_id', 'kind', 'id']).doUpdateSet((row) => ({ body: row.ref('excluded.body') })),
        ),
    { isBatched: true, rowKey: 'id' },
  );
  const remove = prepare<Key>()(database, (query, $) =>
    query.deleteFrom('ns_record').where('network_server_id', '=', ns).where('kind', '=', $.kind).where('id', '=', $.id),
  );

  let looked = { at: Number.NEGATIVE_INFINITY, written: undefined as number | undefined };
  function lookedLately() {
    const at = clock.monotonicMs();
    if (at - looked.at >= lookEveryMs) looked = { at, written: database.writtenElsewhere() };
    return looked;
  }

  const everywhere = shared(database);
  everywhere.cachesByKind.set(ns, noteChange);

  function cacheOf(kind: string): Map<string, CachedRecord> {
    let shelf = shelves.get(kind);
    if (!shelf) shelves.set(kind, (shelf = new Map()));
    return shelf;
  }

  function drop(kind: string, id: string): void {
    changes += 1;
    cacheOf(kind).delete(id);
  }

  function noteChange({ kind, id, isThere }: RecordChange): void {
    drop(kind, id);
    if (kind === 'gateway') noteGateway(id, isThere);
  }

  function noteWritten(name: string): void {
    const { transactionKey } = database;
    if (!transactionKey) return;
    const names = written.get(transactionKey);
    if (names) names.add(name);
    else written.set(transactionKey, new Set([name]));
  }

  /** Transactions of several instances want to know what is true, not what was a moment ago. */
  function mustRead(of: RecordKind, id: string): boolean {
    const { transactionKey, kind } = database;
    if (!transactionKey) return false;
    return kind === 'postgres' || written.get(transactionKey)?.has(`${of}/${id}`) === true;
  }

  function forget(kind: RecordKind, id: string, isThere: boolean): void {
    noteWritten(`${kind}/${id}`);
    drop(kind, id);
    database.afterCommit(() => {
      const change = { networkServerID: ns, kind, id, isThere };
      noteChange(change);
      everywhere.tellOthers(change);
    });
  }

  async function readGateways(): Promise<void> {
    changedGateways.clear();
    const rows = await database.query
      .selectFrom('ns_record')
      .select('id')
      .where('network_server_id', '=', ns)
      .where('kind', '=', 'gateway')
      .execute();
    gateways = new Set(rows.map(({ id }) => id));
    for (const [id, isThere] of changedGateways) noteGateway(id, isThere);
    gatewaysUntil = clock.monotonicMs() + keptMs;
  }

  function noteGateway(id: string, isThere: boolean): void {
    changedGateways.set(id, isThere);
    if (isThere) gateways.add(id);
    else gateways.delete(id);
  }

  /** A gateway that was removed behind our back is found out when its record is read. */
  async function isRegistered(id: string): Promise<boolean> {
    if (!gateways.has(id) && clock.monotonicMs() >= gatewaysUntil) {
      gatewaysRead ??= readGateways().finally(() => {
        gatewaysRead = undefined;
      });
      await gatewaysRead;
    }
    return gateways.has(id);
  }

  function share(text: string): string {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= sharedTexts) texts.clear();
    texts.set(text, text);
    return text;
  }

  /** What nobody else can have changed is believed for as long again. */
  function isBelieved(one: CachedRecord): boolean {
    if (one.until > clock.monotonicMs()) return true;
    const { at, written } = lookedLately();
    if (one.written === undefined || one.written !== written) return false;
    one.until = at + keptMs;
    return true;
  }

  async function read(of: RecordKind, id: string): Promise<Records[RecordKind] | null> {
    const row = await select.first({ kind: of, id });
    if (!row) return null;
    const record = JSON.parse(Buffer.from(secrets.open(row.body, purpose(of, id))).toString()) as Records[RecordKind];
    if (of !== 'device') return record;
    const device = record as Records['device'];
    const { deviceProfileID, serviceProfileID, routingProfileID } = device;
    device.deviceProfileID = share(deviceProfileID);
    device.serviceProfileID = share(serviceProfileID);
    device.routingProfileID = share(routingProfileID);
    return device;
  }

  /** Once for all that share the transaction. */
  async function readIn(transaction: object, of: RecordKind, id: string): Promise<Records[RecordKind] | null> {
    const name = `${of}/${id}`;
    if (!of.endsWith('Profile') || written.get(transaction)?.has(name)) return read(of, id);
    const found = readOf.get(transaction) ?? new Map<string, ReturnType<typeof read>>();
    readOf.set(transaction, found);
    const known = found.get(name);
    if (known) return known;
    const record = read(of, id).then((one) => one && freeze(one));
    found.set(name, record);
    // What failed in a savepoint may be asked again after it.
    record.catch(() => found.delete(name));
    return record;
  }

  /** Answers what is there now, and keeps it. */
  async function readAnew(of: RecordKind, id: string): Promise<Records[RecordKind] | null> {
    const before = changes;
    const looked = lookedLately();
    const found = await read(of, id);
    if (found) freeze(found);
    else if (of === 'gateway' && !database.transactionKey && before === changes) noteGateway(id, false);
    if (before !== changes) return found;
    const until = clock.monotonicMs() + keptMs;
    if (found) setLatest(cacheOf(of), keptInMemory, id, { record: found, until, written: looked.written });
    else cacheOf(of).delete(id);
    return found;
  }

  function readInTime(known: CachedRecord, of: RecordKind, id: string): void {
    if (known.isBeingRead || clock.monotonicMs() < known.until + freshMs - keptMs) return;
    known.isBeingRead = true;
    // A storage that is away is noticed by whoever waits for it.
    readAnew(of, id)
      .catch(() => undefined)
      .finally(() => (known.isBeingRead = false));
  }

  return {
    get: async (of: RecordKind, id: string): Promise<Records[RecordKind] | null> => {
      if (mustRead(of, id)) return readIn(database.transactionKey!, of, id);
      const known = shelves.get(of)?.get(id);
      if (known && isBelieved(known)) {
        if (known.written === undefined && !database.transactionKey) readInTime(known, of, id);
        return known.record;
      }
      const isGatewayOutside = of === 'gateway' && !database.transactionKey;
      if (isGatewayOutside && !(await isRegistered(id))) return null;
      return await readAnew(of, id);
    },
    save: async (of: RecordKind, id: string, value: Records[RecordKind]): Promise<void> => {
      const body = secrets.seal(recordBody(value), purpose(of, id));
      await upsert.run({ kind: of, id, body });
      forget(of, id, true);
    },
    remove: async (of: RecordKind, id: string): Promise<void> => {
      await remove.run({ kind: of, id });
      forget(of, id, false);
    },
  };
}

/** What the body of a record is sealed for. */
export const recordPurpose = (networkServerID: number, of: string, id: string) =>
  `ns_record.${of}:${networkServerID}/${id}`;

/** A record as it is sealed. */
export const recordBody = (value: Records[RecordKind]) => new Uint8Array(Buffer.from(JSON.stringify(value)));

/** All callers share one record: none may change it. */
function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) freeze(member as object);
  return Object.freeze(value);
}
