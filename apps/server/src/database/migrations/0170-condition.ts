import type { Migration } from '../migration.ts';

/**
 * What is wrong now: one row for each open condition of a subject. Times are milliseconds since 1970. Without foreign
 * keys: the evaluation removes what belongs to deleted subjects.
 */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('condition')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('condition', 'text', (c) => c.notNull())
    .addColumn('subject_kind', 'text', (c) => c.notNull())
    .addColumn('subject_id', 'text', (c) => c.notNull())
    .addColumn('organization_id', 'bigint', (c) => c.notNull())
    .addColumn('application_id', 'bigint')
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull().defaultTo('{}'))
    .addColumn('rank', 'double precision', (c) => c.notNull().defaultTo(0))
    .addColumn('snoozed_until', 'bigint')
    .execute();
  await db.schema
    .createIndex('condition_subject')
    .unique()
    .on('condition')
    .columns(['subject_id', 'subject_kind', 'condition'])
    .execute();
  await db.schema
    .createIndex('condition_organization')
    .on('condition')
    .columns(['organization_id', 'condition', 'rank', 'id'])
    .execute();
  await db.schema.createIndex('condition_name').on('condition').columns(['condition', 'rank', 'id']).execute();
  await db.schema.createIndex('condition_snoozed').on('condition').column('snoozed_until').execute();
  await db.schema
    .createTable('condition_evaluation')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('omitted', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
};
