import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { DatabaseKind } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Tables } from '../database/tables.ts';
import type { Link, TimedLink } from './event-log.ts';
import { columns, type EventRow } from './row.ts';

/**
 * The events of a device, except its errors, are a linked list: the device has the position of the last one, each event
 * that of the previous one. Both rows are written anyway; an index by device would cost one more write per event.
 */

export const linkColumns = ['event_seq', 'last_event', 'previous_event'] as const;

/** What an update sets at a device for its next event, which must be appended before any other. */
export function nextLink(kind: DatabaseKind): { [Column in keyof Link]: string } {
  return {
    event_seq: 'event_seq + 1',
    previous_event: 'last_event',
    last_event: kind === 'sqlite' ? nextOnSqlite : "nextval('event_pos_seq')",
  };
}

/** Positions are never assigned twice, even when rows were removed. */
const nextOnSqlite = "(select coalesce(max(seq), 0) + 1 from sqlite_sequence where name = 'event')";

/**
 * The time of its next event: milliseconds since 1970 that never decrease, whatever clock they come from. The parameter
 * is `$now`.
 */
export function nextTime(kind: DatabaseKind, atLeastLater = 0): string {
  return `${kind === 'sqlite' ? 'max' : 'greatest'}(stream_ms + ${atLeastLater}, $now)`;
}

/** For the condition of an update with `nextLink`: on PostgreSQL a transaction must have its id before a position. */
export function hasTransaction(kind: DatabaseKind): string {
  return kind === 'sqlite' ? 'true' : 'pg_current_xact_id() is not null';
}

/** What an update sets at a device whose next event happens now. */
export const setNext = (kind: DatabaseKind): string =>
  Object.entries({ ...nextLink(kind), stream_ms: nextTime(kind) })
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ');

export const timedLinkColumns = 'event_seq, last_event, previous_event, stream_ms';

/** For one more event of a device that the transaction has already updated. */
export const takeLink = statement<TimedLink>()({
  sql: ({ kind }) => `update device set ${setNext(kind)} where dev_eui = $devEUI and ${hasTransaction(kind)}
    returning ${timedLinkColumns}`,
  given: { devEUI: 'text', now: 'int8' },
});

/** For an error, and for an event that only the history shows. */
export const takeErrorTime = statement<TimedLink>()({
  sql: ({ kind }) => `update device set stream_ms = ${nextTime(kind, 1)} where dev_eui = $devEUI
    returning ${timedLinkColumns}`,
  given: { devEUI: 'text', now: 'int8' },
});

/**
 * The last `most` events of a device that are not errors, the newest first; with `type`, those of that type among them.
 */
export async function lastOfDevice(
  query: Kysely<Tables>,
  { devEUI, most, type }: { devEUI: string; most: number; type?: string | undefined },
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    with recursive chain(pos, previous, nth) as (
      select event.pos, event.previous, 1 from device
      inner join event on event.pos = device.last_event where device.dev_eui = ${devEUI}
      union all
      select event.pos, event.previous, nth + 1 from chain
      inner join event on event.pos = chain.previous where nth < ${most}
    )
    select ${sql.join(columns.map((column) => sql.ref(`event.${column}`)))}
    from chain inner join event on event.pos = chain.pos
    where ${type === undefined ? sql`true` : sql`event.type = ${type}`}
    order by nth`.execute(query);
  return rows;
}

const stepsPerQuery = 1000;

/** The event of a device with this number that is not an error; a long list is walked in several queries. */
export async function findOfDevice(query: Kysely<Tables>, devEUI: string, seq: number): Promise<EventRow | undefined> {
  const device = query.selectFrom('device').select('last_event').where('dev_eui', '=', devEUI);
  let pos = (await device.executeTakeFirst())?.last_event;
  while (pos) {
    const { rows } = await sql<{ pos: number; seq: number; previous: number | null }>`
      with recursive chain(pos, seq, previous, nth) as (
        select pos, seq, previous, 1 from event where pos = ${pos}
        union all
        select event.pos, event.seq, event.previous, nth + 1 from chain
        inner join event on event.pos = chain.previous where chain.seq > ${seq} and nth < ${stepsPerQuery}
      )
      select pos, seq, previous from chain order by nth desc limit 1`.execute(query);
    const last = rows[0];
    if (!last || last.seq < seq) return undefined;
    if (last.seq === seq)
      return query.selectFrom('event').select(columns).where('pos', '=', last.pos).executeTakeFirst();
    pos = last.previous;
    await yieldToEventLoop();
  }
  return undefined;
}
