import type { OwnKind } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { RowOf } from '../database/tables.ts';
import { failPoint } from '../fail-points.ts';
import { hasTransaction, nextTime, setNext, takeErrorTime, timedLinkColumns } from './chain.ts';
import { createCommitListeners } from './commit-listeners.ts';
import { formatCursor } from './cursor.ts';
import { type LoggableEvent, noApplication, partsOfEventID } from './event.ts';
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
  const appending = appender(database, (row) => {
    commits.committed(row);
    tail.hint();
    listeners.notify(row.application_id);
  });

  return {
    ...appending,
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

/** Its `id` is the position. */
const insertEvent = statement()({
  sql: ({ kind }) => `insert into event (at, application_id, dev_eui, seq, type, payload, note)
    values ($at, $applicationID, $devEUI, $seq, $type, $payload, $note)
    ${kind === 'postgres' ? 'returning pos as id' : ''}`,
  given: eventParameters,
});

const insertEventAt = statement()({
  sql: ({ values }) => `insert into event (at, application_id, dev_eui, seq, type, payload, note, pos, previous)
    ${values('$at, $applicationID, $devEUI, $seq, $type, $payload, $note, $pos, $previous')}`,
  given: { ...eventParameters, pos: 'int8', previous: 'int8?' },
  batch: {},
});

/** `insertEventAt` with the link that the device has got in the same transaction. */
const insertEventOfDevice = statement()({
  sql: `insert into event (at, application_id, dev_eui, seq, type, payload, note, pos, previous)
    select stream_ms, $applicationID, dev_eui, event_seq, $type, $payload, $note, last_event, previous_event
    from device where dev_eui = $devEUI`,
  given: { applicationID: 'int8', devEUI: 'text', type: 'text', payload: 'text', note: 'text?' },
  only: 'sqlite',
});

/** `takeErrorTime` and `insertEvent` in one round trip. */
const insertOwnEvent = statement<RowOf<'event', 'pos' | 'at' | 'seq'>>()({
  sql: `with timed as (
      update device set stream_ms = ${nextTime('postgres', 1)} where dev_eui = $devEUI returning event_seq, stream_ms
    )
    insert into event (at, application_id, dev_eui, seq, type, payload, note)
    select stream_ms, ${noApplication}, $devEUI, event_seq, $type, $payload, $note from timed
    returning pos, at, seq`,
  given: { devEUI: 'text', type: 'text', payload: 'text', note: 'text?', now: 'int8' },
  only: 'postgres',
});

/** The link of the device, and `insertEventAt` with it, in one round trip. */
const insertNextEvent = statement<RowOf<'event', 'pos' | 'at' | 'seq'>>()({
  sql: `with linked as (
      update device set ${setNext('postgres')} where dev_eui = $devEUI and ${hasTransaction('postgres')}
      returning ${timedLinkColumns}
    )
    insert into event (at, application_id, dev_eui, seq, type, payload, note, pos, previous)
    select stream_ms, $applicationID, $devEUI, event_seq, $type, $payload, $note, last_event, previous_event from linked
    returning pos, at, seq`,
  given: { applicationID: 'int8', devEUI: 'text', type: 'text', payload: 'text', note: 'text?', now: 'int8' },
  only: 'postgres',
});

/**
 * SQL for PostgreSQL: the end of a statement that adds an event of the device `$devEUI`, which only its history shows,
 * for the row of `source`. `payload` is its JSON; another parameter is `$now`.
 */
export const insertOwnEventFrom = (source: string, { type, payload }: { type: OwnKind; payload: string }) => `timed as (
    update device set stream_ms = ${nextTime('postgres', 1)}
    where dev_eui = $devEUI and exists (select 1 from ${source})
    returning event_seq, stream_ms
  )
  insert into event (at, application_id, dev_eui, seq, type, payload)
  select stream_ms, ${noApplication}, $devEUI, event_seq, '${type}', ${payload} from timed, ${source}
  returning pos, at, seq, payload`;

/** How the event log appends. `onCommit` receives the row when it is on disk. */
function appender(
  database: Database,
  onCommit: (row: EventRow) => void,
): Pick<EventLog, 'append' | 'appendNext' | 'prepareAppend' | 'appendOwn' | 'ownAppended'> {
  function appended(row: EventRow): void {
    failPoint('event appended');
    database.afterCommit(() => {
      failPoint('event committed');
      onCommit(row);
    });
  }

  async function append(event: LoggableEvent, link?: Link): Promise<void> {
    const { applicationID, devEUI, type } = event;
    const { at, seq } = partsOfEventID(event.id);
    const values = { at, applicationID, devEUI, seq, type, payload: event.json(), note: noteOf(event) };
    const given = link?.last_event;
    if (given) await insertEventAt(database).run({ ...values, pos: given, previous: link!.previous_event });
    const pos = given || (await insertEvent(database).id(values));
    appended({ pos, at, application_id: applicationID, dev_eui: devEUI, seq, type, payload: values.payload });
  }

  return {
    append,
    appendNext: async (event, now) => {
      const { applicationID, devEUI, type } = event;
      const payload = event.json();
      const given = { applicationID, devEUI, type, payload, note: noteOf(event), now };
      const row = await insertNextEvent(database).first(given);
      if (row) appended({ ...row, application_id: applicationID, dev_eui: devEUI, type, payload });
      return row && `${devEUI}-${row.at}-${row.seq}`;
    },
    prepareAppend: (event) => {
      const { applicationID, devEUI, type } = event;
      const payload = event.json();
      const query = insertEventOfDevice(database).query({ applicationID, devEUI, type, payload, note: noteOf(event) });
      return {
        statement: { query, mustChange: 1 },
        onWritten: ({ stream_ms: at, event_seq: seq, last_event: pos }) =>
          appended({ pos: pos!, at, application_id: applicationID, dev_eui: devEUI, seq, type, payload }),
      };
    },
    appendOwn: async (event, now) => {
      const { devEUI, type } = event;
      if (database.kind === 'sqlite') {
        const link = await takeErrorTime(database).first({ devEUI, now });
        const id = `${devEUI}-${link?.stream_ms}-${link?.event_seq}`;
        return link && (await append({ ...event, id, applicationID: noApplication }));
      }
      const payload = event.json();
      const row = await insertOwnEvent(database).first({ devEUI, type, payload, note: noteOf(event), now });
      if (row) appended({ ...row, application_id: noApplication, dev_eui: devEUI, type, payload });
    },
    ownAppended: ({ devEUI, type }, row) => appended({ ...row, application_id: noApplication, dev_eui: devEUI, type }),
  };
}

const noteOf = ({ note }: Pick<LoggableEvent, 'note'>) => (note ? JSON.stringify(note) : null);
