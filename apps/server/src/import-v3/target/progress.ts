import type { Database } from '../../database/database.ts';
import type { RadioDefaults } from '../../network/settings.ts';
import type { Secrets } from '../../secrets.ts';
import { StartError } from '../../start-error.ts';
import { tokenKeyOfV3Purpose } from '../../token-key-of-v3.ts';
import { clearFirstStart, isInUse } from './first-start.ts';

/** The progress of an import, stored with the imported rows. */
export interface ImportProgress {
  /** Whether an earlier pass has written and verified everything. */
  hasCopied: boolean;
  phase: (name: string) => Promise<void>;
  copied: () => Promise<void>;
  finished: () => Promise<void>;
}

/** The table has one row. */
const id = 1;

/**
 * Begins an import or resumes an interrupted one. Throws StartError for a Hilltop in use, so that nothing is
 * overwritten.
 */
export async function beginImport(
  {
    config,
    database,
    secrets,
    now,
  }: { config: Pick<RadioDefaults, 'region'>; database: Database; secrets: Secrets; now: () => Date },
  { applicationServerID, tokenKey }: { applicationServerID: string; tokenKey: Uint8Array },
): Promise<ImportProgress> {
  const { query } = database;
  const regions = config.region.map(({ name, subBand }) => ({ entry: subBand === 0 ? name : `${name}:${subBand}` }));
  const before = await query.selectFrom('import_v3').selectAll().executeTakeFirst();
  if (before && before.application_server_id !== applicationServerID)
    throw new StartError(
      'This Hilltop has the import of another installation of version 3: use another HILLTOP_DATA or HILLTOP_DATABASE_URL.',
    );
  const obstacle = await importObstacle(database);
  if (obstacle) throw new StartError(obstacle);
  const sealed = secrets.seal(tokenKey, tokenKeyOfV3Purpose);
  const row = { application_server_id: applicationServerID, token_key: sealed };
  await database.transaction(async () => {
    if (!before) await clearFirstStart(database);
    await database.query.updateTable('installation').set({ application_server_id: applicationServerID }).execute();
    // Network servers come from version 3: the next start must not create those of the settings.
    await database.query
      .insertInto('registered_region')
      .values(regions)
      .onConflict((on) => on.doNothing())
      .execute();
    await database.query
      .insertInto('import_v3')
      .values({ id, ...row, phase: '', started_at: now(), copied_at: null, finished_at: null })
      .onConflict((on) => on.column('id').doUpdateSet(row))
      .execute();
  });
  const note = async (change: { phase?: string; copied_at?: Date; finished_at?: Date }) => {
    await database.query.updateTable('import_v3').set(change).where('id', '=', id).execute();
  };
  return {
    hasCopied: (before?.copied_at ?? null) !== null,
    phase: (name) => note({ phase: name }),
    copied: () => note({ copied_at: now() }),
    finished: () => note({ finished_at: now() }),
  };
}

/** Why no import can begin or resume here; undefined if it can. */
export async function importObstacle(database: Pick<Database, 'query'>): Promise<string | undefined> {
  const before = await database.query.selectFrom('import_v3').select('finished_at').executeTakeFirst();
  if (before?.finished_at) return 'The import into this Hilltop is finished: its data is newer than that of version 3.';
  if (!before && (await isInUse(database)))
    return 'This Hilltop is not empty: an import needs a new one, with nothing but what a first start creates. Name another HILLTOP_DATA or HILLTOP_DATABASE_URL.';
  return undefined;
}
