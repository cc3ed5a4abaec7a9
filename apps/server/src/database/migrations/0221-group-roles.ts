import type { Migration } from '../migration.ts';

/** What came from the groups of the sign-in provider, and is removed with them. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('organization_user')
    .addColumn('is_by_group', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
  await db.schema
    .alterTable('user')
    .addColumn('is_admin_by_group', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
};
