import type { Client } from '@hilltop/contract/client';
import type { Page } from '@playwright/test';
import { endingSoon } from './ending-session.ts';
import type { Hilltop } from './hilltop.ts';
import type { Screen } from './screen.ts';
import { branding, provider, withSettings } from './settings.ts';
import { signIn } from './steps.ts';
import { buildPerson } from './world.ts';

const suggest = async (page: Page) => {
  await page.getByRole('banner').getByRole('combobox').fill('cl');
  await page.getByRole('option', { name: 'climate' }).first().waitFor();
};
const isPhone = (page: Page) => (page.viewportSize()?.width ?? 0) < 500;

const manyCounts = {
  activeCount: 81_234,
  inactiveCount: 17_002,
  neverSeenCount: 1764,
  drCount: Object.fromEntries(Array.from({ length: 15 }, (_, dr) => [dr, 9000 - 611 * dr])),
};

/** The screens around the pages: sign-in, entry page, errors, and overlays. */
export async function shellPictures(client: Client, hilltop: Hilltop, organizationID: string): Promise<Screen[]> {
  const lonely = await buildPerson(client, { name: 'lonely' });
  const member = await buildPerson(client, { name: 'member', organizations: [{ organizationID }] });
  const ending = await endingSoon(hilltop, member, 299_000);
  const { id: emptyID } = await client.organization.create({
    organization: { name: 'empty', displayName: 'Nothing here yet', canHaveGateways: true },
  });
  const organization = `/organizations/${organizationID}`;
  const { result: applications } = await client.application.list({ organizationID, limit: 1 });
  const application = `${organization}/applications/${applications[0]!.id}`;
  const { result: devices } = await client.device.list({ applicationID: applications[0]!.id, limit: 1 });
  return [
    { name: 'shell-start-without-organization', address: '/', token: lonely.token },
    { name: 'shell-forbidden', address: '/network-servers', token: member.token },
    { name: 'shell-plain-user', address: organization, token: member.token },
    { name: 'shell-dashboard-empty', address: `/organizations/${emptyID}` },
    {
      name: 'shell-footer',
      address: `${organization}/applications`,
      given: withSettings({ branding }),
    },
    {
      name: 'shell-dashboard-refused',
      address: organization,
      given: (page) =>
        page.route('**/api/internal/devices/summary**', (route) => route.fulfill({ status: 500, json: {} })),
    },
    {
      name: 'shell-dashboard-full',
      address: organization,
      given: (page) => page.route('**/api/internal/*/summary**', (route) => route.fulfill({ json: manyCounts })),
    },
    { name: 'shell-session-ends', address: organization, token: ending },
    {
      name: 'shell-stay-signed-in',
      address: organization,
      token: ending,
      before: (page) => page.getByRole('button', { name: 'Stay signed in' }).click(),
    },
    {
      name: 'shell-palette',
      address: `${organization}/applications`,
      before: async (page) => {
        if (isPhone(page)) await page.getByRole('button', { name: 'Search or go to' }).click();
        else await page.keyboard.press('Control+k');
        await page.getByRole('dialog').getByRole('combobox').fill('cl');
        await page.getByRole('option', { name: 'climate' }).first().waitFor();
      },
    },
    { name: 'shell-suggestions', address: `${organization}/applications`, before: suggest },
    { name: 'shell-search-empty', address: '/search' },
    { name: 'shell-search-nothing', address: '/search?search=zzz' },
    {
      name: 'shell-user-menu',
      address: `${organization}/applications`,
      before: (page) => page.getByRole('button', { name: /^Account/ }).click(),
    },
    {
      name: 'shell-colour-scheme',
      address: `${organization}/applications`,
      before: (page) => page.getByRole('button', { name: 'Colour scheme' }).click(),
    },
    {
      name: 'shell-drawer',
      address: `${organization}/applications`,
      before: async (page) => {
        if (isPhone(page)) await page.getByRole('button', { name: 'Open the navigation' }).click();
      },
    },
    {
      name: 'shell-organizations',
      address: `${organization}/applications`,
      before: async (page) => {
        if (isPhone(page)) await page.getByRole('button', { name: 'Open the navigation' }).click();
        await page.getByRole('combobox', { name: 'Organization', exact: true }).click();
      },
    },
    {
      name: 'shell-websocket-down',
      address: `${application}/devices/${devices[0]!.devEUI}/data`,
      given: (page) => page.routeWebSocket(/\/events$/, (socket) => socket.close()),
    },
    {
      name: 'shell-login-error',
      address: '/login',
      before: async (page) => {
        await signIn(page, { email: 'somebody@example.org', password: 'guessed' });
        await page.getByRole('main').getByRole('alert').waitFor();
      },
    },
    {
      name: 'shell-login-session-ended',
      address: '/login',
      given: (page) =>
        page.addInitScript(() => {
          sessionStorage.setItem('wanted', '/organizations');
          sessionStorage.setItem('wantedWhy', 'ended-unsaved');
        }),
    },
    { name: 'shell-login-branded', address: '/login', given: withSettings({ branding }) },
    {
      name: 'shell-login-single-sign-on',
      address: '/login',
      given: withSettings({ branding, openidConnect: provider }),
    },
    {
      name: 'shell-login-refused',
      address: '/login?error=access_denied',
      given: withSettings({ branding, openidConnect: provider }),
    },
  ];
}
