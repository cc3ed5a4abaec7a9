import { sql } from 'kysely';
import type { DatabaseKind } from '../database.ts';
import type { Migration } from '../migration.ts';

/** Indexes for lists of devices that were never seen, are silent or have a low battery. */
export const up: Migration = async (db, kind) => {
  await db.schema.alterTable('device').addColumn('seen_mark', 'timestamptz').execute();
  await sql`update device set seen_mark = last_seen_at`.execute(db);
  // It replaces the index that the foreign key needs.
  await db.schema.dropIndex('device_device_profile').execute();
  await db.schema
    .createIndex('device_device_profile')
    .on('device')
    .columns(['device_profile_id', 'application_id', 'seen_mark'])
    .execute();
  // They include the columns of the condition, so that counting reads no rows.
  const byName = (...asked: string[]) =>
    sql`device (application_id, ${nameOf(kind)}, dev_eui, ${sql.join(asked.map((column) => sql.ref(column)))})`;
  await sql`create index device_never_seen on ${byName('seen_mark')} where seen_mark is null`.execute(db);
  await sql`create index device_low_battery on ${byName('external_power_source', 'battery_level')}
    where (case when external_power_source then null else battery_level end) < 20`.execute(db);
  await db.schema.createIndex('gateway_own_seen').on('gateway').columns(['organization_id', 'last_seen_at']).execute();
};

const nameOf = (kind: DatabaseKind) => (kind === 'sqlite' ? sql`name collate nocase` : sql`lower(name collate "C")`);
