import type { Migration } from '../migration.ts';

/** The oldest version that can use this schema: later steps have only added to it. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('installation')
    .addColumn('schema_compatible_from', 'text', (c) => c.notNull().defaultTo('0.1.0'))
    .execute();
};
