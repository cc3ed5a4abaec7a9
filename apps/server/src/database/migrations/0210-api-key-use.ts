import type { Migration } from '../migration.ts';

/** Who created an API key, when its expiry was set, and its last use; null: unknown, with the key, never. */
export const up: Migration = async (db) => {
  for (const [name, type] of [
    ['created_by', 'text'],
    ['expiry_set_at', 'timestamptz'],
    ['last_used_at', 'timestamptz'],
    ['last_used_address', 'text'],
  ] as const)
    await db.schema.alterTable('api_key').addColumn(name, type).execute();
};
