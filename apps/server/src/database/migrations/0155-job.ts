import type { Migration } from '../migration.ts';

/** Jobs: changes of many records, with a row for each record. Times are milliseconds since 1970. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('job')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.references('organization.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('parameters', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('undo_of', 'text', (c) => c.references('job.id').onDelete('cascade'))
    .addColumn('request_id', 'text')
    .addColumn('caller_kind', 'text', (c) => c.notNull())
    .addColumn('caller_id', 'text', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('problem', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('is_prepared', 'boolean', (c) => c.notNull().defaultTo(false))
    .addColumn('total', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('done', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('refused', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('failed', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('has_before', 'boolean', (c) => c.notNull().defaultTo(true))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .execute();
  await db.schema.createIndex('job_organization').on('job').columns(['organization_id', 'created_at']).execute();
  await db.schema.createIndex('job_created').on('job').column('created_at').execute();
  await db.schema.createIndex('job_state').on('job').columns(['state', 'ended_at']).execute();
  await db.schema.createIndex('job_undo').on('job').column('undo_of').execute();
  await db.schema
    .createIndex('job_request')
    .unique()
    .on('job')
    .columns(['caller_kind', 'caller_id', 'request_id'])
    .execute();
  await db.schema
    .createTable('job_row')
    .addColumn('job_id', 'text', (c) => c.notNull().references('job.id').onDelete('cascade'))
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('input', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('outcome', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('reason', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('message', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .addPrimaryKeyConstraint('job_row_key', ['job_id', 'position'])
    .execute();
  await db.schema.createIndex('job_row_outcome').on('job_row').columns(['job_id', 'outcome', 'position']).execute();
};
