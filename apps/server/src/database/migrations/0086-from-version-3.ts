import { bytesType, type Migration } from '../migration.ts';

/** The state of an import from version 3: its progress, imported API keys, and the key of their tokens. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .alterTable('api_key')
    .addColumn('is_from_v3', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
  await db.schema
    .createTable('import_v3')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('application_server_id', 'text', (c) => c.notNull())
    .addColumn('token_key', bytesType(kind), (c) => c.notNull())
    .addColumn('phase', 'text', (c) => c.notNull())
    .addColumn('started_at', 'timestamptz', (c) => c.notNull())
    .addColumn('copied_at', 'timestamptz')
    .addColumn('finished_at', 'timestamptz')
    .execute();
};
