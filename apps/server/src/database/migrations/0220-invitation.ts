import type { Migration } from '../migration.ts';

/** Invitations to organizations. Ended ones remain for a while, so that their link says why it no longer works. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('invitation')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('email', 'text', (c) => c.notNull())
    .addColumn('is_admin', 'boolean', (c) => c.notNull())
    .addColumn('is_device_admin', 'boolean', (c) => c.notNull())
    .addColumn('is_gateway_admin', 'boolean', (c) => c.notNull())
    .addColumn('is_read_only', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('application_ids', 'text')
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_by', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .addColumn('mailed_at', 'timestamptz')
    .execute();
  await db.schema
    .createIndex('invitation_organization')
    .on('invitation')
    .columns(['organization_id', 'created_at'])
    .execute();
  await db.schema.createIndex('invitation_created_by').on('invitation').column('created_by').execute();
  await db.schema
    .alterTable('user')
    .addColumn('has_unproven_address', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
};
