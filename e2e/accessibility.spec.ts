import type { Client } from '@hilltop/contract/client';
import { createDevice, createNetwork, startGateway } from '@hilltop/simulator';
import type { Locator, Page } from '@playwright/test';
import type { RunOptions } from 'axe-core';
import { administrationPictures } from './administration-pictures.ts';
import { axeViolations } from './axe.ts';
import { endingSoon } from './ending-session.ts';
import type { Hilltop } from './hilltop.ts';
import { integrationPictures } from './integration-pictures.ts';
import { expect, test } from './journey.ts';
import { multicastPictures } from './multicast-pictures.ts';
import { screenOpener } from './screen.ts';
import { branding, provider, withSettings } from './settings.ts';
import {
  button,
  drawer,
  expectToast,
  hasLanded,
  logRows,
  main,
  navigate,
  openTab,
  section,
  textbox,
  visit,
} from './steps.ts';
import { activate, buildPerson, buildWorld, type World } from './world.ts';

const widths = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const schemes = ['light', 'dark'] as const;
const colours = { runOnly: ['color-contrast', 'link-in-text-block'] };
/**
 * Viewport and colour scheme affect different rules: each gets one full check, and the contrast rules run in every
 * combination. Consecutive combinations differ in one property, because each change makes the browser compute the whole
 * page again.
 */
const looks = [
  { name: 'desk', colorScheme: 'light', rules: {} },
  { name: 'desk', colorScheme: 'dark', rules: colours },
  { name: 'phone', colorScheme: 'dark', rules: {} },
  { name: 'phone', colorScheme: 'light', rules: colours },
] as const;

/** A screen, and the steps before it is checked. */
type Screen = [address: (world: World) => string, ready?: (page: Page) => Promise<unknown>];

const organization = (world: World) => `/organizations/${world.organizationID}`;
const gateway = (world: World) => `${organization(world)}/gateways/${world.gatewayID}`;
const application = (world: World) => `${organization(world)}/applications/${world.applicationID}`;
const device = (world: World) => `${application(world)}/devices/${world.devEUI}`;
const openFirstRow = async (page: Page) => {
  await logRows(page).first().getByRole('button').first().click();
  await expect(main(page).getByRole('tree').first()).toBeVisible();
};
const searchBox = (page: Page) => page.getByRole('banner').getByRole('combobox');
const picker = (page: Page) => drawer(page).getByRole('combobox', { name: 'Organization' });
const isOffered = (page: Page, name: string) => expect(page.getByRole('option', { name }).first()).toBeVisible();
const pressCreate = (page: Page) => main(page).locator('button[type=submit]').click();
/** The label has two EUIs, one of them reversed. */
const readLabel = async (page: Page) => {
  await textbox(page, 'Code or label text').fill('24E124C0002A0001 1722506B1324E124');
  await main(page).getByRole('radio').last().check();
  await expect(button(page, 'Reverse its bytes')).toBeVisible();
};
const pasteRows = async (page: Page) => {
  await button(page, 'Paste rows instead').click();
  await textbox(page, 'Rows').fill('DevEUI,name\n0102030405060708,a b\n');
  await button(page, 'Use these rows').click();
  await button(page, 'Check 1 device').click();
  await expect(button(page, 'Download these rows')).toBeVisible();
};
const askForKey = async (page: Page) => {
  await textbox(page, 'Device EUI').fill('24E124136B502217');
  await button(page, 'Next').click();
  await button(page, 'Next').click();
  await button(page, 'Tags (0) and position').click();
  await button(page, 'Add device').click();
};
const openColumns = async (page: Page) => {
  await button(page, 'Columns').click();
  await expect(page.getByRole('checkbox', { name: 'Last values' })).toBeVisible();
};
const openFilter = async (page: Page) => {
  await button(page, 'Filter').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Device-profile' }).click();
  await expect(page.getByRole('checkbox', { name: 'thermometer', exact: true })).toBeVisible();
};
/** Steps after which the next screen can be opened by client-side navigation: no dialog is open, no input is unsaved. */
const leavesPageFree = (ready: Screen[1]) => !ready || ready === pressCreate || ready === openFirstRow;

