import type { Migration } from '../migration.ts';

/** A hash that identifies the key that signs tokens, without revealing it. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('key_check').addColumn('token_mark', 'text').execute();
};
