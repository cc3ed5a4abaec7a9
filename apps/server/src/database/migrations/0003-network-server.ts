import { bytesType, type Migration, serialKey } from '../migration.ts';

export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('network_server')
    .addColumn('id', ...serialKey(kind))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('server', 'text', (c) => c.notNull())
    .addColumn('ca_cert', 'text', (c) => c.notNull())
    .addColumn('tls_cert', 'text', (c) => c.notNull())
    .addColumn('tls_key', bytesType(kind), (c) => c.notNull())
    .addColumn('routing_profile_ca_cert', 'text', (c) => c.notNull())
    .addColumn('routing_profile_tls_cert', 'text', (c) => c.notNull())
    .addColumn('routing_profile_tls_key', bytesType(kind), (c) => c.notNull())
    .addColumn('gateway_discovery_enabled', 'boolean', (c) => c.notNull())
    .addColumn('gateway_discovery_interval', 'bigint', (c) => c.notNull())
    .addColumn('gateway_discovery_tx_frequency', 'bigint', (c) => c.notNull())
    .addColumn('gateway_discovery_dr', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('gateway_profile')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('network_server_id', 'bigint', (c) => c.notNull().references('network_server.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('stats_interval_ms', 'double precision', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('gateway_profile_network_server')
    .on('gateway_profile')
    .column('network_server_id')
    .execute();
};
