import type { Migration } from '../migration.ts';

/** Client certificates of gateways, in addition to those of applications. */
export const up: Migration = async (db) => {
  await db.schema
    .alterTable('client_certificate')
    .addColumn('gateway_id', 'text', (c) => c.references('gateway.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('client_certificate_gateway').on('client_certificate').column('gateway_id').execute();
};
