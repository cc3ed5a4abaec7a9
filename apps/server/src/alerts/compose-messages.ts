import { randomUUID } from 'node:crypto';
import { type AlertChannel, type AlertValue, mostAlertSubjects } from '@hilltop/contract';
import type { ExpressionBuilder, Selectable } from 'kysely';
import type { Database } from '../database/database.ts';
import { type KnownTime, timeBefore } from '../database/elapsed-time.ts';
import type { Tables } from '../database/tables.ts';
import type { Metrics } from '../metrics.ts';
import { channelsIn, receiversOfChannel } from './channels.ts';
import { type AlertNotification, detailOf, mailSubjectOf, type NotificationSubject } from './notification.ts';
import type { AlertRuleTable } from './tables.ts';
import { unsubscribedAddresses } from './unsubscribing.ts';

/** A rule sends one message in this time. */
export const messageEveryMs = 300_000;
const rulesPerRound = 200;
/** The most messages of a rule that stay stored after they were sent. */
const mostMessages = 500;
/** The most messages of a rule that wait for one receiver. */
const mostWaiting = 50;

interface Composing {
  database: Database;
  metrics: Pick<Metrics, 'count'>;
  config: { publicURL: string };
}

/** Writes a message for each rule with changed alerts that has sent none for five minutes: one for each of its receivers. */
export async function composeMessages(needs: Composing, time: KnownTime): Promise<void> {
  const rules = await needs.database.query
    .selectFrom('alert_rule')
    .select('id')
    .where(maySend(time))
    .where('id', 'in', (eb) => eb.selectFrom('alert').select('rule_id').where('unsent', '!=', ''))
    .limit(rulesPerRound)
    .execute();
  for (const { id } of rules) await needs.database.transaction(() => composeMessage(needs, id, time));
}

/** Whether a rule has sent nothing for five minutes; one of the future is from before the clock was set back. */
const maySend = (time: KnownTime) => (eb: ExpressionBuilder<Tables, 'alert_rule'>) =>
  eb.or([
    eb('last_message_at', 'is', null),
    eb('last_message_at', '<=', timeBefore(time, messageEveryMs)),
    eb('last_message_at', '>', time.now),
  ]);

async function composeMessage({ database, metrics, config }: Composing, id: string, time: KnownTime): Promise<void> {
  const { query } = database;
  const { now } = time;
  // Of two instances that have the lease for a moment, one changes the row.
  const claim = query.updateTable('alert_rule').set({ last_message_at: now }).where('id', '=', id).where(maySend(time));
  if ((await claim.executeTakeFirstOrThrow()).numUpdatedRows === 0n) return;
  const rule = await query
    .selectFrom('alert_rule')
    .innerJoin('organization', 'organization.id', 'alert_rule.organization_id')
    .selectAll('alert_rule')
    .select('organization.display_name')
    .where('alert_rule.id', '=', id)
    .executeTakeFirst();
  if (!rule) return;
  const unsent = () => query.selectFrom('alert').where('rule_id', '=', id).where('unsent', '!=', '');
  const counts = await unsent()
    .select((eb) => ['unsent', eb.fn.countAll<number>().as('count'), eb.fn.min('since').as('since')])
    .groupBy('unsent')
    .execute();
  const rows = await unsent()
    .selectAll()
    .orderBy('unsent')
    .orderBy('since')
    .orderBy('id')
    .limit(mostAlertSubjects)
    .execute();
  await query
    .updateTable('alert')
    .set({ unsent: '', notified_at: now })
    .where('rule_id', '=', id)
    .where('unsent', '!=', '')
    .execute();
  const [first] = rows;
  if (!first) return;
  const countOf = (state: NotificationSubject['state']) =>
    Number(counts.find((one) => one.unsent === state)?.count ?? 0);
  const channels = channelsIn(rule.channels);
  if (channels.length === 0) return;
  const organizationID = String(rule.organization_id);
  const notification: Omit<AlertNotification, 'id'> = {
    rule: { id, name: rule.name },
    organization: { id: organizationID, name: rule.display_name },
    condition: rule.condition,
    state: countOf('FIRING') > 0 ? 'FIRING' : 'RESOLVED',
    since: timeOf(first.since),
    subjects: rows.map((row) => ({
      kind: row.subject_kind,
      id: row.subject_id,
      name: row.subject_name,
      state: row.unsent as NotificationSubject['state'],
      since: timeOf(row.since),
      ...(row.resolved_at !== null && { resolvedAt: timeOf(row.resolved_at) }),
      ...(row.value !== null && { value: row.value }),
    })),
    firingCount: countOf('FIRING'),
    resolvedCount: countOf('RESOLVED'),
    detail: detailOf(rule.condition, rule.value === null ? null : (JSON.parse(rule.value) as AlertValue)),
    url: alertsURL(config.publicURL, organizationID),
  };
  const receivers = await receiversOf(database, rule, channels);
  for (const { kind, receiver } of receivers) {
    const dropped = await dropOldest(database, { ruleID: id, receiver }, now);
    if (dropped > 0) database.afterCommit(() => metrics.count('alert_messages_dropped', {}, dropped));
    await insertMessage(query, rule, { kind, receiver }, { id: randomUUID(), ...notification }, now);
  }
  await removeSurplus(database, id);
}

