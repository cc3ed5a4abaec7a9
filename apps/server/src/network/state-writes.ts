import type { QueueItem, Write } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { PreparedWrites } from '../database/unit.ts';
import type { DueRows } from './due-rows.ts';
import type { MulticastRows } from './multicast-rows.ts';
import type { RecordCache } from './record-cache.ts';
import type { SessionRows } from './session-rows.ts';

type Writer<Kind extends Write['kind']> = (write: Extract<Write, { kind: Kind }>) => Promise<boolean | void>;

/** Few uplinks are received by more gateways. */
const maxFinishedTogether = 8;

const inServer = { ns: 'int8' } as const;
const itemColumns = { devEUI: 'text', id: 'text', fCnt: 'int8', body: 'text' } as const;

const insertItemStatement = statement()({
  sql: ({ values }) => `insert into ns_queue_item (network_server_id, dev_eui, id, f_cnt, body)
    ${values('$ns, $devEUI, $id, $fCnt, $body')}`,
  fixed: inServer,
  given: itemColumns,
  batch: {},
});

const updateItemStatement = statement()({
  sql: ({ from }) => `update ns_queue_item set f_cnt = $fCnt, body = $body ${from}
    where network_server_id = $ns and dev_eui = $devEUI and id = $id`,
  fixed: inServer,
  given: itemColumns,
  batch: { rowKey: 'devEUI' },
});

const removeItemStatement = statement()({
  sql: ({ using }) =>
    `delete from ns_queue_item ${using} where network_server_id = $ns and dev_eui = $devEUI and id = $id`,
  fixed: inServer,
  given: { devEUI: 'text', id: 'text' },
  batch: { rowKey: 'devEUI' },
});

/** Answers the item that it removed. */
const takeItemStatement = statement<{ body: string }>()({
  sql: `delete from ns_queue_item where network_server_id = $ns and dev_eui = $devEUI and id = $id returning body`,
  fixed: inServer,
  given: { devEUI: 'text', id: 'text' },
});

const removeQueueStatement = statement()({
  sql: 'delete from ns_queue_item where network_server_id = $ns and dev_eui = $devEUI',
  fixed: inServer,
  given: { devEUI: 'text' },
});

/** Not batched, because the result of a batch does not tell which rows were new. */
const insertActivationStatement = statement()({
  sql: `insert into ns_activation (network_server_id, dev_eui, join_eui, join_type, dev_nonce, dev_addr, at)
    values ($ns, $devEUI, $joinEUI, $joinType, $devNonce, $devAddr, $at)
    on conflict do nothing`,
  fixed: inServer,
  given: { devEUI: 'text', joinEUI: 'text', joinType: 'text', devNonce: 'int8', devAddr: 'text', at: 'int8' },
});

/** Updates the row of the gateway with the time its network server last saw it. */
const gatewaySeen = statement()({
  sql: 'update gateway set last_seen_at = $at, first_seen_at = coalesce(first_seen_at, $at) where id = $id',
  given: { id: 'text', at: 'timestamptz' },
});

const finishStatement = statement()({
  sql: ({ using }) => `delete from ns_journal ${using} where id = $id`,
  given: { id: 'int8' },
  batch: {},
});

/** Deletes the copies of one uplink in one statement, for databases without batches. */
const finishTogether = Array.from({ length: maxFinishedTogether - 1 }, (_, extra) => {
  const names = Array.from({ length: extra + 2 }, (_, index) => `id${index}`);
  const together = statement()({
    sql: `delete from ns_journal where id in (${names.map((name) => `$${name}`).join(', ')})`,
    given: Object.fromEntries(names.map((name) => [name, 'int8' as const])),
    only: 'sqlite',
  });
  const parametersOf = (ids: readonly number[]) => Object.fromEntries(names.map((name, index) => [name, ids[index]!]));
  return {
    run: (database: Database, ids: readonly number[]) => together(database).run(parametersOf(ids)),
    query: (database: Database, ids: readonly number[]) => together(database).query(parametersOf(ids)),
  };
});

function activationsIn(database: Database, ns: number) {
  const activationsOf = (devEUI: string) =>
    database.query.deleteFrom('ns_activation').where('network_server_id', '=', ns).where('dev_eui', '=', devEUI);
  const latestOf = (devEUI: string, most: number) =>
    database.query
      .selectFrom('ns_activation')
      .select('id')
      .where('network_server_id', '=', ns)
      .where('dev_eui', '=', devEUI)
      .orderBy('id', 'desc')
      .limit(most);
  return { activationsOf, latestOf };
}

/** Deletes finished copies from the journal; answers how many there were. */
function finisher(database: Database): (ids: readonly number[]) => Promise<number> {
  const finish = finishStatement(database);
  return async (ids) => {
    const together = database.isPipelined ? undefined : finishTogether[ids.length - 2];
    if (together) return await together.run(database, ids);
    const finished = await Promise.all(ids.map((id) => finish.run({ id })));
    return finished.reduce((sum, count) => sum + count, 0);
  };
}

