import type { QueueItem, Write } from '@hilltop/network-server';
import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { DueRows } from './due-rows.ts';
import type { MulticastRows } from './multicast-rows.ts';
import type { RecordCache } from './record-cache.ts';
import type { SessionRows } from './session-rows.ts';

type Activation = Extract<Write, { kind: 'saveActivation' }>['activation'];
type Writer<Kind extends Write['kind']> = (write: Extract<Write, { kind: Kind }>) => Promise<boolean | void>;

/** Few uplinks are received by more gateways. */
const maxFinishedTogether = 8;

function queueItemStatements(database: Database, ns: number) {
  type ItemKey = { devEUI: string; id: string };
  type ItemRow = ItemKey & { fCnt: number; body: string };
  const insertItem = prepare<ItemRow>()(database, (query, $) =>
    query
      .insertInto('ns_queue_item')
      .values({ network_server_id: ns, dev_eui: $.devEUI, id: $.id, f_cnt: $.fCnt, body: $.body }),
  );
  const updateItem = prepare<ItemRow>()(database, (query, $) =>
    query
      .updateTable('ns_queue_item')
      .set({ f_cnt: $.fCnt, body: $.body })
      .where('network_server_id', '=', ns)
      .where('dev_eui', '=', $.devEUI)
      .where('id', '=', $.id),
  );
  const removeItem = prepare<ItemKey>()(database, (query, $) =>
    query
      .deleteFrom('ns_queue_item')
      .where('network_server_id', '=', ns)
      .where('dev_eui', '=', $.devEUI)
      .where('id', '=', $.id),
  );
  const removeQueueOf = prepare<{ devEUI: string }>()(database, (query, $) =>
    query.deleteFrom('ns_queue_item').where('network_server_id', '=', ns).where('dev_eui', '=', $.devEUI),
  );
  return { insertItem, updateItem, removeItem, removeQueueOf };
}

function activationStatements(database: Database, ns: number) {
  /** Not batched, because the result of a batch does not tell which rows were new. */
  const insertActivation = prepare<Activation>()(database, (query, $) =>
    query
      .insertInto('ns_activation')
      .values({
        network_server_id: ns,
        dev_eui: $.devEUI,
        join_eui: $.joinEUI,
        join_type: $.joinType,
        dev_nonce: $.devNonce,
        dev_addr: $.devAddr,
        at: $.at,
      })
      .onConflict((on) => on.doNothing()),
  );
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
  return { insertActivation, activationsOf, latestOf };
}

/** Deletes finished copies from the journal; answers how many there were. */
function finisher(database: Database): (ids: readonly number[]) => Promise<number> {
  const finish = prepare<{ id: number }>()(
    database,
    (query, $) => query.deleteFrom('ns_journal').where('id', '=', $.id),
    { isBatched: true },
  );
  /** Deletes the copies of one uplink in one statement, for databases without batches. */
  const finishTogether = Array.from({ length: maxFinishedTogether - 1 }, (_, extra) => {
    const names = Array.from({ length: extra + 2 }, (_, index) => `id${index}`);
    const together = prepare<Record<string, number>>()(database, (query, $) =>
      query.deleteFrom('ns_journal').where(
        'id',
        'in',
        names.map((name) => $[name]!),
      ),
    );
    return (ids: readonly number[]) =>
      together.run(Object.fromEntries(names.map((name, index) => [name, ids[index]!])));
  });
  return async (ids) => {
    const together = database.isPipelined ? undefined : finishTogether[ids.length - 2];
    if (together) return await together(ids);
    const finished = await Promise.all(ids.map((id) => finish.run({ id })));
    return finished.reduce((sum, count) => sum + count, 0);
  };
}

/** Executes the writes of the network server's state by their kind; false rejects the unit. */
export function stateWrites(
  { database }: { database: Database },
  ns: number,
  rows: { records: RecordCache; sessions: SessionRows; due: DueRows; multicast: MulticastRows },
): (write: Write) => Promise<boolean> {
  const { records, sessions, due, multicast } = rows;
  const { insertItem, updateItem, removeItem, removeQueueOf } = queueItemStatements(database, ns);
  const { insertActivation, activationsOf, latestOf } = activationStatements(database, ns);
  const finishAll = finisher(database);
  /** Updates the row of the gateway with the time its network server last saw it. */
  const seen = prepare<{ id: string; at: Date }>()(database, (query, $) =>
    query
      .updateTable('gateway')
      .set({ last_seen_at: $.at, first_seen_at: sql<Date>`coalesce(first_seen_at, ${$.at})` })
      .where('id', '=', $.id),
  );
  const writers: { [Kind in Write['kind']]: Writer<Kind> } = {
    saveSession: ({ session }) => sessions.save(session),
    insertSession: ({ session }) => sessions.insert(session),
    deleteSessions: ({ devEUI }) => sessions.removeAll(devEUI),

    insertQueueItem: async ({ item }) => {
      await insertItem.run({ ...item, body: bodyOf(item) });
    },
    updateQueueItem: async ({ item }) => {
      await updateItem.run({ ...item, body: bodyOf(item) });
    },
    deleteQueueItem: async (write) => {
      await removeItem.run(write);
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
    deleteMulticastItem: ({ place }) => multicast.deleteItem(place),
    beginMulticastRests: multicast.beginRests,
    flushMulticastQueue: ({ groupID }) => multicast.flush(groupID),

    finish: async ({ ids, isGuarded = false }) => (await finishAll(ids)) === ids.length || !isGuarded,
    askDue: ({ work, at }) => due.ask(work, at),
    settleDue: async ({ claim, next, isGuarded = false }) => (await due.settle(claim, next)) || !isGuarded,
    hurryDue: (which) => due.hurry(which),
    saveRecord: async ({ of, id, value }) => {
      await records.save(of, id, value);
      if (of === 'gatewaySeen') await seen.run({ id, at: new Date(value.lastSeenAt) });
    },
    deleteRecord: async ({ of, id }) => {
      await records.remove(of, id);
      if (of === 'gateway' || of === 'multicastGroup') await multicast.forgetRest(id);
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
const newFields = { sessionID: '', isForNextSession: false, hasLeft: false, attempts: 0 };

/** All columns but the network server. */
export const queueItemColumns = (item: QueueItem) => {
  const { devEUI, id, fCnt } = item;
  return { dev_eui: devEUI, id, f_cnt: fCnt, body: bodyOf(item) };
};

const bodyOf = (item: QueueItem) => JSON.stringify({ ...item, frmPayload: item.frmPayload.toBase64() });

export function queueItemOf({ body }: { body: string }): QueueItem {
  const item = JSON.parse(body) as Omit<QueueItem, 'frmPayload'> & { frmPayload: string };
  return { ...newFields, ...item, frmPayload: Uint8Array.fromBase64(item.frmPayload) };
}
