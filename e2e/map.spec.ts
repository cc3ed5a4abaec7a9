import type { Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { main } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

/** The map is below the first steps while no device is active, and loads when it is visible. */
const lookAtMap = (page: Page) =>
  main(page).getByRole('region', { name: 'Gateways', exact: true }).scrollIntoViewIfNeeded();

test('the dashboard shows the gateways on a map, and a click on one shows its name', async ({ admin, page }) => {
  const { organizationID, networkServerID, gatewayID } = await buildWorld(admin, 'mapped');
  const nowhere = { latitude: 0, longitude: 0, altitude: 0 };
  const shelved = { id: randomHex(8), name: 'shelf', description: 'Not mounted yet', location: nowhere };
  await admin.gateway.create({ gateway: { ...shelved, organizationID, networkServerID } });

  await page.goto(`/organizations/${organizationID}`);
  await lookAtMap(page);
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

test('the map does not compile shaders for the invisible sky', async ({ admin, page }) => {
  const { organizationID } = await buildWorld(admin, 'skyless');
  await page.addInitScript(() => {
    const sources: string[] = Object.assign(globalThis, { sources: [] }).sources;
    const gl = WebGL2RenderingContext.prototype;
    // oxlint-disable-next-line typescript/unbound-method -- called with its context below
    const { shaderSource } = gl;
    gl.shaderSource = function (shader, source) {
      sources.push(source);
      shaderSource.call(this, shader, source);
    };
  });
  await page.goto(`/organizations/${organizationID}`);
  await lookAtMap(page);
  const wordsOfGraphics = (word: string) =>
    page.evaluate(
      (part) => (globalThis as unknown as { sources: string[] }).sources.filter((one) => one.includes(part)).length,
      word,
    );
  await expect(async () => expect(await wordsOfGraphics('circle_center')).toBeGreaterThan(0)).toPass();
  expect(await wordsOfGraphics('u_sky_color')).toBe(0);
});

test('the legend filters the gateways on the map, and the filter is stored in the URL', async ({ admin, page }) => {
  const { organizationID } = await buildWorld(admin, 'filtered');
  await page.goto(`/organizations/${organizationID}`);
  await lookAtMap(page);
  const legend = main(page).getByRole('group', { name: 'Shown on the map' });
  const canvas = main(page).getByRole('region', { name: 'Map', exact: true });
  const neverSeen = legend.getByRole('checkbox', { name: 'Never seen: 1' });
  await expect(neverSeen).toBeChecked();
  await neverSeen.focus();
  await page.keyboard.press('Space');
  await expect(neverSeen).not.toBeChecked();
  await expect(page).toHaveURL(`/organizations/${organizationID}?hide=never`);
  await page.reload();
  await lookAtMap(page);
  await expect(neverSeen).not.toBeChecked();
  await neverSeen.check();
  await expect(page).toHaveURL(`/organizations/${organizationID}`);
  for (const colorScheme of ['light', 'dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    await expect(async () => {
      await canvas.click();
      await expect(main(page).getByRole('link', { name: 'roof' })).toBeVisible({ timeout: 500 });
    }).toPass();
  }
});

test('the built-in map names the nearest town of a gateway', async ({ admin, page }) => {
  const { organizationID, gatewayID } = await buildWorld(admin, 'offline');
  await page.goto(`/organizations/${organizationID}/gateways/${gatewayID}`);
  const map = main(page).getByRole('region', { name: 'Map with roof' });
  await expect(map.getByText('Nearest town: Utrecht')).toBeVisible();
  await expect(map.getByText('Natural Earth')).toBeVisible();
  await expect(map.locator('.maplibregl-ctrl-scale')).toContainText(/\d\s*k?m/);
  const readByWorkers = () =>
    Promise.all(
      page.workers().map((worker) => worker.evaluate(() => performance.getEntries().map(({ name }) => name))),
    );
  for (const part of ['outline', 'towns'])
    await expect.poll(async () => String(await readByWorkers())).toMatch(new RegExp(`/${part}-[^/]*\\.packed`));
});
