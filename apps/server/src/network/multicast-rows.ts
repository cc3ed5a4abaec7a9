import type {
  DeviceSession,
  MulticastItem,
  MulticastItemID,
  MulticastMember,
  MulticastQueueID,
  Write,
} from '@hilltop/network-server';
import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import type { Tables } from '../database/tables.ts';
import { sessionOf } from './session-body.ts';
import type { MulticastItemTable } from './tables.ts';

export type MulticastRows = ReturnType<typeof multicastRows>;

type Group = { groupID: string };
type Counted = Group & { fCnt: number };
type Member = Group & { devEUI: string };

/** Statements of the queues of multicast-groups. */
function queueStatements(database: Database, ns: number) {
  const queue = prepare<Group>()(database, (query, $) =>
    query
      .selectFrom('ns_multicast_item')
      .selectAll()
      .where('network_server_id', '=', ns)
      .where('group_id', '=', $.groupID)
      .orderBy('f_cnt')
      .orderBy('gateway_id'),
  );
  const next = prepare<MulticastQueueID>()(database, (query, $) =>
    query
      .selectFrom('ns_multicast_item')
      .selectAll()
      .where('network_server_id', '=', ns)
      .where('group_id', '=', $.groupID)
      .where('gateway_id', '=', $.gatewayID)
      .orderBy('f_cnt')
      .limit(1),
  );
  const heads = prepare<{ gatewayID: string }>()(database, (query, $) =>
    query
      .selectFrom('ns_multicast_item as item')
      .innerJoin(
        (from) =>
          from
            .selectFrom('ns_multicast_item')
            .select(({ fn }) => ['group_id', fn.min('f_cnt').as('f_cnt')])
            .where('network_server_id', '=', ns)
            .where('gateway_id', '=', $.gatewayID)
            .groupBy('group_id')
            .as('head'),
        (join) => join.onRef('head.group_id', '=', 'item.group_id').onRef('head.f_cnt', '=', 'item.f_cnt'),
      )
      .selectAll('item')
      .where('item.network_server_id', '=', ns)
      .where('item.gateway_id', '=', $.gatewayID),
  );
  return { queue, next, heads };
}

/** Statements of counters, members and cooldowns of multicast-groups. */
function groupStatements(database: Database, ns: number) {
  const counter = prepare<Group>()(database, (query, $) =>
    query
      .selectFrom('ns_multicast_counter')
      .select('f_cnt')
      .where('network_server_id', '=', ns)
      .where('group_id', '=', $.groupID),
  );
  const setCounter = prepare<Counted>()(database, (query, $) =>
    query
      .insertInto('ns_multicast_counter')
      .values({ network_server_id: ns, group_id: $.groupID, f_cnt: $.fCnt })
      .onConflict((on) =>
        on.columns(['network_server_id', 'group_id']).doUpdateSet((row) => ({ f_cnt: row.ref('excluded.f_cnt') })),
      ),
  );
  const members = prepare<Group>()(database, (query, $) =>
    query
      .selectFrom('ns_multicast_member as member')
      .leftJoin('ns_session as session', (join) =>
        join
          .onRef('session.network_server_id', '=', 'member.network_server_id')
          .onRef('session.dev_eui', '=', 'member.dev_eui')
          .on('session.role', '=', 'current'),
      )
      .select(['member.dev_eui', 'session.body'])
      .where('member.network_server_id', '=', ns)
      .where('member.group_id', '=', $.groupID)
      .orderBy('member.dev_eui'),
  );
  /** Changes nothing during a cooldown. An end after `doubtful` was written with a wrong clock. */
  const beginRest = prepare<{ id: string; now: number; until: number; doubtful: number }>()(database, (query, $) =>
    query
      .insertInto('ns_multicast_rest')
      .values({ network_server_id: ns, of: $.id, until: $.until })
      .onConflict((on) =>
        on
          .columns(['network_server_id', 'of'])
          .doUpdateSet((row) => ({ until: row.ref('excluded.until') }))
          .where((row) =>
            row.or([row('ns_multicast_rest.until', '<=', $.now), row('ns_multicast_rest.until', '>', $.doubtful)]),
          ),
      ),
  );
  return { counter, setCounter, members, beginRest };
}

/** Counters, members, cooldowns and queues of the multicast-groups of one embedded network server. */
export function multicastRows({ database }: { database: Database }, ns: number) {
  const ofGroup = (table: 'ns_multicast_counter' | 'ns_multicast_member' | 'ns_multicast_item', groupID: string) =>
    database.query.deleteFrom(table).where('network_server_id', '=', ns).where('group_id', '=', groupID);
  return {
    ...groupRows(database, ns),
    ...queueRows(database, ns),
    flush: async (groupID: string) => {
      await ofGroup('ns_multicast_item', groupID).execute();
    },
    remove: async (groupID: string) => {
      for (const table of ['ns_multicast_counter', 'ns_multicast_member', 'ns_multicast_item'] as const)
        await ofGroup(table, groupID).execute();
    },
  };
}

