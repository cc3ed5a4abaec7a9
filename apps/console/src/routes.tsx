import { type AnyRoute, createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { lazyScreen } from './components/lazy-screen/lazy-screen.tsx';
import { ErrorState, NotFound } from './components/states/states.tsx';
import { paths } from './paths.ts';
import { searchParameters } from './search-parameters.ts';
import { leave } from './session/leave.ts';
import { readToken, rememberWanted } from './session/storage.ts';

interface Screen {
  /** Address below the parent's; none for an extra frame around its children. */
  path?: string;
  /** The chunk that holds the screen. */
  load: () => Promise<ComponentType>;
  /** The operation one must be allowed to call to see the screen and what is below it. */
  access?: string;
  children?: Screen[];
}

const screen = (path: string, load: Screen['load'], rest: Omit<Screen, 'path' | 'load'> = {}): Screen => ({
  path,
  load,
  ...rest,
});

const organizationScreens: Screen[] = [
  screen('/', () => import('./features/organization/organization-layout.tsx').then((m) => m.OrganizationLayout), {
    children: [
      screen('/', () => import('./features/dashboard/organization-dashboard.tsx').then((m) => m.OrganizationDashboard)),
      screen('/edit', () => import('./features/organization/organization-edit.tsx').then((m) => m.OrganizationEdit)),
    ],
  }),
  screen(
    '/users',
    () => import('./features/organization-user/organization-user-list.tsx').then((m) => m.OrganizationUserList),
    { access: 'organization.listUsers' },
  ),
  screen(
    '/users/create',
    () => import('./features/organization-user/organization-user-create.tsx').then((m) => m.OrganizationUserCreate),
    { access: 'organization.addUser' },
  ),
  screen(
    '/users/$userID',
    () => import('./features/organization-user/organization-user-edit.tsx').then((m) => m.OrganizationUserEdit),
    { access: 'organization.updateUser' },
  ),

  screen('/api-keys', () => import('./features/api-key/api-key-list.tsx').then((m) => m.APIKeyList), {
    access: 'internal.listAPIKeys',
  }),
  screen('/api-keys/create', () => import('./features/api-key/api-key-create.tsx').then((m) => m.APIKeyCreate), {
    access: 'internal.createAPIKey',
  }),

  screen('/service-profiles', () =>
    import('./features/service-profile/service-profile-list.tsx').then((m) => m.ServiceProfileList),
  ),
  screen(
    '/service-profiles/create',
    () => import('./features/service-profile/service-profile-create.tsx').then((m) => m.ServiceProfileCreate),
    {
      access: 'serviceProfile.create',
    },
  ),
  screen('/service-profiles/$serviceProfileID', () =>
    import('./features/service-profile/service-profile-edit.tsx').then((m) => m.ServiceProfileEdit),
  ),

  screen('/device-profiles', () =>
    import('./features/device-profile/device-profile-list.tsx').then((m) => m.DeviceProfileList),
  ),
  screen(
    '/device-profiles/create',
    () => import('./features/device-profile/device-profile-create.tsx').then((m) => m.DeviceProfileCreate),
    {
      access: 'deviceProfile.create',
    },
  ),
  screen('/device-profiles/$deviceProfileID', () =>
    import('./features/device-profile/device-profile-edit.tsx').then((m) => m.DeviceProfileEdit),
  ),

  screen('/gateways', () => import('./features/gateway/gateway-list.tsx').then((m) => m.GatewayList)),
  screen('/gateways/create', () => import('./features/gateway/gateway-create.tsx').then((m) => m.GatewayCreate), {
    access: 'gateway.create',
  }),
  screen('/gateways/$gatewayID', () => import('./features/gateway/gateway-layout.tsx').then((m) => m.GatewayLayout), {
    children: [
      screen('/', () => import('./features/gateway/gateway-details.tsx').then((m) => m.GatewayDetails)),
      screen('/edit', () => import('./features/gateway/gateway-edit.tsx').then((m) => m.GatewayEdit), {
        access: 'gateway.update',
      }),
      screen(
        '/certificate',
        () => import('./features/gateway/gateway-certificate.tsx').then((m) => m.GatewayCertificate),
        {
          access: 'gateway.generateGatewayClientCertificate',
        },
      ),
      screen('/discovery', () => import('./features/gateway/gateway-discovery.tsx').then((m) => m.GatewayDiscovery)),
      screen('/frames', () => import('./features/gateway/gateway-frames.tsx').then((m) => m.GatewayFrames)),
    ],
  }),

  screen('/applications', () => import('./features/application/application-list.tsx').then((m) => m.ApplicationList)),
  screen(
    '/applications/create',
    () => import('./features/application/application-create.tsx').then((m) => m.ApplicationCreate),
    {
      access: 'application.create',
    },
  ),
  screen(
    '/applications/$applicationID',
    () => import('./features/application/application-layout.tsx').then((m) => m.ApplicationLayout),
    {
      children: [
        screen('/edit', () => import('./features/application/application-edit.tsx').then((m) => m.ApplicationEdit), {
          access: 'application.update',
        }),
        screen('/', () => import('./features/device/device-list.tsx').then((m) => m.DeviceList)),
      ],
    },
  ),
  screen(
    '/applications/$applicationID/devices/create',
    () => import('./features/device/device-create.tsx').then((m) => m.DeviceCreate),
    {
      access: 'device.create',
    },
  ),
  screen(
    '/applications/$applicationID/devices/$devEUI',
    () => import('./features/device/device-layout.tsx').then((m) => m.DeviceLayout),
    {
      children: [
        screen('/', () => import('./features/device/device-details.tsx').then((m) => m.DeviceDetails)),
        screen('/edit', () => import('./features/device/device-edit.tsx').then((m) => m.DeviceEdit)),
        screen('/keys', () => import('./features/device/device-keys.tsx').then((m) => m.DeviceKeys), {
          access: 'device.getKeys',
        }),
        screen('/activation', () => import('./features/device/device-activation.tsx').then((m) => m.DeviceActivation)),
        screen('/data', () => import('./features/device/device-data.tsx').then((m) => m.DeviceData)),
        screen('/frames', () => import('./features/device/device-frames.tsx').then((m) => m.DeviceFrames)),
      ],
    },
  ),
];

const screens: Screen[] = [
  screen('/', () => import('./features/start/start.tsx').then((m) => m.Start)),
  screen('/dashboard', () => import('./features/dashboard/dashboard.tsx').then((m) => m.Dashboard), {
    access: 'organization.create',
  }),
  screen('/search', () => import('./features/search/search.tsx').then((m) => m.Search)),

  screen('/users', () => import('./features/user/user-list.tsx').then((m) => m.UserList), { access: 'user.list' }),
  screen('/users/create', () => import('./features/user/user-create.tsx').then((m) => m.UserCreate), {
    access: 'user.create',
  }),
  screen('/users/$userID', () => import('./features/user/user-edit.tsx').then((m) => m.UserEdit), {
    access: 'user.update',
  }),
  screen('/users/$userID/password', () => import('./features/user/change-password.tsx').then((m) => m.ChangePassword)),

  screen(
    '/network-servers',
    () => import('./features/network-server/network-server-list.tsx').then((m) => m.NetworkServerList),
    {
      access: 'networkServer.create',
    },
  ),
  screen(
    '/network-servers/create',
    () => import('./features/network-server/network-server-create.tsx').then((m) => m.NetworkServerCreate),
    {
      access: 'networkServer.create',
    },
  ),
  screen(
    '/network-servers/$networkServerID',
    () => import('./features/network-server/network-server-edit.tsx').then((m) => m.NetworkServerEdit),
    {
      access: 'networkServer.update',
    },
  ),

  screen(
    '/gateway-profiles',
    () => import('./features/gateway-profile/gateway-profile-list.tsx').then((m) => m.GatewayProfileList),
    { access: 'gatewayProfile.create' },
  ),
  screen(
    '/gateway-profiles/create',
    () => import('./features/gateway-profile/gateway-profile-create.tsx').then((m) => m.GatewayProfileCreate),
    { access: 'gatewayProfile.create' },
  ),
  screen(
    '/gateway-profiles/$gatewayProfileID',
    () => import('./features/gateway-profile/gateway-profile-edit.tsx').then((m) => m.GatewayProfileEdit),
    { access: 'gatewayProfile.update' },
  ),

  // Keys of everything: their operations also serve the keys of one organization, so who may create organizations decides.
  screen('/api-keys', () => import('./features/api-key/api-key-list.tsx').then((m) => m.APIKeyList), {
    access: 'organization.create',
  }),
  screen('/api-keys/create', () => import('./features/api-key/api-key-create.tsx').then((m) => m.APIKeyCreate), {
    access: 'organization.create',
  }),

  screen('/organizations', () =>
    import('./features/organization/organization-list.tsx').then((m) => m.OrganizationList),
  ),
  screen(
    '/organizations/create',
    () => import('./features/organization/organization-create.tsx').then((m) => m.OrganizationCreate),
    {
      access: 'organization.create',
    },
  ),
  ...organizationScreens.map((one) => ({
    ...one,
    path: `/organizations/$organizationID${one.path === '/' ? '' : one.path}`,
  })),
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

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <ErrorState error={error} retry={reset} />,
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyScreen(() => import('./sign-in/login.tsx').then((m) => m.Login)),
  onEnter: (): void => leave(router.latestLocation.state.leaveFor),
});

/** Whatever no screen answers to, still inside the shell. */
const anythingElse = (parent: AnyRoute) =>
  createRoute({ getParentRoute: () => parent, path: '$', component: NotFound });

const signedIn: AnyRoute = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: ({ location }) => {
    if (readToken() !== null) return;
    if (location.pathname !== paths.start()) rememberWanted(location.href, 'not-signed-in');
    throw redirect({ to: paths.login() });
  },
  component: lazyScreen(() => import('./shell/shell.tsx').then((m) => m.Shell)),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    signedIn.addChildren([...screens.map((one) => grow(signedIn, one)), anythingElse(signedIn)]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  ...searchParameters,
});
