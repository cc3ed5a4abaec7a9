import type { Migration } from '../migration.ts';

/** Users whose password the server generated, who must choose their own one first. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('user')
    .addColumn('has_generated_password', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
};
