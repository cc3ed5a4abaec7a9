import type { Client } from '@hilltop/contract/client';
import type { Page } from '@playwright/test';
import { mockResponse } from './mocked-response.ts';
import type { Screen } from './screen.ts';
import { button, main, openTab, textbox, toggle } from './steps.ts';
import { buildPerson } from './world.ts';

const dialog = (page: Page) => page.getByRole('dialog');
const alert = (page: Page) => main(page).getByRole('alert').first();
const wrongField = (page: Page) => main(page).locator('[aria-invalid="true"]').first();
const submitEmpty = async (page: Page) => {
  await main(page).locator('button[type=submit]').click();
  await wrongField(page).waitFor();
};
const askToDelete = async (page: Page) => {
  await button(page, 'Delete').click();
  await dialog(page).waitFor();
};

/** Mocks the responses of all calls below a path. */
export const answering = (path: string, status: number, body: object) => (page: Page) =>
  mockResponse(page, path, { status, body });
export const failing = (path: string) =>
  answering(path, 500, { error: 'An internal error occurred.', code: 13, message: 'An internal error occurred.' });
export const silent = (path: string) => (page: Page) => mockResponse(page, path);
const withoutRows = (path: string) => answering(path, 200, { totalCount: '0', result: [] });

/** One of them does not respond. */
function threeInstances() {
  const figures = {
    gateways: 1204,
    copiesPerSecond: 812.4,
    uplinksPerSecond: 331.25,
    downlinksPerSecond: 12,
    lagMs: 3.4,
  };
  const startedAt = new Date(Date.now() - 7_200_000).toISOString();
  const listens = ['HTTP 0.0.0.0:8080', 'Semtech UDP 0.0.0.0:1700', 'Basics Station 0.0.0.0:3001'];
  const one = { version: '1.0.0', startedAt, isAnswering: false, listens, figures };
  const result = [
    { ...one, id: '1f00aa01', name: 'hilltop-1', isAnswering: true },
    { ...one, id: '1f00aa02', name: 'hilltop-2', figures: { ...figures, gateways: 0, lagMs: 41 } },
    { ...one, id: '1f00aa03', name: 'hilltop-3', listens: [], figures: null },
  ];
  return { totalCount: '3', result, isAlone: false };
}

const longest = 'n'.repeat(100);

/** The page of the migration after files were selected and analysed. */
async function lookAtFiles(page: Page): Promise<void> {
  const choose = (label: string, ...names: string[]) =>
    main(page)
      .locator(`input[type=file][aria-label="${label}"]`)
      .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('[postgresql]') })));
  await choose('Choose the application server', 'chirpstack-application-server.toml');
  await choose('Add network-servers', 'ns-eu868.toml', `${'n'.repeat(80)}.toml`);
  await button(page, 'Environment of ns-eu868.toml').click();
  await button(page, 'Start the dry run').click();
}

/** A report with every possible section. */
function longReport(isReady: boolean) {
  const counts = ['network-servers', 'users', 'organizations', 'devices', 'sessions', 'queued downlinks'].map(
    (what, nth) => ({ what, inV3: 10 ** nth + nth, new: 10 ** nth, changed: 0, same: 0, gone: 0, notCarried: nth }),
  );
  const finding = { what: 'devices', because: 'its application is not imported', count: 1, examples: [] as string[] };
  const many = Array.from({ length: 10 }, (_, nth) => `0a1b2c3d4e5f60${nth}1`);
  const findings = [
    {
      ...finding,
      kind: 'STOPS',
      what: 'this Hilltop',
      because: 'This Hilltop is not empty: a move goes into a new one.',
    },
    {
      ...finding,
      kind: 'STOPS',
      what: 'radio settings',
      because: `enabledChannels of ${longest}.toml cannot work here`,
    },
    { ...finding, kind: 'NOT_CARRIED', count: 1200, examples: many },
    ...Array.from({ length: 12 }, (_, nth) => ({
      ...finding,
      kind: 'NOT_CARRIED',
      what: 'users',
      because: `reason ${nth}: correct the row in version 3`,
      examples: ['anna@example.org'],
    })),
    { ...finding, kind: 'NOTICE', what: 'network-servers', because: 'they are not moved', examples: [longest] },
    { ...finding, kind: 'SECURITY', what: 'API keys', because: 'jwt_secret is publicly known' },
  ].filter(({ kind }) => !isReady || kind !== 'STOPS');
  const sources = ['application server', 'network server EU868', 'network server AS923'].map((what) => ({
    what,
    where: 'db.example.org:5432/chirpstack',
    version: 'schema 60',
  }));
  return { sources, counts, findings, settings: ['HILLTOP_HTTP=0.0.0.0:8080', `HILLTOP_BRANDING_FOOTER='${longest}'`] };
}