async function insertMessage(
  query: Database['query'],
  { id, organization_id }: Pick<Selectable<AlertRuleTable>, 'id' | 'organization_id'>,
  to: Awaited<ReturnType<typeof receiversOf>>[number],
  message: AlertNotification,
  now: number,
): Promise<void> {
  await query
    .insertInto('alert_message')
    .values({
      id: message.id,
      organization_id,
      rule_id: id,
      ...to,
      subject: mailSubjectOf(message),
      body: JSON.stringify(message),
      state: 'WAITING',
      created_at: now,
      next_at: now,
      ended_at: null,
    })
    .execute();
}

/** All receivers of a rule, without those that have unsubscribed. */
async function receiversOf(
  database: Database,
  rule: Pick<Selectable<AlertRuleTable>, 'id' | 'organization_id'>,
  channels: readonly AlertChannel[],
) {
  const unsubscribed = await unsubscribedAddresses(database, { organizationID: rule.organization_id, ruleID: rule.id });
  return channels
    .flatMap((channel) => receiversOfChannel(channel).map((receiver) => ({ kind: channel.kind, receiver })))
    .filter(({ kind, receiver }) => kind !== 'EMAIL' || !unsubscribed.has(receiver.toLowerCase()));
}

const timeOf = (ms: number) => new Date(ms).toISOString();

/** The page of the alerts of an organization. */
export const alertsURL = (publicURL: string, organizationID: string): string =>
  publicURL === '' ? '' : `${publicURL}/organizations/${organizationID}/alerts`;

/** Makes room for one more message to a receiver that has not accepted any for hours. */
async function dropOldest(
  { query }: Database,
  { ruleID, receiver }: { ruleID: string; receiver: string },
  now: number,
): Promise<number> {
  const surplus = await query
    .selectFrom('alert_message')
    .select('id')
    .where('rule_id', '=', ruleID)
    .where('receiver', '=', receiver)
    .where('state', '=', 'WAITING')
    .orderBy('created_at', 'desc')
    .offset(mostWaiting - 1)
    .limit(mostMessages)
    .execute();
  if (surplus.length === 0) return 0;
  const { numUpdatedRows } = await query
    .updateTable('alert_message')
    .set({ state: 'FAILED', next_at: null, ended_at: now, problem: dropProblem })
    .where(
      'id',
      'in',
      surplus.map(({ id }) => id),
    )
    .where('state', '=', 'WAITING')
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}

const dropProblem = `Not sent: ${mostWaiting} newer messages waited for this receiver.`;

async function removeSurplus({ query }: Database, ruleID: string): Promise<void> {
  const oldest = await query
    .selectFrom('alert_message')
    .select('created_at')
    .where('rule_id', '=', ruleID)
    .orderBy('created_at', 'desc')
    .limit(1)
    .offset(mostMessages)
    .executeTakeFirst();
  if (!oldest) return;
  await query
    .deleteFrom('alert_message')
    .where('rule_id', '=', ruleID)
    .where('state', '!=', 'WAITING')
    .where('created_at', '<=', oldest.created_at)
    .execute();
}
