import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** When gateways were last heard by any link, and the times in which they were offline. */
export const up: Migration = async (db) => {
  for (const [name, type] of [
    ['heard_at', 'timestamptz'],
    ['heard_link', 'text'],
    ['link_end', 'text'],
  ] as const)
    await db.schema.alterTable('gateway').addColumn(name, type).execute();
  await db.schema
    .createTable('gateway_outage')
    .addColumn('gateway_id', 'text', (c) => c.notNull().references('gateway.id').onDelete('cascade'))
    .addColumn('started_at', 'timestamptz', (c) => c.notNull())
    .addColumn('ended_at', 'timestamptz')
    .addColumn('reason', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('gateway_outage_key', ['gateway_id', 'started_at'])
    .execute();
  await sql`create unique index "gateway_outage_open" on "gateway_outage" (gateway_id) where ended_at is null`.execute(
    db,
  );
  await db.schema.createIndex('gateway_outage_ended').on('gateway_outage').column('ended_at').execute();
};
