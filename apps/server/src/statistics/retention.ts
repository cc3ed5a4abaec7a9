import { sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { type Interval, intervalNames, intervals } from './interval.ts';

/** Rows of one statement. */
const slice = 500;

/** Removes buckets whose retention has ended. */
export async function forgetOld({ query }: Database, now: number): Promise<void> {
  for (const interval of intervalNames) await forgetBefore(query, interval, now - intervals[interval].keptMs);
}

async function forgetBefore(query: Database['query'], interval: Interval, before: number): Promise<void> {
  for (let changed = slice; changed >= slice; ) {
    const { numAffectedRows } = await sql`
      delete from metric where (subject, interval, start) in
        (select subject, interval, start from metric where interval = ${interval} and start < ${Math.floor(before)} limit ${slice})
    `.execute(query);
    changed = Number(numAffectedRows ?? 0);
  }
}
