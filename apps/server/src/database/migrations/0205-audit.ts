import { type Migration, serialKey } from '../migration.ts';

/** Who changed what. Without foreign keys: entries outlive the records that they name. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('audit')
    .addColumn('id', ...serialKey(kind))
    .addColumn('at', 'timestamptz', (c) => c.notNull())
    .addColumn('actor_kind', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text', (c) => c.notNull())
    .addColumn('actor_name', 'text', (c) => c.notNull())
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('organization_id', 'bigint', (c) => c.notNull())
    .addColumn('operation', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('subject_name', 'text', (c) => c.notNull())
    .addColumn('changes', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('request_id', 'text', (c) => c.notNull())
    .addColumn('job_id', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('audit_at').on('audit').columns(['at', 'id']).execute();
  for (const column of ['organization_id', 'actor_name', 'operation', 'subject'])
    await db.schema.createIndex(`audit_${column}`).on('audit').columns([column, 'at', 'id']).execute();
};
