import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTestDatabase } from '../../testing/databases.ts';
import { unfinishedImport } from './unfinished.ts';

it('reports at the start of a server that an import is incomplete or waits for its last pass', async () => {
  await using database = await createTestDatabase('sqlite');
  const { query } = database;
  assert.equal(await unfinishedImport(database), undefined);
  const row = { id: 1, application_server_id: '', token_key: Buffer.alloc(0), phase: 'devices' };
  const neverImported = { copied_at: null, finished_at: null };
  await query
    .insertInto('import_v3')
    .values({ ...row, ...neverImported, started_at: new Date() })
    .execute();
  assert.match((await unfinishedImport(database)) ?? '', /stopped at "devices" .* run npm run import-v3 again$/);
  await query.updateTable('import_v3').set({ copied_at: new Date() }).execute();
  assert.match((await unfinishedImport(database)) ?? '', /waits for its last pass/);
  await query.updateTable('import_v3').set({ finished_at: new Date() }).execute();
  assert.equal(await unfinishedImport(database), undefined);
});
