import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Mailer } from '../../mail/mailer.ts';

/** Sends a user a mail: an administrator has turned off the second factor. The reset does not depend on the mail. */
export async function sendResetMail(mailer: Mailer | undefined, to: string, log: Logger): Promise<void> {
  if (!mailer || !to.includes('@')) return;
  const text =
    'An administrator has turned off the second factor of your Hilltop account and ended its sessions. If you did not ask for this, tell an administrator now.';
  const mail = { id: randomUUID(), to, subject: '[Hilltop] Second factor turned off', text, html: `<p>${text}</p>` };
  await mailer.send(mail).catch((error: unknown) => log.warn({ err: error }, 'the mail about a reset was not sent'));
}
