import type { Migration } from '../migration.ts';

/** The id by which remote network servers know this application server; created once. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('installation')
    .addColumn('application_server_id', 'text', (c) => c.primaryKey())
    .execute();
  const row = { application_server_id: crypto.randomUUID() };
  await db
    .insertInto('installation' as never)
    .values(row as never)
    .execute();
};
