import { inUse } from '@hilltop/contract';
import type { Database } from './database.ts';
import type { Tables } from './tables.ts';

/** Tables that may reference a row, with their column for it and the name of their rows in messages. */
export type Dependents = readonly (readonly [table: keyof Tables, column: string, called: string])[];

/**
 * Refuses to delete a row that others use, and names them. The schema refuses it for rows that begin to use it
 * meanwhile.
 */
export async function refuseWhileUsed(
  { query }: Database,
  resource: string,
  id: string | number,
  dependents: Dependents,
): Promise<void> {
  const found: string[] = [];
  for (const [table, column, called] of dependents) {
    const rows = query.selectFrom(table).select(query.dynamic.ref(column)).where(query.dynamic.ref(column), '=', id);
    if (await rows.limit(1).executeTakeFirst()) found.push(called);
  }
  if (found.length > 0) throw inUse(resource, new Intl.ListFormat('en').format(found));
}
