import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';
import type { DeliveryParkedTable } from './tables.ts';

/** An event in the retry queue or among the dead letters, with the state of its delivery. */
export interface RetryRow {
  event: LoggedEvent;
  doneParts: readonly string[];
  attempts: number;
  /** Failed attempts; the live failure that moved the event to the retry queue counts as 1, and a requeue sets 0. */
  failures: number;
  nextAt: Date;
  /** The status of the last response; 0 without one. */
  status: number;
  message: string;
  /** When it became a dead letter; undefined while it is retried. */
  deadAt: Date | undefined;
  /** When a user requeued it last. */
  revivedAt?: Date | undefined;
}

const rowsPerInsert = 100;

/** Keeps existing rows of events unchanged. */
export async function insertRetryRows({ query }: Database, id: number, rows: readonly RetryRow[]): Promise<void> {
  for (let first = 0; first < rows.length; first += rowsPerInsert)
    await query
      .insertInto('delivery_parked')
      .values(rows.slice(first, first + rowsPerInsert).map((row) => ({ integration_id: id, ...toColumns(row) })))
      .onConflict((on) => on.columns(['integration_id', 'pos']).doNothing())
      .execute();
}

export async function updateRetryRow({ query }: Database, id: number, row: RetryRow): Promise<void> {
  await query
    .updateTable('delivery_parked')
    .set(toColumns(row))
    .where('integration_id', '=', id)
    .where('pos', '=', row.event.pos)
    .execute();
}

export async function deleteRetryRow({ query }: Database, id: number, pos: number): Promise<void> {
  await query.deleteFrom('delivery_parked').where('integration_id', '=', id).where('pos', '=', pos).execute();
}

/** The oldest event of a device that waits for a retry. */
export async function oldestRetryRow({ query }: Database, id: number, devEUI: string): Promise<RetryRow | undefined> {
  const row = await query
    .selectFrom('delivery_parked')
    .selectAll()
    .where('integration_id', '=', id)
    .where('dev_eui', '=', devEUI)
    .where('dead_at', 'is', null)
    .orderBy('pos')
    .limit(1)
    .executeTakeFirst();
  return row && fromColumns(row);
}

/** The part of a row that is held in memory. */
export interface RetryReference {
  pos: number;
  devEUI: string;
  nextAt: Date;
  isDead: boolean;
}

/** All retries and dead letters of an integration, the oldest event first. */
export async function readRetryAndDeadLetterReferences({ query }: Database, id: number): Promise<RetryReference[]> {
  const rows = await query
    .selectFrom('delivery_parked')
    .select(['pos', 'dev_eui', 'next_at', 'dead_at'])
    .where('integration_id', '=', id)
    .orderBy('pos')
    .execute();
  return rows.map((row) => ({
    pos: row.pos,
    devEUI: row.dev_eui,
    nextAt: row.next_at,
    isDead: row.dead_at !== null,
  }));
}

/** For an integration that continues with new events: removes the retry queue, but not the dead letters. */
export async function deleteAllButDeadLetters({ query }: Database, id: number): Promise<void> {
  await query.deleteFrom('delivery_parked').where('integration_id', '=', id).where('dead_at', 'is', null).execute();
}

function fromColumns(row: Selectable<DeliveryParkedTable>): RetryRow {
  return {
    event: {
      id: row.event_id,
      pos: row.pos,
      type: row.type as EventType,
      devEUI: row.dev_eui,
      applicationID: row.application_id,
      at: row.at,
      json: row.payload,
    },
    doneParts: JSON.parse(row.done) as string[],
    attempts: row.attempts,
    failures: row.failures,
    nextAt: row.next_at,
    status: row.status,
    message: row.message,
    deadAt: row.dead_at ?? undefined,
    revivedAt: row.revived_at ?? undefined,
  };
}

function toColumns({ event, doneParts, attempts, failures, nextAt, status, message, deadAt, revivedAt }: RetryRow) {
  return {
    pos: event.pos,
    event_id: event.id,
    dev_eui: event.devEUI,
    application_id: event.applicationID,
    at: event.at,
    type: event.type,
    payload: event.json,
    done: JSON.stringify(doneParts),
    attempts,
    failures,
    next_at: nextAt,
    status,
    message,
    dead_at: deadAt ?? null,
    revived_at: revivedAt ?? null,
  };
}
