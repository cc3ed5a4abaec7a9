import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import pino from 'pino';
import { systemClock } from '../clock.ts';
import { watchIntegrity } from '../database/integrity.ts';
import { createMetrics } from '../metrics.ts';
import { createSecrets } from '../secrets.ts';
import { createMigratedStorage, openTestDatabase } from '../testing/databases.ts';
import { startTestApp } from '../testing/test-app.ts';
import { createNetworkState } from './state.ts';

const key = new Uint8Array(32).fill(7);
const secrets = createSecrets({ encryptionKey: key, tokenKey: key });

/** Overwrites the first page of a table and of its indexes. */
async function damageTable(file: string, table: string): Promise<void> {
  const database = new DatabaseSync(file);
  const pages = database.prepare('select rootpage from sqlite_schema where tbl_name = ? and rootpage > 0').all(table);
  const { page_size: size } = database.prepare('pragma page_size').get() as { page_size: number };
  database.close();
  const handle = await open(file, 'r+');
  for (const { rootpage } of pages)
    await handle.write(new Uint8Array(size).fill(255), 0, size, (Number(rootpage) - 1) * size);
  await handle.close();
}

it('uplinks are refused when one cannot be processed because the database is damaged', async () => {
  await using testStorage = await createMigratedStorage('sqlite');
  await (await openTestDatabase(testStorage)).close();
  const file = join(testStorage.dataDir, 'hilltop.db');
  await damageTable(file, 'ns_session');
  await using database = await openTestDatabase(testStorage);
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
  const metrics = createMetrics();
  const integrity = watchIntegrity(file, { log, metrics });
  const state = createNetworkState({ database, secrets, clock: systemClock, integrity }, 1);

  state.noteFailure(new TypeError('of this uplink'));
  assert.equal((await state.receive(['{}'])).length, 1);
  const failure: unknown = await state.sessionsByDevAddr('26000001').catch((error: unknown) => error);
  assert.match(String(failure), /malformed/);
  state.noteFailure(failure);
  state.noteFailure(failure);
  await assert.rejects(state.receive(['{}']), /database is damaged/);
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /Uplinks are refused.*The database is damaged: stop Hilltop/);
  assert.match(await metrics.text(), /hilltop_database_findings 1/);
  integrity.stop();

  await using app = await startTestApp('sqlite', {}, { integrity });
  for (const path of ['/health', '/health/ready']) {
    const health = await app.fetch(path);
    assert.equal(health.status, 503);
    assert.match(await health.text(), /^The database is damaged: stop Hilltop.*\nUplinks are refused/);
  }
  assert.equal((await app.fetch('/health/live')).status, 200);
});
