import { randomUUID } from 'node:crypto';
import {
  type AlertMessage,
  type AlertRule,
  type AlertTestResult,
  mostAlertRules,
  type Operations,
  operations,
  type ResponseOf,
  refusal,
  shownURL,
} from '@hilltop/contract';
import type { Alerts } from '../../alerts/alerts.ts';
import {
  channelsIn,
  openChannelSecrets,
  receiversOfChannel,
  shownChannels,
  splitChannels,
} from '../../alerts/channels.ts';
import { alertsURL } from '../../alerts/compose-messages.ts';
import { type AlertNotification, detailOf, mailSubjectOf } from '../../alerts/notification.ts';
import { allowedAddresses, askToConfirm, cancelConfirmations } from '../../alerts/receivers.ts';
import {
  type AlertMessageRow,
  type SendingDependencies,
  sendMessage,
  shownReceiver,
} from '../../alerts/send-message.ts';
import { unsubscribedAddresses } from '../../alerts/unsubscribing.ts';
import { resetAlerts } from '../../alerts/write-changes.ts';
import type { Database } from '../../database/database.ts';
import { countOf, type Page, readPage } from '../../database/page.ts';
import type { Handlers } from '../../http/call.ts';
import { toID } from '../../identifiers.ts';
import { mayCall } from '../../identity/access.ts';
import type { Principal } from '../../identity/principals.ts';
import { createSharedThrottle, type ThrottleDependencies } from '../../identity/shared-throttle.ts';
import { RetryLater } from '../../retry-later.ts';
import { loadOrganization, lockOrganization } from '../organization/store.ts';
import { checkRule } from './check.ts';
import { type AlertRuleRow, alertRules, fromRow, listAlertRules, toChanges } from './store.ts';

interface AlertRuleRoutesDependencies extends Omit<SendingDependencies, 'now'>, ThrottleDependencies {
  alerts: Pick<Alerts, 'evaluateSoon'>;
}

/** Tests of rules of an organization: each sends to all its receivers. */
const testsPerMinute = 6;

/** The rules of an organization: what is watched, and who is notified. */
export function alertRuleRoutes(needs: AlertRuleRoutesDependencies): Handlers<Operations['alertRule']> {
  const { database, secrets, clock, alerts } = needs;
  const load = (id: string) => alertRules.load(database, id);
  const tests = createSharedThrottle(needs, 'alert-tests', testsPerMinute);
  const changed = () => database.afterCommit(() => alerts.evaluateSoon());

  return {
    list: ({ organizationID, ...page }) => listAlertRules(database, toID(organizationID, 'organization'), page),

    get: async ({ id }, { principal }) => getRule(needs, await load(id), principal),

    create: ({ alertRule }) =>
      database.transaction(async () => {
        const organizationID = toID(alertRule.organizationID, 'organization');
        await lockOrganization(database, organizationID);
        await checkRule(database, alertRule);
        const rows = database.query.selectFrom('alert_rule').where('organization_id', '=', organizationID);
        if ((await countOf(rows)) >= mostAlertRules) throw refusal('TOO_MANY_ALERT_RULES', { most: mostAlertRules });
        const id = randomUUID();
        const now = clock.now();
        await alertRules.insert(database, {
          id,
          organization_id: organizationID,
          ...toChanges(alertRule, now),
          ...splitChannels(secrets, id, alertRule.channels, {}),
          last_message_at: null,
          created_at: now,
        });
        await askReceivers(needs, organizationID, alertRule);
        changed();
        return { id };
      }),

    update: ({ alertRule: given }) =>
      database.transaction(async () => {
        const row = await load(given.id);
        const alertRule = { ...given, organizationID: String(row.organization_id) };
        await checkRule(database, alertRule);
        const now = clock.now();
        const before = openChannelSecrets(secrets, row);
        await alertRules.update(database, row.id, {
          ...toChanges(alertRule, now),
          ...splitChannels(secrets, row.id, alertRule.channels, before),
        });
        await resetAlerts(database.query, row.id, now.getTime());
        await cancelConfirmations(database, row.organization_id);
        await askReceivers(needs, row.organization_id, alertRule);
        changed();
        return {};
      }),

    delete: async ({ id }) => {
      await database.transaction(async () => {
        const row = await load(id);
        await alertRules.remove(database, row.id);
        await cancelConfirmations(database, row.organization_id);
      });
      return {};
    },

    test: async ({ id }) => {
      const row = await load(id);
      const seconds = await tests.take(String(row.organization_id));
      if (seconds > 0) throw new RetryLater(seconds, 'test messages');
      return { result: await testRule(needs, row) };
    },

    listMessages: async ({ id, ...page }) => {
      await load(id);
      return listMessages(database, id, page);
    },
  };
}

