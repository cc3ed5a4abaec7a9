import type { Client } from '@hilltop/contract/client';
import type { Page } from '@playwright/test';
import { answering } from './administration-pictures.ts';
import type { Screen } from './screen.ts';
import { button, group, isLoaded, main, openTab, textbox } from './steps.ts';
import { buildDeviceProfile, buildPerson, randomHex } from './world.ts';

const submit = async (page: Page) => {
  await main(page).locator('button[type=submit]').click();
  await main(page).locator('[aria-invalid="true"]').first().waitFor();
};
const askToDelete = async (page: Page) => {
  await button(page, 'Delete').click();
  await page.getByRole('dialog').waitFor();
};
const asked = (page: Page) => page.getByRole('dialog').waitFor();
const onTab = (tab: string, then?: (page: Page) => Promise<unknown>) => async (page: Page) => {
  await openTab(page, tab);
  await then?.(page);
};

/** Profiles, gateways, applications and devices of an organization, tab by tab. */
export async function resourcePictures(client: Client, organizationID: string): Promise<Screen[]> {
  const organization = `/organizations/${organizationID}`;
  const { result: serviceProfiles } = await client.serviceProfile.list({ organizationID, limit: 1 });
  const serviceProfileID = serviceProfiles[0]!.id;
  const { serviceProfile } = await client.serviceProfile.get({ id: serviceProfileID });
  const { networkServerID } = serviceProfile;
  const { id: bare } = await client.organization.create({
    organization: { name: 'without-gateways', displayName: 'Without gateways' },
  });
  const { token } = await buildPerson(client, { name: 'reader', organizations: [{ organizationID }] });
  const { id: applicationID } = await client.application.create({
    application: { name: 'cellars', description: 'What is below', organizationID, serviceProfileID },
  });
  const application = `${organization}/applications/${applicationID}`;
  const buildDevice = async (name: string, profile: object) => {
    const of = { organizationID, networkServerID };
    const deviceProfileID = await buildDeviceProfile(client, of, { name, ...profile });
    const devEUI = randomHex(8);
    const tags = { place: 'cellar', floor: '-1' };
    await client.device.create({
      device: { devEUI, name, description: 'Below', applicationID, deviceProfileID, tags, variables: tags },
    });
    return { deviceProfileID, devEUI, address: `${application}/devices/${devEUI}` };
  };
  const personalized = await buildDevice('by-hand', {
    supportsJoin: false,
    rxDelay1: 1,
    rxFreq2: 869_525_000,
    factoryPresetFreqs: [868_100_000, 868_300_000],
    supportsClassB: true,
    classBTimeout: 60,
    pingSlotPeriod: 1024,
    pingSlotDR: 3,
    pingSlotFreq: 869_525_000,
    supportsClassC: true,
    tags: { vendor: 'Example', model: 'A very long name of a model, with its revision' },
  });
  const silent = await buildDevice('of-1-1', { macVersion: '1.1.0', regParamsRevision: 'B' });
  const keyed = await buildDevice('with-keys', {});
  await client.device.createKeys({ deviceKeys: { devEUI: keyed.devEUI, nwkKey: randomHex(16) } });
  const { result: gateways } = await client.gateway.list({ organizationID, limit: 2 });
  const gatewayID = randomHex(8);
  await client.gateway.create({
    gateway: {
      id: gatewayID,
      name: 'on-the-shelf',
      description: 'Not mounted yet',
      organizationID,
      networkServerID,
      tags: { owner: 'Water board' },
      boards: [{ fpgaID: randomHex(8), fineTimestampKey: randomHex(16) }],
      location: { latitude: 0, longitude: 0, altitude: 0 },
      discoveryEnabled: true,
    },
  });
  const gateway = `${organization}/gateways/${gateways[1]!.id}`;
  const shelved = `${organization}/gateways/${gatewayID}`;
  const deviceProfile = `${organization}/device-profiles/${personalized.deviceProfileID}`;
  const nothing = (path: string) => answering(path, 200, { totalCount: '0', result: [] });

  return [
    {
      name: 'service-profile-create',
      address: `${organization}/service-profiles/create`,
      before: (page) => textbox(page, 'Device-status request frequency').fill('24'),
    },
    {
      name: 'service-profile-create-first',
      address: `${organization}/service-profiles/create`,
      given: nothing('/api/network-servers'),
      before: asked,
    },
    {
      name: 'service-profile-delete',
      address: `${organization}/service-profiles/${serviceProfileID}`,
      before: askToDelete,
    },

    { name: 'device-profile-create', address: `${organization}/device-profiles/create`, before: submit },
    {
      name: 'device-profile-create-first',
      address: `/organizations/${bare}/device-profiles/create`,
      before: asked,
    },
    { name: 'device-profile-new', address: `${organization}/device-profiles/create` },
    { name: 'device-profile-join', address: deviceProfile, before: onTab('Join (OTAA / ABP)') },
    { name: 'device-profile-class-b', address: deviceProfile, before: onTab('Class-B') },
    { name: 'device-profile-class-c', address: deviceProfile, before: onTab('Class-C') },
    { name: 'device-profile-tags', address: deviceProfile, before: onTab('Tags') },
    { name: 'device-profile-read-only', address: deviceProfile, token },

    {
      name: 'gateway-create',
      address: `${organization}/gateways/create`,
      before: async (page) => {
        await button(page, 'Add board configuration').click();
        await submit(page);
      },
    },
    { name: 'gateway-create-forbidden', address: `${organization}/gateways/create`, token },
    {
      name: 'gateway-clock',
      address: gateway,
      given: (page) =>
        page.route(`**/api/gateways/${gateways[1]!.id}`, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), clockOffset: 2_884.4 } });
        }),
    },
    { name: 'gateways-forbidden', address: `/organizations/${bare}/gateways` },
    { name: 'gateways-reader', address: `${organization}/gateways`, token },
    { name: 'gateway-never-seen', address: shelved },
    { name: 'gateway-boards', address: `${shelved}/edit` },
    { name: 'gateway-tags', address: `${shelved}/edit`, before: onTab('Tags') },
    { name: 'gateway-metadata', address: `${gateway}/edit`, before: onTab('Metadata') },
    {
      name: 'gateway-certificate',
      address: `${gateway}/certificate`,
      before: async (page) => {
        await button(page, 'Generate certificate').click();
        await textbox(page, 'TLS key').waitFor();
      },
    },
    { name: 'gateway-discovery', address: `${gateway}/discovery` },
    { name: 'gateway-discovery-none', address: `${shelved}/discovery` },
    { name: 'gateway-frames-help', address: `${gateway}/frames`, before: (page) => button(page, 'Help').click() },
    { name: 'gateway-frames-none', address: `${shelved}/frames` },
    { name: 'gateway-delete', address: shelved, before: askToDelete },

    { name: 'application-create', address: `${organization}/applications/create`, before: submit },
    { name: 'application-edit', address: `${application}/edit` },
    { name: 'application-delete', address: application, before: askToDelete },
    { name: 'application-reader', address: application, token },

    {
      name: 'device-create-first',
      address: `${application}/devices/create`,
      given: nothing('/api/device-profiles'),
      before: asked,
    },
    { name: 'device-never-seen', address: silent.address },
    {
      name: 'device-keys-revealed',
      address: `${keyed.address}/keys`,
      before: (page) => main(page).getByRole('button', { name: 'Reveal' }).first().click(),
    },
    { name: 'device-keys-new', address: `${silent.address}/keys`, before: submit },
    {
      name: 'device-not-activated',
      address: `${silent.address}/activation`,
      before: (page) => button(page, 'Clear DevNonce').click(),
    },
    { name: 'device-variables', address: `${silent.address}/edit`, before: onTab('Variables') },
    { name: 'device-read-only', address: `${silent.address}/edit`, token },
    { name: 'device-data-none', address: `${silent.address}/data` },
    {
      name: 'device-activation-by-hand',
      address: `${personalized.address}/activation`,
      before: async (page) => {
        await group(page, 'Device address').getByRole('button', { name: 'Random value' }).click();
        await isLoaded(page);
        await submit(page);
      },
    },
    {
      name: 'device-profile-picker',
      address: `${application}/devices/create`,
      before: (page) => main(page).getByRole('combobox', { name: 'Device-profile' }).click(),
    },
  ];
}
