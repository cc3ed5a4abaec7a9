import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { EventLog, LogPosition } from '../event-log/event-log.ts';
import type { Configured } from '../integrations/integration.ts';
import { type Health, healthy } from './health.ts';
import type { DeliveryTables } from './tables.ts';

/** Where an integration stands, as it is kept. */
export interface Saved {
  position: LogPosition;
  /** The number of the last event that was read. */
  pos: number;
  /** Numbers of events behind the position that are done already: others before them are not. */
  doneAhead: readonly number[];
  /** Of the configuration that `health` is about. */
  revision: number;
  health: Health;
  /** Earlier events are none of its business: it was made or went on then. */
  fromAt: Date;
  keepOrder: boolean;
  maxInFlight: number;
}

export const mostInFlight = 32;

/** What is kept of an integration; a new one begins with what happened since it was made. Undefined when it is gone. */
export async function loadState(
  { database, eventLog }: { database: Database; eventLog: EventLog },
  { id, revision }: Configured,
  now: Date,
): Promise<Saved | undefined> {
  const { query } = database;
  const row = await query
    .selectFrom('integration_state')
    .selectAll()
    .where('integration_id', '=', id)
    .executeTakeFirst();
  if (row) return fromRow(row);
  const made = await query.selectFrom('integration').select('created_at').where('id', '=', id).executeTakeFirst();
  if (!made) return undefined;
  const position = await eventLog.positionAt(made.created_at);
  const options = { fromAt: made.created_at, keepOrder: true, maxInFlight: mostInFlight };
  const saved = { position, pos: 0, doneAhead: [], revision, health: healthy(now), ...options };
  await query
    .insertInto('integration_state')
    .values({ integration_id: id, ...toRow(saved) })
    .execute();
  return saved;
}

/** Nothing when the integration is gone. */
export async function saveState({ query }: Database, id: number, saved: Saved): Promise<void> {
  await query.updateTable('integration_state').set(toRow(saved)).where('integration_id', '=', id).execute();
}

function fromRow(row: Selectable<DeliveryTables['integration_state']>): Saved {
  return {
    position: row.position as LogPosition,
    pos: row.pos,
    doneAhead: JSON.parse(row.done_ahead) as number[],
    revision: row.revision,
    health: {
      state: row.state,
      reason: row.reason,
      since: row.since,
      failingSince: row.failing_since ?? undefined,
      lastSuccessAt: row.last_success_at ?? undefined,
    },
    fromAt: row.from_at,
    keepOrder: row.keep_order,
    maxInFlight: row.max_in_flight,
  };
}

function toRow({ position, pos, doneAhead, revision, health, fromAt, keepOrder, maxInFlight }: Saved) {
  return {
    position,
    pos,
    revision,
    done_ahead: JSON.stringify(doneAhead),
    state: health.state,
    reason: health.reason,
    since: health.since,
    failing_since: health.failingSince ?? null,
    last_success_at: health.lastSuccessAt ?? null,
    from_at: fromAt,
    keep_order: keepOrder,
    max_in_flight: maxInFlight,
  };
}

/** What no cut of the log may take away. */
export async function neededPositions({ query }: Database): Promise<LogPosition[]> {
  const states = await query.selectFrom('integration_state').select('position').execute();
  const replays = await query.selectFrom('delivery_replay').select('position').where('state', '=', 'RUNNING').execute();
  return [...states, ...replays].map(({ position }) => position as LogPosition);
}
