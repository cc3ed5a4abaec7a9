import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import { failPoint } from '../fail-points.ts';
import { createCommitListeners } from './commit-listeners.ts';
import { formatCursor } from './cursor.ts';
import { type LoggableEvent, partsOfEventID } from './event.ts';
import type { EventLog, Link } from './event-log.ts';
import { postgresCommits } from './postgres.ts';
import { countAfter, cursorAt, findEvent, newestEvent } from './queries.ts';
import { createReader } from './reader.ts';
import { createRetention, type Retention, type RetentionDependencies } from './retention.ts';
import type { EventRow } from './row.ts';
import { sqliteCommits } from './sqlite.ts';
import { createTail } from './tail.ts';

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
  const listeners = createCommitListeners();
  const append = appender(database, (row) => {
    commits.committed(row);
    tail.hint();
    listeners.notify(row.application_id);
  });

  return {
    append,
    onAppend: (applicationID, wake) => listeners.on(applicationID, wake),
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
    find: async (id) => {
      await tail.fill();
      return findEvent(query, id, tail.newest().cursor);
    },
    newest: (applicationID, only = {}) => newestEvent(query, applicationID, only),
    ...createRetention(dependencies),
  };
}

const eventParameters = {
  at: 'int8',
  applicationID: 'int8',
  devEUI: 'text',
  seq: 'int8',
  type: 'text',
  payload: 'text',
  note: 'text?',
} as const;

const insertEvent = statement<RowOf<'event', 'pos'>>()({
  sql: `insert into event (at, application_id, dev_eui, seq, type, payload, note)
    values ($at, $applicationID, $devEUI, $seq, $type, $payload, $note)
    returning pos`,
  given: eventParameters,
});

const insertEventAt = statement()({
  sql: ({ values }) => `insert into event (at, application_id, dev_eui, seq, type, payload, note, pos, previous)
    ${values('$at, $applicationID, $devEUI, $seq, $type, $payload, $note, $pos, $previous')}`,
  given: { ...eventParameters, pos: 'int8', previous: 'int8?' },
  batch: {},
});

/** `append` of the event log. `onCommit` receives the row when it is on disk. */
function appender(database: Database, onCommit: (row: EventRow) => void): EventLog['append'] {
  return async (event: LoggableEvent, link?: Link) => {
    const { applicationID, devEUI, type } = event;
    const { at, seq } = partsOfEventID(event.id);
    const note = event.note ? JSON.stringify(event.note) : null;
    const appended = { at, applicationID, devEUI, seq, type, payload: event.json(), note };
    let pos = link?.last_event;
    if (link && pos) await insertEventAt(database).run({ ...appended, pos, previous: link.previous_event });
    else ({ pos } = (await insertEvent(database).first(appended))!);
    failPoint('event appended');
    database.afterCommit(() => {
      failPoint('event committed');
      onCommit({ pos, at, application_id: applicationID, dev_eui: devEUI, seq, type, payload: appended.payload });
    });
  };
}
