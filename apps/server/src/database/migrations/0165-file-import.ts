import { bytesType, type Migration } from '../migration.ts';

/** Imports of devices and gateways from files: the rows that wait, sealed, and their problems. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('file_import')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('person', 'text', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .addColumn('file_name', 'text', (c) => c.notNull())
    .addColumn('row_count', 'integer', (c) => c.notNull())
    .addColumn('plan', 'text', (c) => c.notNull())
    .addColumn('counts', 'text')
    .addColumn('job_id', 'text')
    .execute();
  await db.schema.createIndex('file_import_organization').on('file_import').column('organization_id').execute();
  await db.schema.createIndex('file_import_expiry').on('file_import').column('expires_at').execute();
  await db.schema
    .createTable('file_import_row')
    .addColumn('import_id', 'text', (c) => c.notNull().references('file_import.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('cells', bytesType(kind), (c) => c.notNull())
    .addColumn('outcome', 'text')
    .addColumn('problems', 'text')
    .addPrimaryKeyConstraint('file_import_row_key', ['import_id', 'number'])
    .execute();
};
