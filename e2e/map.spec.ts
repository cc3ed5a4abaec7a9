import { expect, test } from './journey.ts';
import { main } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

test('the dashboard shows where gateways stand, and a click on one tells which it is', async ({ admin, page }) => {
  const { organizationID, networkServerID, gatewayID } = await buildWorld(admin, 'mapped');
  const nowhere = { latitude: 0, longitude: 0, altitude: 0 };
  const shelved = { id: randomHex(8), name: 'shelf', description: 'Not mounted yet', location: nowhere };
  await admin.gateway.create({ gateway: { ...shelved, organizationID, networkServerID } });

  await page.goto(`/organizations/${organizationID}`);
  const map = main(page).getByRole('region', { name: 'Map of the gateways' });
  const canvas = map.getByRole('region', { name: 'Map', exact: true });
  await expect(main(page).getByText('1 gateway has no position and is not shown.')).toBeVisible();
  await expect(async () => {
    await canvas.click();
    await expect(map.getByRole('link', { name: 'roof' })).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(map.getByText('Never seen online')).toBeVisible();
  await map.getByRole('link', { name: 'roof' }).click();
  await expect(page).toHaveURL(`/organizations/${organizationID}/gateways/${gatewayID}`);
});