const screens: Record<string, Screen[]> = {
  'the shell and administration': [
    [() => '/dashboard'],
    [() => '/network-servers'],
    [() => '/network-servers/create', pressCreate],
    [(world) => `/network-servers/${world.networkServerID}`],
    [(world) => `/network-servers/${world.networkServerID}/radio`],
    [() => '/network-servers/create', (page) => main(page).getByText('Inside Hilltop').click()],
    [() => '/gateway-profiles'],
    [() => '/gateway-profiles/create', pressCreate],
    [() => '/search?search=thermo'],
    [() => '/nowhere'],
  ],
  'what opens over a page': [
    [organization, (page) => page.keyboard.press('ControlOrMeta+k').then(() => isOffered(page, 'Applications'))],
    [
      organization,
      (page) =>
        searchBox(page)
          .fill('thermo')
          .then(() => isOffered(page, 'thermometer')),
    ],
    [organization, (page) => picker(page).click()],
    [organization, (page) => page.getByRole('button', { name: /^Account/ }).click()],
    [organization, (page) => page.getByRole('button', { name: 'Colour scheme' }).click()],
    [() => '/search'],
    [() => '/search?search=nothing-of-this-name'],
  ],
  'organizations, users and API keys': [
    [() => '/organizations'],
    [() => '/organizations/create', pressCreate],
    [() => '/account'],
    [() => '/account/security'],
    [() => '/account/security', (page) => page.getByRole('button', { name: 'Set up a second factor' }).click()],
    [() => '/account/sessions'],
    [() => '/confirm-address#token=a'],
    [() => '/invitation#token=a'],
    [() => '/unsubscribe#token=a'],
    [() => '/users'],
    [() => '/users/create', pressCreate],
    [() => '/users/1'],
    [() => '/users/1/sessions'],
    [() => '/users/1/password', pressCreate],
    [() => '/api-keys'],
    [() => '/api-keys/create', pressCreate],
    [() => '/instances'],
    [() => '/storage'],
    [() => '/trash'],
    [() => '/audit'],
    [() => '/attention'],
    [() => '/device-library'],
    [() => '/network-servers/moving-in'],
  ],
  'an organization and its members': [
    [organization],
    [(world) => `${organization(world)}/edit`],
    [(world) => `${organization(world)}/jobs`],
    [(world) => `${organization(world)}/gateway-events/edit`],
    [(world) => `${organization(world)}/trash`],
    [(world) => `${organization(world)}/audit`],
    [(world) => `${organization(world)}/alerts`],
    [(world) => `${organization(world)}/alerts/rules`],
    [(world) => `${organization(world)}/alerts/rules/create`, pressCreate],
    [(world) => `${organization(world)}/attention`],
    [organization, (page) => button(page, 'Delete').click()],
    [(world) => `${organization(world)}/users`],
    [(world) => `${organization(world)}/users/create`, pressCreate],
    [(world) => `${organization(world)}/api-keys`],
  ],
  'profiles of an organization': [
    [(world) => `${organization(world)}/service-profiles`],
    [(world) => `${organization(world)}/service-profiles/create`, pressCreate],
    [(world) => `${organization(world)}/service-profiles/${world.serviceProfileID}`],
    [(world) => `${organization(world)}/device-profiles`],
    [
      (world) => `${organization(world)}/device-profiles`,
      (page) =>
        button(page, 'More about Device-profile')
          .click()
          .then(() => page.getByRole('dialog', { name: 'Glossary' }).waitFor()),
    ],
    [(world) => `${organization(world)}/device-profiles/create`, pressCreate],
    [
      (world) => `${organization(world)}/device-profiles/library`,
      (page) =>
        main(page)
          .getByRole('button', { name: /Cayenne LPP/ })
          .first()
          .click(),
    ],
    [(world) => `${organization(world)}/device-profiles/${world.deviceProfileID}`, (page) => openTab(page, 'Codec')],
  ],
  gateways: [
    [(world) => `${organization(world)}/gateways`],
    [(world) => `${organization(world)}/gateways/create`, pressCreate],
    [(world) => `${organization(world)}/gateways/connect`, pressCreate],
    [(world) => `${organization(world)}/gateways/connect?gateway=${world.gatewayID}`],
    [(world) => `${organization(world)}/unknown`],
    [(world) => `${organization(world)}/unknown/gateways`],
    [(world) => `${organization(world)}?steps=shown`],
    [(world) => `${organization(world)}/import`],
    [(world) => `${organization(world)}/import`, pasteRows],
    [(world) => `${organization(world)}/devices/add`, pressCreate],
    [(world) => `${organization(world)}/devices/add`, readLabel],
    [(world) => `${organization(world)}/devices/add`, askForKey],
    [(world) => `${organization(world)}/devices/add?device=${world.devEUI}&application=${world.applicationID}`],
    [gateway],
    [(world) => `${gateway(world)}/edit`],
    [(world) => `${gateway(world)}/certificate`],
    [(world) => `${gateway(world)}/airtime`],
    [(world) => `${organization(world)}/gateways/airtime`],
    [(world) => `${gateway(world)}/frames`, openFirstRow],
  ],
  applications: [
    [(world) => `${organization(world)}/applications`],
    [(world) => `${organization(world)}/applications/create`],
    [application],
    [(world) => `${application(world)}/edit`],
    [(world) => `${organization(world)}/devices?filter=state:is:inactive&filter=tag.site:set&filter=nonsense`],
    [(world) => `${organization(world)}/devices?column=lastValues&column=dr&column=rssi`, openColumns],
    [(world) => `${organization(world)}/devices?filter=tag.site:unset`, openFilter],
    [() => '/devices'],
    [() => '/devices/gateways'],
  ],
  'a device': [
    [(world) => `${application(world)}/devices/create`, pressCreate],
    [(world) => `${application(world)}/labels?devices=${world.devEUI}`],
    [device],
    [(world) => `${device(world)}/edit`, (page) => openTab(page, 'Tags')],
    [(world) => `${device(world)}/keys`],
    [(world) => `${device(world)}/activation`],
    [(world) => `${device(world)}/timeline`, openFirstRow],
    [(world) => `${device(world)}/values`],
    [(world) => `${device(world)}/data`, openFirstRow],
    [(world) => `${device(world)}/frames`, openFirstRow],
  ],
};

