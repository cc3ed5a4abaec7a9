import type { Migration } from '../migration.ts';

/** The MQTT messages that became downlinks: a client without an acknowledgement resends them. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('command_taken')
    .addColumn('sender', 'text', (c) => c.notNull())
    .addColumn('slot', 'integer', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('until', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('command_taken_key', ['sender', 'slot'])
    .execute();
  await db.schema.createIndex('command_taken_until').on('command_taken').column('until').execute();
};
