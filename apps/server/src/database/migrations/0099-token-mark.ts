import type { Migration } from '../migration.ts';

/** By which key tokens are signed, told by a mark from which nobody can read it. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('key_check').addColumn('token_mark', 'text').execute();
};
