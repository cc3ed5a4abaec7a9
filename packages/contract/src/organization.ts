import { admins, globally, limitedReaders, only, organizationAdmins } from './access.ts';
import {
  extended,
  get,
  including,
  operationsOf,
  page,
  post,
  put,
  remove,
  searchable,
  smallPage,
  sortable,
} from './operation.ts';
import { noControlCharacters, shortText, strictName } from './rules.ts';
import {
  bool,
  ifGiven,
  int64,
  list,
  listOf,
  message,
  needed,
  optional,
  text,
  timestamp,
  uint32,
  type ValueOf,
} from './wire.ts';

export const Organization = message('api.Organization', {
  id: int64({ label: 'Organization ID' }),
  name: text({ ...strictName, label: 'Organization name' }),
  displayName: text({ ...noControlCharacters, label: 'Display name', maxLength: 100, form: { required: true } }),
  canHaveGateways: bool({
    label: 'Organization can have gateways',
    help: 'Allows the organization to add its own gateways. Without them it uses the gateways of the network.',
  }),
  maxGatewayCount: uint32({ label: 'Max. number of gateways', help: '0 means unlimited.' }),
  maxDeviceCount: uint32({ label: 'Max. number of devices', help: '0 means unlimited.' }),
});
export type Organization = ValueOf<typeof Organization>;

