import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';

/** Tables whose ids the database generates. */
const counted = ['user', 'organization', 'network_server', 'application', 'integration'] as const;

/** Updates values that follow from the imported rows: counts, and the next id of each table. */
export async function updateDerivedCounts(database: Database): Promise<void> {
  await database.transaction(async () => {
    const { query, kind } = database;
    await sql`update application set device_count =
      (select count(*) from device where device.application_id = application.id)`.execute(query);
    await sql`update organization set
      gateway_count = (select count(*) from gateway where gateway.organization_id = organization.id),
      device_count = (select coalesce(sum(device_count), 0) from application
        where application.organization_id = organization.id)`.execute(query);
    // SQLite determines the next id itself.
    if (kind === 'sqlite') return;
    for (const table of counted)
      await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, 'id'), greatest(coalesce(max(id), 0), 1))
        from ${sql.table(table)}`.execute(query);
  });
}