// These journeys take a third of the total time, so they run in parallel.
test.describe.configure({ mode: 'parallel' });
test.use({ contextOptions: { reducedMotion: 'reduce' }, allowedErrors: /status of 404/ });

const softly = expect.configure({ soft: true });

async function expectAccessible(page: Page, where: string, options: RunOptions = {}): Promise<void> {
  softly(await axeViolations(page, options), `${where}: what axe finds`).toEqual([]);
}

/** How many pixels the page overflows horizontally. */
const horizontalOverflow = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

async function expectAllLooksAccessible(page: Page, where: string): Promise<void> {
  for (const { name, colorScheme, rules } of looks) {
    const size = widths[name];
    if (page.viewportSize()?.width !== size.width) await page.setViewportSize(size);
    if (rules !== colours)
      await softly.poll(() => horizontalOverflow(page), `${where}: pixels beyond the edge (${name})`).toBe(0);
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor();
    await expectAccessible(page, `${where} (${name}, ${colorScheme})`, rules);
  }
}

/** A world whose device has sent an uplink and has a queued downlink. */
async function buildUsedWorld(admin: Client, { udpPort }: Hilltop, name: string): Promise<World> {
  const built = await buildWorld(admin, name);
  const station = await startGateway({ server: `127.0.0.1:${udpPort}`, gatewayID: built.gatewayID });
  await station.online();
  const network = createNetwork({ gateways: [station] });
  const twin = createDevice({ devEUI: built.devEUI, session: await activate(admin, built.devEUI) });
  const { received } = await network.send(twin, { data: Uint8Array.of(3, 0x67, 1, 0x10), fPort: 2, confirmed: true });
  expect(received?.kind).toBe('data');
  await admin.deviceQueue.enqueue({ deviceQueueItem: { devEUI: built.devEUI, fPort: 3, data: 'AQID' } });
  network.stop();
  await station.stop();
  return built;
}

