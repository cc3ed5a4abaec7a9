/** Invitations of people to an organization, by a link that works once. Ours: version 3 adds existing users only. */
import { globally, only, organizationAdmins } from './access.ts';
import { get, ownOperationsOf, page, post, remove } from './operation.ts';
import { OrganizationUser } from './organization.ts';
import { emailAddress, newPassword } from './rules.ts';
import { bool, int64, listOf, message, needed, text, timestamp, uuid, type ValueOf } from './wire.ts';

/** The most open invitations of an organization. */
export const mostInvitations = 100;
/** How long the link of an invitation works. */
export const invitationDays = 7;

/** Users of older installations sign in as admin, but nobody is invited by that word. */
const invitedAddress = {
  ...emailAddress,
  help: 'An account is created when the invitation is accepted, unless there is one with this address.',
  pattern: emailAddress.pattern.replace('admin|', ''),
} as const;

const { isAdmin, isDeviceAdmin, isGatewayAdmin, isReadOnly, applicationIDs } = OrganizationUser.fields;
const rights = { isAdmin, isDeviceAdmin, isGatewayAdmin, isReadOnly, applicationIDs } as const;

const isMailed = bool({
  label: 'Send a mail',
  help: 'Otherwise the response has a link to hand over.',
});

export const Invitation = message('hilltop.Invitation', {
  id: uuid({ label: 'Invitation ID' }),
  organizationID: int64({ label: 'Organization' }),
  email: text(emailAddress),
  ...rights,
  invitedBy: text({ label: 'Invited by' }),
  createdAt: timestamp({ label: 'Invited' }),
  expiresAt: timestamp({ label: 'Expires' }),
  isExpired: bool({ label: 'Expired', help: 'Its link no longer works. A new link can be created.' }),
  mailedAt: timestamp({ label: 'Mailed', help: 'Null: the link was handed over.' }),
});
export type Invitation = ValueOf<typeof Invitation>;

/** What the holder of a link learns. */
export const InvitationPreview = message('hilltop.InvitationPreview', {
  email: text({ label: 'E-mail address' }),
  organizationName: text({ label: 'Organization' }),
  ...rights,
  invitedBy: text({ label: 'Invited by' }),
  expiresAt: timestamp({ label: 'Expires' }),
});
export type InvitationPreview = ValueOf<typeof InvitationPreview>;

/** How the invited person gets the link. */
const sent = {
  link: text({
    label: 'Link',
    help: 'To hand over; shown once. It begins with / unless HILLTOP_PUBLIC_URL is set. Empty when a mail was sent.',
    secret: true,
  }),
  mailProblem: text({
    label: 'Problem',
    help: 'Why the mail could not be sent; the response then has a link instead.',
  }),
} as const;

const oneInvitation = {
  organizationID: int64({ label: 'Organization', required: true }),
  id: uuid({ label: 'Invitation ID', required: true }),
} as const;
/** In the body, because URLs are logged. */
const token = text({
  label: 'Token',
  help: 'What the link has behind token=.',
  required: true,
  secret: true,
  maxLength: 100,
});

const inviters = only('organization', 'organizationID', ['globalAdmin', 'organizationAdmin']);
const ofAdmins = only('organization', 'organizationID', organizationAdmins);

export const CreateInvitationRequest = message('hilltop.CreateInvitationRequest', {
  organizationID: int64({ label: 'Organization', required: true }),
  email: text(invitedAddress),
  ...rights,
  isMailed,
});

export const RegisterInvitedRequest = message('hilltop.RegisterInvitedRequest', { token, password: text(newPassword) });

export const invitation = ownOperationsOf('invitation', {
  list: get('/api/organizations/{organization_id}/invitations', {
    summary: 'List the invitations of an organization that nobody has accepted yet, the latest first',
    request: message('hilltop.ListInvitationsRequest', { organizationID: int64({ required: true }), ...page }),
    response: message('hilltop.ListInvitationsResponse', { totalCount: int64(), result: listOf(Invitation) }),
    access: ofAdmins,
  }),
  create: post('/api/organizations/{organization_id}/invitations', {
    summary: 'Invite a person to an organization, by mail or by a link to hand over',
    request: CreateInvitationRequest,
    response: message('hilltop.CreateInvitationResponse', { id: text({ label: 'Invitation ID' }), ...sent }),
    access: inviters,
  }),
  renew: post('/api/organizations/{organization_id}/invitations/{id}/renew', {
    summary: 'Send an invitation again, or create another link; the earlier link ends',
    request: message('hilltop.RenewInvitationRequest', { ...oneInvitation, isMailed }),
    response: message('hilltop.RenewInvitationResponse', sent),
    access: inviters,
  }),
  delete: remove('/api/organizations/{organization_id}/invitations/{id}', {
    summary: 'Revoke an invitation, whose link ends',
    request: message('hilltop.DeleteInvitationRequest', oneInvitation),
    access: ofAdmins,
  }),
  preview: post('/api/invitations/preview', {
    summary: 'What an invitation is about, for the holder of its link',
    request: message('hilltop.PreviewInvitationRequest', { token }),
    response: message('hilltop.PreviewInvitationResponse', { invitation: needed(InvitationPreview) }),
    effect: 'read',
    access: globally('public'),
  }),
  register: post('/api/invitations/register', {
    summary: 'Accept an invitation with a new account, and sign in',
    request: RegisterInvitedRequest,
    response: message('hilltop.RegisterInvitedResponse', {
      jwt: text({ label: 'Session token', secret: true }),
      organizationID: int64({ label: 'Organization' }),
    }),
    access: globally('public'),
  }),
  accept: post('/api/invitations/accept', {
    summary: 'Accept an invitation with your account',
    request: message('hilltop.AcceptInvitationRequest', { token }),
    response: message('hilltop.AcceptInvitationResponse', { organizationID: int64({ label: 'Organization' }) }),
    access: globally('anyUser'),
  }),
});
