import { bytesType, type Migration, serialKey } from '../migration.ts';

/** Integrations of applications, and global ones, which have no application. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('integration')
    .addColumn('id', ...serialKey(kind))
    .addColumn('application_id', 'bigint', (c) => c.references('application.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('config', 'jsonb', (c) => c.notNull())
    .addColumn('secrets', bytesType(kind), (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull().defaultTo(1))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .addUniqueConstraint('integration_kind', ['application_id', 'kind'])
    .execute();
};
