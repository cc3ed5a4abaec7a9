import { type Selectable, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { LogPosition } from '../event-log/event-log.ts';
import type { DeliveryReplayTable } from './tables.ts';

/** Selects the events of a replay. */
export interface ReplayRange {
  from: Date;
  to: Date;
  /** Empty: all devices. */
  devEUI: string;
  /** Empty: all. */
  types: readonly string[];
}

export interface Replay extends ReplayRange {
  id: string;
  integrationID: number;
  /** The position of the next read. */
  position: LogPosition;
  state: 'RUNNING' | 'DONE' | 'CANCELLED';
  /** How many events were selected when the replay began. */
  events: number;
  sent: number;
  failed: number;
  /** Numbers of completed events after the position: an earlier event is still open. */
  doneAhead: readonly number[];
  createdAt: Date;
}

const maxReplays = 20;

/** The newest first. */
export async function readReplays({ query }: Database, integrationID: number): Promise<Replay[]> {
  const rows = await query
    .selectFrom('delivery_replay')
    .selectAll()
    .where('integration_id', '=', integrationID)
    .orderBy('created_at', 'desc')
    .limit(maxReplays)
    .execute();
  return rows.map(fromRow);
}

/** Deletes all but the newest 20 replays of the integration. */
export async function insertReplay(database: Database, replay: Replay): Promise<void> {
  const { integrationID } = replay;
  await database.transaction(async () => {
    const { query } = database;
    await query.insertInto('delivery_replay').values(toRow(replay)).execute();
    const newest = query.selectFrom('delivery_replay').select('id').where('integration_id', '=', integrationID);
    await query
      .deleteFrom('delivery_replay')
      .where('integration_id', '=', integrationID)
      .where('id', 'not in', newest.orderBy('created_at', 'desc').limit(maxReplays))
      .execute();
  });
}

/** Writes nothing when the integration does not exist any more. */
export async function saveReplay(database: Database, replay: Replay): Promise<void> {
  await database.commit({
    run: async () => {
      const { query } = database;
      await query.updateTable('delivery_replay').set(toRow(replay)).where('id', '=', replay.id).execute();
      return true;
    },
  });
}

const rowsPerRead = 5000;

/** Counts the events that a range selects, in several short reads, and finds the time of the oldest stored event. */
export async function countEvents(
  { query }: Database,
  applicationID: number | undefined,
  { from, to, devEUI, types }: ReplayRange,
): Promise<{ events: number; storedFrom: Date | undefined }> {
  const ofApplication = query
    .selectFrom('event')
    .$if(applicationID !== undefined, (rows) => rows.where('application_id', '=', applicationID!));
  const oldest = await ofApplication.select('at').orderBy('pos').limit(1).executeTakeFirst();
  let events = 0;
  for (let after = -1; ; ) {
    const page = ofApplication
      .select(['pos', 'at', 'dev_eui', 'type'])
      .where('pos', '>', after)
      .orderBy('pos')
      .limit(rowsPerRead)
      .as('page');
    const { last, count } = await query
      .selectFrom(page)
      .select(({ fn }) => [
        fn.max('pos').as('last'),
        fn
          .countAll()
          .filterWhere('at', '>=', from.getTime())
          .filterWhere('at', '<=', to.getTime())
          .filterWhere(devEUI === '' ? sql<boolean>`true` : sql<boolean>`dev_eui = ${devEUI}`)
          .filterWhere(types.length === 0 ? sql<boolean>`true` : sql<boolean>`type in (${sql.join(types)})`)
          .as('count'),
      ])
      .executeTakeFirstOrThrow();
    events += Number(count);
    if (last === null) return { events, storedFrom: oldest && new Date(oldest.at) };
    after = Number(last);
  }
}

function fromRow(row: Selectable<DeliveryReplayTable>): Replay {
  return {
    id: row.id,
    integrationID: row.integration_id,
    from: row.from_at,
    to: row.to_at,
    devEUI: row.dev_eui,
    types: JSON.parse(row.types) as string[],
    position: row.position as LogPosition,
    state: row.state,
    events: row.events,
    sent: row.sent,
    failed: row.failed,
    createdAt: row.created_at,
    doneAhead: JSON.parse(row.done_ahead) as number[],
  };
}

function toRow({ integrationID, from, to, devEUI, types, createdAt, doneAhead, ...columns }: Replay) {
  return {
    ...columns,
    integration_id: integrationID,
    from_at: from,
    to_at: to,
    dev_eui: devEUI,
    types: JSON.stringify(types),
    created_at: createdAt,
    done_ahead: JSON.stringify(doneAhead),
  };
}
