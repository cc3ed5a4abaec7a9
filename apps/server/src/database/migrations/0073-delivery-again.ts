import type { Migration } from '../migration.ts';

/** What of a replay is done although something before it is not, and which dead letters somebody wanted tried again. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('delivery_replay')
    .addColumn('done_ahead', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute();
  await db.schema.alterTable('delivery_parked').addColumn('revived_at', 'timestamptz').execute();
};
