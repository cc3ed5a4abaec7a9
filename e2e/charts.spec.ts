import { writeHistory } from '../scripts/demo/history.ts';
import { expect, test } from './journey.ts';
import { main } from './steps.ts';
import { buildWorld } from './world.ts';

test('the charts of a gateway cover the selected range, and those without data collapse to one line', async ({
  admin,
  hilltop,
  page,
}) => {
  const { organizationID, gatewayID } = await buildWorld(admin, 'charted');
  const counters = { rx_count: 8, rx_ok_count: 7, rx_dr_5: 7 };
  writeHistory(hilltop.data, [{ subject: `gateway:${gatewayID}`, at: Date.now() - 60_000, counters }]);
  const address = `/organizations/${organizationID}/gateways/${gatewayID}`;
  await page.goto(address);
  const received = main(page).getByRole('region', { name: 'Received', exact: true });
  const range = main(page).getByRole('radiogroup', { name: 'Range of the charts' });
  await expect(received.getByRole('img', { name: /^Received, 30 days\. Latest, .*: rx received 7\.$/ })).toBeVisible();
  await expect(range.getByRole('radio', { name: '30 days' })).toBeChecked();

  await range.getByRole('radio', { name: '24 hours' }).focus();
  await page.keyboard.press('Space');
  await expect(page).toHaveURL(`${address}?range=24h`);
  await expect(received.getByRole('img', { name: /^Received, 25 hours\. Latest, .*: rx received 7\.$/ })).toBeVisible();
  await page.reload();
  await expect(received.getByRole('img', { name: /25 hours/ })).toBeVisible();

  await range.getByRole('radio', { name: '7 days' }).focus();
  await page.keyboard.press('Space');
  await expect(
    received.getByRole('img', { name: /^Received, 169 hours\. Latest, .*: rx received 7\.$/ }),
  ).toBeVisible();

  const transmitted = main(page).getByRole('region', { name: 'Transmitted', exact: true });
  await expect(transmitted.getByText('No data available.')).toBeVisible();
  expect((await transmitted.boundingBox())!.height).toBeLessThan(80);
});
