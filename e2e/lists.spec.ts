import { expect, test } from './journey.ts';
import { main } from './steps.ts';
import { buildWorld } from './world.ts';

const longText = 'Counts the cars that enter and leave the parking spaces behind the town hall and the library';

test('a list shows 18 one-line rows at 1440 × 900, and the whole text of a cell that is cut', async ({
  page,
  admin,
}) => {
  const { organizationID, serviceProfileID } = await buildWorld(admin, 'dense-list');
  for (let number = 1; number <= 19; number++) {
    const name = `parking-${String(number).padStart(2, '0')}`;
    await admin.application.create({ application: { name, description: longText, organizationID, serviceProfileID } });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/organizations/${organizationID}/applications?size=25`);
  const rows = main(page).locator('tbody tr');
  await expect(rows).toHaveCount(20);
  const boxes = await rows.evaluateAll((all) => all.map((row) => row.getBoundingClientRect()));
  expect(new Set(boxes.map(({ height }) => height))).toEqual(new Set([36]));
  expect(boxes.filter(({ bottom }) => bottom <= 900).length).toBeGreaterThanOrEqual(18);
  await rows.first().getByText(longText).hover();
  await expect(page.locator('body > [aria-hidden]').getByText(longText)).toBeVisible();
});

test('a list is searched, walked through and opened with the keyboard', async ({ page, admin }) => {
  const { organizationID, serviceProfileID } = await buildWorld(admin, 'keyboard-list');
  const create = (name: string) =>
    admin.application.create({ application: { name, description: 'Parking', organizationID, serviceProfileID } });
  await create('parking-north');
  const { id } = await create('parking-south');
  await page.goto(`/organizations/${organizationID}/applications`);
  await expect(main(page).getByRole('link', { name: 'weather' })).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('parking');
  await expect(main(page).getByRole('link', { name: 'weather' })).toBeHidden();
  await page.keyboard.press('ArrowDown');
  await expect(main(page).getByRole('link', { name: 'parking-north' })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/organizations/${organizationID}/applications/${id}`);
});

test('profiles, users and keys are searched on the server', async ({ page, admin }) => {
  const { organizationID, networkServerID } = await buildWorld(admin, 'searched-lists');
  await admin.serviceProfile.create({ serviceProfile: { name: 'meters', organizationID, networkServerID } });
  await page.goto(`/organizations/${organizationID}/service-profiles`);
  await expect(main(page).getByRole('link', { name: 'standard' })).toBeVisible();
  const asked = page.waitForResponse((response) => response.url().includes('search=METER'));
  await main(page).getByRole('searchbox').fill('METER');
  expect((await (await asked).json()) as object).toMatchObject({ totalCount: '1' });
  await expect(main(page).getByRole('link', { name: 'standard' })).toBeHidden();
  await expect(main(page).getByRole('link', { name: 'meters' })).toBeVisible();
});

test('the activity of all gateways of a page is one request', async ({ page, admin }) => {
  const { organizationID, networkServerID } = await buildWorld(admin, 'gateway-activity');
  const location = { latitude: 52, longitude: 5 };
  for (let number = 1; number <= 4; number++) {
    const id = `00000000000ac71${number}`;
    await admin.gateway.create({ gateway: { id, name: `mast-${number}`, organizationID, networkServerID, location } });
  }
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(`/organizations/${organizationID}/gateways`);
  await expect(main(page).getByRole('img', { name: 'Gateway activity: 0 in 30 days' })).toHaveCount(5);
  expect(asked.filter((url) => url.includes('include=activity'))).toHaveLength(1);
  expect(asked.filter((url) => url.includes('/stats?'))).toEqual([]);
});
