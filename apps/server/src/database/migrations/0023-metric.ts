import { type Migration, serialKey } from '../migration.ts';

export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('metric')
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('interval', 'text', (c) => c.notNull())
    .addColumn('start', 'bigint', (c) => c.notNull())
    .addColumn('counters', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('metric_key', ['subject', 'interval', 'start'])
    .execute();
  await db.schema.createIndex('metric_age').on('metric').columns(['interval', 'start']).execute();
  await db.schema
    .createTable('metric_fact')
    .addColumn('id', ...serialKey(kind))
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('counters', 'text', (c) => c.notNull())
    .execute();
};
