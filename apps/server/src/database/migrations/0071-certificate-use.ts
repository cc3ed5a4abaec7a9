import type { Migration } from '../migration.ts';

/** The last sign-in with a certificate, rounded to the hour; null: never. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('client_certificate').addColumn('last_used_at', 'timestamptz').execute();
};
