import { existsSync } from 'node:fs';
import { filesIn, noDatabaseAt } from '../data-directory.ts';
import type { StorageSettings } from '../storage-settings.ts';
import { checkFile } from './check.ts';

/** The output of `--check`, and whether the database is sound. The server may be running. */
export async function checkDatabase({
  data,
  databaseURL,
}: Pick<StorageSettings, 'data' | 'databaseURL'>): Promise<{ isSound: boolean; text: string }> {
  const isOwn = databaseURL === '';
  const { databaseFile } = filesIn(data);
  if (isOwn && !existsSync(databaseFile)) return { isSound: false, text: noDatabaseAt(databaseFile) };
  const findings = isOwn ? checkFile(databaseFile) : await checkPostgres(databaseURL);
  const where = isOwn ? `The database in ${data}` : 'The database at HILLTOP_DATABASE_URL';
  if (findings.length === 0) return { isSound: true, text: `${where} is sound.` };
  const lines = findings.map((finding) => `  ${finding}`);
  return { isSound: false, text: [`${where} is damaged: restore a backup.`, ...lines].join('\n') };
}

/**
 * Reads every row. Damaged pages fail by their checksums if the server has those enabled, otherwise by their format.
 */
async function checkPostgres(url: string): Promise<string[]> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      'select quote_ident(tablename) as name from pg_tables where schemaname = current_schema() order by 1',
    );
    const findings: string[] = [];
    for (const { name } of rows)
      await client
        .query(`select count(md5(t::text)) from ${name} t`)
        .catch((error: unknown) => findings.push(`${name}: ${(error as Error).message}`));
    return findings;
  } finally {
    await client.end();
  }
}
