import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { addNetworks, fillVersion3, fixture } from '../apps/server/src/import-v3/testing/fixture.ts';
import { needsVersion3, startVersion3, type Version3 } from '../apps/server/src/import-v3/testing/version-3.ts';
import { expect, testOnEmptyServer } from './journey.ts';
import { answerDialog, button, expectToast, follow, hasLanded, main, signIn, textbox, visit } from './steps.ts';

const test = testOnEmptyServer();
// The dry run needs PostgreSQL and Redis.
const describe = needsVersion3.skip === false ? test.describe : () => undefined;

/** Selects files with the button of this name, from texts. */
const choose = (page: Page, label: string, files: Record<string, string>) =>
  main(page)
    .locator(`input[type=file][aria-label="${label}"]`)
    .setInputFiles(
      Object.entries(files).map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })),
    );
const report = (page: Page, heading: string) => main(page).getByRole('region', { name: heading, exact: true });
const look = (page: Page) => button(page, 'Start the dry run').click();

describe('somebody who comes from version 3', () => {
  let v3: Version3;
  let files: Record<'as' | 'eu' | 'as923', string>;
  test.beforeAll(async () => {
    v3 = await startVersion3();
    await fillVersion3(v3);
    await addNetworks(v3);
    files = {
      as: await readFile(v3.config, 'utf8'),
      eu: await readFile(v3.networkServerConfig, 'utf8'),
      as923: await readFile(v3.secondNetworkServerConfig, 'utf8'),
    };
  });
  test.afterAll(() => v3[Symbol.asyncDispose]());

  test('the first steps lead to the page, which shows a dry run and the command to copy', async ({ page }) => {
    await page.goto('/');
    await follow(page, main(page).getByRole('link', { name: 'Move in', exact: true }));
    await expect(main(page).getByRole('heading', { level: 1 })).toHaveText('Moving in from version 3');
    await expect(button(page, 'Start the dry run')).toBeDisabled();
    await choose(page, 'Choose the application server', { 'as.toml': files.as });
    await choose(page, 'Add network-servers', { 'eu.toml': files.eu, 'as923.toml': files.as923 });
    await look(page);

    const answer = report(page, 'Ready to import, with notes');
    await expect(answer).toBeVisible();
    const rows = answer.getByRole('table').getByRole('row');
    await expect(rows.first()).toHaveText(/What\s*In v3\s*New\s*Not imported$/);
    await expect(rows.filter({ hasText: /^devices/ })).toHaveText(/^devices\s*3\s*3\s*0$/);
    await expect(rows.filter({ hasText: /^queued downlinks/ })).toHaveText(/^queued downlinks\s*4\s*2\s*2$/);
    await expect(report(page, 'Not imported')).toContainText('it is for an earlier session of its device');
    await expect(report(page, 'To know')).toContainText('another network server knows this EUI, too');
    await expect(report(page, 'Security')).toContainText('jwt_secret is publicly known');
    const command = 'npm run import-v3 -- --config as.toml --ns-config eu.toml --ns-config as923.toml';
    await expect(main(page).getByText(command, { exact: true })).toBeVisible();

    // Removing one of the files clears the report.
    await button(page, 'Remove as923.toml').click();
    await expect(answer).toBeHidden();
    await look(page);
    await expect(report(page, 'To know')).toContainText('no --ns-config names it');
  });

  test('an error in a file is explained and fixed with an environment variable', async ({ page }) => {
    await visit(page, '/network-servers/moving-in');
    await choose(page, 'Choose the application server', { 'as.toml': '[[[' });
    await look(page);
    await expect(report(page, 'Not ready')).toContainText('The file as.toml is not TOML: look at line 1.');

    await choose(page, 'Choose another application server', {
      'as.toml': files.as.replace(/dsn="[^"]+"/, 'dsn="postgres://me:s3cret@127.0.0.1:1025/gone"'),
    });
    await expect(report(page, 'Not ready')).toBeHidden();
    await look(page);
    await expect(report(page, 'Not ready')).toContainText('No server answers at 127.0.0.1:1025.');
    await expect(main(page)).not.toContainText('s3cret');

    await button(page, 'Environment of as.toml').click();
    const dsn = /dsn="([^"]+)"/.exec(files.as)![1]!;
    await textbox(page, 'Environment of as.toml').fill(`POSTGRESQL__DSN=${dsn}`);
    await look(page);
    await expect(report(page, 'Ready to import, with notes')).toBeVisible();
    await expect(main(page).getByText('--config as.toml,as.env')).toBeVisible();
  });

  // The last one: the server has other users afterwards.
  test.describe('after the move', () => {
    test.use({ allowedErrors: /status of 401/ });

    test('a token of version 3 works until its key is deleted', async ({ hilltop, enterAs }) => {
      await hilltop.stop();
      const program = fileURLToPath(new URL('../apps/server/src/import-v3.ts', import.meta.url));
      const choice = ['--config', v3.config, '--ns-config', v3.networkServerConfig];
      const report = ['--report', `${hilltop.data}/report.json`];
      // Exit status 2: there is something to read.
      const { code } = await promisify(execFile)(process.execPath, [program, ...choice, ...report], {
        env: { PATH: process.env['PATH'], HILLTOP_DATA: hilltop.data, HILLTOP_OUTGOING_ALLOW: '127.0.0.1' },
      }).then(
        () => ({ code: 0 }),
        (error: { code: number }) => error,
      );
      expect([0, 2]).toContain(code);
      await hilltop.start();

      const call = async () =>
        (
          await fetch(`${hilltop.url}/api/applications?organizationID=7&limit=1`, {
            headers: { 'Grpc-Metadata-Authorization': `Bearer ${fixture.apiToken}` },
          })
        ).status;
      expect(await call()).toBe(200);
      const page = await enterAs(null);
      await page.goto('/login');
      await signIn(page, { email: 'anna@example.org', password: fixture.password });
      await hasLanded(page);
      await visit(page, '/organizations/7/api-keys');
      await expect(main(page).getByRole('row').filter({ hasText: 'script' })).toContainText('Full');
      await button(page, 'Delete script').click();
      await answerDialog(page, 'Delete');
      await expectToast(page, 'api key has been deleted');
      expect(await call()).toBe(401);
    });
  });
});
