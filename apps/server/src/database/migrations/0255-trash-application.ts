import type { Migration } from '../migration.ts';

/** The application of a deleted device: who may delete devices of it may restore the device. Null: unknown. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('trash').addColumn('application_id', 'bigint').execute();
};
