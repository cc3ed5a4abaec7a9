import { bytesType, type Migration } from '../migration.ts';

/** Certificates of this server with their keys, and issued client certificates. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('own_certificate')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('cert', 'text', (c) => c.notNull())
    .addColumn('key', bytesType(kind), (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('client_certificate')
    .addColumn('serial', 'text', (c) => c.primaryKey())
    .addColumn('authority', 'text', (c) => c.notNull())
    .addColumn('application_id', 'bigint', (c) => c.references('application.id').onDelete('cascade'))
    .addColumn('issued_at', 'timestamptz', (c) => c.notNull())
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .addColumn('revoked_at', 'timestamptz')
    .execute();
  await db.schema
    .createIndex('client_certificate_application')
    .on('client_certificate')
    .columns(['application_id', 'issued_at'])
    .execute();
};
