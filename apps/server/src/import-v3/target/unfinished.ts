import { commandLineOf } from '../../command-line-of.ts';
import type { Database } from '../../database/database.ts';

/** A warning for a server that starts on an unfinished import; undefined if there is none. */
export async function unfinishedImport({ query }: Pick<Database, 'query'>): Promise<string | undefined> {
  const row = await query.selectFrom('import_v3').select(['phase', 'copied_at', 'finished_at']).executeTakeFirst();
  if (!row || row.finished_at) return undefined;
  return row.copied_at
    ? `the import from version 3 waits for its last pass: until ${commandLineOf('import-v3', '--final')}, each pass overwrites changes made in Hilltop`
    : `the import from version 3 stopped at "${row.phase}" and the data is incomplete: stop this server and run ${commandLineOf('import-v3')} again`;
}
