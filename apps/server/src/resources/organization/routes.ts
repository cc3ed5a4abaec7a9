import { type ApiError, atField, type Operations, type OwnLimits, refusal, shortened } from '@hilltop/contract';
import type { Clock } from '@hilltop/network-server';
import { auditSubjectRow } from '../../audit/transactions.ts';
import { Violation } from '../../database/violation.ts';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import type { Principal } from '../../identity/principals.ts';
import { memberOrganizations, visibleOrganizations } from '../../identity/visibility.ts';
import {
  checkRights,
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

    get: async ({ id, include }, { principal }) => {
      const row = await loadOrganization(database, id);
      const limits = include === 'limits' ? ownLimits(principal, row.id) : undefined;
      return { organization: fromRow(row), ...timesOf(row), ...(limits && { limits }) };
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

    getUser: async ({ organizationID, userID, include }) => {
      const row = await loadMember(database, organizationID, userID);
      return { organizationUser: fromMemberRow(row, include), ...timesOf(row) };
    },

    addUser: ({ organizationUser: { organizationID, email, ...rights } }, { principal }) =>
      database.transaction(async () => {
        const user = await findUserByEmail(database, email);
        if (!user) throw isNobody(email);
        await checkRights(database, organizationID, rights);
        if (user.has_unproven_address && !principal?.isAdmin)
          throw atField('organizationUser.email', refusal('ADDRESS_UNPROVEN', { email }));
        const member = { organizationID: toID(organizationID, 'organization'), userID: user.id, rights };
        await insertMember(database, { ...member, now: clock.now() }).catch((error: unknown) => {
          throw isTaken(error) ? isMemberAlready(email) : error;
        });
        auditSubjectRow('user', user.id);
        principals.changed(String(user.id));
        return {};
      }),

    updateUser: ({ organizationUser: { organizationID, userID, ...rights } }) =>
      database.transaction(async () => {
        const member = await loadMember(database, organizationID, userID);
        await checkRights(database, organizationID, rights, { before: member });
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

/** What the caller may do less than other members; undefined without a membership. */
function ownLimits(principal: Principal, organizationID: number): OwnLimits | undefined {
  if (principal?.kind !== 'user' || principal.isAdmin) return undefined;
  const own = principal.memberships.find((one) => one.organizationID === String(organizationID));
  return own && { isReadOnly: own.isReadOnly, applicationIDs: [...own.applicationIDs] };
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
