import type { Migration } from '../migration.ts';

/** States of single sign-ons that came back from the provider: each is good once. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('used_sign_on')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', 'timestamptz', (c) => c.notNull())
    .execute();
};
