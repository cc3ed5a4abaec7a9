import { type ApiError, atField, type Operations, refusal, shortened } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { Violation } from '../../database/violation.ts';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import { memberOrganizations, visibleOrganizations } from '../../identity/visibility.ts';
import {
  deleteMember,
  fromMemberRow,
  insertMember,
  listMembers,
  loadMember,
  timesOf,
  updateMember,
} from '../organization-member/store.ts';
import { findUserByEmail } from '../user/store.ts';
import { type OrganizationRemovalDependencies, removeOrganization } from './remove.ts';
import {
  fromRow,
  insertOrganization,
  listOrganizations,
  loadOrganization,
  toLimits,
  toRow,
  updateOrganization,
} from './store.ts';

interface OrganizationRoutesDependencies extends OrganizationRemovalDependencies {
  clock: Clock;
}

/** Organizations and their members. Only global administrators set limits. */
export function organizationRoutes(needs: OrganizationRoutesDependencies): Handlers<Operations['organization']> {
  const { database, principals, clock } = needs;
  return {
    list: ({ search, ...page }, { principal }) =>
      listOrganizations(database, {
        ids: memberOrganizations(principal),
        counted: visibleOrganizations(principal),
        search,
        ...page,
      }),

    get: async ({ id }) => {
      const row = await loadOrganization(database, id);
      return { organization: fromRow(row), ...timesOf(row) };
    },

    create: async ({ organization }) => {
      const now = clock.now();
      const row = { ...toRow(organization, now), ...toLimits(organization), created_at: now };
      return { id: String(await insertOrganization(database, row)) };
    },

    update: ({ organization }, { principal }) =>
      database.transaction(async () => {
        const { id } = await loadOrganization(database, organization.id);
        const limits = principal?.isAdmin ? toLimits(organization) : {};
        await updateOrganization(database, id, { ...toRow(organization, clock.now()), ...limits });
        return {};
      }),

    delete: async ({ id }, { principal }) => {
      await removeOrganization(needs, await loadOrganization(database, id), principal);
      return {};
    },

    listUsers: ({ organizationID, ...page }) => listMembers(database, organizationID, page),

    getUser: async ({ organizationID, userID }) => {
      const row = await loadMember(database, organizationID, userID);
      return { organizationUser: fromMemberRow(row), ...timesOf(row) };
    },

    addUser: ({ organizationUser: { organizationID, email, ...rights } }, { principal }) =>
      database.transaction(async () => {
        const user = await findUserByEmail(database, email);
        if (!user) throw isNobody(email);
        if (user.has_unproven_address && !principal?.isAdmin)
          throw atField('organizationUser.email', refusal('ADDRESS_UNPROVEN', { email }));
        const member = { organizationID: toID(organizationID, 'organization'), userID: user.id, rights };
        await insertMember(database, { ...member, now: clock.now() }).catch((error: unknown) => {
          throw isTaken(error) ? isMemberAlready(email) : error;
        });
        principals.changed(String(user.id));
        return {};
      }),

    updateUser: ({ organizationUser: { organizationID, userID, ...rights } }) =>
      database.transaction(async () => {
        const member = await loadMember(database, organizationID, userID);
        await updateMember(database, member, rights, clock.now());
        principals.changed(userID);
        return {};
      }),

    deleteUser: ({ organizationID, userID }, { principal }) =>
      database.transaction(async () => {
        if (principal?.kind === 'user' && principal.id === userID && !principal.isAdmin)
          throw atField('userID', refusal('OWN_MEMBERSHIP'));
        await deleteMember(database, await loadMember(database, organizationID, userID));
        principals.changed(userID);
        return {};
      }),
  };
}

const isNobody = (email: string): ApiError =>
  atField(
    'organizationUser.email',
    email.trim() === ''
      ? refusal('MISSING', { what: 'e-mail address' })
      : refusal('NO_SUCH_USER', { email: shortened(email) }),
  );

const isTaken = (error: unknown): boolean => error instanceof Violation && error.kind === 'unique';

const isMemberAlready = (email: string): ApiError =>
  atField('organizationUser.email', refusal('MEMBER_ALREADY', { email }));
