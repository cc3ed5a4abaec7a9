import { type Migration, serialKey } from '../migration.ts';

export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('organization')
    .addColumn('id', ...serialKey(kind))
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('display_name', 'text', (c) => c.notNull())
    .addColumn('can_have_gateways', 'boolean', (c) => c.notNull())
    .addColumn('max_gateway_count', 'bigint', (c) => c.notNull())
    .addColumn('max_device_count', 'bigint', (c) => c.notNull())
    .addColumn('gateway_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('device_count', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('organization_order').on('organization').columns(['display_name', 'id']).execute();
  await db.schema
    .createTable('organization_user')
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('user.id').onDelete('cascade'))
    .addColumn('is_admin', 'boolean', (c) => c.notNull())
    .addColumn('is_device_admin', 'boolean', (c) => c.notNull())
    .addColumn('is_gateway_admin', 'boolean', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('organization_user_pkey', ['organization_id', 'user_id'])
    .execute();
  await db.schema.createIndex('organization_user_user').on('organization_user').column('user_id').execute();
};
