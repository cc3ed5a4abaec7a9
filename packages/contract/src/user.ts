import { admins, globally, only } from './access.ts';
import {
  extended,
  get,
  includingSome,
  operationsOf,
  page,
  post,
  put,
  remove,
  searchable,
  sortable,
} from './operation.ts';
import { OrganizationUser } from './organization.ts';
import { description, emailAddress, givenPassword, newPassword } from './rules.ts';
import { bool, ifGiven, int32, int64, listOf, message, needed, text, timestamp, uint32, type ValueOf } from './wire.ts';

export const User = message(
  'api.User',
  {
    id: int64({ label: 'User ID' }),
    sessionTTL: int32({
      label: 'Session length',
      help: 'The lifetime of a session; 0 means 24 hours.',
      unit: 'minutes',
      min: 0,
    }),
    isAdmin: bool({ label: 'Is global admin', help: 'A global admin has all permissions.' }),
    isActive: bool({ label: 'Is active', help: 'An inactive user cannot use the console or the API.' }),
    email: text(emailAddress),
    note: text({ ...description, label: 'Optional note' }),
  },
  [1, 3, 4, 5, 6, 7],
);
export type User = ValueOf<typeof User>;

const RecordedListItem = message(
  'api.UserListItem',
  {
    id: int64(),
    email: text(),
    sessionTTL: int32(),
    isAdmin: bool(),
    isActive: bool(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  [1, 2, 3, 4, 5, 8, 9],
);
/** Returned on request: the count by `include=counts`, the second factor by `include=secondFactor`. */
export const UserListItem = extended(RecordedListItem, {
  organizationCount: [1000, ifGiven(uint32({ label: 'Organizations' }))],
  hasSecondFactor: [1001, ifGiven(bool({ label: 'Second factor' }))],
});
export type UserListItem = ValueOf<typeof UserListItem>;

const RecordedUserOrganization = message('api.UserOrganization', {
  organizationID: int64({ required: true }),
  isAdmin: bool(),
  isDeviceAdmin: bool(),
  isGatewayAdmin: bool(),
});
const { isReadOnly, applicationIDs } = OrganizationUser.fields;
export const UserOrganization = extended(RecordedUserOrganization, {
  isReadOnly: [1001, isReadOnly],
  applicationIDs: [1002, applicationIDs],
});
export type UserOrganization = ValueOf<typeof UserOrganization>;

export const CreateUserRequest = message('api.CreateUserRequest', {
  user: needed(User),
  password: text(newPassword),
  organizations: listOf(UserOrganization, { maxEntries: 1000 }),
});

export const UpdateUserPasswordRequest = extended(
  message('api.UpdateUserPasswordRequest', { userId: int64({ required: true }), password: text(newPassword) }),
  {
    oldPassword: [
      1001,
      text({
        ...givenPassword,
        label: 'Current password',
        help: 'Required to change your own password, except directly after sign-in.',
        secret: true,
      }),
    ],
  },
);

export const user = operationsOf('user', 'UserService', {
  list: get('/api/users', {
    summary: 'List users by e-mail',
    request: searchable(
      includingSome(
        sortable(message('api.ListUserRequest', page), UserListItem, 'id', 'email', 'isActive', 'isAdmin', 'createdAt'),
        'counts',
        'secondFactor',
      ),
    ),
    response: message('api.ListUserResponse', { totalCount: int64(), result: listOf(UserListItem) }),
    access: globally(...admins),
  }),
  get: get('/api/users/{id}', {
    summary: 'Get a user',
    request: message('api.GetUserRequest', { id: int64({ required: true }) }),
    response: message('api.GetUserResponse', { user: needed(User), createdAt: timestamp(), updatedAt: timestamp() }),
    access: only('user', 'id', [...admins, 'self', 'selfSettingUp']),
  }),
  create: post('/api/users', {
    summary: 'Create a user, with its memberships',
    request: CreateUserRequest,
    response: message('api.CreateUserResponse', { id: int64() }),
    access: globally(...admins),
  }),
  update: put('/api/users/{user.id}', {
    summary: 'Update a user; the password does not change',
    request: message('api.UpdateUserRequest', { user: needed(User) }),
    access: only('user', 'user.id', admins),
  }),
  delete: remove('/api/users/{id}', {
    summary: 'Delete a user',
    request: message('api.DeleteUserRequest', { id: int64({ required: true }) }),
    access: only('user', 'id', admins),
  }),
  updatePassword: put('/api/users/{user_id}/password', {
    summary: 'Set the password of a user, which ends its sessions',
    request: UpdateUserPasswordRequest,
    access: only('user', 'userId', [...admins, 'self', 'selfSettingUp']),
  }),
});
