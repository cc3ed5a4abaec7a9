import { type AnyRoute, createRoute } from '@tanstack/react-router';
import type { OperationName } from './api/facts.ts';
import { lazyScreen, type ScreenComponent } from './components/lazy-screen/lazy-screen.tsx';
import { paths } from './paths.ts';
import { ofOrganizations, type Resource } from './resources.ts';

interface Screen {
  /** Path below the parent; empty for a layout around its children. */
  path?: string;
  /** Loads the chunk of the screen. */
  load: () => Promise<ScreenComponent>;
  /** The operation that the user must be allowed to call to see this screen and those below it. */
  access?: OperationName;
  children?: Screen[];
}

const NotFound = lazyScreen(() => import('./components/states/error-pages.tsx').then((m) => m.NotFound));

const screen = (path: string, load: Screen['load'], rest: Omit<Screen, 'path' | 'load'> = {}): Screen => ({
  path,
  load,
  ...rest,
});

/** The organization parameter of a path. */
const organizationID = '$organizationID';

/**
 * The screens of a resource: its list, its create page for users with permission, and the page of each object, which
 * may be a layout around others. All of them require permission to create; with `isOpen` the list only requires
 * permission to read it, and the pages of objects require none.
 */
function screensOf(
  resource: Resource,
  {
    list,
    create,
    one,
    children = [],
    isOpen = false,
  }: Record<'list' | 'create' | 'one', Screen['load']> & {
    children?: Screen[];
    isOpen?: boolean;
  },
): Screen[] {
  const pages: Record<'list' | 'create' | 'one', (...ids: string[]) => string> = paths[resource];
  const above = resource in ofOrganizations ? [organizationID] : [];
  const mayCreate = { access: `${resource}.create` } as const;
  const mayList = { access: `${resource}.list` } as const;
  return [
    screen(pages.list(...above), list, isOpen ? mayList : mayCreate),
    screen(pages.create(...above), create, mayCreate),
    screen(pages.one(...above, `$${resource}ID`), one, { children, ...(!isOpen && { access: `${resource}.update` }) }),
  ];
}

