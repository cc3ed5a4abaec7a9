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
import { statement } from '../database/statement.ts';
import type { RowOf, Tables } from '../database/tables.ts';
import { sessionOf } from './session-body.ts';
import type { MulticastItemTable } from './tables.ts';

export type MulticastRows = ReturnType<typeof multicastRows>;

type Group = { groupID: string };
type Counted = Group & { fCnt: number };
type Member = Group & { devEUI: string };

const inServer = { ns: 'int8' } as const;

const queueStatement = statement<MulticastItemTable>()({
  sql: `select * from ns_multicast_item where network_server_id = $ns and group_id = $groupID
    order by f_cnt, gateway_id`,
  fixed: inServer,
  given: { groupID: 'text' },
});

const nextStatement = statement<MulticastItemTable>()({
  sql: `select * from ns_multicast_item
    where network_server_id = $ns and group_id = $groupID and gateway_id = $gatewayID
    order by f_cnt limit 1`,
  fixed: inServer,
  given: { groupID: 'text', gatewayID: 'text' },
});

const headsStatement = statement<MulticastItemTable>()({
  sql: `select item.* from ns_multicast_item as item
    inner join (
      select group_id, min(f_cnt) as f_cnt from ns_multicast_item
      where network_server_id = $ns and gateway_id = $gatewayID
      group by group_id
    ) as head on head.group_id = item.group_id and head.f_cnt = item.f_cnt
    where item.network_server_id = $ns and item.gateway_id = $gatewayID`,
  fixed: inServer,
  given: { gatewayID: 'text' },
});

const counterStatement = statement<RowOf<'ns_multicast_counter', 'f_cnt'>>()({
  sql: 'select f_cnt from ns_multicast_counter where network_server_id = $ns and group_id = $groupID',
  fixed: inServer,
  given: { groupID: 'text' },
});

const setCounterStatement = statement()({
  sql: `insert into ns_multicast_counter (network_server_id, group_id, f_cnt) values ($ns, $groupID, $fCnt)
    on conflict (network_server_id, group_id) do update set f_cnt = excluded.f_cnt`,
  fixed: inServer,
  given: { groupID: 'text', fCnt: 'int8' },
});

const membersStatement = statement<{ dev_eui: string; body: string | null }>()({
  sql: `select member.dev_eui, session.body from ns_multicast_member as member
    left join ns_session as session on session.network_server_id = member.network_server_id
      and session.dev_eui = member.dev_eui and session.role = 'current'
    where member.network_server_id = $ns and member.group_id = $groupID
    order by member.dev_eui`,
  fixed: inServer,
  given: { groupID: 'text' },
});

/** Changes nothing during a cooldown. An end after `doubtful` was written with a wrong clock. */
const startCooldownStatement = statement()({
  sql: `insert into ns_multicast_rest (network_server_id, "of", until) values ($ns, $id, $until)
    on conflict (network_server_id, "of") do update set until = excluded.until
      where ns_multicast_rest.until <= $now or ns_multicast_rest.until > $doubtful`,
  fixed: inServer,
  given: { id: 'text', now: 'int8', until: 'int8', doubtful: 'int8' },
});

const queueStatements = (database: Database, ns: number) => ({
  queue: queueStatement(database, { ns }),
  next: nextStatement(database, { ns }),
  heads: headsStatement(database, { ns }),
});

const groupStatements = (database: Database, ns: number) => ({
  counter: counterStatement(database, { ns }),
  setCounter: setCounterStatement(database, { ns }),
  members: membersStatement(database, { ns }),
  startCooldown: startCooldownStatement(database, { ns }),
});

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
  const { counter, setCounter, members, startCooldown } = groupStatements(database, ns);
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
    startCooldowns: async ({ of, now, until, longestMs }: StartCooldowns): Promise<boolean> => {
      // All instances use the same order: otherwise two that begin the same cooldowns could deadlock.
      for (const id of [...of].sort())
        if ((await startCooldown.run({ id, now, until, doubtful: now + 2 * longestMs })) === 0) return false;
      return true;
    },
    removeCooldown: async (of: string) => {
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
    next: async (queue: MulticastQueueID): Promise<MulticastItem | null> => {
      const row = await next.first(queue);
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
    deleteItem: async (itemID: MulticastItemID) => {
      await database.query.deleteFrom('ns_multicast_item').where(isAt(itemID)).execute();
    },
  };
}

const neverHeard: Pick<DeviceSession, 'dr' | 'receivers'> = { dr: 0, receivers: [] };

type StartCooldowns = Omit<Extract<Write, { kind: 'startMulticastCooldowns' }>, 'kind'>;
type Row = Omit<MulticastItemTable, 'network_server_id'>;
type Body = Omit<MulticastItem, keyof MulticastItemID | 'at' | 'frmPayload'> & { frmPayload: string };

function rowOf({ groupID, fCnt, gatewayID, at, frmPayload, ...rest }: MulticastItem): Row {
  const body = JSON.stringify({ ...rest, frmPayload: frmPayload.toBase64() } satisfies Body);
  return { group_id: groupID, f_cnt: fCnt, gateway_id: gatewayID, at, body };
}

function itemOf({ group_id, f_cnt, gateway_id, at, body }: Row): MulticastItem {
  const { frmPayload, ...rest } = JSON.parse(body) as Body;
  const itemID = { groupID: group_id, fCnt: f_cnt, gatewayID: gateway_id };
  return { ...itemID, ...rest, at, frmPayload: Uint8Array.fromBase64(frmPayload) };
}
