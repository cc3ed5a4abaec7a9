import type { Migration } from '../migration.ts';

/** When an API key was replaced by another one; null: never. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('api_key').addColumn('replaced_at', 'timestamptz').execute();
};
