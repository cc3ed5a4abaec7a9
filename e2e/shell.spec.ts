import type { Locator, Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { drawer, goTo, hasLanded, hasPrefetched, main } from './steps.ts';
import { activate, buildPerson, buildWorld, randomHex } from './world.ts';

const searchBox = (page: Page) =>
  page.getByRole('combobox', { name: 'Search organization, application, gateway or device' });
const palette = (page: Page) => page.getByRole('combobox', { name: 'Search or go to' });
const picker = (page: Page) => drawer(page).getByRole('combobox', { name: 'Organization' });
const organizations = (page: Page) => page.getByRole('listbox', { name: 'Organizations' });

/** The option that `aria-activedescendant` names while the box has the focus. */
async function announced(page: Page, box: Locator): Promise<string> {
  const id = await box.getAttribute('aria-activedescendant');
  return id === null ? '' : page.locator(`[id="${id}"][role=option][aria-selected=true]`).innerText();
}

test('the search box suggests while typing; arrow keys select, and Enter alone searches', async ({ admin, page }) => {
  const name = `suggested${randomHex(3)}`;
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, name);
  await page.goto('/organizations');
  await searchBox(page).fill(devEUI.slice(0, 12));
  await expect(page.getByRole('option', { name: /^thermometer.*device/s })).toBeVisible();
  expect(await announced(page, searchBox(page))).toBe('');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => announced(page, searchBox(page))).toContain('thermometer');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/organizations/${organizationID}/applications/${applicationID}/devices/${devEUI}`);

  await searchBox(page).fill(name);
  await expect(page.getByRole('option', { name: new RegExp(`^${name}.*organization`, 's') })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('option')).toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/search?search=${name}`);
  await expect(main(page).getByRole('row').filter({ hasText: 'organization' }).first()).toBeVisible();
  await expect(searchBox(page)).toHaveValue(name);
});

test('a search without results explains what can be searched', async ({ page }) => {
  await page.goto('/search');
  await expect(main(page).getByText('Enter a search term')).toBeVisible();
  await searchBox(page).fill('no such thing');
  await page.keyboard.press('Enter');
  await expect(main(page).getByText('Nothing found')).toBeVisible();
});

test('a search with several pages of results can be paged and links to the objects', async ({ admin, page }) => {
  const name = `many${randomHex(3)}`;
  for (let number = 0; number < 11; number += 1) {
    await admin.organization.create({ organization: { name: `${name}-${number}`, displayName: 'One of many' } });
  }
  await page.goto(`/search?search=${name}`);
  const names = main(page).getByRole('link', { name: new RegExp(`^${name}-`) });
  const pages = main(page).getByRole('navigation', { name: 'Pages' });
  await expect(names).toHaveCount(10);
  await expect(pages.getByText('1-10')).toBeVisible();
  await pages.getByRole('button', { name: 'Next page' }).click();
  await expect(names).toHaveCount(1);
  await expect(pages.getByText('11-11')).toBeVisible();
  await expect(pages.getByRole('button', { name: 'Next page' })).toBeDisabled();
  await names.click();
  await expect(page).toHaveURL(/\/organizations\/\d+$/);
});

test('tags and device addresses find a device, shown with its application', async ({ admin, page }) => {
  const name = `owner${randomHex(3)}`;
  const { organizationID, applicationID, devEUI } = await buildWorld(admin, name);
  const { device } = await admin.device.get({ devEUI });
  const tag = randomHex(4);
  await admin.device.update({ device: { ...device!, tags: { room: tag } } });
  const { devAddr } = await activate(admin, devEUI);
  for (const text of [`room:${tag}`, devAddr]) {
    await page.goto(`/search?search=${text}`);
    const row = main(page).getByRole('row').filter({ hasText: devEUI });
    await expect(row).toContainText(`${name} / weather`);
    await expect(row.getByRole('link', { name: 'weather' })).toHaveAttribute(
      'href',
      `/organizations/${organizationID}/applications/${applicationID}`,
    );
  }
});

