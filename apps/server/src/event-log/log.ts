import { prepare } from '../database/prepared.ts';
import type { SteadyTime } from '../database/steady-time.ts';
import { failPoint } from '../fail-points.ts';
import type { Needs } from '../needs.ts';
import { findOfDevice, lastOfDevice } from './chain.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import { type Cut, createCut } from './cut.ts';
import { type EventType, eventMessages, partsOfEventID } from './event.ts';
import type { EventLog } from './event-log.ts';
import { postgresCommits } from './postgres.ts';
import { createReader } from './reader.ts';
import { columns, isError, toLogged } from './row.ts';
import { sqliteCommits } from './sqlite.ts';
import { createTail } from './tail.ts';
import { createWakes } from './wakes.ts';

/** Of how many events that wait the types are looked at: these are read whole. */
const mostTold = 10_000;
/** Beyond this many, nobody is told how many events wait. */
const mostCounted = 100_000;
/** How many of the newest are looked at for one of a type. */
const mostLookedAt = 1000;
/** Events of different devices may have taken their time in another order than their number. */
const unorderedMs = 1000;

const allTypes = Object.keys(eventMessages) as EventType[];

export type RunningEventLog = EventLog & Cut;

type EventLogDependencies = Pick<Needs, 'config' | 'database' | 'clock' | 'log' | 'metrics'> & {
  steadyTime: SteadyTime;
};

/** Call it outside of transactions: it reads what was committed, in whatever transaction it is asked. */
export async function createEventLog(needs: EventLogDependencies): Promise<RunningEventLog> {
  const { database, clock } = needs;
  const { query } = database;
  const commits = database.kind === 'sqlite' ? await sqliteCommits(database) : postgresCommits(query);
  const tail = await createTail(commits, clock);
  const wakes = createWakes();
  const cut = createCut(needs);

  type Appended = { at: number; applicationID: number; devEUI: string; seq: number; type: string; payload: string };
  const values = ($: Appended) => ({
    at: $.at,
    application_id: $.applicationID,
    dev_eui: $.devEUI,
    seq: $.seq,
    type: $.type,
    payload: $.payload,
  });
  const append = prepare<Appended>()(database, (insert, $) =>
    insert.insertInto('event').values(values($)).returning('pos'),
  );
  const appendAt = prepare<Appended & { pos: number; previous: number | null }>()(
    database,
    (insert, $) => insert.insertInto('event').values({ ...values($), pos: $.pos, previous: $.previous }),
    { isBatched: true, types: { previous: 'int8' } },
  );

  const after = (pos: number, applicationID: number | undefined) => {
    const all = query.selectFrom('event').where('pos', '>', pos);
    return applicationID === undefined ? all : all.where('application_id', '=', applicationID);
  };

  /** The first row from `pos` on, or from that time on. */
  const first = (pos: number, fromMs = Number.MIN_SAFE_INTEGER) =>
    after(pos - 1, undefined)
      .select(['pos', 'at'])
      .where('at', '>=', fromMs)
      .orderBy('pos')
      .limit(1)
      .executeTakeFirst();

  return {
    append: async (event, link) => {
      const { applicationID, devEUI, type } = event;
      const { at, seq } = partsOfEventID(event.id);
      const row = { at, applicationID, devEUI, seq, type, payload: event.json() };
      let pos = link?.last_event;
      if (link && pos) await appendAt.run({ ...row, pos, previous: link.previous_event });
      else ({ pos } = (await append.first(row))!);
      failPoint('event appended');
      database.afterCommit(() => {
        failPoint('event committed');
        commits.committed({ pos, at, application_id: applicationID, dev_eui: devEUI, seq, type, payload: row.payload });
        tail.hint();
        wakes.tell(applicationID);
      });
    },
    onAppend: (applicationID, wake) => wakes.on(applicationID, wake),
    end: async () => {
      await tail.fill();
      return formatCursor(tail.newest().place);
    },
    positionAt: async (time) => {
      await tail.fill();
      const { place } = tail.newest();
      const fromMs = time.getTime();
      // Numbers grow with time: halve what lies between until nothing does.
      let [low, high] = [(await first(0))?.pos ?? place.pos + 1, place.pos + 1];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const row = await first(middle);
        if (!row || row.at >= fromMs - unorderedMs) high = middle;
        else low = row.pos + 1;
      }
      const found = await first(low, fromMs);
      return formatCursor({ pos: found ? Math.min(found.pos - 1, place.pos) : place.pos, gaps: place.gaps });
    },
    reader: (applicationID, from) => createReader({ query, tail }, applicationID, from),
    behind: async (applicationID, from, types = allTypes) => {
      const { pos } = parseCursor(from);
      const next = after(pos, applicationID).select(['pos', 'at', 'type']).orderBy('pos').limit(mostTold).as('next');
      const told = await query
        .selectFrom(next)
        .select(({ fn }) => [
          fn.max('pos').as('last'),
          fn.countAll().as('all'),
          fn.countAll().filterWhere('type', 'in', types).as('events'),
          fn.min('at').filterWhere('type', 'in', types).as('oldestAt'),
        ])
        .executeTakeFirstOrThrow();
      let events = Number(told.events);
      if (Number(told.all) === mostTold) {
        const others = after(Number(told.last), applicationID).select('pos').limit(mostCounted).as('others');
        const more = query.selectFrom(others).select(({ fn }) => fn.countAll().as('events'));
        events += Number((await more.executeTakeFirstOrThrow()).events);
      }
      return { events, oldestAt: told.oldestAt === null ? undefined : new Date(Number(told.oldestAt)) };
    },
    find: async (id) => {
      const { devEUI, at, seq } = partsOfEventID(id);
      const found = await findOfDevice(query, devEUI, seq);
      if (found?.at === at) return toLogged(found);
      const errors = query.selectFrom('event').select(columns).where('dev_eui', '=', devEUI).where(isError);
      const error = await errors.where('at', '=', at).where('seq', '=', seq).executeTakeFirst();
      return error && toLogged(error);
    },
    newest: async (applicationID, { type, devEUI } = {}) => {
      const ofApplication = query.selectFrom('event').select(columns).where('application_id', '=', applicationID);
      if (devEUI !== undefined && type !== 'error') {
        const rows = await lastOfDevice(query, { devEUI, most: mostLookedAt, type });
        const row = rows.find((one) => one.application_id === applicationID);
        return row && toLogged(row);
      }
      const some =
        devEUI === undefined
          ? ofApplication.orderBy('pos', 'desc')
          : ofApplication.where('dev_eui', '=', devEUI).where(isError).orderBy('at', 'desc');
      const newest = query.selectFrom(some.limit(mostLookedAt).as('some')).selectAll().orderBy('pos', 'desc').limit(1);
      const row = await (type === undefined ? newest : newest.where('type', '=', type)).executeTakeFirst();
      return row && toLogged(row);
    },
    ...cut,
  };
}