const RecordedListItem = message('api.OrganizationListItem', {
  id: int64(),
  name: text(),
  displayName: text(),
  canHaveGateways: bool(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
});
/** The counts are returned on request by `include=counts`. */
export const OrganizationListItem = extended(RecordedListItem, {
  gatewayCount: [1000, ifGiven(uint32({ label: 'Gateways' }))],
  deviceCount: [1001, ifGiven(uint32({ label: 'Devices' }))],
  userCount: [1002, ifGiven(uint32({ label: 'Users' }))],
});
export type OrganizationListItem = ValueOf<typeof OrganizationListItem>;

/** The most applications that a membership is limited to. */
export const mostLimitedApplications = 100;

/** What a membership permits less than others; in updates, absent ones change nothing. */
const memberLimits = {
  isReadOnly: ifGiven(
    bool({ label: 'User is read-only', help: 'Sees what a user sees, and sends and changes nothing.' }),
  ),
  applicationIDs: ifGiven(
    list(int64(), {
      label: 'Applications',
      proto: 'application_ids',
      help: 'The applications that the user sees; none for all. A list with only 0 means all as well, for gRPC, which does not transmit an empty list.',
      maxEntries: mostLimitedApplications,
    }),
  ),
} as const;

const RecordedOrganizationUser = message(
  'api.OrganizationUser',
  {
    organizationID: int64({ label: 'Organization', required: true }),
    userID: int64({ label: 'User ID' }),
    isAdmin: bool({
      label: 'User is organization admin',
      help: 'Can change the organization, manage its users and modify everything in it.',
    }),
    isDeviceAdmin: bool({
      label: 'User is device admin',
      help: 'Can add and modify devices, applications and profiles.',
    }),
    isGatewayAdmin: bool({ label: 'User is gateway admin', help: 'Can add and modify gateways.' }),
    email: text({
      ...shortText,
      label: 'E-mail address',
      help: 'The user must already exist. Adding a user here does not create an account.',
      fixed: true,
      form: { required: true },
    }),
  },
  [1, 2, 3, 5, 6, 4],
);
export const OrganizationUser = extended(RecordedOrganizationUser, {
  isReadOnly: [1001, memberLimits.isReadOnly],
  applicationIDs: [1002, memberLimits.applicationIDs],
});
export type OrganizationUser = ValueOf<typeof OrganizationUser>;

const RecordedUserListItem = message(
  'api.OrganizationUserListItem',
  {
    userID: int64(),
    email: text(),
    isAdmin: bool(),
    isDeviceAdmin: bool(),
    isGatewayAdmin: bool(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  [1, 2, 3, 6, 7, 4, 5],
);
/** The limits are returned on request by `include=limits`. */
export const OrganizationUserListItem = extended(RecordedUserListItem, {
  isReadOnly: [1001, memberLimits.isReadOnly],
  applicationIDs: [1002, memberLimits.applicationIDs],
});
export type OrganizationUserListItem = ValueOf<typeof OrganizationUserListItem>;

/** What the caller may do less than others in an organization. */
const OwnLimits = message('hilltop.OwnLimits', {
  isReadOnly: bool({ label: 'Read-only' }),
  applicationIDs: list(int64(), {
    proto: 'application_ids',
    label: 'Applications',
    help: 'Those that the caller sees; none for all.',
  }),
});
export type OwnLimits = ValueOf<typeof OwnLimits>;

const oneOrganization = { id: int64({ required: true }) } as const;
const oneUser = { organizationID: int64({ required: true }), userID: int64({ required: true }) } as const;

export const organization = operationsOf('organization', 'OrganizationService', {
  list: get('/api/organizations', {
    summary: 'List organizations by display name: the own ones, or all for administrators',
    request: including(
      sortable(
        message('api.ListOrganizationRequest', { ...page, search: text(shortText) }),
        OrganizationListItem,
        'id',
        'name',
        'displayName',
        'canHaveGateways',
        'createdAt',
      ),
      'counts',
    ),
    response: message('api.ListOrganizationResponse', { totalCount: int64(), result: listOf(OrganizationListItem) }),
    access: globally(...admins, 'anyUser'),
  }),
  get: get('/api/organizations/{id}', {
    summary: 'Get an organization',
    request: including(message('api.GetOrganizationRequest', oneOrganization), 'limits'),
    response: extended(
      message('api.GetOrganizationResponse', {
        organization: needed(Organization),
        createdAt: timestamp(),
        updatedAt: timestamp(),
      }),
      { limits: [1000, ifGiven(optional(OwnLimits))] },
    ),
    access: only('organization', 'id', limitedReaders),
  }),
  create: post('/api/organizations', {
    summary: 'Create an organization',
    request: message('api.CreateOrganizationRequest', { organization: needed(Organization) }),
    response: message('api.CreateOrganizationResponse', { id: int64() }),
    access: globally(...admins),
  }),
  update: put('/api/organizations/{organization.id}', {
    summary: 'Update an organization; only global administrators change its limits',
    request: message('api.UpdateOrganizationRequest', { organization: needed(Organization) }),
    access: only('organization', 'organization.id', [...admins, 'organizationAdmin']),
  }),
  delete: remove('/api/organizations/{id}', {
    summary: 'Delete an organization with everything in it',
    request: message('api.DeleteOrganizationRequest', oneOrganization),
    access: only('organization', 'id', admins),
  }),
  listUsers: get('/api/organizations/{organization_id}/users', {
    summary: 'List the users of an organization by e-mail',
    request: searchable(
      including(
        sortable(
          message('api.ListOrganizationUsersRequest', { organizationID: int64({ required: true }), ...smallPage }),
          OrganizationUserListItem,
          'userID',
          'email',
          'isAdmin',
          'isDeviceAdmin',
          'isGatewayAdmin',
          'createdAt',
        ),
        'limits',
      ),
    ),
    response: message('api.ListOrganizationUsersResponse', {
      totalCount: int64(),
      result: listOf(OrganizationUserListItem),
    }),
    access: only('organization', 'organizationID', organizationAdmins),
  }),
  getUser: get('/api/organizations/{organization_id}/users/{user_id}', {
    summary: 'Get the membership of a user',
    request: including(message('api.GetOrganizationUserRequest', oneUser), 'limits'),
    response: message('api.GetOrganizationUserResponse', {
      organizationUser: needed(OrganizationUser),
      createdAt: timestamp(),
      updatedAt: timestamp(),
    }),
    access: only('organization', 'organizationID', [...organizationAdmins, 'self'], { user: 'userID' }),
  }),
  addUser: post('/api/organizations/{organization_user.organization_id}/users', {
    summary: 'Add an existing user to an organization, by e-mail',
    request: message('api.AddOrganizationUserRequest', { organizationUser: needed(OrganizationUser) }),
    access: only('organization', 'organizationUser.organizationID', organizationAdmins),
  }),
  updateUser: put('/api/organizations/{organization_user.organization_id}/users/{organization_user.user_id}', {
    summary: 'Update the rights of a member',
    request: message('api.UpdateOrganizationUserRequest', { organizationUser: needed(OrganizationUser) }),
    access: only('organization', 'organizationUser.organizationID', organizationAdmins),
  }),
  deleteUser: remove('/api/organizations/{organization_id}/users/{user_id}', {
    summary: 'Remove a user from an organization; the user account is not deleted',
    request: message('api.DeleteOrganizationUserRequest', oneUser),
    access: only('organization', 'organizationID', organizationAdmins),
  }),
});