/** A rule with the addresses that do not get its mail. Who may not change it sees no secret parts of its addresses. */
async function getRule(
  needs: AlertRuleRoutesDependencies,
  row: AlertRuleRow,
  principal: Principal,
): Promise<ResponseOf<Operations['alertRule']['get']>> {
  const { database, secrets } = needs;
  const { id, organization_id: organizationID } = row;
  const allowed = await allowedAddresses(database, organizationID);
  const unsubscribed = await unsubscribedAddresses(database, { organizationID, ruleID: id });
  const stored = shownChannels(row.channels, openChannelSecrets(secrets, row));
  const isWriter = await mayCall(needs, operations.alertRule.update, { alertRule: { id } }, principal);
  const channels = isWriter ? stored : stored.map((one) => ({ ...one, url: shownURL(one.url) }));
  const addresses = channels.flatMap((channel) => channel.addresses);
  return {
    alertRule: { ...fromRow(row), channels },
    unconfirmedAddresses: addresses.filter((address) => !allowed.has(address.toLowerCase())),
    unsubscribedAddresses: addresses.filter((address) => unsubscribed.has(address.toLowerCase())),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}

async function listMessages(
  { query }: Database,
  ruleID: string,
  page: Page,
): Promise<ResponseOf<Operations['alertRule']['listMessages']>> {
  const matching = query.selectFrom('alert_message').where('rule_id', '=', ruleID);
  const { totalCount, result } = await readPage(
    page,
    () => countOf(matching),
    () =>
      matching.selectAll().orderBy('created_at', 'desc').orderBy('id').limit(page.limit).offset(page.offset).execute(),
  );
  return { totalCount, result: result.map(toMessage) };
}

/** Mail needs a mail server, and an address of somebody else the consent of its owner. */
async function askReceivers(
  { database, mailer, config, clock }: AlertRuleRoutesDependencies,
  organizationID: number,
  { channels }: AlertRule,
): Promise<void> {
  const addresses = channels.flatMap((channel) => (channel.kind === 'EMAIL' ? channel.addresses : []));
  if (addresses.length === 0) return;
  if (!mailer) throw refusal('MAIL_NOT_SET_UP');
  const { display_name: organizationName } = await loadOrganization(database, String(organizationID));
  const now = clock.now().getTime();
  await askToConfirm(database, { organizationID, organizationName, addresses, publicURL: config.publicURL, now });
}

const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function toMessage(row: AlertMessageRow): AlertMessage {
  const { id, kind, subject, state, attempts, status, problem } = row;
  return {
    ...{ id, kind, subject, state, attempts, status, problem },
    receiver: shownReceiver(row),
    createdAt: timeOf(row.created_at),
    endedAt: timeOf(row.ended_at),
    nextTryAt: timeOf(row.next_at),
  };
}

/** Sends a test message to each receiver at once, without the outbox. */
async function testRule(needs: AlertRuleRoutesDependencies, rule: AlertRuleRow): Promise<AlertTestResult[]> {
  const { database, clock, config } = needs;
  const { display_name } = await loadOrganization(database, String(rule.organization_id));
  const { value, condition } = fromRow(rule);
  const organizationID = String(rule.organization_id);
  const sendingNeeds = { ...needs, now: () => clock.now() };
  const receivers = channelsIn(rule.channels).flatMap((channel) =>
    receiversOfChannel(channel).map((receiver) => ({ kind: channel.kind, receiver })),
  );
  const tests = receivers.map(async ({ kind, receiver }): Promise<AlertTestResult> => {
    const now = clock.now();
    const notification: AlertNotification = {
      id: randomUUID(),
      rule: { id: rule.id, name: rule.name },
      organization: { id: organizationID, name: display_name },
      condition,
      state: 'TEST',
      since: now.toISOString(),
      subjects: [],
      firingCount: 0,
      resolvedCount: 0,
      detail: detailOf(condition, value),
      url: alertsURL(config.publicURL, organizationID),
    };
    const message: AlertMessageRow = {
      id: notification.id,
      organization_id: rule.organization_id,
      rule_id: rule.id,
      kind,
      receiver,
      subject: mailSubjectOf(notification),
      body: JSON.stringify(notification),
      state: 'WAITING',
      created_at: now.getTime(),
      next_at: null,
      ended_at: null,
      attempts: 0,
      status: 0,
      problem: '',
    };
    const from = clock.monotonicMs();
    const { isSent, status, problem } = await sendMessage(sendingNeeds, message);
    const milliseconds = Math.round(clock.monotonicMs() - from);
    return { kind, receiver: shownReceiver(message), isSent, status, problem, milliseconds };
  });
  return Promise.all(tests);
}
