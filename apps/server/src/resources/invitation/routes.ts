import { atField, type Operations, type ResponseOf, refusal, unauthenticated } from '@hilltop/contract';
import { countOf, type Page, readPage } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import { toID, toRowID } from '../../identifiers.ts';
import type { Principal } from '../../identity/principals.ts';
import { loadOrganization } from '../organization/store.ts';
import { checkRights, isMember, rightsOf } from '../organization-member/store.ts';
import { type AcceptInvitationDependencies, acceptInvitation, findAcceptable, registerInvited } from './accept.ts';
import { createInvitationSender, type SendInvitationDependencies } from './send.ts';
import { createToken, insertInvitation, loadInvitation, openOf, updateInvitation } from './store.ts';

type InvitationRoutesDependencies = AcceptInvitationDependencies & SendInvitationDependencies;

/**
 * Invitations to organizations. The answers to an inviter are the same whether the address has an account or not; the
 * holder of the link learns it.
 */
export function invitationRoutes(needs: InvitationRoutesDependencies): Handlers<Operations['invitation']> {
  const { database, clock } = needs;
  const sender = createInvitationSender(needs);

  /** Resolves with what the inviter is answered. */
  async function deliver(id: string, sent: Parameters<typeof sender.send>[0], isMailed: boolean) {
    const answer = await sender.send(sent, isMailed);
    if (isMailed && answer.link !== '') await updateInvitation(database, id, { mailed_at: null });
    return answer;
  }

  return {
    list: ({ organizationID, ...page }) => listInvitations(needs, organizationID, page),

    create: async ({ organizationID, email, isMailed, ...rights }, { principal }) => {
      const inviter = userOf(principal);
      const organization = await loadOrganization(database, organizationID);
      if (await isMember(database, organization.id, email))
        throw atField('email', refusal('MEMBER_ALREADY', { email }));
      await checkRights(database, organizationID, rights);
      if (isMailed) await sender.check(organizationID, email);
      const now = clock.now();
      const { token, row } = createToken(inviter.id, now, isMailed);
      const invitation = { organizationID: toID(organizationID, 'organization'), email, rights, now };
      const id = await database.transaction(() => insertInvitation(database, invitation, row));
      const about = { to: email, organizationName: organization.display_name, invitedBy: inviter.email, token };
      return { id, ...(await deliver(id, about, isMailed)) };
    },

    renew: async ({ organizationID, id, isMailed }, { principal }) => {
      const inviter = userOf(principal);
      const { email } = await loadInvitation(database, organizationID, id);
      const { display_name: organizationName } = await loadOrganization(database, organizationID);
      if (isMailed) await sender.check(organizationID, email);
      const { token, row } = createToken(inviter.id, clock.now(), isMailed);
      await database.transaction(async () => {
        await loadInvitation(database, organizationID, id);
        await updateInvitation(database, id, row);
      });
      return deliver(id, { to: email, organizationName, invitedBy: inviter.email, token }, isMailed);
    },

    delete: ({ organizationID, id }) =>
      database.transaction(async () => {
        await loadInvitation(database, organizationID, id);
        await updateInvitation(database, id, { state: 'REVOKED' });
        return {};
      }),

    preview: async ({ token }) => {
      const row = await findAcceptable(needs, token);
      return {
        invitation: {
          email: row.email,
          organizationName: row.organization_name,
          ...rightsOf(row, 'limits'),
          invitedBy: row.invited_by,
          expiresAt: row.expires_at.toISOString(),
        },
      };
    },

    register: (request, call) => registerInvited(needs, request, call),

    accept: (request, call) => acceptInvitation(needs, request, call),
  };
}

function listInvitations(
  { database, clock }: Pick<InvitationRoutesDependencies, 'database' | 'clock'>,
  organizationID: string,
  page: Page,
): Promise<ResponseOf<Operations['invitation']['list']>> {
  const now = clock.now();
  const open = openOf(database, toRowID(organizationID));
  return readPage(
    page,
    () => countOf(open),
    async () => {
      const rows = await open
        .innerJoin('user', 'user.id', 'invitation.created_by')
        .selectAll('invitation')
        .select('user.email as invited_by')
        .orderBy('invitation.created_at', 'desc')
        .orderBy('invitation.id')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      return rows.map((row) => ({
        id: row.id,
        organizationID: String(row.organization_id),
        email: row.email,
        ...rightsOf(row, 'limits'),
        invitedBy: row.invited_by,
        createdAt: row.created_at.toISOString(),
        expiresAt: row.expires_at.toISOString(),
        isExpired: row.expires_at <= now,
        mailedAt: row.mailed_at?.toISOString() ?? null,
      }));
    },
  );
}

function userOf(principal: Principal): { id: number; email: string } {
  if (principal?.kind !== 'user') throw unauthenticated();
  return { id: Number(principal.id), email: principal.email };
}
