import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/** The last attempt of each gateway to send a ping, and its outcome; `gateway_ping` has the pings that were sent. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('gateway_ping_try')
    .addColumn('gateway_id', 'text', (c) => c.primaryKey().references('gateway.id').onDelete('cascade'))
    .addColumn('mic', 'text', (c) => c.notNull())
    .addColumn('frequency', 'bigint', (c) => c.notNull())
    .addColumn('dr', 'integer', (c) => c.notNull())
    .addColumn('tried_at', 'timestamptz', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('gateway_ping_try_mic').on('gateway_ping_try').column('mic').execute();
  await sql`insert into gateway_ping_try (gateway_id, mic, frequency, dr, tried_at, outcome)
    select gateway_id, mic, frequency, dr, created_at, 'SENT' from gateway_ping`.execute(db);
};
