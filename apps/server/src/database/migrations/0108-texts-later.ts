import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * On SQLite, indexing the text of a single device takes as much work as everything else of its creation. A device with
 * `search_row` 0 waits to be indexed together with others, which sets its `search_row` to null. A device that is
 * inserted with null, as the previous release does, is indexed at once.
 */
export const up: Migration = async (db, kind) => {
  if (kind === 'postgres') return;
  const run = (statement: string) => sql.raw(statement).execute(db);
  const takeIn =
    `insert into device_search (key, text) values (new.dev_eui, new.search_text || char(10) || lower(new.dev_addr) || ` +
    `char(10) || coalesce((select lower(group_concat(key || ':' || value, char(10))) from json_each(new.tags)), '')); ` +
    `update device set search_row = last_insert_rowid() where dev_eui = new.dev_eui;`;
  await run(`create index device_search_waiting on device (dev_eui) where search_row = 0`);
  await run(`drop trigger device_search_insert`);
  await run(
    `create trigger device_search_insert after insert on device when new.search_row is null begin ${takeIn} end`,
  );
  await run(
    `create trigger device_search_take after update of search_row on device ` +
      `when old.search_row = 0 and new.search_row is null begin ${takeIn} end`,
  );
};
