import { shownURL } from '@hilltop/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import { createRedactor } from '../delivery/redact.ts';
import { expectSuccess } from '../integrations/outcome.ts';
import { webhookHeaders } from '../integrations/webhook-headers.ts';
import { type Mail, MailError, type Mailer } from '../mail/mailer.ts';
import { quotedName } from '../mail/quoted-name.ts';
import { DeliveryError } from '../outgoing/delivery-error.ts';
import type { OutgoingHTTP } from '../outgoing/http.ts';
import type { Secrets } from '../secrets.ts';
import { openChannelSecrets } from './channels.ts';
import { type AlertNotification, mailTextOf } from './notification.ts';
import { oneClickPath } from './one-click.ts';
import { allowedAddresses } from './receivers.ts';
import type { AlertMessageTable } from './tables.ts';
import { subscriptionToken, unsubscribedAddresses } from './unsubscribing.ts';

export interface SendingDependencies {
  database: Database;
  secrets: Secrets;
  config: { publicURL: string };
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

async function sendMail(needs: SendingDependencies, message: AlertMessageRow): Promise<MessageOutcome> {
  const { mailer } = needs;
  if (!mailer) return outcome({ isFinal: true, problem: mailNotSetUp });
  const { id, subject, receiver: to } = message;
  const refused = await refusedReceiver(needs, message);
  if (refused !== undefined) return outcome({ isFinal: true, problem: refused });
  try {
    const { status } = await mailer.send({ id, to, subject, ...contentOf(needs, message) });
    return outcome({ isSent: true, status });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { message: problem, status, isPermanent: isFinal, isServerFailure: isMailServerDown } = error;
    return outcome({ isFinal, isMailServerDown, status, problem });
  }
}

/** Why a receiver gets no mail: members may have left, addresses may not be confirmed yet, and people unsubscribe. */
async function refusedReceiver(
  { database }: SendingDependencies,
  { receiver, rule_id: ruleID, organization_id: organizationID }: AlertMessageRow,
): Promise<string | undefined> {
  if (ruleID === null) return undefined;
  const address = receiver.toLowerCase();
  const allowed = await allowedAddresses(database, organizationID);
  if (!allowed.has(address)) return `${receiver} must confirm the address first.`;
  const unsubscribed = await unsubscribedAddresses(database, { organizationID, ruleID });
  return unsubscribed.has(address) ? `${receiver} has unsubscribed.` : undefined;
}

function contentOf(
  { secrets, config: { publicURL } }: SendingDependencies,
  { body, rule_id: ruleID, organization_id: organizationID, receiver }: AlertMessageRow,
): Pick<Mail, 'text' | 'html' | 'unsubscribe'> {
  if (ruleID !== null) {
    const notification = JSON.parse(body) as AlertNotification;
    if (publicURL === '') return mailTextOf(notification, '');
    const token = subscriptionToken(secrets, { organizationID, ruleID, address: receiver.toLowerCase() });
    const unsubscribe = `${publicURL}${oneClickPath}?token=${token}`;
    return { ...mailTextOf(notification, `${publicURL}/unsubscribe#token=${token}`), unsubscribe };
  }
  const { confirmURL, organizationName } = JSON.parse(body) as { confirmURL: string; organizationName: string };
  const why = `The organization ${quotedName(organizationName)} on a Hilltop server wants to send alerts of its devices and gateways to this address. Open this address to allow it; otherwise do nothing, and you get no further mail.`;
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
