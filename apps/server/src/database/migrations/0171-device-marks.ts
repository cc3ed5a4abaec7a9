import type { Migration } from '../migration.ts';

/** What the evaluation of conditions reads of each device. Written with its row, so that an uplink costs nothing more. */
export const up: Migration = async (db) => {
  for (const column of ['usual_gap_ms', 'previous_margin'])
    await db.schema.alterTable('device').addColumn(column, 'double precision').execute();
  await db.schema.alterTable('device').addColumn('joined_at', 'timestamptz').execute();
  for (const column of ['lost_bits', 'codec_error_bits', 'sole_since'])
    await db.schema
      .alterTable('device')
      .addColumn(column, 'bigint', (c) => c.notNull().defaultTo(0))
      .execute();
  await db.schema
    .alterTable('device')
    .addColumn('sole_gateway', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  for (const column of ['second_at', 'third_at'])
    await db.schema.alterTable('last_error').addColumn(column, 'bigint').execute();
};
