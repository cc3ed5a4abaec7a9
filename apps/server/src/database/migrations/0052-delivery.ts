import type { Migration } from '../migration.ts';

/** The cursor of each integration, its failed events, and its attempts. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('integration_state')
    .addColumn('integration_id', 'bigint', (c) => c.primaryKey().references('integration.id').onDelete('cascade'))
    .addColumn('position', 'text', (c) => c.notNull())
    .addColumn('pos', 'bigint', (c) => c.notNull())
    .addColumn('done_ahead', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('since', 'timestamptz', (c) => c.notNull())
    .addColumn('failing_since', 'timestamptz')
    .addColumn('last_success_at', 'timestamptz')
    .addColumn('from_at', 'timestamptz', (c) => c.notNull())
    .addColumn('keep_order', 'boolean', (c) => c.notNull())
    .addColumn('max_in_flight', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('delivery_parked')
    .addColumn('integration_id', 'bigint', (c) => c.notNull().references('integration.id').onDelete('cascade'))
    .addColumn('pos', 'bigint', (c) => c.notNull())
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('application_id', 'bigint', (c) => c.notNull())
    .addColumn('at', 'timestamptz', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('done', 'text', (c) => c.notNull())
    .addColumn('attempts', 'bigint', (c) => c.notNull())
    .addColumn('failures', 'bigint', (c) => c.notNull())
    .addColumn('next_at', 'timestamptz', (c) => c.notNull())
    .addColumn('status', 'bigint', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('dead_at', 'timestamptz')
    .addPrimaryKeyConstraint('delivery_parked_key', ['integration_id', 'pos'])
    .execute();
  await db.schema
    .createIndex('delivery_parked_device')
    .on('delivery_parked')
    .columns(['integration_id', 'dev_eui', 'pos'])
    .execute();
  await db.schema
    .createIndex('delivery_parked_dead')
    .on('delivery_parked')
    .columns(['integration_id', 'dead_at', 'pos'])
    .execute();
  await db.schema
    .createTable('delivery_log')
    .addColumn('integration_id', 'bigint', (c) => c.notNull().references('integration.id').onDelete('cascade'))
    .addColumn('slot', 'bigint', (c) => c.notNull())
    .addColumn('seq', 'bigint', (c) => c.notNull())
    .addColumn('at', 'timestamptz', (c) => c.notNull())
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('status', 'bigint', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('ms', 'bigint', (c) => c.notNull())
    .addColumn('attempt', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('excerpt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_log_key', ['integration_id', 'slot'])
    .execute();
  await db.schema
    .createTable('delivery_replay')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('integration_id', 'bigint', (c) => c.notNull().references('integration.id').onDelete('cascade'))
    .addColumn('from_at', 'timestamptz', (c) => c.notNull())
    .addColumn('to_at', 'timestamptz', (c) => c.notNull())
    .addColumn('dev_eui', 'text', (c) => c.notNull())
    .addColumn('types', 'text', (c) => c.notNull())
    .addColumn('position', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('events', 'bigint', (c) => c.notNull())
    .addColumn('sent', 'bigint', (c) => c.notNull())
    .addColumn('failed', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('delivery_replay_integration')
    .on('delivery_replay')
    .columns(['integration_id', 'created_at'])
    .execute();
  await db.schema
    .createTable('delivery_effect')
    .addColumn('integration_id', 'bigint', (c) => c.notNull().references('integration.id').onDelete('cascade'))
    .addColumn('event_id', 'text', (c) => c.notNull())
    .addColumn('at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('delivery_effect_key', ['integration_id', 'event_id'])
    .execute();
  await db.schema.createIndex('delivery_effect_at').on('delivery_effect').column('at').execute();
};
