import { bytesType, type Migration } from '../migration.ts';

/**
 * Time on air that gateways received and sent, one row for each gateway and hour. Without a foreign key, as other
 * statistics: a replaced gateway passes its rows on.
 */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('gateway_airtime')
    .addColumn('gateway_id', 'text', (c) => c.notNull())
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('own_us', 'bigint', (c) => c.notNull())
    .addColumn('foreign_us', 'bigint', (c) => c.notNull())
    .addColumn('unreadable_us', 'bigint', (c) => c.notNull())
    .addColumn('sent_us', 'bigint', (c) => c.notNull())
    .addColumn('fullest', 'double precision', (c) => c.notNull())
    .addColumn('details', bytesType(kind), (c) => c.notNull())
    .addPrimaryKeyConstraint('gateway_airtime_pk', ['gateway_id', 'hour'])
    .execute();
  // Sums over all gateways of a week read this index alone, without the details.
  await db.schema
    .createIndex('gateway_airtime_hour')
    .on('gateway_airtime')
    .columns(['hour', 'gateway_id', 'own_us', 'foreign_us', 'unreadable_us', 'sent_us', 'fullest'])
    .execute();
};
