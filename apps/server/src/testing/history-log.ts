import { sql } from 'kysely';
import { filesIn } from '../data-directory.ts';
import type { DatabaseKind } from '../database/database.ts';
import { openStores } from '../history/stores.ts';
import { createMigratedStorage, openTestDatabase } from './databases.ts';

export interface LoggedRow {
  readonly at: number;
  readonly seq: number;
  readonly type: string;
  readonly payload: string;
  readonly note: string | null;
}

/** An event log with devices and without a server, and the stores of its history. */
export async function openHistoryLog(kind: DatabaseKind) {
  const parts = new AsyncDisposableStack();
  const storage = parts.use(await createMigratedStorage(kind));
  const { query } = parts.use(await openTestDatabase(storage));
  const { databaseFile, historyFile } = filesIn(storage.dataDir);
  const settings = { databaseURL: storage.databaseURL ?? '', databaseFile, historyFile };
  let opened = await openStores(settings);
  parts.defer(() => opened.close());
  // The history reads only these columns; a whole device needs a dozen other records.
  if (kind === 'sqlite') await sql`pragma foreign_keys = off`.execute(query);
  await sql`drop table device ${sql.raw(kind === 'postgres' ? 'cascade' : '')}`.execute(query);
  await sql`create table device (dev_eui text primary key, log_from bigint not null, last_event bigint)`.execute(query);
  let pos = 0;
  const newest = new Map<string, number>();
  return {
    query,
    settings,
    stores: () => opened,
    reopen: async () => {
      await opened.close();
      opened = await openStores(settings);
    },
    /** The position of the last event. */
    last: () => pos,
    addDevice: (devEUI: string, logFrom = 0) =>
      sql`insert into device values (${devEUI}, ${logFrom}, null)`.execute(query),
    append: async (devEUI: string, events: readonly LoggedRow[]) => {
      const rows = events.map((event) => {
        pos += 1;
        const isLinked = event.type !== 'error';
        const previous = isLinked ? (newest.get(devEUI) ?? null) : null;
        if (isLinked) newest.set(devEUI, pos);
        return { ...event, pos, application_id: 1, dev_eui: devEUI, previous };
      });
      for (let at = 0; at < rows.length; at += 500)
        await query
          .insertInto('event')
          .values(rows.slice(at, at + 500))
          .execute();
      await sql`update device set last_event = ${newest.get(devEUI)} where dev_eui = ${devEUI}`.execute(query);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
