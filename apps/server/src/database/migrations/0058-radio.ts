import type { Kysely } from 'kysely';
import type { Migration } from '../migration.ts';

/** Radio settings of the embedded network servers, and the entries of HILLTOP_REGION that have become one. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('network_radio')
    .addColumn('network_server_id', 'bigint', (c) => c.primaryKey().references('network_server.id').onDelete('cascade'))
    .addColumn('settings', 'jsonb', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('registered_region')
    .addColumn('entry', 'text', (c) => c.primaryKey())
    .execute();
  const query = db as Kysely<{ network_server: { server: string }; registered_region: { entry: string } }>;
  const rows = await query.selectFrom('network_server').select('server').distinct().execute();
  const entries = rows.flatMap(({ server }) => (server.startsWith('embedded:') ? [server.slice(9)] : []));
  for (const entry of entries) await query.insertInto('registered_region').values({ entry }).execute();
};
