import { expect, test } from './journey.ts';
import { button, main } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

// The journey kills the server.
test.use({ allowedErrors: /Failed to load resource|ERR_CONNECTION|WebSocket/ });

const fleet = 300;

test('all devices that match are moved, the server is killed meanwhile, and the move is undone', async ({
  page,
  hilltop,
  admin,
}) => {
  const world = await buildWorld(admin, 'fleet');
  const { organizationID, applicationID, deviceProfileID, serviceProfileID } = world;
  const { id: target } = await admin.application.create({
    application: { name: 'greenhouse', description: 'x', organizationID, serviceProfileID },
  });
  const devEUIs = Array.from({ length: fleet }, () => randomHex(8));
  for (const [at, devEUI] of devEUIs.entries())
    await admin.device.create({
      device: { devEUI, name: `fleet-${at}`, description: 'x', applicationID, deviceProfileID },
    });

  await page.goto(`/organizations/${organizationID}/devices?search=fleet-`);
  await main(page).getByRole('checkbox', { name: 'Select all on this page' }).check();
  await button(page, `Select all ${fleet} that match`).click();
  await button(page, 'Move').click();
  const dialog = page.getByRole('dialog', { name: 'Move devices' });
  await dialog.getByRole('combobox', { name: 'Application' }).click();
  await page.getByRole('option', { name: 'greenhouse', exact: true }).click();
  await expect(dialog.getByText(`${fleet} devices can be moved.`)).toBeVisible();
  await dialog.getByRole('button', { name: `Start with ${fleet} devices` }).click();
  await expect(dialog).toHaveCount(0);

  const newest = async () => (await admin.job.list({ organizationID, limit: 1 })).result[0]!;
  await expect.poll(async () => (await newest()).isPrepared).toBe(true);
  await hilltop.stop('SIGKILL');
  await hilltop.start();
  await expect.poll(async () => (await newest()).state, { timeout: 30_000 }).toBe('DONE');
  const counts = (await admin.job.listRows({ id: (await newest()).id, outcome: 'DONE', limit: 0 })).totalCount;
  expect(counts).toBe(String(fleet));

  // Somebody moves a device back before.
  const { device } = await admin.device.get({ devEUI: devEUIs[0]! });
  await admin.device.update({ device: { ...device, applicationID } });
  await page.goto(`/organizations/${organizationID}/jobs`);
  await main(page).getByRole('link', { name: 'Move devices: greenhouse' }).click();
  await expect(main(page).getByText(`${fleet} moved, 0 refused, 0 failed`)).toBeVisible();
  await button(page, 'Undo').click();
  await expect(main(page).getByRole('heading', { name: 'Undo: Move devices: greenhouse' })).toBeVisible();
  await expect(main(page).getByText(`${fleet - 1} put back, 1 refused, 0 failed`)).toBeVisible({ timeout: 30_000 });
  await main(page).getByRole('combobox', { name: 'Outcome' }).selectOption('REFUSED');
  await expect(main(page).getByText('The record was changed since.')).toBeVisible();
  await main(page).getByRole('link', { name: 'fleet-0', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`/applications/${applicationID}/devices/${devEUIs[0]}$`));
  await page.goBack();
  expect((await admin.device.list({ applicationID: target, limit: 0 })).totalCount).toBe('0');
});
