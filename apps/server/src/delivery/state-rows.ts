import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { EventLog, LogPosition } from '../event-log/event-log.ts';
import type { ConfiguredIntegration } from '../integrations/integration.ts';
import { type Health, healthy } from './health.ts';
import type { DeliveryTables } from './tables.ts';

/** The stored state of an integration: its cursor, health and options. */
export interface DeliveryState {
  /** The position of the next read: all events before it are completed. */
  position: LogPosition;
  /** The highest number of an event that was read. */
  lastReadPos: number;
  /** Numbers of completed events after the position: an earlier event is still open. */
  doneAhead: readonly number[];
  /** The revision of the configuration to which `health` refers. */
  revision: number;
  health: Health;
  /** When the integration was created, or continued with new events: earlier events are not delivered. */
  fromAt: Date;
  keepOrder: boolean;
  maxInFlight: number;
}

export const defaultMaxInFlight = 32;

/** The state of an integration. A new one starts at the time of its creation. Undefined when it does not exist any more. */
export async function loadState(
  { database, eventLog }: { database: Database; eventLog: Pick<EventLog, 'positionAt'> },
  { id, revision }: ConfiguredIntegration,
  now: Date,
): Promise<DeliveryState | undefined> {
  const { query } = database;
  const row = await query
    .selectFrom('integration_state')
    .selectAll()
    .where('integration_id', '=', id)
    .executeTakeFirst();
  if (row) return fromRow(row);
  const created = await query.selectFrom('integration').select('created_at').where('id', '=', id).executeTakeFirst();
  if (!created) return undefined;
  const position = await eventLog.positionAt(created.created_at);
  const state = newState({ position, revision, health: healthy(now), fromAt: created.created_at });
  await insertState(database, id, state);
  return state;
}

/** Stores a new integration as suspended from the start: it sends nothing until it is resumed or its configuration changes. */
export async function storeSuspended(
  database: Database,
  { id, revision }: Pick<ConfiguredIntegration, 'id' | 'revision'>,
  { position, reason, now }: { position: LogPosition; reason: string; now: Date },
): Promise<void> {
  const health: Health = { ...healthy(now), state: 'SUSPENDED', reason };
  await insertState(database, id, newState({ position, revision, health, fromAt: now }));
}

const newState = (start: Pick<DeliveryState, 'position' | 'revision' | 'health' | 'fromAt'>): DeliveryState => ({
  ...start,
  lastReadPos: 0,
  doneAhead: [],
  keepOrder: true,
  maxInFlight: defaultMaxInFlight,
});

async function insertState({ query }: Database, id: number, state: DeliveryState): Promise<void> {
  await query
    .insertInto('integration_state')
    .values({ integration_id: id, ...toRow(state) })
    .execute();
}

/** Writes nothing when the integration does not exist any more. */
export async function saveState({ query }: Database, id: number, state: DeliveryState): Promise<void> {
  await query.updateTable('integration_state').set(toRow(state)).where('integration_id', '=', id).execute();
}

function fromRow(row: Selectable<DeliveryTables['integration_state']>): DeliveryState {
  return {
    position: row.position as LogPosition,
    lastReadPos: row.pos,
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

function toRow({
  position,
  lastReadPos: pos,
  doneAhead,
  revision,
  health,
  fromAt,
  keepOrder,
  maxInFlight,
}: DeliveryState) {
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

/** The positions of all integrations and running replays: the log must retain the events after them. */
export async function storedPositions({ query }: Database): Promise<LogPosition[]> {
  const states = await query.selectFrom('integration_state').select('position').execute();
  const replays = await query.selectFrom('delivery_replay').select('position').where('state', '=', 'RUNNING').execute();
  return [...states, ...replays].map(({ position }) => position as LogPosition);
}
