import type { Migration } from '../migration.ts';

/** Completed events of a replay that follow an open one, and requeued dead letters. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('delivery_replay')
    .addColumn('done_ahead', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  await db.schema.alterTable('delivery_parked').addColumn('revived_at', 'timestamptz').execute();
};