function groupRows(database: Database, ns: number) {
  const { counter, setCounter, members, beginRest } = groupStatements(database, ns);
  const memberships = () => database.query.deleteFrom('ns_multicast_member').where('network_server_id', '=', ns);
  return {
    fCnt: async (groupID: string) => (await counter.first({ groupID }))?.f_cnt ?? null,
    setFCnt: async (counted: Counted) => void (await setCounter.run(counted)),
    /** Whether the counter was free. */
    spend: async ({ groupID, fCnt }: Counted): Promise<boolean> => {
      const { numUpdatedRows } = await database.query
        .updateTable('ns_multicast_counter')
        .set({ f_cnt: fCnt + 1 })
        .where('network_server_id', '=', ns)
        .where('group_id', '=', groupID)
        .where('f_cnt', '<=', fCnt)
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows) === 1;
    },
    members: async (groupID: string): Promise<MulticastMember[]> =>
      (await members.all({ groupID })).map(({ dev_eui, body }) => {
        const { dr, receivers } = body === null ? neverHeard : sessionOf(body);
        return { devEUI: dev_eui, dr, receivers };
      }),
    addMember: async ({ groupID, devEUI }: Member) => {
      await database.query
        .insertInto('ns_multicast_member')
        .values({ network_server_id: ns, group_id: groupID, dev_eui: devEUI })
        .onConflict((on) => on.doNothing())
        .execute();
    },
    removeMember: async ({ groupID, devEUI }: Member) => {
      await memberships().where('group_id', '=', groupID).where('dev_eui', '=', devEUI).execute();
    },
    removeDevice: async (devEUI: string) => {
      await memberships().where('dev_eui', '=', devEUI).execute();
    },
    rests: async (of: readonly string[]): Promise<ReadonlyMap<string, number>> => {
      const rows = await database.query
        .selectFrom('ns_multicast_rest')
        .select(['of', 'until'])
        .where('network_server_id', '=', ns)
        .where('of', 'in', [...of])
        .execute();
      return new Map(rows.map(({ of, until }) => [of, until]));
    },
    /** False when one of them is in a cooldown already. */
    beginRests: async ({ of, now, until, longestMs }: BeginRests): Promise<boolean> => {
      // All instances use the same order: otherwise two that begin the same cooldowns could deadlock.
      for (const id of [...of].sort())
        if ((await beginRest.run({ id, now, until, doubtful: now + 2 * longestMs })) === 0) return false;
      return true;
    },
    forgetRest: async (of: string) => {
      await database.query
        .deleteFrom('ns_multicast_rest')
        .where('network_server_id', '=', ns)
        .where('of', '=', of)
        .execute();
    },
  };
}

function queueRows(database: Database, ns: number) {
  const { queue, next, heads } = queueStatements(database, ns);
  const isAt =
    ({ groupID, fCnt, gatewayID }: MulticastItemID) =>
    (where: ExpressionBuilder<Tables, 'ns_multicast_item'>) =>
      where.and({ network_server_id: ns, group_id: groupID, f_cnt: fCnt, gateway_id: gatewayID });
  return {
    queue: async (groupID: string): Promise<MulticastItem[]> => (await queue.all({ groupID })).map(itemOf),
    next: async (lane: MulticastQueueID): Promise<MulticastItem | null> => {
      const row = await next.first(lane);
      return row ? itemOf(row) : null;
    },
    heads: async (gatewayID: string): Promise<MulticastItem[]> => (await heads.all({ gatewayID })).map(itemOf),
    insertItem: async (item: MulticastItem) => {
      await database.query
        .insertInto('ns_multicast_item')
        .values({ network_server_id: ns, ...rowOf(item) })
        .execute();
    },
    updateItem: async (item: MulticastItem) => {
      const { at, body } = rowOf(item);
      await database.query.updateTable('ns_multicast_item').set({ at, body }).where(isAt(item)).execute();
    },
    deleteItem: async (place: MulticastItemID) => {
      await database.query.deleteFrom('ns_multicast_item').where(isAt(place)).execute();
    },
  };
}

const neverHeard: Pick<DeviceSession, 'dr' | 'receivers'> = { dr: 0, receivers: [] };

type BeginRests = Omit<Extract<Write, { kind: 'beginMulticastRests' }>, 'kind'>;
type Row = Omit<MulticastItemTable, 'network_server_id'>;
type Body = Omit<MulticastItem, keyof MulticastItemID | 'at' | 'frmPayload'> & { frmPayload: string };

function rowOf({ groupID, fCnt, gatewayID, at, frmPayload, ...rest }: MulticastItem): Row {
  const body = JSON.stringify({ ...rest, frmPayload: frmPayload.toBase64() } satisfies Body);
  return { group_id: groupID, f_cnt: fCnt, gateway_id: gatewayID, at, body };
}

function itemOf({ group_id, f_cnt, gateway_id, at, body }: Row): MulticastItem {
  const { frmPayload, ...rest } = JSON.parse(body) as Body;
  const place = { groupID: group_id, fCnt: f_cnt, gatewayID: gateway_id };
  return { ...place, ...rest, at, frmPayload: Uint8Array.fromBase64(frmPayload) };
}
