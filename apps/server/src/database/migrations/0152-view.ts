import type { Migration } from '../migration.ts';

/** Views of lists that users have saved for themselves; without an organization, those of lists over all. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('view')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('organization_id', 'bigint', (c) => c.references('organization.id').onDelete('cascade'))
    .addColumn('list', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('query', 'text', (c) => c.notNull())
    .addColumn('is_start', 'boolean', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('view_user').on('view').columns(['user_id', 'list']).execute();
  await db.schema.createIndex('view_organization').on('view').column('organization_id').execute();
};
