import { bytesType, type Migration } from '../migration.ts';

export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('key_check')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('sealed', bytesType(kind), (c) => c.notNull())
    .execute();
};
