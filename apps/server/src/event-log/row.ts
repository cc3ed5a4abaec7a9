import { type Selectable, sql } from 'kysely';
import type { LoggedEvent, LoggedType } from './event-log.ts';
import type { EventTable } from './tables.ts';

export type EventRow = Omit<Selectable<EventTable>, 'previous' | 'note'>;

export const columns = ['pos', 'at', 'application_id', 'dev_eui', 'seq', 'type', 'payload'] as const;

/** The condition of the partial index of errors; it must equal the one there. */
export const errorCondition = `type = 'error'`;
export const isError = sql.raw<boolean>(errorCondition);

/** Of kinds that only the history shows; the condition of the partial index of them. */
export const ownCondition = 'application_id = 0';
export const isOwn = sql.raw<boolean>(ownCondition);

/** Of gateways: see `gatewaysOf`. */
export const isOfGateway = sql<boolean>`application_id < 0`;

export function toLogged(row: EventRow): LoggedEvent {
  return {
    id: `${row.dev_eui}-${row.at}-${row.seq}`,
    pos: row.pos,
    type: row.type as LoggedType,
    devEUI: row.dev_eui,
    applicationID: row.application_id,
    at: new Date(row.at),
    json: row.payload,
  };
}
