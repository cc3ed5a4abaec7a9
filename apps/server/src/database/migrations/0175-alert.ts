import { sql } from 'kysely';
import { bytesType, type Migration } from '../migration.ts';

/** Alert rules, their alerts, the messages that wait or were sent, and who may receive mail. Times are milliseconds since 1970. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('alert_rule')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('is_enabled', 'boolean', (c) => c.notNull())
    .addColumn('condition', 'text', (c) => c.notNull())
    .addColumn('value', 'text')
    .addColumn('scope', 'text', (c) => c.notNull())
    .addColumn('for_minutes', 'integer', (c) => c.notNull())
    .addColumn('repeat_hours', 'integer', (c) => c.notNull())
    .addColumn('channels', 'text', (c) => c.notNull())
    .addColumn('secrets', bytesType(kind), (c) => c.notNull())
    .addColumn('last_message_at', 'bigint')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('alert_rule_organization').on('alert_rule').column('organization_id').execute();
  await db.schema.createIndex('alert_rule_condition').on('alert_rule').columns(['is_enabled', 'condition']).execute();
  await db.schema
    .createTable('alert')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('rule_id', 'text', (c) => c.notNull().references('alert_rule.id').onDelete('cascade'))
    .addColumn('organization_id', 'bigint', (c) => c.notNull())
    .addColumn('subject_kind', 'text', (c) => c.notNull())
    .addColumn('subject_id', 'text', (c) => c.notNull())
    .addColumn('subject_name', 'text', (c) => c.notNull())
    .addColumn('application_id', 'bigint')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('uplinks', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('value', 'double precision')
    .addColumn('fired_at', 'bigint')
    .addColumn('cleared_at', 'bigint')
    .addColumn('acknowledged_at', 'bigint')
    .addColumn('acknowledged_by', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('note', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('resolved_at', 'bigint')
    .addColumn('unsent', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('notified_at', 'bigint')
    .execute();
  await db.schema.createIndex('alert_rule_state').on('alert').columns(['rule_id', 'state']).execute();
  await db.schema
    .createIndex('alert_organization')
    .on('alert')
    .columns(['organization_id', 'state', 'since'])
    .execute();
  await db.schema.createIndex('alert_subject').on('alert').columns(['subject_id', 'since']).execute();
  await db.schema
    .createIndex('alert_open')
    .unique()
    .on('alert')
    .columns(['rule_id', 'subject_kind', 'subject_id'])
    .where(sql<boolean>`state <> 'RESOLVED'`)
    .execute();
  await db.schema
    .createIndex('alert_unsent')
    .on('alert')
    .columns(['rule_id'])
    .where(sql<boolean>`unsent <> ''`)
    .execute();
  await db.schema.createIndex('alert_state').on('alert').columns(['state', 'organization_id', 'since']).execute();
  await db.schema.createIndex('alert_resolved').on('alert').columns(['state', 'resolved_at']).execute();
  await db.schema
    .createTable('alert_message')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('rule_id', 'text', (c) => c.references('alert_rule.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('receiver', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('next_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('status', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('problem', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.createIndex('alert_message_due').on('alert_message').columns(['state', 'next_at']).execute();
  await db.schema.createIndex('alert_message_rule').on('alert_message').columns(['rule_id', 'created_at']).execute();
  await db.schema.createIndex('alert_message_organization').on('alert_message').column('organization_id').execute();
  await db.schema
    .createTable('alert_receiver')
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull())
    .addColumn('asked_at', 'bigint', (c) => c.notNull())
    .addColumn('confirmed_at', 'bigint')
    .addPrimaryKeyConstraint('alert_receiver_key', ['organization_id', 'address'])
    .execute();
  await db.schema.createIndex('alert_receiver_token').on('alert_receiver').column('token_hash').execute();
  await db.schema
    .createTable('alert_cursor')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('pos', 'bigint', (c) => c.notNull())
    .execute();
};
