// Takes screenshots of the main screens with demo data, for review: light and dark, desktop and phone.
// Usage: node e2e/tour.ts OUTDIR [pattern of the names of pictures, such as ^gateways-phone]
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from '@hilltop/contract/client';
import { planNetwork, seededRandom, startSimulation } from '@hilltop/simulator';
import { type Browser, chromium, devices as machines, type Page } from '@playwright/test';
import { historyOf, writeHistory } from '../scripts/demo/history.ts';
import { provision } from '../scripts/demo/provision.ts';
import { signIn } from '../scripts/demo/server.ts';
import { administrationPictures } from './administration-pictures.ts';
import { firstStepsPictures } from './first-steps-pictures.ts';
import { type Hilltop, startHilltop } from './hilltop.ts';
import { integrationPictures } from './integration-pictures.ts';
import { multicastPictures } from './multicast-pictures.ts';
import { radioPictures } from './radio-pictures.ts';
import { resourcePictures } from './resource-pictures.ts';
import { openScreen, type Screen } from './screen.ts';
import { shellPictures } from './shell-pictures.ts';
import { button, logRows, main, openTab } from './steps.ts';

const sizes = {
  desk: { viewport: { width: 1440, height: 900 } },
  phone: { ...machines['Pixel 7'], viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};

const openNewest = (page: Page) => logRows(page).first().getByRole('button').first().click();
const submitEmpty = (page: Page) => main(page).locator('button[type=submit]').click();
const askToDelete = (page: Page) => main(page).getByRole('button', { name: 'Delete' }).click();

const [outDir, wanted = ''] = parseArgs({ allowPositionals: true }).positionals;
if (outDir === undefined) {
  console.error('Usage: node e2e/tour.ts OUTDIR [pattern of names]');
  process.exit(2);
}
mkdirSync(outDir, { recursive: true });

const hilltop = await startHilltop();
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const client = await signIn(hilltop.url, hilltop.email, hilltop.password);
  const all = await screensOf(client, await fillWithLife(client, hilltop));
  const { jwt } = await client.internal.login({ email: hilltop.email, password: hilltop.password });
  for (const [size, machine] of Object.entries(sizes)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const settings = { ...machine, colorScheme, baseURL: hilltop.url };
      const ending = `${size}-${colorScheme}`;
      const screens = all.filter(({ name }) => new RegExp(wanted).test(`${name}-${ending}`));
      await takePictures(browser, screens, { settings, jwt, ending });
    }
  }
} finally {
  await browser.close();
  await hilltop.remove();
}
// The sockets of the simulation would keep the process alive.
process.exit(0);

/** Runs the demo network at high speed until most devices are active. Returns the organization id. */
async function fillWithLife(client: Client, { udpPort, data }: Hilltop): Promise<string> {
  const plan = planNetwork({ gateways: 25, devices: 200, random: seededRandom(2026) });
  const organizationID = await provision(client, plan);
  writeHistory(data, historyOf(plan, Date.now(), seededRandom(30)));
  await startSimulation({ server: `127.0.0.1:${udpPort}`, plan, rate: 40, startWithinMs: 5000 });
  const received = async () => (await client.internal.getDevicesSummary({ organizationID })).activeCount;
  while ((await received()) < 150) await new Promise((resolve) => setTimeout(resolve, 500));
  return organizationID;
}

async function screensOf(client: Client, organizationID: string): Promise<Screen[]> {
  const organization = `/organizations/${organizationID}`;
  const applications = (await client.application.list({ organizationID, limit: 10 })).result;
  const { id: applicationID } = applications[0]!;
  const application = `${organization}/applications/${applicationID}`;
  const { result: found } = await client.device.list({ applicationID, limit: 50 });
  const { devEUI, deviceProfileID } = found.find(({ lastSeenAt }) => lastSeenAt !== null) ?? found[0]!;
  const device = `${application}/devices/${devEUI}`;
  const { result: gateways } = await client.gateway.list({ organizationID, limit: 1 });
  const gateway = `${organization}/gateways/${gateways[0]!.id}`;
  for (let nth = 0; nth < 2; nth += 1)
    await client.gateway.generateGatewayClientCertificate({ gatewayId: gateways[0]!.id });
  const { result: profiles } = await client.serviceProfile.list({ organizationID, limit: 1 });
  await client.deviceQueue.enqueue({ deviceQueueItem: { devEUI, fPort: 10, data: 'AQIDBA==', confirmed: true } });
  return [
    { name: 'dashboard', address: '/dashboard' },
    { name: 'organization', address: organization },
    { name: 'organization-edit', address: `${organization}/edit` },
    { name: 'organizations', address: '/organizations' },
    { name: 'organization-users', address: `${organization}/users` },
    { name: 'users', address: '/users' },
    { name: 'network-servers', address: '/network-servers' },
    { name: 'service-profile', address: `${organization}/service-profiles/${profiles[0]!.id}` },
    { name: 'device-profiles', address: `${organization}/device-profiles` },
    {
      name: 'words',
      address: `${organization}/device-profiles`,
      before: (page) => button(page, 'More about Device-profile').click(),
    },
    { name: 'device-profile', address: `${organization}/device-profiles/${deviceProfileID}` },
    {
      name: 'device-profile-codec',
      address: `${organization}/device-profiles/${deviceProfileID}`,
      before: (page) => openTab(page, 'Codec'),
    },
    { name: 'gateways', address: `${organization}/gateways` },
    { name: 'gateway', address: gateway },
    { name: 'gateway-7d', address: `${gateway}?range=7d` },
    { name: 'gateway-24h', address: `${gateway}?range=24h` },
    { name: 'gateway-edit', address: `${gateway}/edit` },
    { name: 'gateway-frames', address: `${gateway}/frames`, before: openNewest },
    { name: 'applications', address: `${organization}/applications` },
    { name: 'devices', address: application },
    { name: 'device-create', address: `${application}/devices/create`, before: submitEmpty },
    { name: 'device', address: device },
    { name: 'device-7d', address: `${device}?range=7d` },
    { name: 'device-edit', address: `${device}/edit` },
    { name: 'device-keys', address: `${device}/keys` },
    { name: 'device-activation', address: `${device}/activation` },
    { name: 'device-data', address: `${device}/data`, before: openNewest },
    { name: 'device-frames', address: `${device}/frames`, before: openNewest },
    { name: 'search', address: '/search?search=cl' },
    { name: 'delete', address: organization, before: askToDelete },
    { name: 'not-found', address: '/nowhere' },
    { name: 'login', address: '/login' },
    ...(await shellPictures(client, hilltop, organizationID)),
    ...(await integrationPictures(client, organizationID)),
    ...(await firstStepsPictures(client, hilltop)),
    ...(await radioPictures(client)),
    ...(await multicastPictures(client, organizationID)),
    ...(await resourcePictures(client, organizationID)),
    ...(await Promise.all(Object.values(administrationPictures).map((of) => of(client, organizationID)))).flat(),
  ];
}

async function takePictures(
  from: Browser,
  screens: readonly Screen[],
  { settings, jwt, ending }: { settings: object; jwt: string; ending: string },
): Promise<void> {
  const context = await from.newContext({ ...settings, reducedMotion: 'reduce' });
  for (const screen of screens) {
    const path = join(outDir!, `${screen.name}-${ending}.png`);
    const page = await openScreen(context, screen, jwt);
    if (!screen.isWaiting) await page.waitForLoadState('networkidle');
    await page.screenshot({ path, fullPage: true });
    process.stdout.write(`${path}\n`);
    await page.close();
  }
  await context.close();
}
