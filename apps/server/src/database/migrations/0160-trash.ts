import { bytesType, type Migration, serialKey } from '../migration.ts';

/**
 * Deleted records that can be restored. Without foreign keys to what they came from: they outlive their application and
 * organization.
 */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('trash')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('record_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('deleted_by', 'text', (c) => c.notNull())
    .addColumn('deleted_at', 'timestamptz', (c) => c.notNull())
    .addColumn('is_partial', 'boolean', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.createIndex('trash_organization').on('trash').columns(['organization_id', 'deleted_at']).execute();
  await db.schema.createIndex('trash_deleted_at').on('trash').column('deleted_at').execute();
  await db.schema.createIndex('trash_record').on('trash').columns(['record_id', 'kind']).execute();
  await db.schema
    .createTable('trash_row')
    .addColumn('id', ...serialKey(kind))
    .addColumn('trash_id', 'text', (c) => c.notNull().references('trash.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('record_id', 'text', (c) => c.notNull())
    .addColumn('format', 'integer', (c) => c.notNull())
    .addColumn('body', bytesType(kind), (c) => c.notNull())
    .addColumn('log_from', 'bigint')
    .execute();
  await db.schema.createIndex('trash_row_trash').on('trash_row').columns(['trash_id', 'id']).execute();
  await db.schema.createIndex('trash_row_record').on('trash_row').columns(['record_id', 'kind']).execute();
};
