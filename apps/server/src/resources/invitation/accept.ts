import { operations as all, type operations, type RequestOf, refusal, unauthenticated } from '@hilltop/contract';
import { auditSubjectRow } from '../../audit/transactions.ts';
import { type AuditDependencies, writeAudit } from '../../audit/write.ts';
import { Violation } from '../../database/violation.ts';
import type { Context } from '../../http/call.ts';
import { mayCall } from '../../identity/access.ts';
import type { Metrics } from '../../metrics.ts';
import { checkNewPassword } from '../../passwords/new-password.ts';
import { hashPassword } from '../../passwords/password.ts';
import { insertMember, rightsOf } from '../organization-member/store.ts';
import { removeSecondFactor } from '../second-factor/store.ts';
import { type OpenSessionDependencies, openSession } from '../session/session.ts';
import { chosenPassword, endSessions, findUserByAnyCase, insertUser, loadUser, updateUser } from '../user/store.ts';
import { findInvitation, type InvitationRow, useInvitation } from './store.ts';

type Invitations = (typeof operations)['invitation'];

export interface AcceptInvitationDependencies extends OpenSessionDependencies, Pick<AuditDependencies, 'log'> {
  config: OpenSessionDependencies['config'] & AuditDependencies['config'] & { oidcProviderURL: string };
  metrics: Metrics;
}

/** The open invitation of a token. Refuses it when its inviter may no longer invite. */
export async function findAcceptable(
  needs: Pick<AcceptInvitationDependencies, 'database' | 'principals' | 'clock'>,
  token: string,
) {
  const row = await findInvitation(needs.database, token, needs.clock.now());
  const inviter = await needs.principals.find({ kind: 'user', id: String(row.created_by) });
  const request = { organizationID: String(row.organization_id) };
  const mayInvite = inviter && (await mayCall(needs, all.invitation.create, request, inviter));
  if (!mayInvite) throw refusal('INVITATION_INVITER');
  return row;
}

/** A user accepts with the account that has the invited address. */
export function acceptInvitation(
  needs: AcceptInvitationDependencies,
  { token }: RequestOf<Invitations['accept']>,
  { principal }: Context,
) {
  const { database, principals } = needs;
  if (principal?.kind !== 'user') throw unauthenticated();
  return database.transaction(async () => {
    const row = await findAcceptable(needs, token);
    if (row.email.toLowerCase() !== principal.email.toLowerCase())
      throw refusal('INVITATION_OTHER_ADDRESS', { email: row.email });
    await addInvited(needs, row, Number(principal.id));
    if (row.mailed_at) await updateUser(database, Number(principal.id), { has_unproven_address: false });
    principals.changed(principal.id);
    return { organizationID: String(row.organization_id) };
  });
}

/** A person without an account accepts: creates it, and opens its first session. */
export async function registerInvited(
  needs: AcceptInvitationDependencies,
  { token, password }: RequestOf<Invitations['register']>,
  call: Context,
) {
  const { database, config, metrics } = needs;
  const found = await findAcceptable(needs, token);
  if (config.oidcProviderURL !== '') throw refusal('INVITATION_SIGN_ON');
  await checkNewPassword(password, found.email);
  const passwordHash = await hashPassword(password, `invitation ${found.id}`);
  const { user, organizationID } = await database.transaction(async () => {
    const row = await findAcceptable(needs, token);
    const id = await accountOfInvited(needs, row, passwordHash);
    await addInvited(needs, row, id);
    await writeAudit(needs, {
      actor: { kind: 'USER', id: String(id), name: row.email },
      address: call.address,
      organizationID: row.organization_id,
      operation: all.invitation.register.key,
      subject: { kind: 'user', id: String(id), name: row.email },
      requestID: call.requestID,
    });
    return { user: await loadUser(database, String(id)), organizationID: String(row.organization_id) };
  });
  const jwt = await openSession(needs, user, call);
  metrics.count('sign_ins', { result: 'done' });
  call.log.info({ account: `user ${user.id}`, address: call.address }, 'account created by invitation, signed in');
  return { jwt, organizationID };
}

/**
 * A new account. Or an existing one with the address, if nobody had proved to own it: the receiver of the mail does,
 * and replaces the password and second factor of the person who created it.
 */
async function accountOfInvited(
  { database, principals, clock }: AcceptInvitationDependencies,
  { email, mailed_at }: InvitationRow,
  passwordHash: string,
): Promise<number> {
  const now = clock.now();
  const isProven = mailed_at !== null;
  const proof = { ...chosenPassword(passwordHash), email_verified: isProven, has_unproven_address: !isProven };
  const taken = () => refusal('INVITATION_ACCOUNT_EXISTS', { email });
  const existing = await findUserByAnyCase(database, email);
  if (existing) {
    if (!isProven || !existing.has_unproven_address || !existing.is_active) throw taken();
    await updateUser(database, existing.id, { ...proof, updated_at: now });
    await removeSecondFactor(database, existing.id);
    await endSessions(database, existing.id);
    principals.changed(String(existing.id));
    return existing.id;
  }
  const row = { email, external_id: null, is_admin: false, is_active: true, session_ttl_minutes: 0, note: '' };
  return insertUser(database, { ...row, ...proof, created_at: now, updated_at: now }).catch((error: unknown) => {
    throw error instanceof Violation && error.kind === 'unique' ? taken() : error;
  });
}

/** Uses up the invitation, and adds the user to its organization. */
async function addInvited(
  { database, clock }: Pick<AcceptInvitationDependencies, 'database' | 'clock'>,
  row: InvitationRow,
  userID: number,
): Promise<void> {
  await useInvitation(database, row);
  auditSubjectRow('organization', row.organization_id);
  const member = { organizationID: row.organization_id, userID, rights: rightsOf(row, 'limits'), now: clock.now() };
  await insertMember(database, member).catch((error: unknown) => {
    const isMember = error instanceof Violation && error.kind === 'unique';
    throw isMember ? refusal('MEMBER_ALREADY', { email: row.email }) : error;
  });
}
