import { createRedactor } from './redact.ts';

export interface Mail {
  /** The same for every try: mail servers and readers show a repeated one once. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Where mail programs send a POST when the receiver wants no more such mails (RFC 8058). */
  readonly unsubscribe?: string;
}

/** A mail was not accepted. Its message has no secrets. */
export class MailError extends Error {
  /** The reply code of the mail server; 0 without one. */
  readonly status: number;
  /** The server refuses this mail for good. */
  readonly isPermanent: boolean;
  /** The server could not be reached or does not let us in: other mails would fail as well. */
  readonly isServerFailure: boolean;

  constructor(message: string, facts: Pick<MailError, 'status' | 'isPermanent' | 'isServerFailure'>) {
    super(message);
    this.status = facts.status;
    this.isPermanent = facts.isPermanent;
    this.isServerFailure = facts.isServerFailure;
  }
}

/** Sends mails by the server of HILLTOP_SMTP_URL. */
export interface Mailer {
  /** Resolves with the reply code of the server. Throws MailError. */
  send(mail: Mail): Promise<{ status: number }>;
}

interface MailerSettings {
  smtpURL: string;
  smtpFrom: string;
  publicURL: string;
}

/** The members of an error of the library that are used. */
interface SMTPFailure {
  readonly message: string;
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
}

const timeouts = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };
const longestProblem = 300;
/** Before the mail itself is named. */
const commandsOfConnection = ['CONN', 'EHLO', 'HELO', 'STARTTLS', 'AUTH'];

/** Undefined when no mail server is set. The library is loaded with the first mail. */
export function createMailer({ smtpURL, smtpFrom, publicURL }: MailerSettings): Mailer | undefined {
  if (smtpURL === '') return undefined;
  const redact = createRedactor(smtpURL);
  const host = (publicURL && URL.parse(publicURL)?.hostname) || smtpFrom.replace(/^.*@/, '').replace(/[^\w.-].*$/, '');
  const transport = async () => {
    const { createTransport } = await import('nodemailer');
    return createTransport({ url: smtpURL, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  };
  return {
    send: async ({ id, to, subject, text, html, unsubscribe }) => {
      try {
        const info = await (await transport()).sendMail({
          from: smtpFrom,
          to,
          subject,
          text,
          html,
          messageId: `<${id}@${host}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribe && {
              'List-Unsubscribe': `<${unsubscribe}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
          },
        });
        return { status: Number.parseInt(info.response, 10) || 250 };
      } catch (error) {
        throw toMailError(error as SMTPFailure, redact);
      }
    },
  };
}

function toMailError({ message, code, command, responseCode = 0 }: SMTPFailure, redact: (text: string) => string) {
  const isServerFailure = responseCode === 0 || commandsOfConnection.includes(command ?? '') || code === 'EAUTH';
  const problem = redact(message).slice(0, longestProblem);
  return new MailError(isServerFailure ? `The mail server does not accept mail: ${problem}` : problem, {
    status: responseCode,
    isPermanent: !isServerFailure && responseCode >= 500 && responseCode !== 503,
    isServerFailure,
  });
}
