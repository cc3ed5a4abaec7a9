import type { Migration } from '../migration.ts';

/** The last ping of each gateway, and the gateways that received it. */
export const up: Migration = async (db) => {
  await db.schema
    .createTable('gateway_ping')
    .addColumn('gateway_id', 'text', (c) => c.primaryKey().references('gateway.id').onDelete('cascade'))
    .addColumn('mic', 'text', (c) => c.notNull())
    .addColumn('frequency', 'bigint', (c) => c.notNull())
    .addColumn('dr', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('gateway_ping_mic').on('gateway_ping').column('mic').execute();
  await db.schema
    .createTable('gateway_ping_rx')
    .addColumn('ping_gateway_id', 'text', (c) => c.notNull().references('gateway_ping.gateway_id').onDelete('cascade'))
    .addColumn('gateway_id', 'text', (c) => c.notNull().references('gateway.id').onDelete('cascade'))
    .addColumn('received_at', 'timestamptz', (c) => c.notNull())
    .addColumn('rssi', 'integer', (c) => c.notNull())
    .addColumn('lora_snr', 'double precision', (c) => c.notNull())
    .addColumn('latitude', 'double precision', (c) => c.notNull())
    .addColumn('longitude', 'double precision', (c) => c.notNull())
    .addColumn('altitude', 'double precision', (c) => c.notNull())
    .addPrimaryKeyConstraint('gateway_ping_rx_key', ['ping_gateway_id', 'gateway_id'])
    .execute();
  await db.schema.createIndex('gateway_ping_rx_gateway').on('gateway_ping_rx').column('gateway_id').execute();
  await db.schema
    .createIndex('gateway_discovery')
    .on('gateway')
    .columns(['network_server_id', 'discovery_enabled'])
    .execute();
};