/** The writes of most uplinks for a prepared unit; undefined for all others. */
export function preparedStateWrites(
  { database }: { database: Database },
  { sessions }: { sessions: SessionRows },
): (write: Write) => PreparedWrites | undefined {
  const finish = finishStatement(database);
  return (write) => {
    if (write.kind === 'saveSession') return sessions.prepareSave(write.session);
    if (write.kind !== 'finish') return undefined;
    const { ids, isGuarded = false } = write;
    const together = finishTogether[ids.length - 2];
    const guard = (rows: number) => isGuarded && { mustChange: rows };
    const statements = together
      ? [{ query: together.query(database, ids), ...guard(ids.length) }]
      : ids.map((id) => ({ query: finish.query({ id }), ...guard(1) }));
    return { statements, onWritten: () => undefined };
  };
}

/** Executes the writes of the network server's state by their kind; false rejects the unit. */
export function stateWrites(
  { database }: { database: Database },
  ns: number,
  rows: { records: RecordCache; sessions: SessionRows; due: DueRows; multicast: MulticastRows },
): (write: Write) => Promise<boolean> {
  const { records, sessions, due, multicast } = rows;
  const insertItem = insertItemStatement(database, { ns });
  const updateItem = updateItemStatement(database, { ns });
  const removeItem = removeItemStatement(database, { ns });
  const takeItem = takeItemStatement(database, { ns });
  const removeQueueOf = removeQueueStatement(database, { ns });
  const insertActivation = insertActivationStatement(database, { ns });
  const { activationsOf, latestOf } = activationsIn(database, ns);
  const finishAll = finisher(database);
  const writers: { [Kind in Write['kind']]: Writer<Kind> } = {
    saveSession: ({ session }) => sessions.save(session),
    insertSession: ({ session }) => sessions.insert(session),
    deleteSessions: ({ devEUI }) => sessions.removeAll(devEUI),

    insertQueueItem: async ({ item }) => {
      await insertItem.run({ ...item, body: bodyOf(item) });
    },
    updateQueueItem: async ({ item, isGuarded = false }) =>
      (await updateItem.run({ ...item, body: bodyOf(item) })) === 1 || !isGuarded,
    deleteQueueItem: async ({ unchanged, ...write }) => {
      if (!unchanged) return void (await removeItem.run(write));
      const taken = await takeItem.first(write);
      return taken !== undefined && bodyOf(queueItemOf(taken)) === bodyOf(unchanged);
    },
    flushQueue: async ({ devEUI }) => {
      await removeQueueOf.run({ devEUI });
    },

    saveActivation: async ({ activation }) => {
      return (await insertActivation.run(activation)) === 1;
    },
    forgetDevNonces: async ({ devEUI, keep }) => {
      await activationsOf(devEUI).where('id', 'not in', latestOf(devEUI, keep)).execute();
    },

    setMulticastFCnt: multicast.setFCnt,
    spendMulticastFCnt: multicast.spend,
    addMulticastMember: multicast.addMember,
    removeMulticastMember: multicast.removeMember,
    insertMulticastItem: ({ item }) => multicast.insertItem(item),
    updateMulticastItem: ({ item }) => multicast.updateItem(item),
    deleteMulticastItem: ({ itemID }) => multicast.deleteItem(itemID),
    startMulticastCooldowns: multicast.startCooldowns,
    flushMulticastQueue: ({ groupID }) => multicast.flush(groupID),

    finish: async ({ ids, isGuarded = false }) => (await finishAll(ids)) === ids.length || !isGuarded,
    askDue: ({ work, at, leaseUntil }) => due.ask(work, at, leaseUntil),
    settleDue: async ({ claim, next, isGuarded = false }) => (await due.settle(claim, next)) || !isGuarded,
    advanceDue: (which) => due.advance(which),
    saveRecord: async ({ of, id, value }) => {
      await records.save(of, id, value);
      if (of === 'gatewaySeen') await gatewaySeen(database).run({ id, at: new Date(value.lastSeenAt) });
    },
    deleteRecord: async ({ of, id }) => {
      await records.remove(of, id);
      if (of === 'gateway' || of === 'multicastGroup') await multicast.removeCooldown(id);
      if (of === 'gateway') await records.remove('gatewaySeen', id);
      if (of === 'multicastGroup') await multicast.remove(id);
      if (of !== 'device') return;
      await multicast.removeDevice(id);
      await sessions.removeAll(id);
      await removeQueueOf.run({ devEUI: id });
      await activationsOf(id).execute();
    },
  };

  return async (write) => (await (writers[write.kind] as Writer<Write['kind']>)(write as never)) !== false;
}

/** Defaults of fields that items of earlier versions lack. */
const newFields = Object.entries({ sessionID: '', isForNextSession: false, hasLeft: false, attempts: 0 });

/** All columns but the network server. */
export const queueItemColumns = (item: QueueItem) => {
  const { devEUI, id, fCnt } = item;
  return { dev_eui: devEUI, id, f_cnt: fCnt, body: bodyOf(item) };
};

const bodyOf = (item: QueueItem) => JSON.stringify({ ...item, frmPayload: item.frmPayload.toBase64() });

export function queueItemOf({ body }: { body: string }): QueueItem {
  // Each enqueue reads the queue twice, so the parsed object is completed rather than copied.
  const item = JSON.parse(body) as Record<string, unknown> & { frmPayload: string };
  for (const [name, value] of newFields) item[name] ??= value;
  return Object.assign(item, { frmPayload: Uint8Array.fromBase64(item.frmPayload) }) as unknown as QueueItem;
}
