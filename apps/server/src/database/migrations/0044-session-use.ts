import type { Migration } from '../migration.ts';

/**
 * The address from which a session was opened and the time of its last use, for the list of sessions and the idle
 * time-out.
 */
export const up: Migration = async (db) => {
  for (const name of ['address', 'agent'])
    await db.schema
      .alterTable('session')
      .addColumn(name, 'text', (c) => c.notNull().defaultTo(''))
      .execute();
  await db.schema.alterTable('session').addColumn('last_used_at', 'timestamptz').execute();
};
