import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operations } from '@hilltop/contract';
import { createSurroundings } from '../testing/field.ts';
import { createInstanceProcesses, type Instance, type InstanceProcesses } from '../testing/instances.ts';
import { noInstances } from '../testing/test-app.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const step = `export const up = async (db) => {
  await db.schema.createTable('made_up').addColumn('id', 'integer').execute();
  await db.schema.alterTable('organization').addColumn('made_up', 'text').execute();
};
`;

/** Creates a later release with a migration that extends the database. Answers its program. */
async function createNextRelease(directory: string): Promise<string> {
  const server = join(directory, 'apps', 'server');
  await cp(join(root, 'apps/server/src'), join(server, 'src'), {
    recursive: true,
    filter: (path) => !/\.test\.ts$|\/fixtures(\/|$)/.test(path),
  });
  for (const folder of ['node_modules', 'packages']) await symlink(join(root, folder), join(directory, folder));
  const manifest = JSON.parse(await readFile(join(root, 'apps/server/package.json'), 'utf8')) as object;
  await writeFile(join(server, 'package.json'), JSON.stringify({ ...manifest, version: '99.1.0' }));
  await writeFile(join(server, 'src/database/migrations/9999-made-up.ts'), step);
  return join(server, 'src/main.ts');
}

describe('an upgrade', { skip: noInstances }, () => {
  let directory: string;
  let processes: InstanceProcesses;
  let next: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hilltop-next-'));
    next = await createNextRelease(directory);
    processes = await createInstanceProcesses();
  });
  after(async () => {
    await processes[Symbol.asyncDispose]();
    await rm(directory, { recursive: true });
  });

  const names = async ({ app }: Instance) =>
    (await app.call(operations.organization.list, { limit: 100 })).result.map(({ id }) => id).sort();

  it('runs both releases together, also when an instance of the older one restarts', async () => {
    const older = await processes.start();
    const newer = await processes.start(next);
    await createSurroundings(older.app);
    await createSurroundings(newer.app);
    assert.deepEqual(await names(older), await names(newer));

    older.child.kill('SIGTERM');
    await once(older.child, 'exit');
    const again = await processes.start();
    await createSurroundings(again.app);
    assert.deepEqual(await names(again), await names(newer));
  });
});