/** Network-servers and gateway-profiles. */
async function networkPictures(client: Client): Promise<Screen[]> {
  const { result: networkServers } = await client.networkServer.list({ limit: 1 });
  const { id: networkServerID } = networkServers[0]!;
  const networkServer = `/network-servers/${networkServerID}`;
  const { id: gatewayProfileID } = await client.gatewayProfile.create({
    gatewayProfile: {
      name: 'EU868, nine channels',
      networkServerID,
      statsInterval: '30s',
      channels: [0, 1, 2],
      extraChannels: [
        { modulation: 'LORA', frequency: 867_100_000, bandwidth: 125, spreadingFactors: [7, 8, 9, 10, 11, 12] },
        { modulation: 'FSK', frequency: 868_800_000, bandwidth: 125, bitrate: 50_000 },
      ],
    },
  });

  return [
    {
      name: 'damaged',
      address: '/network-servers',
      given: answering('/api/integrity', 200, {
        advice: 'The database is damaged: stop Hilltop, keep a copy of the data directory and restore the last backup.',
        findings: ['user: row 1 missing from index user_email', 'device: 3 rows cannot be read in tags'],
      }),
      before: (page) => main(page).getByText('What was found').click(),
    },
    { name: 'moving-in', address: '/network-servers/moving-in' },
    {
      name: 'moving-in-report',
      address: '/network-servers/moving-in',
      given: answering('/api/import-v3/dry-run', 200, longReport(true)),
      before: (page) =>
        lookAtFiles(page).then(() =>
          main(page)
            .getByText(/^Ready to import/)
            .waitFor(),
        ),
    },
    {
      name: 'moving-in-not-ready',
      address: '/network-servers/moving-in',
      given: answering('/api/import-v3/dry-run', 200, longReport(false)),
      before: (page) =>
        lookAtFiles(page).then(() =>
          main(page)
            .getByText(/^Not ready to move/)
            .waitFor(),
        ),
    },
    {
      name: 'moving-in-failed',
      address: '/network-servers/moving-in',
      given: failing('/api/import-v3/dry-run'),
      before: (page) => lookAtFiles(page).then(() => alert(page).waitFor()),
    },
    { name: 'instances-alone', address: '/instances' },
    { name: 'instances', address: '/instances', given: answering('/api/instances', 200, threeInstances()) },
    { name: 'instances-failed', address: '/instances', given: failing('/api/instances') },
    {
      name: 'away',
      address: '/network-servers',
      given: answering('/api/instances/surroundings', 200, { away: ['DATABASE', 'REDIS'] }),
    },
    { name: 'network-servers-none', address: '/network-servers', given: withoutRows('/api/network-servers') },
    { name: 'network-servers-failed', address: '/network-servers', given: failing('/api/network-servers') },
    {
      name: 'network-servers-long',
      address: '/network-servers',
      given: answering('/api/network-servers', 200, {
        totalCount: '1',
        result: [
          { id: '1', name: longest, server: `${'s'.repeat(240)}.example.org:80`, createdAt: null, updatedAt: null },
        ],
      }),
    },
    { name: 'network-server-create', address: '/network-servers/create' },
    { name: 'network-server-create-wrong', address: '/network-servers/create', before: submitEmpty },
    {
      name: 'network-server-create-discovery',
      address: '/network-servers/create',
      before: async (page) => {
        await textbox(page, 'Network-server name').fill('north');
        await textbox(page, 'Network-server server').fill('ns.example.org:8000');
        await openTab(page, 'Gateway discovery');
        await toggle(page, 'Enable gateway discovery').click({ force: true });
        await submitEmpty(page);
      },
    },
    {
      name: 'network-server-create-refused',
      address: '/network-servers/create',
      before: async (page) => {
        await textbox(page, 'Network-server name').fill('north');
        await textbox(page, 'Network-server server').fill('127.0.0.1:1');
        await button(page, 'Add network-server').click();
        await alert(page).waitFor();
      },
    },
    { name: 'network-server-edit', address: networkServer },
    { name: 'network-server-edit-tls', address: networkServer, before: (page) => openTab(page, 'TLS certificates') },
    {
      name: 'network-server-edit-unreachable',
      address: networkServer,
      given: (page) =>
        page.route(`**/api/network-servers/${networkServerID}`, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, json: { ...(await response.json()), region: '', version: '' } });
        }),
    },
    { name: 'network-server-delete', address: networkServer, before: askToDelete },
    {
      name: 'network-server-leave',
      address: '/network-servers/create',
      before: async (page) => {
        await textbox(page, 'Network-server name').fill('north');
        await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click();
        await dialog(page).waitFor();
      },
    },

    { name: 'gateway-profiles', address: '/gateway-profiles' },
    { name: 'gateway-profiles-none', address: '/gateway-profiles', given: withoutRows('/api/gateway-profiles') },
    {
      name: 'gateway-profiles-help',
      address: '/gateway-profiles',
      before: (page) => button(page, 'Help').click(),
    },
    {
      name: 'gateway-profile-create-first',
      address: '/gateway-profiles/create',
      given: withoutRows('/api/network-servers'),
    },
    {
      name: 'gateway-profile-create-wrong',
      address: '/gateway-profiles/create',
      before: async (page) => {
        await button(page, 'Add extra channel').click();
        await button(page, 'Add extra channel').click();
        await main(page).getByRole('combobox', { name: 'Modulation' }).last().click();
        await page.getByRole('option', { name: 'FSK' }).click();
        await submitEmpty(page);
      },
    },
    { name: 'gateway-profile-edit', address: `/gateway-profiles/${gatewayProfileID}` },
    { name: 'gateway-profile-delete', address: `/gateway-profiles/${gatewayProfileID}`, before: askToDelete },
  ];
}

