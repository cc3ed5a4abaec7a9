import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Each event refers to the previous one of its device, and the device to its last one. This replaces an index by
 * device, which cost every event a page write.
 */
export const up: Migration = async (db, kind) => {
  await db.schema.alterTable('event').addColumn('previous', 'bigint').execute();
  await db.schema.alterTable('device').addColumn('last_event', 'bigint').execute();
  await db.schema.alterTable('device').addColumn('previous_event', 'bigint').execute();
  await db.schema
    .alterTable('device')
    .addColumn('log_from', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`
    update event set previous = before.pos from event as before
    where event.type <> 'error' and before.type <> 'error'
      and before.dev_eui = event.dev_eui and before.seq = event.seq - 1`.execute(db);
  await sql`
    update device set last_event = event.pos, previous_event = event.previous from event
    where event.type <> 'error' and event.dev_eui = device.dev_eui and event.seq = device.event_seq`.execute(db);
  await sql`drop index event_device`.execute(db);
  if (kind === 'postgres') return;
  // Every index contains the row number.
  await sql`drop index event_application`.execute(db);
  await sql`create index event_application on event (application_id)`.execute(db);
};
