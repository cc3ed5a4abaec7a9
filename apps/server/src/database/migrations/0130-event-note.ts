import type { Migration } from '../migration.ts';

/** What the history shows of an event in addition to its payload, as JSON. Integrations and streams do not get it. */
export const up: Migration = async (db) => {
  await db.schema.alterTable('event').addColumn('note', 'text').execute();
};
