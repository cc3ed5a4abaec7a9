import type { Locator, Page } from '@playwright/test';
import { expect, test } from './journey.ts';
import { button, drawer, main, section, textbox, visit } from './steps.ts';
import { activate, buildPerson, buildWorld, type Membership, type World } from './world.ts';

/** RO is read-only; limited users have only the application of the world. */
type Role = 'RO' | 'limited' | 'limited DA' | 'user' | 'DA' | 'GWA' | 'OA' | 'GA';
type Find = (page: Page) => Locator;
/** Which roles see which elements of a screen; `others` is for all remaining roles. */
type Sight = [what: Find, roles: readonly Role[], who?: 'others'];
type Screen = [address: (world: World) => string, sees: Sight[]];

const senders: Role[] = ['user', 'DA', 'GWA', 'OA', 'GA'];
const everybody: Role[] = ['RO', ...senders];
const limited: Role[] = ['limited', 'limited DA'];
const ofApplication: Role[] = [...everybody, ...limited];
const sendersOfApplication: Role[] = [...senders, ...limited];
const globalAdmins: Role[] = ['GA'];
const admins: Role[] = ['OA', 'GA'];
const deviceAdmins: Role[] = ['DA', 'OA', 'GA'];
const deviceAdminsOfApplication: Role[] = [...deviceAdmins, 'limited DA'];
const gatewayAdmins: Role[] = ['GWA', 'OA', 'GA'];

const entry =
  (name: string): Find =>
  (page) =>
    drawer(page).getByRole('link', { name, exact: true });
const action =
  (name: string): Find =>
  (page) =>
    button(page, name).and(page.locator(':enabled:not([aria-disabled="true"])'));
const link =
  (name: string): Find =>
  (page) =>
    main(page).getByRole('link', { name, exact: true });
const part =
  (name: string): Find =>
  (page) =>
    section(page, name);
const field =
  (name: string): Find =>
  (page) =>
    textbox(page, name);
const permission: Find = (page) => main(page).getByRole('heading', { name: 'No permission' });
const all = (find: (name: string) => Find, names: string[], roles: Role[]): Screen[1] =>
  names.map((name) => [find(name), roles]);
/** A screen that shows "No permission" to all other roles. */
const guarded = (address: Screen[0], roles: Role[]): Screen => [address, [[permission, roles, 'others']]];

const organization = (world: World) => `/organizations/${world.organizationID}`;
const gateway = (world: World) => `${organization(world)}/gateways/${world.gatewayID}`;
const application = (world: World) => `${organization(world)}/applications/${world.applicationID}`;
const device = (world: World) => `${application(world)}/devices/${world.devEUI}`;
const multicastGroup = (world: World) => `${application(world)}/multicast-groups/${world.multicastGroupID}`;
const checkbox =
  (name: string): Find =>
  (page) =>
    main(page).getByRole('checkbox', { name, exact: true });
const below =
  (parent: (world: World) => string, rest: string): Screen[0] =>
  (world) =>
    parent(world) + rest;

/** An ID that does not exist. */
const nobodys = '00000000-0000-4000-8000-000000000000';

// Some addresses do not exist even for users with permission; only the server refuses the password of another user.
test.use({ allowedErrors: /status of (403|404)/ });

