import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { invitationDays, mostInvitations, notFound, refusal } from '@hilltop/contract';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { auditSubjectRow } from '../../audit/transactions.ts';
import type { Database } from '../../database/database.ts';
import { countOf } from '../../database/page.ts';
import { toRowID } from '../../identifiers.ts';
import { lockOrganization } from '../organization/store.ts';
import { type MemberRights, toRightsRow } from '../organization-member/store.ts';
import type { InvitationTable } from './tables.ts';

export type InvitationRow = Selectable<InvitationTable>;

const dayMs = 86_400_000;
/** How long invitations remain after they ended, so that their link says why it no longer works. */
const keptDays = 30;
/** The most ended invitations of an organization. */
const mostEnded = 400;

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

/** A token, and the columns that change with it. */
export function createToken(createdBy: number, now: Date, isMailed: boolean) {
  const token = randomBytes(32).toString('base64url');
  const row = {
    token_hash: hashOf(token),
    created_by: createdBy,
    expires_at: new Date(now.getTime() + invitationDays * dayMs),
    mailed_at: isMailed ? now : null,
  };
  return { token, row };
}

const isFor = (email: string): RawBuilder<boolean> => sql<boolean>`lower(email) = ${email.toLowerCase()}`;

interface NewInvitation {
  organizationID: number;
  email: string;
  rights: MemberRights;
  now: Date;
}

/** Stores an invitation. Call it in a transaction. */
export async function insertInvitation(
  database: Database,
  { organizationID, email, rights, now }: NewInvitation,
  tokenRow: ReturnType<typeof createToken>['row'],
): Promise<string> {
  const { query } = database;
  await lockOrganization(database, organizationID);
  await removeEnded(database, organizationID, now);
  const open = openOf(database, organizationID).where('expires_at', '>', now);
  if ((await countOf(open.where(isFor(email)))) > 0) throw refusal('INVITATION_OPEN', { email });
  if ((await countOf(open)) >= mostInvitations) throw refusal('TOO_MANY_INVITATIONS', { most: mostInvitations });
  await query
    .deleteFrom('invitation')
    .where('organization_id', '=', organizationID)
    .where('state', '=', 'OPEN')
    .where(isFor(email))
    .execute();
  const id = randomUUID();
  auditSubjectRow('invitation', id);
  await query
    .insertInto('invitation')
    .values({
      id,
      organization_id: organizationID,
      email,
      ...toRightsRow(rights),
      state: 'OPEN',
      created_at: now,
      ...tokenRow,
    })
    .execute();
  return id;
}

/** The invitations that nobody has accepted or revoked, expired ones included. */
export const openOf = ({ query }: Database, organizationID: number) =>
  query.selectFrom('invitation').where('organization_id', '=', organizationID).where('state', '=', 'OPEN');

async function removeEnded({ query }: Database, organizationID: number, now: Date): Promise<void> {
  const own = query.deleteFrom('invitation').where('organization_id', '=', organizationID);
  await own.where('expires_at', '<', new Date(now.getTime() - keptDays * dayMs)).execute();
  const surplus = query
    .selectFrom('invitation')
    .select('id')
    .where('organization_id', '=', organizationID)
    .where((where) => where.or([where('state', '!=', 'OPEN'), where('expires_at', '<', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(mostEnded)
    .offset(mostEnded);
  await own.where('id', 'in', surplus).execute();
}

/** Throws `notFound` unless the organization has this open invitation. */
export async function loadInvitation(database: Database, organizationID: string, id: string): Promise<InvitationRow> {
  const open = openOf(database, toRowID(organizationID)).where('id', '=', id);
  const row = await open.selectAll().executeTakeFirst();
  if (!row) throw notFound('invitation', id);
  return row;
}

export async function updateInvitation({ query }: Database, id: string, changes: Partial<InvitationRow>) {
  await query.updateTable('invitation').set(changes).where('id', '=', id).where('state', '=', 'OPEN').execute();
}

/** The open invitation of a token; otherwise throws what has become of it. */
export async function findInvitation({ query }: Database, token: string, now: Date) {
  const row = await query
    .selectFrom('invitation')
    .innerJoin('organization', 'organization.id', 'invitation.organization_id')
    .innerJoin('user', 'user.id', 'invitation.created_by')
    .selectAll('invitation')
    .select(['organization.display_name as organization_name', 'user.email as invited_by'])
    .where('token_hash', '=', hashOf(token))
    .executeTakeFirst();
  if (!row) throw refusal('INVITATION_UNKNOWN');
  if (row.state === 'ACCEPTED') throw refusal('INVITATION_USED');
  if (row.state === 'REVOKED') throw refusal('INVITATION_REVOKED');
  if (row.expires_at <= now) throw refusal('INVITATION_EXPIRED', { days: invitationDays });
  return row;
}

/** Uses up an invitation: of two calls at once one succeeds. */
export async function useInvitation({ query }: Database, { id, token_hash }: InvitationRow): Promise<void> {
  const { numUpdatedRows } = await query
    .updateTable('invitation')
    .set({ state: 'ACCEPTED' })
    .where('id', '=', id)
    .where('state', '=', 'OPEN')
    .where('token_hash', '=', token_hash)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw refusal('INVITATION_USED');
}

/** Whether somebody with this address is invited: single sign-on then creates an account. */
export async function isInvited({ query }: Database, email: string, now: Date): Promise<boolean> {
  const open = query.selectFrom('invitation').where('state', '=', 'OPEN').where('expires_at', '>', now);
  return (await countOf(open.where(isFor(email)))) > 0;
}
