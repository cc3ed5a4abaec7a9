import type { Migration } from '../migration.ts';

/** Used states of single sign-ons: each is valid once. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('used_sign_on')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .execute();
};
