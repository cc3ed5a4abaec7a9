import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import type { LoggedEvent } from '../event-log/event-log.ts';
import type { EventType } from '../events/event.ts';
import type { ParkedTable } from './tables.ts';

/** An event that is set aside, with what was tried so far. */
export interface Parked {
  event: LoggedEvent;
  /** Parts of the delivery that are done. */
  done: readonly string[];
  attempts: number;
  failures: number;
  nextAt: Date;
  status: number;
  message: string;
  deadAt: Date | undefined;
  /** When somebody had it tried again. */
  revivedAt?: Date | undefined;
}

const slice = 100;

/** Sets events aside; those that are already stay as they are. */
export async function insertParked({ query }: Database, id: number, parked: readonly Parked[]): Promise<void> {
  for (let first = 0; first < parked.length; first += slice)
    await query
      .insertInto('delivery_parked')
      .values(parked.slice(first, first + slice).map((one) => ({ integration_id: id, ...toRow(one) })))
      .onConflict((on) => on.columns(['integration_id', 'pos']).doNothing())
      .execute();
}

export async function updateParked({ query }: Database, id: number, parked: Parked): Promise<void> {
  await query
    .updateTable('delivery_parked')
    .set(toRow(parked))
    .where('integration_id', '=', id)
    .where('pos', '=', parked.event.pos)
    .execute();
}

export async function deleteParked({ query }: Database, id: number, pos: number): Promise<void> {
  await query.deleteFrom('delivery_parked').where('integration_id', '=', id).where('pos', '=', pos).execute();
}

/** The oldest event of a device that is set aside and not given up. */
export async function oldestParked({ query }: Database, id: number, devEUI: string): Promise<Parked | undefined> {
  const row = await query
    .selectFrom('delivery_parked')
    .selectAll()
    .where('integration_id', '=', id)
    .where('dev_eui', '=', devEUI)
    .where('dead_at', 'is', null)
    .orderBy('pos')
    .limit(1)
    .executeTakeFirst();
  return row && fromRow(row);
}

/** What a runner keeps in memory of an event that is set aside. */
export interface ParkedPlace {
  pos: number;
  devEUI: string;
  nextAt: Date;
  isDead: boolean;
}

/** All that is set aside, in its order. */
export async function readParked({ query }: Database, id: number): Promise<ParkedPlace[]> {
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

function fromRow(row: Selectable<ParkedTable>): Parked {
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
    done: JSON.parse(row.done) as string[],
    attempts: row.attempts,
    failures: row.failures,
    nextAt: row.next_at,
    status: row.status,
    message: row.message,
    deadAt: row.dead_at ?? undefined,
    revivedAt: row.revived_at ?? undefined,
  };
}

function toRow({ event, done, attempts, failures, nextAt, status, message, deadAt, revivedAt }: Parked) {
  return {
    pos: event.pos,
    event_id: event.id,
    dev_eui: event.devEUI,
    application_id: event.applicationID,
    at: event.at,
    type: event.type,
    payload: event.json,
    done: JSON.stringify(done),
    attempts,
    failures,
    next_at: nextAt,
    status,
    message,
    dead_at: deadAt ?? null,
    revived_at: revivedAt ?? null,
  };
}
