import type { Migration } from '../migration.ts';

/** Each start of the runner of jobs draws the next epoch; a job is run only under the greatest one that has claimed it. */
export const up: Migration = async (db) => {
  for (const [table, column] of [
    ['installation', 'job_epoch'],
    ['job', 'epoch'],
  ] as const)
    await db.schema
      .alterTable(table)
      .addColumn(column, 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
};