const organizationScreens: Screen[] = [
  screen(
    paths.attention(organizationID),
    () => import('./features/attention/attention-page.tsx').then((m) => m.OrganizationAttention),
    { access: 'attention.list' },
  ),
  screen(
    paths.organizationAudit(organizationID),
    () => import('./features/audit/audit-page.tsx').then((m) => m.AuditPage),
    { access: 'audit.list' },
  ),
  screen(
    paths.organizationUser.list(organizationID),
    () => import('./features/organization-user/organization-user-list.tsx').then((m) => m.OrganizationUserList),
    { access: 'organization.listUsers' },
  ),
  screen(
    paths.organizationUser.create(organizationID),
    () => import('./features/organization-user/organization-user-create.tsx').then((m) => m.OrganizationUserCreate),
    { access: 'organization.addUser' },
  ),
  screen(
    paths.organizationUser.one(organizationID, '$userID'),
    () => import('./features/organization-user/organization-user-edit.tsx').then((m) => m.OrganizationUserEdit),
    { access: 'organization.updateUser' },
  ),

  screen(
    paths.organizationAPIKey.list(organizationID),
    () => import('./features/api-key/api-key-list.tsx').then((m) => m.APIKeyList),
    { access: 'internal.listAPIKeys' },
  ),
  screen(
    paths.organizationAPIKey.create(organizationID),
    () => import('./features/api-key/api-key-create.tsx').then((m) => m.APIKeyCreate),
    { access: 'internal.createAPIKey' },
  ),

  ...screensOf('serviceProfile', {
    isOpen: true,
    list: () => import('./features/service-profile/service-profile-list.tsx').then((m) => m.ServiceProfileList),
    create: () => import('./features/service-profile/service-profile-form.tsx').then((m) => m.ServiceProfileCreate),
    one: () => import('./features/service-profile/service-profile-form.tsx').then((m) => m.ServiceProfileEdit),
  }),
  screen(
    paths.deviceProfileFromLibrary(organizationID),
    () => import('./features/device-profile/device-profile-from-library.tsx').then((m) => m.DeviceProfileFromLibrary),
    { access: 'library.createProfile' },
  ),
  ...screensOf('deviceProfile', {
    isOpen: true,
    list: () => import('./features/device-profile/device-profile-list.tsx').then((m) => m.DeviceProfileList),
    create: () => import('./features/device-profile/device-profile-form.tsx').then((m) => m.DeviceProfileCreate),
    one: () => import('./features/device-profile/device-profile-form.tsx').then((m) => m.DeviceProfileEdit),
  }),
  screen(
    paths.unknown(organizationID),
    () => import('./features/unknown/unknown-page.tsx').then((m) => m.UnknownPage),
    {
      access: 'unknownDevice.list',
      children: [
        screen('/', () => import('./features/unknown/unknown-devices.tsx').then((m) => m.UnknownDevices)),
        screen(
          '/gateways',
          () => import('./features/gateway/unknown-gateway-list.tsx').then((m) => m.UnknownGatewayList),
          {
            access: 'connecting.listUnknown',
          },
        ),
      ],
    },
  ),
  screen(
    paths.gatewayConnect(organizationID),
    () => import('./features/gateway/connect-gateway.tsx').then((m) => m.ConnectGateway),
    { access: 'gateway.create' },
  ),
  screen(
    paths.gatewaysAirtime(organizationID),
    () => import('./features/gateway/gateways-airtime.tsx').then((m) => m.GatewaysAirtime),
    { access: 'gatewayAirtime.list' },
  ),
  ...screensOf('gateway', {
    isOpen: true,
    list: () => import('./features/gateway/gateway-list.tsx').then((m) => m.GatewayList),
    create: () => import('./features/gateway/gateway-form.tsx').then((m) => m.GatewayCreate),
    one: () => import('./features/gateway/gateway-layout.tsx').then((m) => m.GatewayLayout),
    children: [
      screen('/', () => import('./features/gateway/gateway-details.tsx').then((m) => m.GatewayDetails)),
      screen('/edit', () => import('./features/gateway/gateway-form.tsx').then((m) => m.GatewayEdit), {
        access: 'gateway.update',
      }),
      screen(
        '/certificate',
        () => import('./features/gateway/gateway-certificate.tsx').then((m) => m.GatewayCertificate),
        { access: 'gateway.generateGatewayClientCertificate' },
      ),
      screen('/discovery', () => import('./features/gateway/gateway-discovery.tsx').then((m) => m.GatewayDiscovery)),
      screen('/airtime', () => import('./features/gateway/gateway-airtime.tsx').then((m) => m.GatewayAirtime)),
      screen('/frames', () => import('./features/gateway/gateway-frames.tsx').then((m) => m.GatewayFrames)),
    ],
  }),
  ...screensOf('application', {
    isOpen: true,
    list: () => import('./features/application/application-list.tsx').then((m) => m.ApplicationList),
    create: () => import('./features/application/application-form.tsx').then((m) => m.ApplicationCreate),
    one: () => import('./features/application/application-layout.tsx').then((m) => m.ApplicationLayout),
    children: [
      screen('/edit', () => import('./features/application/application-form.tsx').then((m) => m.ApplicationEdit), {
        access: 'application.update',
      }),
      screen(
        '/integrations',
        () => import('./features/integration/integration-list.tsx').then((m) => m.IntegrationList),
        { access: 'application.listIntegrations' },
      ),
      screen('/api-keys', () => import('./features/api-key/api-key-list.tsx').then((m) => m.APIKeyList), {
        access: 'internal.listAPIKeys',
      }),
      screen('/multicast-groups', () =>
        import('./features/multicast-group/multicast-group-list.tsx').then((m) => m.MulticastGroupList),
      ),
      screen('/', () => import('./features/device/device-list.tsx').then((m) => m.DeviceList)),
    ],
  }),
  screen(
    paths.applicationAPIKey.create(organizationID, '$applicationID'),
    () => import('./features/api-key/api-key-create.tsx').then((m) => m.APIKeyCreate),
    { access: 'internal.createAPIKey' },
  ),
  screen(
    paths.mqttCertificate(organizationID, '$applicationID'),
    () => import('./features/integration/mqtt-access.tsx').then((m) => m.MQTTAccess),
    { access: 'application.generateMQTTIntegrationClientCertificate' },
  ),
  screen(
    paths.integration(organizationID, '$applicationID', '$kind', 'create'),
    () => import('./features/integration/integration-form.tsx').then((m) => m.IntegrationCreate),
    { access: 'application.listIntegrations' },
  ),
  screen(
    `${paths.integrations(organizationID, '$applicationID')}/$kind`,
    () => import('./features/integration/integration-page.tsx').then((m) => m.IntegrationPage),
    {
      access: 'application.listIntegrations',
      children: [
        screen('/edit', () => import('./features/integration/integration-form.tsx').then((m) => m.IntegrationEdit)),
        screen('/deliveries', () => import('./features/integration/deliveries.tsx').then((m) => m.Deliveries)),
        screen('/dead-letters', () => import('./features/integration/dead-letters.tsx').then((m) => m.DeadLetters)),
        screen('/replay', () => import('./features/integration/replays.tsx').then((m) => m.Replays)),
      ],
    },
  ),
  screen(
    `${paths.organization.one(organizationID)}/gateway-events`,
    () => import('./features/integration/gateway-events.tsx').then((m) => m.GatewayEventsPage),
    {
      access: 'gatewayIntegration.get',
      children: [
        screen('/edit', () => import('./features/integration/gateway-events.tsx').then((m) => m.GatewayEventsEdit)),
        screen('/deliveries', () => import('./features/integration/deliveries.tsx').then((m) => m.Deliveries)),
        screen('/dead-letters', () => import('./features/integration/dead-letters.tsx').then((m) => m.DeadLetters)),
        screen('/replay', () => import('./features/integration/replays.tsx').then((m) => m.Replays)),
      ],
    },
  ),
  screen(
    paths.fileImport(organizationID),
    () => import('./features/file-import/import-page.tsx').then((m) => m.ImportPage),
    { access: 'fileImport.create' },
  ),
  screen(paths.organizationDevices(organizationID), () =>
    import('./features/device/organization-devices.tsx').then((m) => m.OrganizationDevices),
  ),
  screen(paths.alerts(organizationID), () => import('./features/alert/alert-list.tsx').then((m) => m.AlertList), {
    access: 'alert.list',
  }),
  screen(
    paths.alertRules(organizationID),
    () => import('./features/alert/alert-rule-list.tsx').then((m) => m.AlertRuleList),
    { access: 'alertRule.list' },
  ),
  screen(
    paths.alertRuleCreate(organizationID),
    () => import('./features/alert/alert-rule-page.tsx').then((m) => m.AlertRuleCreate),
    { access: 'alertRule.create' },
  ),
  screen(
    paths.alertRule(organizationID, '$ruleID'),
    () => import('./features/alert/alert-rule-page.tsx').then((m) => m.AlertRuleEdit),
    { access: 'alertRule.get' },
  ),
  screen(paths.job(organizationID, '$jobID'), () => import('./features/job/job-page.tsx').then((m) => m.JobPage), {
    access: 'job.get',
  }),
  screen(paths.deviceAdd(organizationID), () => import('./features/device/add-device.tsx').then((m) => m.AddDevice), {
    access: 'firstSteps.addDevice',
  }),
  screen(paths.deviceLabels(organizationID, '$applicationID'), () =>
    import('./features/device/device-labels.tsx').then((m) => m.DeviceLabels),
  ),
  screen(
    paths.device.create(organizationID, '$applicationID'),
    () => import('./features/device/device-create.tsx').then((m) => m.DeviceCreate),
    { access: 'device.create' },
  ),
  screen(
    paths.device.one(organizationID, '$applicationID', '$devEUI'),
    () => import('./features/device/device-layout.tsx').then((m) => m.DeviceLayout),
    {
      children: [
        screen('/', () => import('./features/device/device-details.tsx').then((m) => m.DeviceDetails)),
        screen('/edit', () => import('./features/device/device-edit.tsx').then((m) => m.DeviceEdit)),
        screen('/keys', () => import('./features/device/device-keys.tsx').then((m) => m.DeviceKeys), {
          access: 'device.getKeys',
        }),
        screen('/activation', () => import('./features/device/device-activation.tsx').then((m) => m.DeviceActivation)),
        screen('/timeline', () =>
          import('./features/device/timeline/device-timeline.tsx').then((m) => m.DeviceTimeline),
        ),
        screen('/values', () => import('./features/device/device-values.tsx').then((m) => m.DeviceValues)),
        screen('/data', () => import('./features/device/device-data.tsx').then((m) => m.DeviceData)),
        screen('/frames', () => import('./features/device/device-frames.tsx').then((m) => m.DeviceFrames)),
      ],
    },
  ),
  screen(
    paths.multicastGroup.create(organizationID, '$applicationID'),
    () => import('./features/multicast-group/multicast-group-create.tsx').then((m) => m.MulticastGroupCreate),
    { access: 'multicastGroup.create' },
  ),
  screen(
    paths.multicastGroup.one(organizationID, '$applicationID', '$multicastGroupID'),
    () => import('./features/multicast-group/multicast-group-layout.tsx').then((m) => m.MulticastGroupLayout),
    {
      children: [
        screen('/', () => import('./features/multicast-group/group-devices.tsx').then((m) => m.GroupDevices)),
        screen(
          '/edit',
          () => import('./features/multicast-group/multicast-group-edit.tsx').then((m) => m.MulticastGroupEdit),
          { access: 'multicastGroup.update' },
        ),
        screen('/downlinks', () =>
          import('./features/multicast-group/group-downlinks.tsx').then((m) => m.GroupDownlinks),
        ),
      ],
    },
  ),
];

