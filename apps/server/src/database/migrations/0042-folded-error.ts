import type { Migration } from '../migration.ts';

/** Errors of one kind share a row, which counts them. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('device_event')
    .addColumn('count', 'integer', (c) => c.notNull().defaultTo(1))
    .execute();
};
