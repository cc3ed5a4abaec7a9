import type { Migration } from '../migration.ts';

/** Integrations of organizations, which get the events of gateways and have no application. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('integration')
    .addColumn('organization_id', 'bigint', (c) => c.references('organization.id').onDelete('cascade'))
    .execute();
};