/** Organizations with their members and service-profiles. */
async function organizationPictures(client: Client, organizationID: string): Promise<Screen[]> {
  const organization = `/organizations/${organizationID}`;
  for (const name of ['north', 'south-coast', 'test-field'])
    await client.organization.create({ organization: { name, displayName: `Water board ${name}` } });
  const member = await buildPerson(client, { name: 'member', organizations: [{ organizationID }] });
  await buildPerson(client, { name: 'owner', organizations: [{ organizationID, isAdmin: true }] });
  const device = await buildPerson(client, {
    name: 'device-admin',
    organizations: [{ organizationID, isDeviceAdmin: true }],
  });
  const { id: longID } = await client.organization.create({ organization: { name: longest, displayName: longest } });
  const asMember = { token: member.token };
  const { result: serviceProfiles } = await client.serviceProfile.list({ organizationID, limit: 1 });

  return [
    { name: 'organization-create', address: '/organizations/create' },
    {
      name: 'organization-create-wrong',
      address: '/organizations/create',
      before: async (page) => {
        await toggle(page, 'Organization can have gateways').click({ force: true });
        await textbox(page, 'Organization name').fill('two words');
        await textbox(page, 'Max. number of gateways').fill('-3');
        await textbox(page, 'Max. number of devices').fill('');
        await submitEmpty(page);
      },
    },
    {
      name: 'organization-create-taken',
      address: '/organizations/create',
      before: async (page) => {
        await textbox(page, 'Organization name').fill('north');
        await textbox(page, 'Display name').fill('North');
        await button(page, 'Create organization').click();
        await wrongField(page).waitFor();
      },
    },
    { name: 'organization-delete-long', address: `/organizations/${longID}`, before: askToDelete },
    { name: 'organizations-failed', address: '/organizations', given: failing('/api/organizations') },
    { name: 'organization-read-only', address: `${organization}/edit`, ...asMember },
    { name: 'organization-list-member', address: '/organizations', ...asMember },
    { name: 'service-profiles', address: `${organization}/service-profiles` },
    { name: 'service-profile-create-wrong', address: `${organization}/service-profiles/create`, before: submitEmpty },
    {
      name: 'service-profile-read-only',
      address: `${organization}/service-profiles/${serviceProfiles[0]!.id}`,
      ...asMember,
    },
    { name: 'no-permission', address: '/users', ...asMember },

    { name: 'organization-user-create-wrong', address: `${organization}/users/create`, before: submitEmpty },
    {
      name: 'organization-user-create-refused',
      address: `${organization}/users/create`,
      before: async (page) => {
        await textbox(page, 'E-mail address').fill('nobody@example.org');
        await button(page, 'Add organization user').click();
        await wrongField(page).waitFor();
      },
    },
    { name: 'organization-user-edit', address: `${organization}/users/${device.id}` },
    { name: 'organization-user-delete', address: `${organization}/users/${device.id}`, before: askToDelete },
  ];
}

