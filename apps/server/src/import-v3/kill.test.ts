import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { settings } from '../config.ts';
import type { DatabaseKind } from '../database/database.ts';
import { createLog } from '../log.ts';
import { openStorage } from '../storage.ts';
import { createTestStorage, databases, type TestStorage } from '../testing/databases.ts';
import type { ImportOptions } from './import.ts';
import { targetTables } from './target/target-rows.ts';
import { addNetworks, addStatistics, fillVersion3 } from './testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from './testing/version-3.ts';

const program = fileURLToPath(new URL('testing/import-and-end.ts', import.meta.url));
/**
 * The transactions of a run, by number, in which the process is killed. Each start of a process takes a second, so
 * these are a few of them.
 */
const endings: Readonly<Record<DatabaseKind, readonly number[]>> = { sqlite: [2, 9, 15, 18], postgres: [13] };

describe('an import that kill -9 ends', needsVersion3, () => {
  let v3: Version3;
  const now = Date.now();
  before(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    await addNetworks(v3);
    await addStatistics(v3, now);
  });
  after(() => v3[Symbol.asyncDispose]());

  /** Imports in a child process and resolves with how it ended. */
  async function importInto(
    testStorage: TestStorage,
    { endAt = 0, isFinal = false } = {},
  ): Promise<'killed' | number | null> {
    const choice: ImportOptions = {
      config: v3.config,
      networkServerConfigs: [v3.networkServerConfig, v3.secondNetworkServerConfig],
      downlinkMargin: 1,
      isFinal,
    };
    const given = JSON.stringify([testStorage.dataDir, testStorage.databaseURL, choice, endAt, now]);
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, given], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return signal === 'SIGKILL' ? 'killed' : code;
  }

  for (const kind of databases)
    it(`yields the same rows on ${kind} whichever transaction it was killed in`, async () => {
      await using clean = await createTestStorage(kind);
      await using testStorage = await createTestStorage(kind);
      assert.equal(await importInto(clean), 0);
      for (const endAt of endings[kind]) assert.equal(await importInto(testStorage, { endAt }), 'killed');
      // The last pass does not import statistics.
      assert.equal(await importInto(testStorage), 0);
      assert.equal(await importInto(testStorage, { endAt: 7, isFinal: true }), 'killed');
      for (const one of [clean, testStorage]) assert.equal(await importInto(one, { isFinal: true }), 0);
      assert.deepEqual(await rowsOf(testStorage), await rowsOf(clean));
    });
});

/** All imported rows by table. The verification of the import has opened and compared sealed columns. */
async function rowsOf({ dataDir, databaseURL }: TestStorage): Promise<Record<string, string[]>> {
  const config = settings.parse({ data: dataDir, databaseURL, logLevel: 'silent' });
  const { database, close } = await openStorage(config, createLog(config));
  const found: Record<string, string[]> = {};
  for (const table of [...Object.keys(targetTables), 'registered_region', 'installation']) {
    const rows = await database.query
      .selectFrom(table as 'device')
      .selectAll()
      .execute();
    found[table] = rows
      .map((row) => JSON.stringify(row, (_, value) => (isBytes(value) || isMade(value) ? null : value)))
      .toSorted();
    assert.ok(found[table].length > 0 || table === 'gateway_profile', table);
  }
  await close();
  return found;
}

/** JSON.stringify calls toJSON of Buffers before the replacer. */
const isBytes = (value: unknown) =>
  value instanceof Uint8Array || (value as { type?: string } | null)?.type === 'Buffer';

/** The last pass creates a random password for the well-known one. */
const isMade = (value: unknown) => typeof value === 'string' && value.startsWith('$argon2id$');
