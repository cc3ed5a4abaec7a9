import type { Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { button, main } from './steps.ts';
import { buildPerson, buildWorld, type World } from './world.ts';

const organization = (world: World) => `/organizations/${world.organizationID}`;
const devices = (world: World) => `${organization(world)}/applications/${world.applicationID}`;

/**
 * Each list: its address, its operation, its sortable columns with their fields, and all columns in order if there are
 * others.
 */
const lists: readonly [
  address: (world: World) => string,
  call: string,
  sortable: Readonly<Record<string, string>>,
  columns?: readonly string[],
][] = [
  [
    () => '/users',
    '/api/users',
    { Email: 'email', Active: 'isActive', Admin: 'isAdmin', Created: 'createdAt' },
    ['Email', 'Active', 'Admin', 'Second factor', 'Organizations', 'Created'],
  ],
  [
    () => '/organizations',
    '/api/organizations',
    { Name: 'name', 'Display name': 'displayName', 'Can have gateways': 'canHaveGateways', Created: 'createdAt' },
    ['Name', 'Display name', 'Can have gateways', 'Gateways', 'Devices', 'Users', 'Created'],
  ],
  [
    () => '/network-servers',
    '/api/network-servers',
    { Name: 'name', Server: 'server' },
    ['Name', 'Server', 'Gateways', 'Devices', 'Last change'],
  ],
  [
    () => '/gateway-profiles',
    '/api/gateway-profiles',
    { Name: 'name', 'Network-server': 'networkServerName' },
    ['Name', 'Network-server', 'Gateways', 'Stats interval', 'Last change'],
  ],
  [
    () => '/api-keys',
    '/api/internal/api-keys',
    { Name: 'name', Created: 'createdAt', 'Last used': 'lastUsedAt', Expires: 'expiresAt' },
    ['ID', 'Name', 'Access', 'Created', 'Last used', 'Expires', 'Actions'],
  ],
  [
    (world) => `${organization(world)}/users`,
    '/users',
    {
      Email: 'email',
      'Organization admin': 'isAdmin',
      'Gateway admin': 'isGatewayAdmin',
      'Device admin': 'isDeviceAdmin',
      Added: 'createdAt',
    },
    ['Email', 'Organization admin', 'Gateway admin', 'Device admin', 'Limits', 'Added'],
  ],
  [
    (world) => `${organization(world)}/service-profiles`,
    '/api/service-profiles',
    { Name: 'name', 'Network Server': 'networkServerName' },
    ['Name', 'ID', 'Network Server', 'Applications', 'Devices', 'Last change'],
  ],
  [
    (world) => `${organization(world)}/device-profiles`,
    '/api/device-profiles',
    { Name: 'name', 'Network Server': 'networkServerName' },
    ['Name', 'Network Server', 'LoRaWAN', 'Class', 'Codec', 'Devices', 'Last change'],
  ],
  [
    (world) => `${organization(world)}/gateways`,
    '/api/gateways',
    { 'Last seen': 'lastSeenAt', Name: 'name', 'Gateway ID': 'id', 'Network server': 'networkServerName' },
    ['', 'Last seen', 'Status', 'Name', 'Gateway ID', 'Network server', 'Gateway activity (30d)'],
  ],
  [
    (world) => `${organization(world)}/applications`,
    '/api/applications',
    { ID: 'id', Name: 'name', 'Service-profile': 'serviceProfileName', Description: 'description' },
    [
      ...['ID', 'Name', 'Service-profile', 'Description'],
      ...['Devices', 'Active', 'Inactive', 'Never seen', 'Uplinks today', 'Integrations'],
    ],
  ],
  [
    devices,
    '/api/devices',
    {
      'Last seen': 'lastSeenAt',
      'Device name': 'name',
      'Device EUI': 'devEUI',
      'Device profile': 'deviceProfileName',
      'Link margin': 'deviceStatusMargin',
      Battery: 'deviceStatusBatteryLevel',
    },
    ['', 'Last seen', 'Status', 'Device name', 'Device EUI', 'Device profile', 'Link margin', 'Battery'],
  ],
  [
    (world) => `${devices(world)}/multicast-groups`,
    '/api/multicast-groups',
    { Name: 'name' },
    ['Name', 'ID', 'Devices'],
  ],
];

test('the server sorts every list by its columns', async ({ page, admin }) => {
  const world = await buildWorld(admin, 'every-list');
  await admin.gatewayProfile.create({
    gatewayProfile: { name: 'eight', networkServerID: world.networkServerID, channels: [0], statsInterval: '30s' },
  });
  await admin.internal.createAPIKey({ apiKey: { name: 'exports', isAdmin: true } });
  await buildPerson(admin, { name: 'member', organizations: [{ organizationID: world.organizationID }] });
  for (const [address, call, sortable, columns = Object.keys(sortable)] of lists) {
    // Another page size than that of the organization picker, whose response would be cached.
    await page.goto(`${address(world)}?size=25`);
    await expect(main(page).getByRole('columnheader')).toHaveText(columns);
    for (const [header, name] of Object.entries(sortable)) {
      // The default order is ascending by one of the columns, so the next click reverses it.
      await expect(button(page, header)).toBeVisible();
      const column = main(page).getByRole('columnheader', { name: header, exact: true });
      const isUsual = (await column.getAttribute('aria-sort')) === 'ascending';
      const field = isUsual ? `-${name}` : name;
      const asked = page.waitForResponse((response) =>
        [call, 'limit=25', `orderBy=${field}`].every((part) => response.url().includes(part)),
      );
      await button(page, header).click();
      expect((await asked).status(), `${address(world)} by ${field}`).toBe(200);
      await expect(page).toHaveURL(new RegExp(`[?&]sort=${field}$`));
      await expect(column).toHaveAttribute('aria-sort', isUsual ? 'descending' : 'ascending');
    }
  }
});

test('devices are sorted by EUI ascending, descending and by default, on desktop and phone', async ({
  page,
  admin,
}) => {
  const world = await buildWorld(admin, 'sorted-devices');
  await admin.device.delete({ devEUI: world.devEUI });
  for (const [devEUI, name] of [
    ['70b3d50000000003', 'apple'],
    ['70b3d50000000001', 'Banana'],
    ['70b3d50000000002', 'cherry'],
  ] as const) {
    const { applicationID, deviceProfileID } = world;
    await admin.device.create({ device: { devEUI, name, applicationID, deviceProfileID } });
  }
  const byName = ['apple', 'Banana', 'cherry'];
  const byEUI = ['Banana', 'cherry', 'apple'];

  await page.goto(`${devices(world)}?page=2&size=10&sort=nonsense`);
  await areListed(page, byName);
  await expect(page).toHaveURL(`${devices(world)}?size=10`);
  await page.goto(devices(world));
  await areListed(page, byName);
  await button(page, 'Device EUI').focus();
  await page.keyboard.press('Enter');
  await areListed(page, byEUI);
  await page.keyboard.press('Enter');
  await areListed(page, byEUI.toReversed());
  await page.reload();
  await areListed(page, byEUI.toReversed());
  await page.goBack();
  await areListed(page, byEUI);
  await button(page, 'Device EUI').click();
  await button(page, 'Device EUI').click();
  await areListed(page, byName);
  await expect(page).toHaveURL(devices(world));

  await page.setViewportSize({ width: 390, height: 844 });
  await main(page).getByLabel('Sort by').selectOption('Device EUI, descending');
  await areListed(page, byEUI.toReversed());
  await expect(page).toHaveURL(`${devices(world)}?sort=-devEUI`);
});

test('a list of a server that cannot sort has no sort controls', async ({ page, admin }) => {
  const world = await buildWorld(admin, 'not-sorted');
  await page.route('**/swagger/device.swagger.json', async (route) => {
    const document = (await (await route.fetch()).json()) as {
      paths: Record<string, { get?: { parameters: { name: string }[] } }>;
    };
    const list = document.paths['/api/devices']!.get!;
    list.parameters = list.parameters.filter(({ name }) => name !== 'orderBy');
    await route.fulfill({ json: document });
  });
  const asked = page.waitForRequest((request) => request.url().includes('/api/devices?'));
  await page.goto(`${devices(world)}?sort=-lastSeenAt`);
  await areListed(page, ['thermometer']);
  expect((await asked).url()).not.toContain('orderBy');
  await expect(main(page).getByRole('columnheader', { name: 'Device EUI' })).toBeVisible();
  await expect(main(page).getByRole('columnheader').getByRole('button')).toHaveCount(0);
});

async function areListed(page: Page, names: readonly string[]): Promise<void> {
  await expect(main(page).locator('td[data-primary]')).toHaveText([...names]);
}
