import type { Migration } from '../migration.ts';

/** The time of a device's last event, which never decreases, whatever the clock of an instance. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('device')
    .addColumn('stream_ms', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
};