const screens: Screen[] = [
  screen(paths.start(), () => import('./features/start/start.tsx').then((m) => m.Start)),
  screen(paths.dashboard(), () => import('./features/dashboard/dashboard.tsx').then((m) => m.Dashboard), {
    access: 'organization.create',
  }),
  screen(paths.allDevices(), () => import('./features/device/all-devices.tsx').then((m) => m.AllDevices), {
    access: 'organization.create',
  }),
  screen(paths.allGateways(), () => import('./features/gateway/all-gateways.tsx').then((m) => m.AllGateways), {
    access: 'organization.create',
  }),
  screen(paths.search(), () => import('./features/search/search.tsx').then((m) => m.Search)),

  screen(paths.allAttention(), () => import('./features/attention/attention-page.tsx').then((m) => m.AllAttention), {
    access: 'organization.create',
  }),
  screen(paths.trash(), () => import('./features/trash/trash-list.tsx').then((m) => m.AllTrash), {
    access: 'organization.create',
  }),
  screen(paths.audit(), () => import('./features/audit/audit-page.tsx').then((m) => m.AuditPage), {
    access: 'organization.create',
  }),
  screen(paths.storage(), () => import('./features/storage/storage-page.tsx').then((m) => m.StoragePage), {
    access: 'storage.get',
  }),
  screen(paths.instances(), () => import('./features/instance/instance-list.tsx').then((m) => m.InstanceList), {
    access: 'instance.list',
  }),
  screen(
    paths.deviceLibrary(),
    () => import('./features/device-library/device-library.tsx').then((m) => m.DeviceLibrary),
    { access: 'library.get' },
  ),
  screen(paths.movingIn(), () => import('./features/moving-in/moving-in.tsx').then((m) => m.MovingIn), {
    access: 'importV3.dryRun',
  }),
  ...screensOf('networkServer', {
    list: () => import('./features/network-server/network-server-list.tsx').then((m) => m.NetworkServerList),
    create: () => import('./features/network-server/network-server-create.tsx').then((m) => m.NetworkServerCreate),
    one: () => import('./features/network-server/network-server-form.tsx').then((m) => m.NetworkServerEdit),
  }),
  screen(
    paths.networkServerRadio('$networkServerID'),
    () => import('./features/network-server/radio-page.tsx').then((m) => m.RadioPage),
    { access: 'radio.get' },
  ),
  ...screensOf('gatewayProfile', {
    list: () => import('./features/gateway-profile/gateway-profile-list.tsx').then((m) => m.GatewayProfileList),
    create: () => import('./features/gateway-profile/gateway-profile-form.tsx').then((m) => m.GatewayProfileCreate),
    one: () => import('./features/gateway-profile/gateway-profile-form.tsx').then((m) => m.GatewayProfileEdit),
  }),
  ...screensOf('organization', {
    isOpen: true,
    list: () => import('./features/organization/organization-list.tsx').then((m) => m.OrganizationList),
    create: () => import('./features/organization/organization-form.tsx').then((m) => m.OrganizationCreate),
    one: () => import('./features/organization/organization-layout.tsx').then((m) => m.OrganizationLayout),
    children: [
      screen('/', () => import('./features/dashboard/organization-dashboard.tsx').then((m) => m.OrganizationDashboard)),
      screen('/edit', () => import('./features/organization/organization-form.tsx').then((m) => m.OrganizationEdit)),
      screen('/jobs', () => import('./features/job/job-list.tsx').then((m) => m.JobList), { access: 'job.list' }),
      screen('/trash', () => import('./features/trash/trash-list.tsx').then((m) => m.OrganizationTrash), {
        access: 'trash.list',
      }),
    ],
  }),
  ...organizationScreens,
  ...screensOf('user', {
    list: () => import('./features/user/user-list.tsx').then((m) => m.UserList),
    create: () => import('./features/user/user-create.tsx').then((m) => m.UserCreate),
    one: () => import('./features/user/user-edit.tsx').then((m) => m.UserEdit),
  }),
  screen(paths.userPassword('$userID'), () =>
    import('./features/user/change-password.tsx').then((m) => m.ChangePassword),
  ),

  screen(
    paths.userSessions('$userID'),
    () => import('./features/session/user-sessions.tsx').then((m) => m.UserSessions),
    {
      access: 'secondFactor.getOfUser',
    },
  ),

  screen(paths.account(), () => import('./features/account/account-layout.tsx').then((m) => m.AccountLayout), {
    children: [
      screen('/', () => import('./features/account/account-profile.tsx').then((m) => m.AccountProfile)),
      screen('/security', () => import('./features/account/account-security.tsx').then((m) => m.AccountSecurity)),
      screen('/sessions', () => import('./features/session/session-list.tsx').then((m) => m.OwnSessions)),
    ],
  }),

  // Global keys: their operations also serve the keys of one organization, so the right to create organizations
  // decides.
  screen(paths.apiKey.list(), () => import('./features/api-key/api-key-list.tsx').then((m) => m.APIKeyList), {
    access: 'organization.create',
  }),
  screen(paths.apiKey.create(), () => import('./features/api-key/api-key-create.tsx').then((m) => m.APIKeyCreate), {
    access: 'organization.create',
  }),
];

function grow(parent: AnyRoute, { path, load, access, children = [] }: Screen): AnyRoute {
  const route: AnyRoute = createRoute({
    getParentRoute: () => parent,
    path: path ?? '/',
    component: lazyScreen(load),
    staticData: access === undefined ? {} : { access },
  });
  return children.length === 0 ? route : route.addChildren(children.map((child) => grow(route, child)));
}

/** All routes behind the sign-in. */
export function signedInRoutes(root: AnyRoute): AnyRoute {
  const signedIn: AnyRoute = createRoute({
    getParentRoute: () => root,
    id: 'signed-in',
    component: lazyScreen(() => import('./shell/shell.tsx').then((m) => m.Shell)),
  });
  /** Not found, inside the shell. */
  const anythingElse = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });
  return signedIn.addChildren([...screens.map((one) => grow(signedIn, one)), anythingElse]);
}
