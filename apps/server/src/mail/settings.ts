import { z } from 'zod';
import { url } from '../setting-schemas.ts';

export const mailSettings = {
  publicURL: url(/^https?:/, 'must be a URL such as https://hilltop.example.org')
    .transform((text) => text.replace(/\/+$/, ''))
    .default('')
    .meta({ help: 'address of this server for people, for links in mails and webhooks' }),
  smtpURL: url(/^smtps?:/, 'must be a URL such as smtp://user:password@mail.example.org:587')
    .default('')
    .meta({ help: 'mail server for alerts and invitations, smtp: or smtps:; empty: no mail', secret: true }),
  smtpFrom: z
    .string()
    .refine((text) => !/[\r\n]/.test(text), 'must be one line')
    .default('')
    .meta({ help: 'sender of mails, such as `Hilltop <alerts@example.org>`; needed with HILLTOP_SMTP_URL' }),
};

/** What is missing, if anything. */
export function mailInconsistency({ smtpURL, smtpFrom }: { smtpURL: string; smtpFrom: string }) {
  if (smtpURL === '' || smtpFrom.includes('@')) return undefined;
  return { key: 'smtpFrom', message: 'must be the e-mail address of the sender when HILLTOP_SMTP_URL is set' };
}
