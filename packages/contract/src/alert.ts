/** Alert rules: who is notified of which conditions and values. Alerts: what a rule has made of them. */
import { admins, globally, only, organizationAdmins, organizationReaders, type Role } from './access.ts';
import { alertConditions } from './alert-conditions.ts';
import type { ConditionSubject } from './conditions.ts';
import { get, ownOperationsOf, page, post, put, remove } from './operation.ts';
import { longestField, ownFields } from './own-fields.ts';
import { mailAddress, noControlCharacters, ownerOrganization, plainName, tagLimits, tagValue } from './rules.ts';
import {
  bool,
  count,
  double,
  enumeration,
  type Facts,
  int64,
  list,
  listOf,
  map,
  message,
  needed,
  oneOf,
  optional,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

/** The most alert rules of an organization. */
export const mostAlertRules = 100;
/** The most e-mail addresses and webhooks of a rule together. */
export const mostAlertReceivers = 20;
/** The most subjects that a message names. */
export const mostAlertSubjects = 50;
/** How long resolved alerts and messages are kept. */
export const alertDays = 90;

const AlertCondition = enumeration('hilltop.AlertCondition', alertConditions);
export type AlertConditionName = (typeof AlertCondition)['names'][number];

const AlertComparison = enumeration('hilltop.AlertComparison', ['ABOVE', 'BELOW', 'EQUALS', 'OUTSIDE']);
export type AlertComparison = (typeof AlertComparison)['names'][number];

/** What can be the name of a value: names joined with a dot, or one of our own. */
const alertField = {
  pattern: `^(?:${Object.keys(ownFields).join('|')}|[^@.\\x00-\\x1F\\x7F-\\x9F][^.\\x00-\\x1F\\x7F-\\x9F]*(?:\\.[^.\\x00-\\x1F\\x7F-\\x9F]+)*)$`,
  message: `Name a decoded field, its parts joined with one dot, or one of ${Object.keys(ownFields).join(', ')}.`,
} as const satisfies Facts;

export const AlertValue = message('hilltop.AlertValue', {
  field: text({
    ...alertField,
    label: 'Field',
    help: 'A decoded field, its names joined with a dot, such as temperature; or one of the radio, such as @rssi.',
    required: true,
    maxLength: longestField,
  }),
  comparison: oneOf(AlertComparison, { label: 'Is' }),
  threshold: double({ notNull: true, label: 'Threshold', help: 'The lower end of a range.' }),
  upperThreshold: double({
    notNull: true,
    label: 'Upper threshold',
    help: 'The upper end of a range; only for OUTSIDE.',
  }),
  hysteresis: double({
    notNull: true,
    label: 'Ends when back by',
    help: 'The alert ends when the value has returned by this much. Not for EQUALS.',
    min: 0,
  }),
  uplinks: uint32({
    label: 'Uplinks in a row',
    help: 'So many values in a row begin the alert. 0: it begins when the value has stayed so for the minutes of the rule.',
    max: 100,
  }),
});
export type AlertValue = ValueOf<typeof AlertValue>;

const AlertChannelKind = enumeration('hilltop.AlertChannelKind', ['EMAIL', 'WEBHOOK']);
export type AlertChannelKind = (typeof AlertChannelKind)['names'][number];

export const AlertChannel = message('hilltop.AlertChannel', {
  kind: oneOf(AlertChannelKind, { label: 'Kind' }),
  addresses: list(text({ ...mailAddress, required: true }), {
    label: 'E-mail addresses',
    help: 'Members of the organization, or other people, who get a link to confirm first.',
    maxEntries: mostAlertReceivers,
  }),
  url: text({
    ...noControlCharacters,
    label: 'URL',
    help: 'Receives each message as JSON by POST.',
    secretPath: true,
    maxLength: 1000,
  }),
  secret: text({
    label: 'Signing secret',
    help: 'whsec_ and base64, as in Standard Webhooks. It is not returned; write (unchanged) to keep it.',
    secret: true,
    maxLength: 200,
    pattern: '^(\\(unchanged\\)|whsec_[A-Za-z0-9+\\/]{32,172}={0,2})$',
    message: 'A signing secret is whsec_ followed by the base64 of 24 to 128 bytes.',
  }),
});
export type AlertChannel = ValueOf<typeof AlertChannel>;

export const alertRepeatChoices = [
  { value: 0, label: 'never' },
  { value: 24, label: 'every 24 hours until it is acknowledged' },
] as const;

export const AlertRule = message('hilltop.AlertRule', {
  id: uuid({ label: 'Rule ID' }),
  organizationID: int64(ownerOrganization),
  name: text(plainName),
  isEnabled: bool({ label: 'Enabled' }),
  condition: oneOf(AlertCondition, { label: 'Condition' }),
  value: optional(AlertValue, { label: 'Value', help: 'Only for the condition VALUE.' }),
  applicationIDs: list(int64(), {
    label: 'Applications',
    help: 'Only devices and integrations of these applications; empty: of all.',
    maxEntries: 100,
  }),
  deviceProfileIDs: list(uuid(), {
    label: 'Device-profiles',
    help: 'Only devices with these profiles; empty: all.',
    maxEntries: 100,
  }),
  tags: map('text', text(tagValue), {
    ...tagLimits,
    label: 'Tags',
    help: 'Only devices and gateways that have all these tags; empty: all.',
  }),
  forMinutes: uint32({
    label: 'For',
    help: 'How long the condition holds before the alert begins.',
    unit: 'minutes',
    max: 10_080,
  }),
  repeatHours: uint32({
    label: 'Repeat',
    help: 'Until the alert is acknowledged.',
    max: 24,
    choices: alertRepeatChoices,
  }),
  channels: listOf(AlertChannel, { label: 'Receivers', maxEntries: 10 }),
});
export type AlertRule = ValueOf<typeof AlertRule>;

export const AlertRuleListItem = message('hilltop.AlertRuleListItem', {
  id: uuid({ label: 'Rule ID' }),
  organizationID: int64({ label: 'Organization' }),
  name: text({ label: 'Name' }),
  isEnabled: bool({ label: 'Enabled' }),
  condition: oneOf(AlertCondition, { label: 'Condition' }),
  value: optional(AlertValue, { label: 'Value' }),
  forMinutes: uint32({ label: 'For', unit: 'minutes' }),
  channelKinds: list(oneOf(AlertChannelKind), { label: 'Receivers' }),
  firingCount: count({ label: 'Firing' }),
  unsentCount: count({ label: 'Unsent messages' }),
});
export type AlertRuleListItem = ValueOf<typeof AlertRuleListItem>;

const AlertMessageState = enumeration('hilltop.AlertMessageState', ['WAITING', 'SENT', 'FAILED']);

/** A message of a rule to one of its channels. */
export const AlertMessage = message('hilltop.AlertMessage', {
  id: uuid({ label: 'Message ID' }),
  kind: oneOf(AlertChannelKind, { label: 'Kind' }),
  receiver: text({ label: 'To', help: 'E-mail addresses, or the URL without its query.' }),
  subject: text({ label: 'Subject' }),
  state: oneOf(AlertMessageState, { label: 'State' }),
  createdAt: timestamp({ label: 'Created' }),
  endedAt: timestamp({ label: 'Sent or given up' }),
  nextTryAt: timestamp({ label: 'Next try' }),
  attempts: uint32({ label: 'Tries' }),
  status: uint32({ label: 'Status', help: 'Of the last response; 0 without one.' }),
  problem: text({ label: 'Problem' }),
});
export type AlertMessage = ValueOf<typeof AlertMessage>;

export const AlertTestResult = message('hilltop.AlertTestResult', {
  kind: oneOf(AlertChannelKind, { label: 'Kind' }),
  receiver: text({ label: 'To' }),
  isSent: bool({ label: 'Sent' }),
  status: uint32({ label: 'Status' }),
  problem: text({ label: 'Problem' }),
  milliseconds: uint32({ label: 'Took', unit: 'ms' }),
});
export type AlertTestResult = ValueOf<typeof AlertTestResult>;

export const alertStates = ['PENDING', 'FIRING', 'ACKNOWLEDGED', 'RESOLVED'] as const;
const AlertState = enumeration('hilltop.AlertState', alertStates);
export type AlertStateName = (typeof alertStates)[number];

const alertSubjectKinds = [
  'DEVICE',
  'GATEWAY',
  'INTEGRATION',
  'API_KEY',
] as const satisfies readonly ConditionSubject[];
export type AlertSubjectKind = (typeof alertSubjectKinds)[number];

export const Alert = message('hilltop.Alert', {
  id: uuid({ label: 'Alert ID' }),
  ruleID: uuid({ label: 'Rule' }),
  ruleName: text({ label: 'Rule' }),
  condition: oneOf(AlertCondition, { label: 'Condition' }),
  subjectKind: text({ label: 'Kind', values: alertSubjectKinds }),
  subjectID: text({ label: 'ID', help: 'DevEUI, gateway ID, or the ID of the record.' }),
  subjectName: text({ label: 'Name' }),
  applicationID: int64({ label: 'Application' }),
  state: oneOf(AlertState, { label: 'State' }),
  since: timestamp({ label: 'Since' }),
  firedAt: timestamp({ label: 'Fired' }),
  acknowledgedAt: timestamp({ label: 'Acknowledged' }),
  acknowledgedBy: text({ label: 'Acknowledged by' }),
  note: text({ label: 'Note' }),
  resolvedAt: timestamp({ label: 'Resolved' }),
  value: optional(message('hilltop.AlertFieldValue', { value: double({ label: 'Value' }) }), {
    label: 'Value',
    help: 'The value that began it; only for the condition VALUE.',
  }),
});
export type Alert = ValueOf<typeof Alert>;

const writers = [...organizationAdmins, 'deviceAdmin', 'gatewayAdmin'] as const satisfies readonly Role[];
const oneRule = { id: uuid({ label: 'Rule ID', required: true }) } as const;

export const alertRule = ownOperationsOf('alertRule', {
  list: get('/api/alert-rules', {
    summary: 'List the alert rules of an organization by name',
    request: message('hilltop.ListAlertRulesRequest', { ...page, organizationID: int64({ required: true }) }),
    response: message('hilltop.ListAlertRulesResponse', { totalCount: int64(), result: listOf(AlertRuleListItem) }),
    access: only('organization', 'organizationID', organizationReaders),
  }),
  create: post('/api/alert-rules', {
    summary: 'Create an alert rule',
    request: message('hilltop.CreateAlertRuleRequest', { alertRule: needed(AlertRule) }),
    response: message('hilltop.CreateAlertRuleResponse', { id: text() }),
    access: only('organization', 'alertRule.organizationID', writers),
  }),
  get: get('/api/alert-rules/{id}', {
    summary: 'Get an alert rule; of signing secrets only whether they are set',
    request: message('hilltop.GetAlertRuleRequest', oneRule),
    response: message('hilltop.GetAlertRuleResponse', {
      alertRule: needed(AlertRule),
      unconfirmedAddresses: list(text(), {
        label: 'Unconfirmed addresses',
        help: 'They get no alerts until their owner has followed the link in the mail.',
      }),
      unsubscribedAddresses: list(text(), {
        label: 'Unsubscribed addresses',
        help: 'They get no mails of the rule, until their owner follows the link of an earlier mail.',
      }),
      createdAt: timestamp(),
      updatedAt: timestamp(),
    }),
    access: only('record', 'id', organizationReaders),
  }),
  update: put('/api/alert-rules/{alert_rule.id}', {
    summary: 'Update an alert rule. Its alerts that are not resolved begin anew',
    request: message('hilltop.UpdateAlertRuleRequest', { alertRule: needed(AlertRule) }),
    access: only('record', 'alertRule.id', writers),
  }),
  delete: remove('/api/alert-rules/{id}', {
    summary: 'Delete an alert rule with its alerts and messages',
    request: message('hilltop.DeleteAlertRuleRequest', oneRule),
    access: only('record', 'id', writers),
  }),
  test: post('/api/alert-rules/{id}/test', {
    summary: 'Send a test message to each receiver of a rule, and report what happened',
    request: message('hilltop.TestAlertRuleRequest', oneRule),
    response: message('hilltop.TestAlertRuleResponse', { result: listOf(AlertTestResult) }),
    access: only('record', 'id', writers),
  }),
  listMessages: get('/api/alert-rules/{id}/messages', {
    summary: 'List the messages of a rule, the newest first',
    request: message('hilltop.ListAlertMessagesRequest', { ...oneRule, ...page }),
    response: message('hilltop.ListAlertMessagesResponse', { totalCount: int64(), result: listOf(AlertMessage) }),
    access: only('record', 'id', organizationReaders),
  }),
});

export const alert = ownOperationsOf('alert', {
  list: get('/api/alerts', {
    summary: 'List the alerts of an organization: those that fire first, then the newest',
    request: message('hilltop.ListAlertsRequest', {
      ...page,
      organizationID: int64({ required: true }),
      state: text({ label: 'State', help: 'Only alerts in this state.', values: alertStates }),
      ruleID: uuid({ label: 'Rule', help: 'Only alerts of this rule.' }),
      subjectID: text({ label: 'Subject', help: 'Only alerts of this DevEUI or gateway ID.', maxLength: 64 }),
    }),
    response: message('hilltop.ListAlertsResponse', {
      totalCount: int64(),
      firingCount: count({ label: 'Firing', help: 'Of the organization, whatever is asked for.' }),
      result: listOf(Alert),
    }),
    access: only('organization', 'organizationID', organizationReaders),
  }),
  acknowledge: post('/api/alerts/{id}/acknowledge', {
    summary: 'Acknowledge an alert that fires: it is not repeated any more',
    request: message('hilltop.AcknowledgeAlertRequest', {
      id: uuid({ label: 'Alert ID', required: true }),
      note: text({ label: 'Note', maxLength: 500 }),
    }),
    access: only('record', 'id', writers),
  }),
});

const AlertUnsubscribedFrom = enumeration('hilltop.AlertUnsubscribedFrom', ['NOTHING', 'RULE', 'ORGANIZATION']);
export type AlertUnsubscribedFrom = (typeof AlertUnsubscribedFrom)['names'][number];

/** The mails that a receiver gets, or does not want. */
const AlertSubscription = message('hilltop.AlertSubscription', {
  address: text({ label: 'E-mail address' }),
  organizationName: text({ label: 'Organization' }),
  ruleName: text({ label: 'Rule', help: 'Empty: the rule was deleted.' }),
  unsubscribedFrom: oneOf(AlertUnsubscribedFrom, { label: 'Unsubscribed from' }),
});
export type AlertSubscription = ValueOf<typeof AlertSubscription>;

const unsubscribeToken = text({
  label: 'Token',
  help: 'Of the link in a mail.',
  required: true,
  secret: true,
  maxLength: 1000,
});

/** Receivers of mail, who may have no account: they confirm their address, and unsubscribe. */
export const alertReceiver = ownOperationsOf('alertReceiver', {
  confirm: post('/api/alert-receivers/confirm', {
    summary: 'Confirm an e-mail address with the token of the link that was sent to it',
    request: message('hilltop.ConfirmAlertReceiverRequest', {
      token: text({ label: 'Token', required: true, secret: true, maxLength: 100 }),
    }),
    response: message('hilltop.ConfirmAlertReceiverResponse', {
      address: text({ label: 'E-mail address' }),
      organizationName: text({ label: 'Organization' }),
    }),
    access: globally('public'),
  }),
  getSubscription: post('/api/alert-receivers/subscription', {
    summary: 'Get what the receiver of a mail gets, with the token of its link to unsubscribe',
    effect: 'read',
    request: message('hilltop.GetAlertSubscriptionRequest', { token: unsubscribeToken }),
    response: AlertSubscription,
    access: globally('public'),
  }),
  unsubscribe: post('/api/alert-receivers/unsubscribe', {
    summary: 'End the mails of a rule or of its organization to the receiver of a mail, or begin them again',
    request: message('hilltop.UnsubscribeAlertReceiverRequest', {
      token: unsubscribeToken,
      from: oneOf(AlertUnsubscribedFrom, { label: 'From', help: 'NOTHING: the mails begin again.' }),
    }),
    response: AlertSubscription,
    access: globally('public'),
  }),
});

export const mail = ownOperationsOf('mail', {
  get: get('/api/mail', {
    summary: 'Whether this server sends mail, and whether it succeeds',
    response: message('hilltop.GetMailResponse', {
      isSetUp: bool({ label: 'Set up' }),
      canConfirm: bool({ label: 'Addresses can be confirmed', help: 'Needs HILLTOP_PUBLIC_URL.' }),
      isFailing: bool({ label: 'Failing', help: 'A mail waits for 10 minutes and could not be sent.' }),
    }),
    access: globally('anyUser', 'anyKey'),
  }),
  test: post('/api/mail/test', {
    summary: 'Send a test mail, and report what happened',
    request: message('hilltop.TestMailRequest', {
      address: text({ ...mailAddress, required: true }),
    }),
    response: message('hilltop.TestMailResponse', { result: needed(AlertTestResult) }),
    access: globally(...admins),
  }),
});
