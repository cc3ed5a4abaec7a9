import type { Clock, Effect, QueueItem, RecordKind, Records, State, Write } from '@hilltop/network-server';
import { awaitAll } from '../database/await-all.ts';
import type { Database } from '../database/database.ts';
import type { Integrity } from '../database/integrity.ts';
import { perDatabase } from '../database/per-database.ts';
import { createQueryCache } from '../database/query-cache.ts';
import { statement } from '../database/statement.ts';
import { isStorageFailure } from '../database/storage-failure.ts';
import type { RowOf, Tables } from '../database/tables.ts';
import { type PreparedWrites, prepareTogether } from '../database/unit.ts';
import { enactAll, preparedOf } from '../events/effect.ts';
import type { Secrets } from '../secrets.ts';
import { dueRows } from './due-rows.ts';
import { type Crew, journalRows } from './journal-rows.ts';
import { multicastRows } from './multicast-rows.ts';
import { RecordCache } from './record-cache.ts';
import { sessionRows } from './session-rows.ts';
import { preparedStateWrites, queueItemOf, stateWrites } from './state-writes.ts';

/** Devices with an empty queue, cached because the queue is read after each uplink. */
const maxEmptyQueues = 20_000;
const emptyQueues = perDatabase((database) =>
  createQueryCache<true>(database, [{ table: 'ns_queue_item', key: ['network_server_id', 'dev_eui'] }], maxEmptyQueues),
);

const queueStatement = statement<RowOf<'ns_queue_item', 'body'>>()({
  sql: 'select body from ns_queue_item where network_server_id = $ns and dev_eui = $devEUI order by f_cnt, id',
  fixed: { ns: 'int8' },
  given: { devEUI: 'text' },
  batch: {},
});

const nonceStatement = statement<RowOf<'ns_activation', 'at'>>()({
  sql: `select at from ns_activation
    where network_server_id = $ns and dev_eui = $devEUI and join_eui = $joinEUI and join_type = $joinType
      and dev_nonce = $devNonce`,
  fixed: { ns: 'int8' },
  given: { devEUI: 'text', joinEUI: 'text', joinType: 'text', devNonce: 'int8' },
  batch: {},
});

const highestNonceStatement = statement<RowOf<'ns_activation', 'dev_nonce'>>()({
  sql: `select dev_nonce from ns_activation
    where network_server_id = $ns and dev_eui = $devEUI and join_eui = $joinEUI and join_type = $joinType
    order by dev_nonce desc limit 1`,
  fixed: { ns: 'int8' },
  given: { devEUI: 'text', joinEUI: 'text', joinType: 'text' },
  batch: {},
});

/**
 * The durable state of the embedded network server behind one `network_server` row. Reads and writes join the
 * transaction they are called in; a unit otherwise shares its disk flush with whatever arrives at the same time.
 */
export function createNetworkState(
  needs: {
    database: Database;
    secrets: Secrets;
    clock: Clock;
    crew?: Crew | undefined;
    /** Absent: damage is not noted. */
    integrity?: Pick<Integrity, 'refusesUplinks' | 'noteFailure'> | undefined;
  },
  networkServerID: number,
): State {
  const { database, integrity } = needs;
  const records = new RecordCache(needs, networkServerID);
  const sessions = sessionRows(needs, networkServerID);
  const due = dueRows(database, networkServerID);
  const multicast = multicastRows(needs, networkServerID);
  const journal = journalRows(database, networkServerID, needs.crew, needs.clock);
  const write = stateWrites(needs, networkServerID, { records, sessions, due, multicast });
  const ns = networkServerID;

  const queue = queueStatement(database, { ns });
  const nonce = nonceStatement(database, { ns });
  const highestNonce = highestNonceStatement(database, { ns });
  const empty = emptyQueues(database);
  async function queueOf(devEUI: string): Promise<QueueItem[]> {
    let rows: { body: string }[] = [];
    await empty.of(`${ns}/${devEUI}`, async () => {
      rows = await queue.all({ devEUI });
      return rows.length === 0 ? true : undefined;
    });
    return rows.map(queueItemOf);
  }
  return {
    get: <K extends RecordKind>(of: K, id: string) => records.get(of, id) as Promise<Records[K] | null>,
    sessionsByDevAddr: sessions.byDevAddr,
    sessionsAfter: sessions.after,
    sessions: async (devEUI) => {
      const found = await sessions.ofDevice(devEUI);
      const inRole = (role: string) => found.find((session) => session.role === role) ?? null;
      return { current: inRole('current'), pending: inRole('pending'), replaced: inRole('replaced') };
    },
    sessionsInBrief: async (devEUI) => {
      const found = await sessions.inBrief(devEUI);
      const inRole = (role: string) => {
        const row = found.find((one) => one.role === role);
        return row ? { id: row.id, devAddr: row.dev_addr } : null;
      };
      return { current: inRole('current'), pending: inRole('pending'), replaced: inRole('replaced') };
    },
    queue: queueOf,
    multicastFCnt: multicast.fCnt,
    multicastMembers: multicast.members,
    multicastQueue: multicast.queue,
    nextMulticast: multicast.next,
    multicastHeads: multicast.heads,
    multicastRests: multicast.rests,
    devNonceUsedAt: async (use) => (await nonce.first(use))?.at ?? null,
    highestDevNonce: async (of) => (await highestNonce.first(of))?.dev_nonce ?? null,

    receive: (copies) =>
      integrity?.refusesUplinks ? Promise.reject(new Error('The database is damaged.')) : journal.receive(copies),
    unfinished: journal.unfinished,
    unfinishedBeginning: journal.unfinishedBeginning,
    journalled: journal.journalled,
    abandoned: journal.abandoned,
    claimDue: due.claim,
    nextDueAt: due.nextAt,
    onDue: due.listen,
    isStorageFailure,
    noteFailure: (error) => integrity?.noteFailure(error),

    commit: committing(database, write, preparedStateWrites(needs, { sessions })),
  };
}

