import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import { createRedactor } from '../delivery/redact.ts';
import { expectSuccess } from '../integrations/outcome.ts';
import { webhookHeaders } from '../integrations/webhook-headers.ts';
import { MailError, type Mailer } from '../mail/mailer.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { OutgoingHTTP } from '../outgoing/http.ts';
import type { Secrets } from '../secrets.ts';
import { openChannelSecrets } from './channels.ts';
import { type AlertNotification, mailTextOf } from './notification.ts';
import { allowedAddresses } from './receivers.ts';
import type { AlertMessageTable } from './tables.ts';

export interface SendingDependencies {
  database: Database;
  secrets: Secrets;
  http: Pick<OutgoingHTTP, 'send'>;
  /** Undefined when no mail server is set. */
  mailer: Mailer | undefined;
  now: () => Date;
}

export type AlertMessageRow = Selectable<AlertMessageTable>;

/** What came of one try. */
export interface MessageOutcome {
  readonly isSent: boolean;
  /** Trying again would not help. */
  readonly isFinal: boolean;
  /** Other mails would fail as well. */
  readonly isMailServerDown: boolean;
  /** Of the answer; 0 without one. */
  readonly status: number;
  /** In words, without secrets. */
  readonly problem: string;
  readonly retryAfterMs: number;
}

const outcome = (given: Partial<MessageOutcome>): MessageOutcome => ({
  isSent: false,
  isFinal: false,
  isMailServerDown: false,
  status: 0,
  problem: '',
  retryAfterMs: 0,
  ...given,
});

export const mailNotSetUp = 'Mail is not set up on this server (HILLTOP_SMTP_URL).';
const webhookTimeoutMs = 10_000;

/** Sends a message once, and reports the result. Rejects only when the database fails. */
export function sendMessage(needs: SendingDependencies, message: AlertMessageRow): Promise<MessageOutcome> {
  return message.kind === 'EMAIL' ? sendMail(needs, message) : sendWebhook(needs, message);
}

async function sendMail({ database, mailer }: SendingDependencies, message: AlertMessageRow): Promise<MessageOutcome> {
  if (!mailer) return outcome({ isFinal: true, problem: mailNotSetUp });
  const { id, subject, receiver: to } = message;
  if (!(await mayReceive(database, message)))
    return outcome({ isFinal: true, problem: `${to} must confirm the address first.` });
  try {
    const { status } = await mailer.send({ id, to, subject, ...contentOf(message) });
    return outcome({ isSent: true, status });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { message: problem, status, isPermanent: isFinal, isServerFailure: isMailServerDown } = error;
    return outcome({ isFinal, isMailServerDown, status, problem });
  }
}

/** Members may have left, and addresses may not be confirmed yet. */
async function mayReceive(database: Database, { receiver, rule_id, organization_id }: AlertMessageRow) {
  if (rule_id === null) return true;
  return (await allowedAddresses(database, organization_id)).has(receiver.toLowerCase());
}

function contentOf({ body, rule_id }: AlertMessageRow): { text: string; html: string } {
  if (rule_id !== null) return mailTextOf(JSON.parse(body) as AlertNotification);
  const { confirmURL, organizationName } = JSON.parse(body) as { confirmURL: string; organizationName: string };
  const why = `${organizationName} wants to send alerts of its devices and gateways to this address. Open this address to allow it; otherwise do nothing, and you get no further mail.`;
  const safe = why.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return { text: `${why}\n\n${confirmURL}`, html: `<p>${safe}</p><p><a href="${confirmURL}">${confirmURL}</a></p>` };
}

async function sendWebhook(
  { database, secrets, http, now }: SendingDependencies,
  { id, rule_id, receiver: url, body, attempts }: AlertMessageRow,
): Promise<MessageOutcome> {
  const rule = await database.query
    .selectFrom('alert_rule')
    .select(['id', 'secrets'])
    .where('id', '=', rule_id!)
    .executeTakeFirst();
  if (!rule) return outcome({ isFinal: true, problem: 'The rule was deleted.' });
  const secret = openChannelSecrets(secrets, rule)[url];
  const headers = [
    ['Content-Type', 'application/json'] as const,
    ...webhookHeaders({ id, at: now(), body, secret }),
    ['hilltop-attempt', String(attempts + 1)] as const,
  ];
  try {
    const response = await http.send({ method: 'POST', url, headers, body, timeoutMs: webhookTimeoutMs });
    expectSuccess(response, now());
    return outcome({ isSent: true, status: response.status });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const problem = createRedactor([url, secret ?? ''])(error.message).slice(0, 300);
    if (!(error instanceof DeliveryError)) return outcome({ problem });
    const { fault, status = 0, retryAfterMs = 0 } = error;
    return outcome({ isFinal: fault === 'gone', status, problem, retryAfterMs });
  }
}

/** The receiver of a message for people: of a URL only the server, because its path can be a secret. */
export function shownReceiver({ kind, receiver }: Pick<AlertMessageRow, 'kind' | 'receiver'>): string {
  return kind === 'WEBHOOK' ? shownURL(receiver) : receiver;
}

export const shownURL = (url: string): string => URL.parse(url)?.origin ?? '';
