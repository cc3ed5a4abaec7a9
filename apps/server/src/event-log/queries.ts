import { gatewayEventTypes } from '@hilltop/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import { findOfDevice, lastOfDevice } from './chain.ts';
import { type Cursor, parseCursor } from './cursor.ts';
import { type EventType, eventMessages, noApplication, partsOfEventID } from './event.ts';
import type { LoggedEvent, LoggedType, LogPosition } from './event-log.ts';
import { columns, isError, isOfGateway, toLogged } from './row.ts';

/** The most waiting events that are counted by type, because they are read completely. */
const mostCountedByType = 10_000;
/** The most waiting events that are counted. */
const mostCounted = 100_000;
/** The number of newest events that are searched for one of a type. */
const mostSearched = 1000;
/** The order of times of different devices may differ from the order of positions by this much. */
const unorderedMs = 1000;

const allTypes: readonly LoggedType[] = [...(Object.keys(eventMessages) as EventType[]), ...gatewayEventTypes];

/** Rows after `pos`, of one application or of all applications. */
function rowsAfter(query: Kysely<Tables>, pos: number, applicationID: number | undefined) {
  const rows = query.selectFrom('event').where('pos', '>', pos);
  return applicationID === undefined
    ? rows.where('application_id', '<>', noApplication)
    : rows.where('application_id', '=', applicationID);
}

/** The first row from `pos` on with that time or a later one. */
function firstRowFrom(query: Kysely<Tables>, pos: number, fromMs = Number.MIN_SAFE_INTEGER) {
  return rowsAfter(query, pos - 1, undefined)
    .select(['pos', 'at'])
    .where('at', '>=', fromMs)
    .orderBy('pos')
    .limit(1)
    .executeTakeFirst();
}

/** A cursor before the first event of that time or later, found by binary search: positions increase with time. */
export async function cursorAt(query: Kysely<Tables>, time: Date, newest: Cursor): Promise<Cursor> {
  const fromMs = time.getTime();
  let [low, high] = [(await firstRowFrom(query, 0))?.pos ?? newest.pos + 1, newest.pos + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await firstRowFrom(query, middle);
    if (!row || row.at >= fromMs - unorderedMs) high = middle;
    else low = row.pos + 1;
  }
  const found = await firstRowFrom(query, low, fromMs);
  return { pos: found ? Math.min(found.pos - 1, newest.pos) : newest.pos, gaps: newest.gaps };
}

interface WaitingEvents {
  events: number;
  oldestAt: Date | undefined;
}

/** See `behind` of `EventLog`. */
export async function countAfter(
  query: Kysely<Tables>,
  {
    position,
    applicationID,
    types = allTypes,
  }: { position: LogPosition; applicationID: number | undefined; types?: readonly LoggedType[] | undefined },
): Promise<WaitingEvents> {
  const { pos } = parseCursor(position);
  const next = rowsAfter(query, pos, applicationID)
    .select(['pos', 'at', 'type'])
    .orderBy('pos')
    .limit(mostCountedByType)
    .as('next');
  const counted = await query
    .selectFrom(next)
    .select(({ fn }) => [
      fn.max('pos').as('last'),
      fn.countAll().as('all'),
      fn.countAll().filterWhere('type', 'in', types).as('events'),
      fn.min('at').filterWhere('type', 'in', types).as('oldestAt'),
    ])
    .executeTakeFirstOrThrow();
  let events = Number(counted.events);
  if (Number(counted.all) === mostCountedByType) {
    const others = rowsAfter(query, Number(counted.last), applicationID).select('pos').limit(mostCounted).as('others');
    const more = query.selectFrom(others).select(({ fn }) => fn.countAll().as('events'));
    events += Number((await more.executeTakeFirstOrThrow()).events);
  }
  return { events, oldestAt: counted.oldestAt === null ? undefined : new Date(Number(counted.oldestAt)) };
}

/** How many positions after its time the event of a gateway is searched. */
const mostAfterTime = 20_000;

/** No list and no index has the events of a gateway: they are searched near their time. */
async function findOfGateway(query: Kysely<Tables>, id: string, newest: Cursor): Promise<LoggedEvent | undefined> {
  const { devEUI, at, seq } = partsOfEventID(id);
  const { pos } = await cursorAt(query, new Date(at), newest);
  const row = await query
    .selectFrom('event')
    .select(columns)
    .where('pos', '>', pos)
    .where('pos', '<=', pos + mostAfterTime)
    .where(isOfGateway)
    .where('dev_eui', '=', devEUI)
    .where('at', '=', at)
    .where('seq', '=', seq)
    .executeTakeFirst();
  return row && toLogged(row);
}

/** See `find` of `EventLog`. */
export async function findEvent(query: Kysely<Tables>, id: string, newest: Cursor): Promise<LoggedEvent | undefined> {
  const { devEUI, at, seq } = partsOfEventID(id);
  const found = await findOfDevice(query, devEUI, seq);
  if (found?.at === at) return toLogged(found);
  const errors = query.selectFrom('event').select(columns).where('dev_eui', '=', devEUI).where(isError);
  const error = await errors.where('at', '=', at).where('seq', '=', seq).executeTakeFirst();
  return error ? toLogged(error) : findOfGateway(query, id, newest);
}

/** See `newest` of `EventLog`. */
export async function newestEvent(
  query: Kysely<Tables>,
  applicationID: number,
  { type, devEUI }: { type?: LoggedType; devEUI?: string },
): Promise<LoggedEvent | undefined> {
  const isGateway = applicationID < noApplication;
  if (devEUI !== undefined && type !== 'error' && !isGateway) {
    const rows = await lastOfDevice(query, { devEUI, most: mostSearched, type });
    const row = rows.find(({ application_id }) => application_id === applicationID);
    return row && toLogged(row);
  }
  const ofApplication = query.selectFrom('event').select(columns).where('application_id', '=', applicationID);
  const searched =
    devEUI === undefined || isGateway
      ? ofApplication.orderBy('pos', 'desc')
      : ofApplication.where('dev_eui', '=', devEUI).where(isError).orderBy('at', 'desc');
  const newest = query
    .selectFrom(searched.limit(mostSearched).as('searched'))
    .selectAll()
    .$if(devEUI !== undefined, (rows) => rows.where('dev_eui', '=', devEUI!))
    .orderBy('pos', 'desc')
    .limit(1);
  const row = await (type === undefined ? newest : newest.where('type', '=', type)).executeTakeFirst();
  return row && toLogged(row);
}
