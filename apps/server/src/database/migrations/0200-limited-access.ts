import type { Migration } from '../migration.ts';

/**
 * Read-only members, members limited to applications, and the access level of API keys. `application_ids` is a JSON
 * list or null (all); the IDs of deleted applications stay in it, because an empty list would lift the limit.
 */
export const up: Migration = async (db) => {
  const members = db.schema.alterTable('organization_user');
  await members.addColumn('is_read_only', 'boolean', (c) => c.notNull().defaultTo(false)).execute();
  await members.addColumn('application_ids', 'text').execute();
  await db.schema
    .alterTable('api_key')
    .addColumn('access', 'text', (c) => c.notNull().defaultTo('FULL'))
    .execute();
};
