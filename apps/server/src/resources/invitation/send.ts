import { refusal } from '@hilltop/contract';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import { MailError, type Mailer } from '../../mail/mailer.ts';
import type { Metrics } from '../../metrics.ts';
import { RetryLater } from '../../retry-later.ts';
import { invitationMail } from './mail.ts';

export interface SendInvitationDependencies extends ThrottleDependencies {
  config: { publicURL: string };
  /** Undefined when no mail server is set. */
  mailer: Mailer | undefined;
  metrics: Metrics;
}

/** The mails of an organization: 30 at once, then one a minute. To an address: three at once, then one in 20 minutes. */
const ofOrganization = { perMinute: 1, most: 30 };
const toAddress = { perMinute: 1 / 20, most: 3 };

interface SentInvitation {
  to: string;
  organizationName: string;
  invitedBy: string;
  token: string;
}

/** Brings the links of invitations to people, by mail or by the answer to the inviter. */
export function createInvitationSender(needs: SendInvitationDependencies) {
  const { config, mailer, metrics } = needs;
  const organizations = createSharedThrottle(
    needs,
    'invitation mails of an organization',
    ofOrganization.perMinute,
    ofOrganization.most,
  );
  const addresses = createSharedThrottle(needs, 'invitation mails to an address', toAddress.perMinute, toAddress.most);
  const countMail = (result: 'sent' | 'failed' | 'throttled') => metrics.count('invitation_mails', { result });

  return {
    /** Refuses what cannot be mailed, before anything is stored. */
    check: async (organizationID: string, email: string) => {
      if (!mailer) throw refusal('MAIL_NOT_SET_UP');
      if (config.publicURL === '') throw refusal('INVITATION_NO_PUBLIC_URL');
      const seconds = (await organizations.take(organizationID)) || (await addresses.take(email.toLowerCase()));
      if (seconds === 0) return;
      countMail('throttled');
      throw new RetryLater(seconds, 'invitation mails');
    },

    /** The answer to the inviter: a link, unless the mail was sent. */
    send: async ({ token, ...about }: SentInvitation, isMailed: boolean) => {
      const link = `${config.publicURL}/invitation#token=${token}`;
      if (!isMailed || !mailer) return { link, mailProblem: '' };
      try {
        await mailer.send(invitationMail({ ...about, link }));
        countMail('sent');
        return { link: '', mailProblem: '' };
      } catch (error) {
        if (!(error instanceof MailError)) throw error;
        countMail('failed');
        return { link, mailProblem: error.message };
      }
    },
  };
}
