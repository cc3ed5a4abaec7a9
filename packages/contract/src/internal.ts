/** Sign-in, profile, settings, search, summaries and API keys. */
import { every, first, globally, only, organizationReaders } from './access.ts';
import { APIKey } from './api-key.ts';
import { extended, get, including, operationsOf, page, post, remove, searchable, sortable } from './operation.ts';
import { codeOfSecondFactor, givenPassword, shortText } from './rules.ts';
import { User } from './user.ts';
import {
  bool,
  float,
  int64,
  listOf,
  map,
  message,
  needed,
  optional,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

export const LoginRequest = extended(
  message('api.LoginRequest', {
    email: text({ ...shortText, label: 'Username / email', form: { required: true } }),
    password: text({ ...givenPassword, label: 'Password', secret: true, form: { required: true } }),
  }),
  { otp: [1001, text(codeOfSecondFactor)] },
);

export const Branding = message('api.Branding', { registration: text(), footer: text() });

export const OpenIDConnect = message('api.OpenIDConnect', {
  enabled: bool(),
  loginURL: text(),
  loginLabel: text(),
  logoutURL: text(),
});

export const SettingsResponse = message(
  'api.SettingsResponse',
  { branding: needed(Branding), openidConnect: needed(OpenIDConnect) },
  [2, 3],
);
export type Settings = ValueOf<typeof SettingsResponse>;

export const OrganizationLink = message(
  'api.OrganizationLink',
  {
    organizationID: int64(),
    organizationName: text(),
    isAdmin: bool(),
    isDeviceAdmin: bool(),
    isGatewayAdmin: bool(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  [1, 2, 3, 6, 7, 4, 5],
);
export type OrganizationLink = ValueOf<typeof OrganizationLink>;

/** `settings` is our own: older servers return them only by a separate call. */
export const ProfileResponse = message(
  'api.ProfileResponse',
  { user: needed(User), organizations: listOf(OrganizationLink), settings: optional(SettingsResponse) },
  [1, 3, 4],
);
export type Profile = ValueOf<typeof ProfileResponse>;

export const GlobalSearchResult = message('api.GlobalSearchResult', {
  kind: text(),
  score: float(),
  organizationID: int64(),
  organizationName: text(),
  applicationID: int64(),
  applicationName: text(),
  deviceDevEUI: text(),
  deviceName: text(),
  gatewayMAC: text(),
  gatewayName: text(),
});
export type GlobalSearchResult = ValueOf<typeof GlobalSearchResult>;

const ofOrganization = {
  request: message('api.GetDevicesSummaryRequest', { organizationID: int64() }),
  access: first(
    { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
    { on: 'global', allow: ['globalAdmin', 'adminKey'] },
  ),
} as const;

/** Codes of OpenID Connect providers may be whole encrypted tokens. */
const authorization = { maxLength: 8192 } as const;

export const internal = operationsOf('internal', 'InternalService', {
  login: post('/api/internal/login', {
    summary: 'Sign in with e-mail and password',
    request: LoginRequest,
    response: message('api.LoginResponse', { jwt: text() }),
    effect: 'read',
    access: globally('public'),
  }),
  openIDConnectLogin: get('/api/internal/oidc/login', {
    summary: 'Finish a single sign-on with the code and state of the provider',
    request: message('api.OpenIDConnectLoginRequest', { code: text(authorization), state: text(authorization) }),
    response: message('api.OpenIDConnectLoginResponse', { jwtToken: text() }),
    access: globally('public'),
  }),
  settings: get('/api/internal/settings', {
    summary: 'Get branding and single sign-on for the sign-in page',
    response: SettingsResponse,
    access: globally('public'),
  }),
  profile: get('/api/internal/profile', {
    summary: 'The signed-in user with the organizations it is a member of',
    response: ProfileResponse,
    access: globally('anyUser', 'userSettingUp'),
  }),
  globalSearch: get('/api/internal/search', {
    summary: 'Search organizations, applications, gateways and devices',
    request: message('api.GlobalSearchRequest', { search: text(shortText), ...page }),
    response: message('api.GlobalSearchResponse', { result: listOf(GlobalSearchResult) }),
    access: globally('anyUser'),
  }),
  getDevicesSummary: get('/api/internal/devices/summary', {
    summary: 'Count devices by state and data-rate, of one organization or of all',
    response: message('api.GetDevicesSummaryResponse', {
      activeCount: uint32(),
      inactiveCount: uint32(),
      drCount: map('uint32', uint32()),
      neverSeenCount: uint32(),
    }),
    ...ofOrganization,
  }),
  getGatewaysSummary: get('/api/internal/gateways/summary', {
    summary: 'Count gateways by state, of one organization or of all',
    response: message('api.GetGatewaysSummaryResponse', {
      activeCount: uint32(),
      inactiveCount: uint32(),
      neverSeenCount: uint32(),
    }),
    ...ofOrganization,
    request: message('api.GetGatewaysSummaryRequest', { organizationID: int64() }),
  }),
  listAPIKeys: get('/api/internal/api-keys', {
    summary: 'List the API keys of one scope',
    request: searchable(
      including(
        sortable(
          message('api.ListAPIKeysRequest', {
            ...page,
            isAdmin: bool(),
            organizationID: int64(),
            applicationID: int64(),
          }),
          APIKey,
          'id',
          'name',
          'createdAt',
          'expiresAt',
          'lastUsedAt',
        ),
        'expiresAt',
        'details',
      ),
    ),
    response: message('api.ListAPIKeysResponse', { totalCount: int64(), result: listOf(APIKey) }),
    access: every(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: ['globalAdmin', 'organizationAdmin'] },
      { when: 'applicationID', on: 'application', of: 'applicationID', allow: ['globalAdmin', 'organizationAdmin'] },
      { when: 'isAdmin', on: 'global', allow: ['globalAdmin'] },
      { on: 'global', allow: ['globalAdmin'] },
    ),
  }),
  createAPIKey: post('/api/internal/api-keys', {
    summary: 'Create an API key; its token is returned once',
    request: message('api.CreateAPIKeyRequest', { apiKey: needed(APIKey) }),
    response: message('api.CreateAPIKeyResponse', { id: text(), jwtToken: text() }),
    access: every(
      {
        when: 'apiKey.organizationID',
        on: 'organization',
        of: 'apiKey.organizationID',
        allow: ['globalAdmin', 'organizationAdmin'],
      },
      {
        when: 'apiKey.applicationID',
        on: 'application',
        of: 'apiKey.applicationID',
        allow: ['globalAdmin', 'organizationAdmin'],
      },
      { when: 'apiKey.isAdmin', on: 'global', allow: ['globalAdmin'] },
      { on: 'global', allow: ['globalAdmin'] },
    ),
  }),
  deleteAPIKey: remove('/api/internal/api-keys/{id}', {
    summary: 'Delete an API key; its token becomes invalid immediately',
    request: message('api.DeleteAPIKeyRequest', { id: uuid({ required: true }) }),
    access: only('apiKey', 'id', ['globalAdmin', 'organizationAdmin']),
  }),
});