function committing(
  database: Database,
  write: (change: Write) => Promise<boolean>,
  prepareWrite: (change: Write) => PreparedWrites | undefined,
): State['commit'] {
  function prepare(writes: readonly Write[], effects: readonly Effect[]): PreparedWrites | undefined {
    if (database.isPipelined) return undefined;
    return prepareTogether(partsOf(writes, effects));
  }

  /** One after the other, because nothing more is prepared after a part that cannot be. */
  function* partsOf(writes: readonly Write[], effects: readonly Effect[]) {
    for (const change of writes) yield prepareWrite(change);
    for (const effect of effects) yield preparedOf(effect);
  }

  /**
   * Executes writes that do not need each other's results. Statements run in the order in which they are sent: the row
   * of the device is locked before its queue and its due work, as operations of the API do. In the reverse order each
   * of two transactions could wait for the other.
   */
  async function writeSideBySide(writes: readonly Write[], effects: readonly Effect[]): Promise<boolean> {
    const [ofQueues, others] = [writes.filter(isOfQueue), writes.filter((change) => !isOfQueue(change))];
    const devices = effects.length > 0 ? [...new Set(ofQueues.flatMap(deviceOf))] : [];
    const lock = async (devEUI: string) => (await lockDevice(database).all({ devEUI }), true);
    const enacted = () => enactAll(effects, database).then(() => true);
    const written = [...others.map(write), ...devices.map(lock), enacted(), ...ofQueues.map(write)];
    return (await awaitAll(written)).every(Boolean);
  }

  return ({ writes, effects, maxWaitMs = 0 }) => {
    const [first, ...more] = writes;
    if (first && isOneStatement(first) && more.length + effects.length === 0 && isInTransactionOfSQLite(database))
      return write(first);
    const run = async () => {
      if (database.isPipelined && writes.every(isIndependent)) return await writeSideBySide(writes, effects);
      for (const change of writes) if (!(await write(change))) return false;
      await enactAll(effects, database);
      return true;
    };
    return database.commit({ run, prepared: prepare(writes, effects) }, { maxWaitMs });
  };
}

/** SQLite undoes a statement that fails, so a write of one statement needs no savepoint. */
const isOneStatement = (one: Write) => one.kind === 'saveRecord' && one.of !== 'gatewaySeen';
const isInTransactionOfSQLite = ({ kind, transactionKey }: Database) =>
  kind === 'sqlite' && transactionKey !== undefined;

/** Kinds of writes of uplinks and of downlinks of class B and C: none needs what another one reads or writes. */
const independent: ReadonlySet<Write['kind']> = new Set([
  'saveSession',
  'finish',
  'insertQueueItem',
  'updateQueueItem',
  'deleteQueueItem',
  'askDue',
  'settleDue',
]);
const isIndependent = ({ kind }: Write) => independent.has(kind);

type QueueWrite = Extract<Write, { item: QueueItem } | { kind: 'deleteQueueItem' | 'askDue' | 'settleDue' }>;
const ofQueue: ReadonlySet<Write['kind']> = new Set<QueueWrite['kind']>([
  'insertQueueItem',
  'updateQueueItem',
  'deleteQueueItem',
  'askDue',
  'settleDue',
]);
const isOfQueue = (write: Write): write is QueueWrite => ofQueue.has(write.kind);

/** The device whose queue a write changes; none for due work of multicast groups. */
function deviceOf(write: QueueWrite): string[] {
  if (write.kind === 'deleteQueueItem') return [write.devEUI];
  if ('item' in write) return [write.item.devEUI];
  const { kind, key } = write.kind === 'askDue' ? write.work : write.claim;
  return kind === 'queue' ? [key] : [];
}

const lockDevice = statement<RowOf<'device', 'dev_eui'>>()({
  sql: 'select dev_eui from device where dev_eui = $devEUI for no key update',
  given: { devEUI: 'text' },
  only: 'postgres',
  batch: { rowKey: 'devEUI' },
});

/** Every table with rows of embedded network servers. */
const tables = {
  ns_record: true,
  ns_session: true,
  ns_queue_item: true,
  ns_activation: true,
  ns_due: true,
  ns_journal: true,
  ns_multicast_counter: true,
  ns_multicast_member: true,
  ns_multicast_item: true,
  ns_multicast_rest: true,
} satisfies Record<Extract<keyof Tables, `ns_${string}`>, true>;

/** Removes everything that an embedded network server has stored. */
export async function removeNetworkState({ query }: Database, networkServerID: number): Promise<void> {
  for (const table of Object.keys(tables) as (keyof typeof tables)[])
    await query.deleteFrom(table).where('network_server_id', '=', networkServerID).execute();
}
