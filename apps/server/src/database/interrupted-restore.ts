import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** A table that exists on PostgreSQL while a restore has not ended. */
export const restoreMark = 'restore_incomplete';

export async function isRestoreIncomplete(kysely: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ found: string | null }>`select to_regclass(${restoreMark})::text as found`.execute(
    kysely,
  );
  return rows[0]!.found !== null;
}
