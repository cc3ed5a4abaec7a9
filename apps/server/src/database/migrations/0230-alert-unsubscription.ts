import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** Receivers that ended the mails of a rule, or of all rules of an organization. Times are milliseconds since 1970. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('alert_unsubscription')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('organization_id', 'bigint', (c) => c.notNull().references('organization.id').onDelete('cascade'))
    .addColumn('rule_id', 'text', (c) => c.references('alert_rule.id').onDelete('cascade'))
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('alert_unsubscription_rule')
    .unique()
    .on('alert_unsubscription')
    .columns(['rule_id', 'address'])
    .execute();
  await db.schema
    .createIndex('alert_unsubscription_organization')
    .unique()
    .on('alert_unsubscription')
    .columns(['organization_id', 'address'])
    .where(sql<boolean>`rule_id is null`)
    .execute();
  await db.schema
    .createIndex('alert_unsubscription_owner')
    .on('alert_unsubscription')
    .column('organization_id')
    .execute();
};
