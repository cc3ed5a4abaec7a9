import { randomUUID } from 'node:crypto';
import type { Operations } from '@hilltop/contract';
import { mailFailingSince } from '../../alerts/mail-failure.ts';
import { mailNotSetUp } from '../../alerts/send-message.ts';
import type { Database } from '../../database/database.ts';
import type { Handlers } from '../../http/call.ts';
import { MailError, type Mailer } from '../../mail/mailer.ts';

interface MailRoutesDependencies {
  database: Database;
  clock: { now: () => Date; monotonicMs: () => number };
  config: { publicURL: string };
  mailer: Mailer | undefined;
}

const text = 'This is a test. Alerts of Hilltop reach this address.';

/** Whether this server can send mail. */
export function mailRoutes({ database, clock, config, mailer }: MailRoutesDependencies): Handlers<Operations['mail']> {
  return {
    get: async () => {
      const failingSince = await mailFailingSince(database, clock.now().getTime());
      return {
        isSetUp: mailer !== undefined,
        canConfirm: config.publicURL !== '',
        isFailing: failingSince !== undefined,
      };
    },

    test: async ({ address }) => {
      const from = clock.monotonicMs();
      const result = { kind: 'EMAIL' as const, receiver: address, isSent: false, status: 0, problem: '' };
      try {
        if (!mailer) return { result: { ...result, problem: mailNotSetUp, milliseconds: 0 } };
        const mail = { id: randomUUID(), to: address, subject: '[Hilltop] Test mail', text, html: `<p>${text}</p>` };
        const { status } = await mailer.send(mail);
        return { result: { ...result, isSent: true, status, milliseconds: Math.round(clock.monotonicMs() - from) } };
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        const { message: problem, status } = error;
        return { result: { ...result, status, problem, milliseconds: Math.round(clock.monotonicMs() - from) } };
      }
    },
  };
}
