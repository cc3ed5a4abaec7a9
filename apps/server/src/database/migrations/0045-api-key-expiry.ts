import type { Migration } from '../migration.ts';

/** When an API key ends by itself; null: never. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('api_key').addColumn('expires_at', 'timestamptz').execute();
};