// The journeys of a worker share a world: none of them changes what another one looks at.
let building: Promise<World> | undefined;
let world: World;
test.beforeEach(async ({ admin, hilltop }, { testId }) => {
  building ??= buildUsedWorld(admin, hilltop, testId);
  world = await building;
});

for (const [name, list] of Object.entries(screens)) {
  test(`${name}: axe finds nothing and nothing overflows, in light and dark, on desktop and phone`, async ({
    page,
  }) => {
    let isFree = true;
    for (const [address, ready] of list) {
      await page.setViewportSize(widths.desk);
      // An open dialog or unsaved input would block the next navigation.
      if (!isFree) await page.goto('about:blank');
      await visit(page, address(world));
      await ready?.(page);
      await expectAllLooksAccessible(page, address(world));
      isFree = leavesPageFree(ready);
    }
  });
}

test('all other pages of the navigation, with their create forms, pass the checks', async ({ page }) => {
  await visit(page, organization(world));
  const entries = drawer(page).getByRole('link');
  const addresses = await entries.evaluateAll((links) =>
    links.map((link) => new URL((link as HTMLAnchorElement).href).pathname),
  );
  const checked = Object.values(screens).flatMap((list) => list.map(([address]) => address(world)));
  expect(checked).toContain(addresses[0]);
  for (const address of addresses.filter((address) => !checked.includes(address))) {
    await visit(page, address);
    await expectAllLooksAccessible(page, address);
    const create = main(page).getByRole('link', { name: 'Create', exact: true }).first();
    if ((await create.count()) === 0) continue;
    await create.click();
    await pressCreate(page);
    await expectAllLooksAccessible(page, `${address}/create`);
  }
});

test.describe('in use,', () => {
  test.use({ allowedErrors: /status of (400|404|409|500)/ });

  for (const [part, picturesOf] of Object.entries({
    ...administrationPictures,
    integrations: integrationPictures,
    multicast: multicastPictures,
  })) {
    test(`${part}, including errors: axe finds nothing and nothing overflows`, async ({
      context,
      admin,
      adminToken,
    }) => {
      const open = screenOpener(context, adminToken);
      for (const screen of await picturesOf(admin, world.organizationID)) {
        const page = await open(screen);
        // The title of the page arrives with its data.
        const options = screen.isWaiting ? { rules: { 'page-has-heading-one': { enabled: false } } } : {};
        await expectAccessible(page, `${screen.name} (desk, light)`, options);
        await page.setViewportSize(widths.phone);
        await page.emulateMedia({ colorScheme: 'dark' });
        await softly.poll(() => horizontalOverflow(page), `${screen.name}: pixels beyond the edge`).toBe(0);
        await expectAccessible(page, `${screen.name} (phone, dark)`, options);
      }
    });
  }
});

test('on a phone the tab of the current section is scrolled into view', async ({ page }) => {
  await page.setViewportSize(widths.phone);
  await page.goto(`${device(world)}/data`);
  await expect(section(page, 'Device data')).toBeInViewport({ ratio: 1 });
  const row = page.getByRole('navigation', { name: 'Sections' });
  await expect(row).toHaveAttribute('data-before');
  await row.evaluate((element) => element.scrollTo(0, 0));
  await expect(row).not.toHaveAttribute('data-before');
  await expect(row).toHaveAttribute('data-after');
  await page.goto(`${gateway(world)}/frames`);
  // The row scrolls by whole pixels, while its last tab may end between two.
  await expect(section(page, 'Live LoRaWAN frames')).toBeInViewport({ ratio: 0.99 });
});

