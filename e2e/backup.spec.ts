import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createDevice, startGateway } from '@hilltop/simulator';
import { onSameServer, onServer } from '../apps/server/src/testing/databases.ts';
import { startHilltop } from './hilltop.ts';
import { expect, test } from './journey.ts';
import { button, hasLanded, main, signIn, visit } from './steps.ts';
import { activate, buildWorld } from './world.ts';

type Environment = Record<string, string>;

/** Runs `npm run backup` or `npm run restore`. */
const run = (name: 'backup' | 'restore', environment: Environment, ...args: string[]) =>
  promisify(execFile)(
    process.execPath,
    [
      '--disable-warning=ExperimentalWarning',
      fileURLToPath(new URL(`../apps/server/src/${name}.ts`, import.meta.url)),
      ...args,
    ],
    { env: { PATH: process.env['PATH'], ...environment } },
  );

const hasPostgres = process.env['HILLTOP_TEST_POSTGRES_URL'] !== undefined;

test('a device is diagnosed, the installation backed up while it runs and restored, and the device goes on', async ({
  page,
  hilltop,
  admin,
  enterAs,
}) => {
  const { organizationID, applicationID, gatewayID, devEUI, applicationKey } = await buildWorld(admin, 'moved');
  const device = createDevice({
    devEUI,
    session: { ...(await activate(admin, devEUI)), dataRate: 5 },
    region: 'EU868',
  });
  const received = await startGateway({ server: `127.0.0.1:${hilltop.udpPort}`, gatewayID });
  await received.online();
  await received.receiveFrame(device.uplink({ fPort: 5 })).acknowledged;
  const address = `/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`;
  await visit(page, `${address}/timeline`);
  await expect(main(page).getByText('FPort 5')).toBeVisible();
  const [saved] = await Promise.all([page.waitForEvent('download'), button(page, 'Download diagnosis').click()]);
  const diagnosis = await readFile(await saved.path(), 'utf8');
  expect(JSON.parse(diagnosis)).toMatchObject({ device: { device: { devEUI } } });
  expect(diagnosis).toContain('"kind": "up"');
  expect(diagnosis).not.toContain(applicationKey);

  const directory = await mkdtemp(join(tmpdir(), 'hilltop-moved-'));
  const file = join(directory, 'move.backup');
  await run('backup', { HILLTOP_DATA: hilltop.data }, file, '--with-history');
  await received.stop();
  const database = `hilltop_test_${randomBytes(6).toString('hex')}`;
  if (hasPostgres) await onServer(`create database ${database}`);
  const restored = await startHilltop(async (_url, data) => {
    const settings: Environment = hasPostgres ? { HILLTOP_DATABASE_URL: onSameServer(database) } : {};
    for (const key of ['encryption.key', 'token.key']) await copyFile(join(hilltop.data, key), join(data, key));
    await run('restore', { HILLTOP_DATA: data, ...settings }, file);
    return { ...settings, HILLTOP_BACKUP_DIR: directory };
  });
  try {
    const gateway = await startGateway({ server: `127.0.0.1:${restored.udpPort}`, gatewayID });
    await gateway.online();
    await gateway.receiveFrame(device.uplink({ fPort: 6 })).acknowledged;
    const there = await enterAs(null);
    await there.goto(`${restored.url}/login`);
    await signIn(there, hilltop);
    await hasLanded(there);
    await visit(there, `${address}/timeline`);
    for (const port of ['FPort 5', 'FPort 6']) await expect(main(there).getByText(port)).toBeVisible();
    await visit(there, '/storage');
    if (hasPostgres) await expect(main(there).getByText('The database is on PostgreSQL.')).toBeVisible();
    const backups = main(there).getByRole('region', { name: 'Backups' });
    // The page asks again every 30 seconds.
    await expect(backups.getByRole('row', { name: /^hilltop-.*\.backup/ })).toContainText('Written');
    // Its requests would fail when the server stops.
    await there.close();
    await gateway.stop();
  } finally {
    await restored.remove();
    if (hasPostgres) await onServer(`drop database ${database} with (force)`);
    await rm(directory, { recursive: true });
  }
});