const organizationScreens: Screen[] = [
  [
    organization,
    [
      ...all(entry, ['Dashboard', 'Network-servers', 'Gateway-profiles', 'Organizations'], globalAdmins),
      ...all(entry, ['All users', 'Device library', 'API keys', 'Instances'], globalAdmins),
      ...all(entry, ['Org. users', 'Org. API keys'], admins),
      ...all(entry, ['Org. dashboard', 'Service-profiles', 'Device-profiles', 'Gateways', 'Applications'], everybody),
      ...all(part, ['Dashboard', 'Configuration'], everybody),
      [action('Delete'), globalAdmins],
    ],
  ],
  [below(organization, '/edit'), [[action('Update organization'), admins]]],
  [() => '/organizations', [[link('Create'), globalAdmins]]],
  guarded(() => '/organizations/create', globalAdmins),
  ...[
    '/dashboard',
    '/users',
    '/users/create',
    '/users/1',
    '/users/1/password',
    '/users/1/sessions',
    '/api-keys',
    '/api-keys/create',
    '/instances',
    '/device-library',
    '/network-servers/moving-in',
  ].map((address) => guarded(() => address, globalAdmins)),
  ...['/gateway-profiles', '/gateway-profiles/create', '/network-servers', '/network-servers/create'].map((address) =>
    guarded(() => address, globalAdmins),
  ),
  [() => '/account/sessions', [[action('End all others'), ofApplication]]],
  guarded((world) => `/network-servers/${world.networkServerID}`, globalAdmins),
  guarded((world) => `/network-servers/${world.networkServerID}/radio`, globalAdmins),
  guarded(() => `/gateway-profiles/${nobodys}`, globalAdmins),
  ...['/users', '/users/create', '/users/1', '/api-keys', '/api-keys/create'].map((rest) =>
    guarded(below(organization, rest), admins),
  ),

  [below(organization, '/service-profiles'), [[link('Create'), globalAdmins]]],
  [
    (world) => `${organization(world)}/service-profiles/${world.serviceProfileID}`,
    all(action, ['Update service-profile', 'Delete'], globalAdmins),
  ],
  guarded(below(organization, '/service-profiles/create'), globalAdmins),

  [below(organization, '/device-profiles'), [[link('Create'), deviceAdmins]]],
  [
    (world) => `${organization(world)}/device-profiles/${world.deviceProfileID}`,
    all(action, ['Update device-profile', 'Delete'], deviceAdmins),
  ],
  guarded(below(organization, '/device-profiles/create'), deviceAdmins),
  guarded(below(organization, '/device-profiles/library'), deviceAdmins),

  [below(organization, '/gateways'), [[link('Create'), gatewayAdmins]]],
  [
    gateway,
    [
      ...all(part, ['Gateway details', 'Live LoRaWAN frames'], everybody),
      ...all(part, ['Gateway configuration', 'Certificate'], gatewayAdmins),
      [action('Delete'), gatewayAdmins],
    ],
  ],
  [below(gateway, '/frames'), [[action('Pause'), everybody]]],
  guarded(below(organization, '/gateways/create'), gatewayAdmins),
  guarded(below(organization, '/gateways/connect'), gatewayAdmins),
  guarded(below(organization, '/devices/add'), deviceAdmins),
  guarded(below(organization, '/import'), [...new Set([...deviceAdmins, ...gatewayAdmins])]),
  guarded(below(gateway, '/edit'), gatewayAdmins),
  guarded(below(gateway, '/certificate'), gatewayAdmins),
];

const applicationScreens: Screen[] = [
  ...['/service-profiles', '/device-profiles', '/gateways', '/gateways/airtime'].map((rest) =>
    guarded(below(organization, rest), everybody),
  ),
  [below(organization, '/applications'), [[link('Create'), admins]]],
  [
    application,
    [
      ...all(part, ['Devices', 'Multicast groups'], ofApplication),
      [checkbox('Select thermometer'), deviceAdminsOfApplication],
      ...all(part, ['Application configuration', 'Integrations'], admins),
      [action('Delete'), admins],
      [link('Create'), deviceAdminsOfApplication],
    ],
  ],
  guarded(below(organization, '/applications/create'), admins),
  guarded(below(application, '/edit'), admins),
  [
    below(application, '/integrations'),
    [[permission, admins, 'others'], ...all(link, ['Edit HTTP', 'Add ThingsBoard'], admins)],
  ],
  ...['http/create', 'http/edit', 'mqtt/certificate'].map((rest) =>
    guarded(below(application, `/integrations/${rest}`), admins),
  ),
  guarded(below(application, '/devices/create'), deviceAdminsOfApplication),

  [below(application, '/multicast-groups'), [[link('Create'), deviceAdminsOfApplication]]],
  guarded(below(application, '/multicast-groups/create'), deviceAdminsOfApplication),
  [
    multicastGroup,
    [
      ...all(part, ['Devices', 'Downlinks'], ofApplication),
      [link('Send downlink'), sendersOfApplication],
      [part('Configuration'), deviceAdminsOfApplication],
      [link('Choose devices'), deviceAdminsOfApplication],
      [action('Delete'), deviceAdminsOfApplication],
    ],
  ],
  guarded(below(multicastGroup, '/edit'), deviceAdminsOfApplication),
  [below(multicastGroup, '/downlinks'), [[action('Enqueue payload'), sendersOfApplication]]],

  [
    device,
    [
      ...all(part, ['Details', 'Configuration', 'Activation', 'Device data', 'LoRaWAN Frames'], ofApplication),
      [part('Keys (OTAA)'), deviceAdminsOfApplication],
      [action('Enqueue payload'), sendersOfApplication],
      [action('Delete'), deviceAdminsOfApplication],
    ],
  ],
  [below(device, '/edit'), [[action('Update device'), deviceAdminsOfApplication]]],
  guarded(below(device, '/keys'), deviceAdminsOfApplication),
  [
    below(device, '/activation'),
    [
      [action('Clear DevNonce'), deviceAdminsOfApplication],
      [field('Application session key'), sendersOfApplication],
    ],
  ],
  [below(device, '/data'), [[action('Pause'), ofApplication]]],
  [below(device, '/frames'), [[action('Pause'), ofApplication]]],
];

