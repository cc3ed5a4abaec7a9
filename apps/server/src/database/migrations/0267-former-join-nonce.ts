import type { Migration } from '../migration.ts';

/** The last JoinNonce of deleted keys, where new keys of the device would not begin above it. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('former_join_nonce')
    .addColumn('dev_eui', 'text', (c) => c.primaryKey())
    .addColumn('join_nonce', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('former_join_nonce_order').on('former_join_nonce').column('join_nonce').execute();
};
