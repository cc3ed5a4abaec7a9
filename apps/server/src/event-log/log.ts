import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { prepare } from '../database/prepared.ts';
import { failPoint } from '../fail-points.ts';
import { formatCursor } from './cursor.ts';
import { type DeviceEvent, partsOfEventID } from './event.ts';
import type { EventLog, Link } from './event-log.ts';
import { postgresCommits } from './postgres.ts';
import { countAfter, cursorAt, findEvent, newestEvent } from './queries.ts';
import { createReader } from './reader.ts';
import { createRetention, type Retention, type RetentionDependencies } from './retention.ts';
import type { EventRow } from './row.ts';
import { sqliteCommits } from './sqlite.ts';
import { createTail } from './tail.ts';
import { createWakes } from './wakes.ts';

export type RunningEventLog = EventLog & Retention;

interface EventLogDependencies extends RetentionDependencies {
  clock: Clock;
}

/** Call it outside of transactions: it reads committed rows, whatever transaction its caller is in. */
export async function createEventLog(dependencies: EventLogDependencies): Promise<RunningEventLog> {
  const { database, clock } = dependencies;
  const { query } = database;
  const commits = database.kind === 'sqlite' ? await sqliteCommits(database) : postgresCommits(query);
  const tail = await createTail(commits, clock);
  const wakes = createWakes();
  const append = appender(database, (row) => {
    commits.committed(row);
    tail.hint();
    wakes.notify(row.application_id);
  });

  return {
    append,
    onAppend: (applicationID, wake) => wakes.on(applicationID, wake),
    end: async () => {
      await tail.fill();
      return formatCursor(tail.newest().cursor);
    },
    positionAt: async (time) => {
      await tail.fill();
      return formatCursor(await cursorAt(query, time, tail.newest().cursor));
    },
    reader: (applicationID, from) => createReader({ query, tail }, applicationID, from),
    behind: (applicationID, position, types) => countAfter(query, { position, applicationID, types }),
    find: (id) => findEvent(query, id),
    newest: (applicationID, only = {}) => newestEvent(query, applicationID, only),
    ...createRetention(dependencies),
  };
}

interface AppendedEvent {
  at: number;
  applicationID: number;
  devEUI: string;
  seq: number;
  type: string;
  payload: string;
}

/** `append` of the event log. `onCommit` receives the row when it is on disk. */
function appender(database: Database, onCommit: (row: EventRow) => void): EventLog['append'] {
  const values = ($: AppendedEvent) => ({
    at: $.at,
    application_id: $.applicationID,
    dev_eui: $.devEUI,
    seq: $.seq,
    type: $.type,
    payload: $.payload,
  });
  const insert = prepare<AppendedEvent>()(database, (query, $) =>
    query.insertInto('event').values(values($)).returning('pos'),
  );
  const insertAt = prepare<AppendedEvent & { pos: number; previous: number | null }>()(
    database,
    (query, $) => query.insertInto('event').values({ ...values($), pos: $.pos, previous: $.previous }),
    { isBatched: true, types: { previous: 'int8' } },
  );

  return async (event: DeviceEvent, link?: Link) => {
    const { applicationID, devEUI, type } = event;
    const { at, seq } = partsOfEventID(event.id);
    const appended = { at, applicationID, devEUI, seq, type, payload: event.json() };
    let pos = link?.last_event;
    if (link && pos) await insertAt.run({ ...appended, pos, previous: link.previous_event });
    else ({ pos } = (await insert.first(appended))!);
    failPoint('event appended');
    database.afterCommit(() => {
      failPoint('event committed');
      onCommit({ pos, at, application_id: applicationID, dev_eui: devEUI, seq, type, payload: appended.payload });
    });
  };
}
