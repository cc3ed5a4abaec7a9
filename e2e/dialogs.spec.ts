import type { Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import config from './playwright.config.ts';
import { button, drawer, main } from './steps.ts';
import { buildWorld, randomHex } from './world.ts';

// Headless browsers hide the scroll bars, whose width this is about.
test.use({
  viewport: { width: 1440, height: 900 },
  launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] },
});

/** Where fixed and flowing parts of the page are. */
const places = (page: Page) =>
  page.evaluate(() => {
    const left = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().left;
    const right = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().right;
    return {
      account: right('header button[aria-label^="Account"]'),
      navigation: left('nav[aria-label="Main"]'),
      heading: left('h1'),
      page: right('main'),
      scrollBar: innerWidth - document.documentElement.clientWidth,
    };
  });

test('no dialog moves the page', async ({ admin, page }) => {
  const { organizationID, applicationID } = await buildWorld(admin, 'unmoved');
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/edit`);
  await expect(button(page, 'Update application')).toBeVisible();
  const before = await places(page);
  expect(before.scrollBar).toBeGreaterThan(0);
  const dialog = page.getByRole('dialog');
  const staysWhileOpen = async () => {
    await expect(dialog).toBeVisible();
    expect(await places(page)).toEqual(before);
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    expect(await places(page)).toEqual(before);
  };

  await page.keyboard.press('ControlOrMeta+k');
  await staysWhileOpen();
  await button(page, 'Delete').click();
  await staysWhileOpen();
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await staysWhileOpen();
});

test('the page behind a dialog does not scroll', async ({ admin, page }) => {
  const { organizationID } = await buildWorld(admin, 'unscrolled');
  await page.goto(`/organizations/${organizationID}/device-profiles/create`);
  await expect(button(page, 'Create device-profile')).toBeVisible();
  await main(page)
    .getByRole('button', { name: /^More about/ })
    .first()
    .click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.mouse.move(20, 600);
  await page.mouse.wheel(0, 400);
  await page.mouse.move(720, 450);
  await page.mouse.wheel(0, 4000);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await page.evaluate(() => scrollY)).toBe(0);
});

test('notifications do not cover the navigation', async ({ admin, page }) => {
  const { organizationID, applicationID } = await buildWorld(admin, 'uncovered');
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/edit`);
  await button(page, 'Update application').click();
  const toast = (await page.getByText('application has been updated').boundingBox())!;
  const navigation = (await drawer(page).boundingBox())!;
  expect(toast.x).toBeGreaterThan(navigation.x + navigation.width);
});

test('the buttons of a dialog that is higher than the window stay in view', async ({ page, admin }) => {
  const { organizationID } = await buildWorld(admin, 'high-dialog');
  await page.setViewportSize({ width: 1440, height: 600 });
  await page.goto(`/organizations/${organizationID}/users`);
  await main(page).getByRole('button', { name: 'Invite', exact: true }).first().click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Create link' })).toBeInViewport({ ratio: 1 });
});

test('the last downlinks begin below the buttons of the side sheet', async ({ page, admin }) => {
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, 'side-sheet');
  const [appSKey, nwkSEncKey] = [randomHex(16), randomHex(16)];
  const keys = { appSKey, nwkSEncKey, sNwkSIntKey: nwkSEncKey, fNwkSIntKey: nwkSEncKey };
  await admin.device.activate({
    deviceActivation: { devEUI, devAddr: '01020305', ...keys, fCntUp: 0, nFCntDown: 0, aFCntDown: 0 },
  });
  await page.goto(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}/data`);
  await button(page, 'Send downlink').click();
  const sheet = page.getByRole('dialog');
  const sent = await sheet.getByRole('region', { name: 'Sent lately' }).boundingBox();
  const foot = sheet
    .getByRole('button', { name: 'Enqueue payload' })
    .locator('xpath=ancestor::*[contains(@class, "foot")]');
  const { y, height } = (await foot.boundingBox())!;
  expect(sent!.y).toBeGreaterThanOrEqual(y + height);
});
