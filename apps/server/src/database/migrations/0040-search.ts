import { type Kysely, sql } from 'kysely';
import type { Migration } from '../migration.ts';

interface Searched {
  table: string;
  key: string;
  /** Columns that may contain the text; the other names are those of the tables at this step. */
  columns: readonly string[];
  hasTags?: true;
}

const searched: readonly Searched[] = [
  { table: 'organization', key: 'id', columns: ['name', 'display_name'] },
  { table: 'application', key: 'id', columns: ['search_text'] },
  { table: 'gateway', key: 'id', columns: ['search_text'], hasTags: true },
  { table: 'device', key: 'dev_eui', columns: ['search_text', 'dev_addr'], hasTags: true },
];

/** Indexes by the trigrams of texts, so that a part of a name is found without reading all names. */
export const up: Migration = async (db, kind) => {
  if (kind === 'sqlite') for (const one of searched) await sqliteIndex(db, one);
  else await postgresIndexes(db);
};

/**
 * On SQLite a full-text table for each table, which triggers update. `search_row` connects the two, because `vacuum`
 * does not preserve implicit row numbers.
 */
async function sqliteIndex(db: Kysely<unknown>, { table, key, columns, hasTags }: Searched): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  const textOf = (row: string) =>
    [
      ...columns.map((column) => (column === 'search_text' ? `${row}.${column}` : `lower(${row}.${column})`)),
      ...(hasTags
        ? [`coalesce((select lower(group_concat(key || ':' || value, char(10))) from json_each(${row}.tags)), '')`]
        : []),
    ].join(' || char(10) || ');
  const watched = hasTags ? [...columns, 'tags'] : columns;
  const hasChanged = watched.map((column) => `new.${column} is not old.${column}`).join(' or ');

  await run(`alter table ${table} add column search_row integer`);
  await run(
    `create virtual table ${table}_search using fts5(key unindexed, text, content = '', contentless_delete = 1, ` +
      `contentless_unindexed = 1, tokenize = 'trigram', detail = 'none')`,
  );
  // With fewer merges and smaller pages, a creation writes less.
  await run(`insert into ${table}_search (${table}_search, rank) values ('automerge', 8), ('pgsz', 1000)`);
  await run(`update ${table} set search_row = rowid`);
  await run(
    `insert into ${table}_search (rowid, key, text) select search_row, ${key}, ${textOf('one')} from ${table} as one`,
  );
  await run(
    `create trigger ${table}_search_insert after insert on ${table} begin ` +
      `insert into ${table}_search (key, text) values (new.${key}, ${textOf('new')}); ` +
      `update ${table} set search_row = last_insert_rowid() where ${key} = new.${key}; end`,
  );
  await run(
    `create trigger ${table}_search_update after update of ${watched.join(', ')} on ${table} when ${hasChanged} begin ` +
      `update ${table}_search set key = new.${key}, text = ${textOf('new')} where rowid = new.search_row; end`,
  );
  await run(
    `create trigger ${table}_search_delete after delete on ${table} begin ` +
      `delete from ${table}_search where rowid = old.search_row; end`,
  );
}

/** Without the extension searches read all rows, and `searchesByIndex` reports that. */
async function postgresIndexes(db: Kysely<unknown>): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  for (const table of ['device', 'gateway'])
    await run(`create index ${table}_tags on ${table} using gin (tags jsonb_path_ops)`);
  await run('savepoint extension');
  try {
    await run('create extension if not exists pg_trgm');
  } catch {
    await run('rollback to savepoint extension');
    return;
  }
  const texts = [
    ['organization', 'name', 'lower(name)'],
    ['organization', 'display_name', 'lower(display_name)'],
    ['application', 'text', 'search_text'],
    ['gateway', 'text', 'search_text'],
    ['device', 'text', 'search_text'],
    ['device', 'address', 'dev_addr'],
  ] as const;
  for (const [table, name, text] of texts)
    await run(`create index ${table}_search_${name} on ${table} using gin ((${text}) gin_trgm_ops)`);
}