/** Users with their roles in the organization. */
const people: Record<string, { roles: Role[]; isAdmin?: boolean; membership?: Partial<Membership> }> = {
  'a read-only member': { roles: ['RO'], membership: { isReadOnly: true } },
  'a member limited to an application': { roles: ['limited'], membership: {} },
  'a device administrator limited to an application': { roles: ['limited DA'], membership: { isDeviceAdmin: true } },
  user: { roles: ['user'], membership: {} },
  DA: { roles: ['DA'], membership: { isDeviceAdmin: true } },
  GWA: { roles: ['GWA'], membership: { isGatewayAdmin: true } },
  'DA and GWA': { roles: ['DA', 'GWA'], membership: { isDeviceAdmin: true, isGatewayAdmin: true } },
  OA: { roles: ['OA'], membership: { isAdmin: true } },
  GA: { roles: ['GA'], isAdmin: true },
};

for (const [name, { roles: has, isAdmin = false, membership }] of Object.entries(people)) {
  test(`${name} sees what the role table says`, async ({ admin, enterAs }, { testId }) => {
    const world = await buildWorld(admin, testId);
    await activate(admin, world.devEUI);
    await admin.application.createHTTPIntegration({ integration: { applicationID: world.applicationID } });
    const isLimited = has.some((role) => limited.includes(role));
    const limit = isLimited ? { applicationIDs: [world.applicationID] } : {};
    const organizations = membership ? [{ ...membership, ...limit, organizationID: world.organizationID }] : [];
    const { token } = await buildPerson(admin, { name: 'role', isAdmin, organizations });
    const page = await enterAs(token);
    // The pages of an organization show limited users only what belongs to their applications.
    const screens = isLimited ? applicationScreens : [...organizationScreens, ...applicationScreens];
    for (const [address, sees] of screens) {
      await visit(page, address(world));
      for (const [what, roles, who] of sees) {
        const isSeen = has.some((role) => roles.includes(role)) !== (who === 'others');
        await expect.soft(what(page), address(world)).toHaveCount(isSeen ? 1 : 0);
      }
    }
  });
}

test('a user of another organization sees nothing of this one', async ({ admin, enterAs }, { testId }) => {
  const world = await buildWorld(admin, testId);
  const other = await admin.organization.create({ organization: { name: 'elsewhere', displayName: 'Elsewhere' } });
  const membership = { organizationID: other.id, isAdmin: true };
  const { token } = await buildPerson(admin, { name: 'stranger', organizations: [membership] });
  const page = await enterAs(token);
  const pages = [
    ...['/service-profiles', '/device-profiles', '/gateways', '/applications', '/api-keys'].map((rest) =>
      below(organization, rest),
    ),
    (of: World) => `${organization(of)}/service-profiles/${of.serviceProfileID}`,
    (of: World) => `${organization(of)}/device-profiles/${of.deviceProfileID}`,
    ...[gateway, application, device, multicastGroup],
    ...['/edit', '/integrations', '/multicast-groups'].map((rest) => below(application, rest)),
    ...['/keys', '/activation', '/data'].map((rest) => below(device, rest)),
  ];
  for (const address of pages) {
    await visit(page, address(world));
    await expect.soft(main(page), address(world)).not.toContainText(/standard|thermometer|roof|weather|all together/);
    await expect.soft(permission(page).or(main(page).getByRole('alert')).first(), address(world)).toBeVisible();
  }
});