test('axe finds nothing while pages load', async ({ page }) => {
  await visit(page, '/search');
  await page.route('**/api/**', () => undefined);
  for (const address of ['/audit', '/storage', '/users', `${device(world)}/timeline`, `${device(world)}/values`]) {
    await navigate(page, address);
    await page.locator('main [aria-busy="true"]').first().waitFor();
    await expectAccessible(page, address, { rules: { 'page-has-heading-one': { enabled: false } } });
  }
});

test('axe finds nothing in the drawer of a phone and at the end of a session', async ({ admin, enterAs, hilltop }) => {
  const { organizationID } = world;
  const person = await buildPerson(admin, { name: 'leaver', organizations: [{ organizationID }] });
  const page = await enterAs(await endingSoon(hilltop, person, 60_000));
  await page.setViewportSize(widths.phone);
  await page.goto(organization(world));
  await hasLanded(page);
  for (const name of ['Open the navigation', 'Close the navigation', 'Stay signed in']) {
    await page.getByRole('button', { name, exact: true }).and(page.locator(':not([tabindex="-1"])')).click();
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `${name} (${colorScheme})`);
    }
  }
});

test.describe('signed out', () => {
  test.use({ signedIn: false });

  for (const [name, settings] of Object.entries({
    'registration and a footer': { branding },
    'single sign-on': { branding, openidConnect: provider },
  })) {
    test(`axe finds nothing on the sign-in page with ${name}`, async ({ page }) => {
      await withSettings(settings)(page);
      await page.goto('/organizations');
      await expect(main(page).getByText('Sign in to open the page you requested.')).toBeVisible();
      await expectAllLooksAccessible(page, '/login');
    });
  }

  test('axe finds nothing on the sign-in page', async ({ page }) => {
    await page.goto('/login');
    await button(page, 'Login').click();
    await expectAllLooksAccessible(page, '/login');
  });

  test('signing in and creating an organization works by keyboard alone', async ({ page, hilltop }) => {
    await page.goto('/login');
    await tabTo(page, textbox(page, 'Username / email'));
    await page.keyboard.type(hilltop.email);
    await tabTo(page, textbox(page, 'Password'));
    await page.keyboard.type(hilltop.password);
    await page.keyboard.press('Enter');
    await hasLanded(page);
    await tabTo(page, drawer(page).getByRole('link', { name: 'Organizations' }));
    await page.keyboard.press('Enter');
    await tabTo(page, main(page).getByRole('link', { name: 'Create' }));
    await page.keyboard.press('Enter');
    await tabTo(page, textbox(page, 'Organization name'));
    await page.keyboard.type('by-keyboard');
    await tabTo(page, textbox(page, 'Display name'));
    await page.keyboard.type('By keyboard');
    await tabTo(page, main(page).getByRole('switch', { name: 'Organization can have gateways' }));
    await page.keyboard.press('Space');
    await tabTo(page, button(page, 'Create organization'));
    await page.keyboard.press('Enter');
    await expectToast(page, 'organization has been created');
    await expect(main(page).getByRole('link', { name: 'by-keyboard', exact: true })).toBeVisible();
  });
});

test('a check does not wait for a paused animation', async ({ page }) => {
  await page.setContent(
    '<html lang="en"><title>Still</title><style>@keyframes turn { to { opacity: 1 } }</style><h1>Still</h1>',
  );
  await page.evaluate(() => {
    document
      .querySelector('h1')!
      .animate({ opacity: [0.9, 1] }, 1_000)
      .pause();
  });
  await axeViolations(page, colours);
});

/** Presses Tab until the element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}
