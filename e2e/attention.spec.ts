import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from './journey.ts';
import { button, drawer, expectToast, main } from './steps.ts';
import { buildWorld } from './world.ts';

interface Subject {
  devEUI: string;
  organizationID: string;
}

/** What the next evaluation would find: without it the test would wait for a minute. */
function lowerBattery(data: string, { devEUI, organizationID }: Subject): void {
  using database = new DatabaseSync(join(data, 'hilltop.db'), { timeout: 10_000 });
  database.prepare('update device set battery_level = 5 where dev_eui = ?').run(devEUI);
  database
    .prepare(
      `insert into condition (id, condition, subject_kind, subject_id, organization_id, application_id, since, detail, rank)
       select ?, 'LOW_BATTERY', 'DEVICE', dev_eui, ?, application_id, ?, '{"value":5}', 5 from device where dev_eui = ?`,
    )
    .run(randomUUID(), Number(organizationID), Date.now() - 3_600_000, devEUI);
}

test('a low battery is shown on the dashboard, in the navigation and as a list, until it is snoozed', async ({
  page,
  hilltop,
  admin,
}) => {
  const { organizationID, devEUI, gatewayID } = await buildWorld(admin, 'pasture');
  lowerBattery(hilltop.data, { devEUI, organizationID });
  await page.goto(`/organizations/${organizationID}`);
  const strip = main(page).getByRole('region', { name: 'Needs attention' });
  await strip.getByRole('link', { name: '1 low battery' }).click();
  await expect(page).toHaveURL(/filter=condition/);
  await main(page).locator(`a[href$="/devices/${devEUI}"]`).click();
  const row = () => main(page).locator('dl > div, tr').filter({ hasText: 'Needs attention' });
  await expect(row().getByRole('link', { name: 'Low battery: 5 %' })).toBeVisible();
  await page.goto(`/organizations/${organizationID}/gateways/${gatewayID}`);
  await expect(row()).toContainText('nothing');

  await drawer(page)
    .getByRole('link', { name: /^Attention\W+1$/ })
    .click();
  const group = main(page).getByRole('region', { name: '1 low battery' });
  await expect(group.getByRole('link', { name: 'thermometer' })).toBeVisible();
  await expect(group.getByText('5 %', { exact: true })).toBeVisible();

  await button(page, 'Snooze thermometer').click();
  await page.getByRole('dialog', { name: 'Snooze thermometer' }).getByRole('button', { name: '7 days' }).click();
  await expectToast(page, 'condition has been snoozed');
  await expect(main(page).getByText('Nothing needs attention')).toBeVisible();
  await expect(drawer(page).getByRole('link', { name: 'Attention', exact: true })).toBeVisible();
});
