import type { Migration } from '../migration.ts';

/** What gateways were ordered to send in the last hour, by each run of a server. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('duty_cycle_use')
    .addColumn('gateway_id', 'text', (c) => c.notNull())
    .addColumn('run', 'text', (c) => c.notNull())
    .addColumn('last_minute', 'bigint', (c) => c.notNull())
    .addColumn('is_final', 'boolean', (c) => c.notNull())
    .addColumn('ordered', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('duty_cycle_use_pk', ['gateway_id', 'run'])
    .execute();
  await db.schema.createIndex('duty_cycle_use_minute').on('duty_cycle_use').columns(['last_minute']).execute();
};
