import { randomUUID } from 'node:crypto';
import type { Operations } from '@hilltop/contract';
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

/** A mail that waits for so long and was tried means that mail fails. */
const failingAfterMs = 600_000;

const text = 'This is a test. Alerts of Hilltop reach this address.';

/** Whether this server can send mail. */
export function mailRoutes({ database, clock, config, mailer }: MailRoutesDependencies): Handlers<Operations['mail']> {
  return {
    get: async () => {
      const waiting = await database.query
        .selectFrom('alert_message')
        .select('id')
        .where('state', '=', 'WAITING')
        .where('kind', '=', 'EMAIL')
        .where('attempts', '>', 0)
        .where('created_at', '<=', clock.now().getTime() - failingAfterMs)
        .limit(1)
        .executeTakeFirst();
      return { isSetUp: mailer !== undefined, canConfirm: config.publicURL !== '', isFailing: waiting !== undefined };
    },

    test: async ({ address }) => {
      const from = clock.monotonicMs();
      const result = { kind: 'EMAIL' as const, receiver: address, isSent: false, status: 0, problem: '' };
      try {
        if (!mailer) return { result: { ...result, problem: mailNotSetUp, milliseconds: 0 } };
        const mail = { id: randomUUID(), to: [address], subject: '[Hilltop] Test mail', text, html: `<p>${text}</p>` };
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