test('the command palette marks the option that Enter selects, from the start', async ({ admin, page }) => {
  const { organizationID } = await buildWorld(admin, 'announced');
  await page.goto(`/organizations/${organizationID}`);
  await expect(drawer(page)).toBeVisible();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(palette(page)).toBeFocused();
  await expect.poll(() => announced(page, palette(page))).toBe('Org. dashboard');
  await palette(page).fill('gateway-p');
  await expect.poll(() => announced(page, palette(page))).toBe('Gateway-profiles');
  await expect(page.getByRole('dialog').getByRole('status')).toHaveText(/^No organization, .* matches\.$/);
  await page.keyboard.press('ArrowUp');
  await expect.poll(() => announced(page, palette(page))).toBe('Search for "gateway-p"');
  await page.keyboard.press('Escape');
  await expect(palette(page)).toHaveCount(0);
});

test('on a phone a button opens the command palette', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/organizations');
  await page.getByRole('button', { name: 'Search or go to' }).click();
  await palette(page).fill('All us');
  await page.getByRole('option', { name: 'All users' }).click();
  await expect(page).toHaveURL('/users');
});

test('the organization picker shows ten organizations, finds others by name and follows renames and deletions', async ({
  admin,
  page,
}) => {
  const names = Array.from({ length: 11 }, (_, number) => `picked-${randomHex(2)}-${number}`);
  // The display name neither contains the name nor sorts like it.
  const displayNames = names.map((_, number) => `Customer ${20 - number}`);
  const beside = (name: string) => `${name} ${displayNames[names.indexOf(name)]}`;
  const made = await Promise.all(
    names.map((name, number) =>
      admin.organization.create({ organization: { name, displayName: displayNames[number]! } }),
    ),
  );
  const { totalCount } = await admin.organization.list({ limit: 0 });
  await page.goto('/organizations');
  await picker(page).click();
  await expect(organizations(page).getByText(`Showing 10 of ${totalCount}`)).toBeVisible();
  await expect(organizations(page).getByRole('option')).toHaveCount(10);

  await picker(page).fill('picked-');
  await expect(organizations(page).getByRole('option')).toHaveText(names.toSorted().slice(0, 10).map(beside));
  await picker(page).fill(names[10]!);
  await expect(organizations(page).getByRole('option')).toHaveText([beside(names[10]!)]);
  await expect(organizations(page).getByText(/Showing/)).toHaveCount(0);
  await expect.poll(() => announced(page, picker(page))).toBe(beside(names[10]!));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/organizations/${made[10]!.id}`);
  await expect(picker(page)).toHaveValue(names[10]!);

  await picker(page).fill('no such organization');
  await expect(drawer(page).getByText('No organization has this name.')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(picker(page)).toHaveValue(names[10]!);

  await page.goto(`/organizations/${made[10]!.id}/edit`);
  await main(page).getByRole('textbox', { name: 'Organization name' }).fill('renamed');
  await main(page).getByRole('button', { name: 'Update organization' }).click();
  await expect(picker(page)).toHaveValue('renamed');
  await main(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('renamed');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page).toHaveURL('/organizations');
  await expect(picker(page)).toHaveValue('');
  await expect(drawer(page).getByRole('link', { name: 'Applications' })).toHaveCount(0);
});

test.describe('the entry', () => {
  test.use({ allowedErrors: /status of (403|404)/ });

  test('redirects from a deleted organization to another one, or to the list', async ({ admin, page }) => {
    const { organizationID } = await buildWorld(admin, `entry${randomHex(3)}`);
    const { id: gone } = await admin.organization.create({ organization: { name: 'gone', displayName: 'Gone' } });
    await page.goto(`/organizations/${gone}`);
    await hasLanded(page);
    await admin.organization.delete({ id: gone });
    await page.goto('/');
    await expect(page).toHaveURL(/\/organizations\/\d+$/);
    await expect(page).not.toHaveURL(`/organizations/${gone}`);
    await page.goto(`/organizations/${organizationID}`);
    await hasLanded(page);
    await page.goto('/');
    await expect(page).toHaveURL(`/organizations/${organizationID}`);

    await page.evaluate(() => localStorage.removeItem('organizationID'));
    await page.route('**/api/organizations?**', (route) => route.fulfill({ json: { totalCount: '0', result: [] } }));
    await page.goto('/');
    await expect(page).toHaveURL('/organizations');
  });

  test('tells a user without an organization what to do', async ({ admin, enterAs }) => {
    const { token } = await buildPerson(admin, { name: 'lonely' });
    const page = await enterAs(token);
    await page.goto('/');
    await expect(main(page).getByText('You are not a member of any organization')).toBeVisible();
    await picker(page).click();
    await expect(drawer(page).getByText('There are none yet.')).toBeVisible();
    await expect(drawer(page).getByRole('link')).toHaveCount(0);
  });
});

test('a plain member can read all counts of the dashboard', async ({ admin, enterAs }) => {
  const { organizationID } = await buildWorld(admin, `counted${randomHex(3)}`);
  const { token } = await buildPerson(admin, { name: 'reader', organizations: [{ organizationID }] });
  const page = await enterAs(token);
  await page.goto(`/organizations/${organizationID}`);
  const card = (name: string) => main(page).getByRole('region', { name });
  await expect(card('Active devices').getByRole('listitem')).toHaveText(['Never seen1', 'Inactive0', 'Active0']);
  await expect(card('Active gateways').getByRole('listitem')).toHaveText(['Never seen1', 'Inactive0', 'Active0']);
  await expect(card('Device data-rate usage').getByText('No data available.')).toBeVisible();
  await expect(main(page).getByText('Never seen: 1')).toBeVisible();

  const figures = main(page).getByRole('region', { name: 'Figures' });
  await expect(figures).toContainText('Gateways1');
  await expect(figures).toContainText('Uplinks, last 24 h0');
  await card('Active gateways').getByRole('link', { name: 'Never seen' }).click();
  await expect(page).toHaveURL(/\/gateways\?filter=state:is:neverSeen$/);
  await expect(main(page).getByRole('button', { name: /^Never seen/ })).toHaveAttribute('aria-pressed', 'true');
});

test.describe('a summary that fails', () => {
  test.use({ allowedErrors: /status of 500/ });

  test('shows an error in its card and can be tried again', async ({ admin, page }) => {
    const { organizationID } = await buildWorld(admin, `failing${randomHex(3)}`);
    await page.route('**/api/internal/devices/summary**', (route) => route.fulfill({ status: 500, json: {} }));
    await page.goto(`/organizations/${organizationID}`);
    const devices = main(page).getByRole('region', { name: 'Active devices' });
    await expect(devices.getByRole('alert')).toBeVisible();
    await expect(main(page).getByRole('region', { name: 'Active gateways' }).getByRole('listitem')).toHaveCount(3);
    await page.unroute('**/api/internal/devices/summary**');
    await devices.getByRole('button', { name: 'Try again' }).click();
    await expect(devices.getByRole('listitem')).toHaveCount(3);
  });
});

test('the menus of the top bar work by keyboard, and the colour scheme is stored', async ({ page, hilltop }) => {
  await page.goto('/organizations');
  const account = page.getByRole('button', { name: `Account: ${hilltop.email}` });
  await account.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Change password' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('menuitem', { name: 'Logout' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(account).toBeFocused();
  await expect(page.getByRole('menu')).toHaveCount(0);

  await page.getByRole('button', { name: 'Colour scheme' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.getByRole('button', { name: 'Colour scheme' }).click();
  await expect(page.getByRole('menuitemradio', { checked: true })).toHaveText('Dark');
  await drawer(page).getByRole('link', { name: 'All users' }).focus();
  await expect(page.getByRole('menu')).toHaveCount(0);
});

test('the drawer is beside the page on a desktop and over it on a phone', async ({ page }) => {
  const isPushed = () => main(page).evaluate((element) => element.getBoundingClientRect().left);
  await page.goto('/users');
  await expect(drawer(page).getByRole('link', { name: 'All users' })).toHaveAttribute('aria-current', 'page');
  await expect.poll(isPushed).toBe(270);
  await page.getByRole('button', { name: 'Close the navigation' }).click();
  await expect(drawer(page)).toBeHidden();
  await expect.poll(isPushed).toBe(0);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await expect(drawer(page)).toBeVisible();
  await expect.poll(isPushed).toBe(0);
  await page.keyboard.press('Escape');
  await expect(drawer(page)).toBeHidden();
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await drawer(page).getByRole('link', { name: 'Organizations' }).click();
  await expect(page).toHaveURL('/organizations');
  await expect(page).toHaveTitle('Organizations · Hilltop');
  await expect(drawer(page)).toBeHidden();
});

test('Help opens the documentation of the current page in one tab of its own', async ({ page, context }) => {
  await page.goto('/users');
  const help = page.getByRole('link', { name: 'Help: Security' });
  await expect(help).toHaveAttribute('target', 'hilltop-help');
  const [tab] = await Promise.all([context.waitForEvent('page'), help.click()]);
  await expect(tab).toHaveURL('/docs/security');
  await goTo(page, 'Gateway-profiles');
  await page.getByRole('link', { name: 'Help: Gateways' }).click();
  await expect(tab).toHaveURL('/docs/gateways');
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: /^Account/ }).click();
  await expect(page.getByRole('menuitem', { name: 'Help: Gateways' })).toHaveAttribute('href', '/docs/gateways');
});

test.describe('while nothing else happens', () => {
  test.use({ prefetches: true });

  test('all code that a click needs has been prefetched', async ({ page }) => {
    await Promise.all([hasPrefetched(page), page.goto('/network-servers')]);
    const fetched: string[] = [];
    page.on('request', (request) => fetched.push(new URL(request.url()).pathname));
    await goTo(page, 'Organizations');
    await goTo(page, 'All users', 'Users');
    await goTo(page, 'Gateway-profiles');
    expect(fetched.filter((path) => /^\/(assets|swagger)\//.test(path))).toEqual([]);
    expect(fetched).toContain('/api/users');
  });

  test('hovering over a link prefetches the data of its page', async ({ admin, page }) => {
    const { organizationID, applicationID } = await buildWorld(admin, `onTheWay${randomHex(3)}`);
    await Promise.all([hasPrefetched(page), page.goto(`/organizations/${organizationID}/applications`)]);
    const link = main(page).getByRole('link', { name: 'weather' });
    const [devices] = await Promise.all([
      page.waitForResponse((response) => response.url().includes(`&applicationID=${applicationID}&`)),
      page.waitForResponse((response) => response.url().endsWith(`/api/applications/${applicationID}`)),
      link.hover(),
    ]);
    await devices.finished();
    await page.route('**/api/**', () => undefined);
    await link.click();
    await expect(page.getByRole('heading', { name: 'weather' })).toBeVisible();
    await expect(main(page).getByRole('link', { name: 'thermometer' }).first()).toBeVisible();
  });

  test('a click with a slow response shows the new page with a skeleton', async ({ admin, page }) => {
    const { organizationID, applicationID } = await buildWorld(admin, `onTheWay${randomHex(3)}`);
    await Promise.all([hasPrefetched(page), page.goto(`/organizations/${organizationID}/applications`)]);
    await page.route('**/api/devices?**', () => undefined);
    await main(page).getByRole('link', { name: 'weather' }).click();
    await expect(page).toHaveURL(`/organizations/${organizationID}/applications/${applicationID}`);
    await expect(page.getByRole('heading', { name: 'weather' })).toBeVisible();
    await expect(main(page).getByText('Loading').first()).toBeAttached();
  });
});
