import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Metrics } from '../metrics.ts';
import type { Mailer } from './mailer.ts';

/** What was changed about the sign-in of a user: the subject of the mail, and its first sentence. */
const changes = {
  passwordChanged: [
    'Password changed',
    'The password of your Hilltop account was changed, and its sessions have ended.',
  ],
  addressChanged: [
    'E-mail address changed',
    'The e-mail address of your Hilltop account was changed, and its sessions have ended. This address gets no further mail about it.',
  ],
  secondFactorOn: ['Second factor turned on', 'A second factor was set up for your Hilltop account.'],
  secondFactorOff: ['Second factor turned off', 'The second factor of your Hilltop account was turned off.'],
  secondFactorReset: [
    'Second factor turned off',
    'An administrator has turned off the second factor of your Hilltop account and ended its sessions.',
  ],
  recoveryCodes: [
    'New recovery codes',
    'New recovery codes were created for your Hilltop account. The former ones are no longer valid.',
  ],
} as const;

interface AccountMailDependencies {
  readonly mailer: Mailer | undefined;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Tells users what was changed about their sign-in, so that they notice changes by others. The change does not depend on
 * the mail, which is sent once: it is lost while the mail server is away.
 */
export async function sendAccountMail(
  { mailer, metrics, log }: AccountMailDependencies,
  to: string,
  change: keyof typeof changes,
): Promise<void> {
  // The first administrator may have no address.
  if (!mailer || !to.includes('@')) return;
  const [subject, what] = changes[change];
  const text = `${what} If you did not ask for this, tell an administrator now.`;
  const mail = { id: randomUUID(), to, subject: `[Hilltop] ${subject}`, text, html: `<p>${text}</p>` };
  try {
    await mailer.send(mail);
    metrics.count('account_mails', { result: 'sent' });
  } catch (error) {
    metrics.count('account_mails', { result: 'failed' });
    log.warn({ err: error }, 'the mail about an account was not sent');
  }
}