/** Users and API keys. */
async function userPictures(client: Client, organizationID: string): Promise<Screen[]> {
  const organization = `/organizations/${organizationID}`;
  const other = await buildPerson(client, { name: 'other' });
  const long = await buildPerson(client, { name: 'long'.repeat(19) });
  await client.internal.createAPIKey({ apiKey: { name: 'exporter', isAdmin: true } });
  await client.internal.createAPIKey({ apiKey: { name: 'dashboards', organizationID } });

  return [
    { name: 'user-create-wrong', address: '/users/create', before: submitEmpty },
    { name: 'user-edit', address: '/users/1' },
    { name: 'user-edit-gone', address: '/users/987654' },
    { name: 'user-edit-failed', address: `/users/${other.id}`, given: failing(`/api/users/${other.id}`) },
    { name: 'user-password-wrong', address: `/users/${other.id}/password`, before: submitEmpty },
    { name: 'user-password-long', address: `/users/${long.id}/password` },
    { name: 'users-waiting', address: '/users', given: silent('/api/users'), isWaiting: true },
    { name: 'user-waiting', address: '/users/1', given: silent('/api/users/1'), isWaiting: true },

    { name: 'api-keys', address: '/api-keys' },
    { name: 'api-keys-none', address: '/api-keys', given: withoutRows('/api/internal/api-keys') },
    { name: 'organization-api-keys', address: `${organization}/api-keys` },
    {
      name: 'api-key-delete',
      address: '/api-keys',
      before: async (page) => {
        await button(page, 'Delete exporter').click();
        await dialog(page).waitFor();
      },
    },
    { name: 'api-key-create-wrong', address: '/api-keys/create', before: submitEmpty },
    {
      name: 'api-key-token',
      address: '/api-keys/create',
      before: async (page) => {
        await textbox(page, 'API key name').fill('new exporter');
        await button(page, 'Create API key').click();
        await textbox(page, 'Token').waitFor();
      },
    },
    {
      name: 'api-key-leave',
      address: '/api-keys/create',
      before: async (page) => {
        await textbox(page, 'API key name').fill('new exporter');
        await button(page, 'Create API key').click();
        await textbox(page, 'Token').waitFor();
        await button(page, 'Done').click();
        await dialog(page).waitFor();
      },
    },
  ];
}

/** The administration screens by part, including errors. */
export const administrationPictures: Record<string, (client: Client, organizationID: string) => Promise<Screen[]>> = {
  'network-servers and gateway-profiles': networkPictures,
  'organizations and their members': organizationPictures,
  'users and API keys': userPictures,
};
