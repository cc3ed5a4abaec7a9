import type { Migration } from '../migration.ts';

/** The expiry of an API key; null: never. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('api_key').addColumn('expires_at', 'timestamptz').execute();
};
