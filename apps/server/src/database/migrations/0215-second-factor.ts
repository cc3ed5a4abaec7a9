import { bytesType, type Migration } from '../migration.ts';

/** The second factor of users, with its recovery codes, and how a session was opened. */
export const up: Migration = async (db, kind) => {
  await db.schema
    .createTable('second_factor')
    .addColumn('user_id', 'bigint', (c) => c.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('secret', bytesType(kind), (c) => c.notNull())
    .addColumn('confirmed_at', 'timestamptz')
    .addColumn('last_step', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('recovery_code')
    .addColumn('user_id', 'bigint', (c) => c.notNull().references('second_factor.user_id').onDelete('cascade'))
    .addColumn('hash', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('recovery_code_key', ['user_id', 'hash'])
    .execute();
  await db.schema
    .alterTable('session')
    .addColumn('is_single_sign_on', 'boolean', (c) => c.notNull().defaultTo(false))
    .execute();
};
