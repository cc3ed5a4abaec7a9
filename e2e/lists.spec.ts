import type { Client } from '@hilltop/contract/client';
import { createDevice, startGateway } from '@hilltop/simulator';
import { expect, test } from './journey.ts';
import { expectToast, goTo, main } from './steps.ts';
import { activate, buildDeviceProfile, buildWorld, randomHex, type World } from './world.ts';

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

interface Fleet {
  /** Received once, and expected again a second later. */
  silent: number;
  /** Received once, and expected again in an hour. */
  active: number;
  tags: Record<string, string>;
}

/** Adds devices to an application, and has the gateway receive each of them once. */
async function addFleet(
  admin: Client,
  world: World,
  { udpPort, silentProfileID, silent, active, tags }: Fleet & { udpPort: number; silentProfileID: string },
): Promise<void> {
  const gateway = await startGateway({ server: `127.0.0.1:${udpPort}`, gatewayID: world.gatewayID, keepaliveMs: 500 });
  await gateway.online();
  const profiles = [
    ...Array<string>(silent).fill(silentProfileID),
    ...Array<string>(active).fill(world.deviceProfileID),
  ];
  for (const deviceProfileID of profiles) {
    const devEUI = randomHex(8);
    const { applicationID } = world;
    const device = { devEUI, name: `meter-${devEUI}`, description: 'A meter', applicationID, deviceProfileID, tags };
    await admin.device.create({ device });
    const simulated = createDevice({ devEUI, session: await activate(admin, devEUI), adr: false });
    expect(await gateway.receiveFrame(simulated.uplink({ fPort: 1, data: Uint8Array.of(0) })).acknowledged).toBe(true);
  }
  await gateway.stop();
}

test('silent devices of all applications are found in two clicks, and those of a tag are saved as a view', async ({
  page,
  admin,
  hilltop: { udpPort },
}) => {
  const world = await buildWorld(admin, 'silent-fleet');
  const { organizationID, serviceProfileID } = world;
  const silentProfileID = await buildDeviceProfile(admin, world, { name: 'beacon', uplinkInterval: '1s' });
  const fleet = (name: string, given: Fleet) =>
    admin.application
      .create({ application: { name, description: name, organizationID, serviceProfileID } })
      .then(({ id }) => addFleet(admin, { ...world, applicationID: id }, { udpPort, silentProfileID, ...given }));
  await fleet('cellar', { silent: 2, active: 1, tags: { site: 'cellar' } });
  await fleet('roof-east', { silent: 3, active: 1, tags: { site: 'roof' } });
  await fleet('roof-west', { silent: 2, active: 1, tags: { site: 'roof' } });
  const states = async () => {
    const { result } = await admin.device.list({ organizationID, limit: 50, include: ['state'] });
    return result.filter(({ state }) => state === 'INACTIVE').length;
  };
  await expect.poll(states, { timeout: 30_000 }).toBe(7);

  await page.goto(`/organizations/${organizationID}`);
  await goTo(page, 'Devices');
  await main(page).getByRole('button', { name: 'Inactive 7' }).click();
  const rows = main(page).locator('tbody tr');
  await expect(rows).toHaveCount(7);
  await expect(rows.filter({ hasText: 'cellar' })).toHaveCount(2);

  await main(page).getByRole('button', { name: 'Filter', exact: true }).click();
  const box = page.getByRole('dialog');
  await box.getByRole('button', { name: 'Tag', exact: true }).click();
  await box.getByRole('combobox', { name: 'Name of the tag' }).fill('site');
  await box.getByRole('textbox', { name: 'Tag site' }).fill('roof');
  await page.keyboard.press('Enter');
  await expect(rows).toHaveCount(5);
  await main(page).getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save as a new view' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Silent on the roof');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expectToast(page, 'view has been saved');

  await goTo(page, 'Applications');
  await goTo(page, 'Devices');
  await expect(rows).toHaveCount(10);
  await main(page).getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitemradio', { name: 'Silent on the roof' }).click();
  await expect(rows).toHaveCount(5);
  await expect(main(page).getByRole('button', { name: 'Tag site is roof', exact: true })).toBeVisible();
  await expect(main(page).getByRole('button', { name: 'Inactive 5' })).toHaveAttribute('aria-pressed', 'true');
});

test('a menu stays inside the window of a phone', async ({ page, admin }) => {
  const { organizationID } = await buildWorld(admin, 'narrow-menu');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/organizations/${organizationID}/devices`);
  await main(page).getByRole('button', { name: 'Views' }).click();
  const { x, width } = (await page.getByRole('menuitem', { name: 'Save as a new view' }).boundingBox())!;
  // The list around the menu ends 12 px before the window and cuts off what is outside.
  expect(x + width).toBeLessThan(390 - 12);
});
