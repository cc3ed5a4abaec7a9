import type { Migration } from '../migration.ts';

/** When somebody last signed in with a certificate, to the hour; null: nobody. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('client_certificate').addColumn('last_used_at', 'timestamptz').execute();
};
