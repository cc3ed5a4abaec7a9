import type { Migration } from '../migration.ts';

/** From where a session was opened and when it was last used, for its person to see and for the idle time-out. */
export const up: Migration = async (db) => {
  for (const name of ['address', 'agent'])
    await db.schema
      .alterTable('session')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  await db.schema.alterTable('session').addColumn('last_used_at', 'timestamptz').execute();
};
