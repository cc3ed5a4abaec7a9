import { randomUUID } from 'node:crypto';
import { invitationDays } from '@hilltop/contract';
import type { Mail } from '../../mail/mailer.ts';
import { quotedName } from '../../mail/quoted-name.ts';

interface InvitationMail {
  to: string;
  organizationName: string;
  invitedBy: string;
  link: string;
}

export function invitationMail({ to, organizationName, invitedBy, link }: InvitationMail): Mail {
  const organization = quotedName(organizationName);
  const why = `${invitedBy} invites you to the organization ${organization} on a Hilltop server. Open this address to accept:`;
  const end = `The link works once, for ${invitationDays} days. If you do not know the sender, do nothing.`;
  return {
    id: randomUUID(),
    to,
    subject: `[Hilltop] Invitation to the organization ${organization}`,
    text: `${why}\n\n${link}\n\n${end}`,
    html: `<p>${escaped(why)}</p><p><a href="${link}">${link}</a></p><p>${end}</p>`,
  };
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
