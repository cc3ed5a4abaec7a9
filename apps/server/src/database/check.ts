import { DatabaseSync } from 'node:sqlite';

/** Columns with JSON: a changed bit makes most texts invalid. */
export const jsonColumns: Record<string, readonly string[]> = {
  device: ['tags', 'variables'],
  device_profile: ['tags'],
  gateway: ['tags', 'metadata'],
  last_error: ['payload'],
  event: ['payload'],
  metric: ['counters'],
  metric_fact: ['counters'],
  ns_session: ['body'],
  ns_queue_item: ['body'],
  ns_multicast_item: ['body'],
  ns_journal: ['copy'],
};
/** More findings would not help. */
const mostFindings = 20;

/**
 * Reads an embedded database completely, table by table so that no read blocks checkpoints for long: structure, indexes
 * against their tables, and JSON. Answers the problems; none when it is sound. The database may be in use. A changed
 * bit in plain text that no index contains cannot be detected, because SQLite has no checksums.
 */
export function checkFile(path: string): string[] {
  const findings: string[] = [];
  const note = (text: string) => {
    if (findings.length < mostFindings && !findings.includes(text)) findings.push(text);
  };
  const failed = (where: string, error: unknown) => note(`${where}: ${(error as Error).message}`);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
    for (const table of ['sqlite_schema', ...tablesOf(database)]) {
      try {
        for (const text of checkTable(database, table)) note(`${table}: ${text}`);
      } catch (error) {
        failed(table, error);
      }
    }
  } catch (error) {
    failed('the database', error);
  } finally {
    database?.close();
  }
  return findings;
}

function tablesOf(database: DatabaseSync): string[] {
  return database
    .prepare("select name from sqlite_schema where type = 'table' order by name")
    .all()
    .map(({ name }) => String(name));
}

function checkTable(database: DatabaseSync, table: string): string[] {
  const checked = database.prepare(`pragma integrity_check("${table}")`).all();
  const structure = checked.map((row) => String(row['integrity_check'])).filter((text) => text !== 'ok');
  const content = (jsonColumns[table] ?? []).flatMap((column) => {
    const { n } = database.prepare(`select count(*) as n from "${table}" where not json_valid("${column}")`).get()!;
    return Number(n) > 0 ? [`${Number(n)} rows cannot be read in ${column}`] : [];
  });
  return [...structure, ...content];
}
