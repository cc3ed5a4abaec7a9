/** What needs attention: the conditions that are true now. Ours: the recorded API has nothing of the kind. */
import { type Access, admins, first, only, organizationAdmins, organizationReaders } from './access.ts';
import { conditionNames, conditionSubjects } from './conditions.ts';
import { get, ownOperationsOf, post } from './operation.ts';
import {
  bool,
  count,
  double,
  enumeration,
  int64,
  listOf,
  message,
  oneOf,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

const Condition = enumeration('hilltop.Condition', conditionNames);
const Subject = enumeration('hilltop.ConditionSubject', conditionSubjects);

const AttentionCount = message('hilltop.AttentionCount', {
  condition: oneOf(Condition, { label: 'Condition' }),
  count: count({ label: 'Number', help: 'Without snoozed ones.' }),
  snoozed: count({ label: 'Snoozed' }),
  omitted: count({
    label: 'Omitted',
    help: 'Subjects beyond the 10,000 worst of a condition. They are in the number.',
  }),
  since: timestamp({ label: 'Since', help: 'Of the first one.' }),
});
export type AttentionCount = ValueOf<typeof AttentionCount>;

const AttentionItem = message('hilltop.AttentionItem', {
  id: uuid({ label: 'ID' }),
  condition: oneOf(Condition, { label: 'Condition' }),
  subjectKind: oneOf(Subject, { label: 'Kind' }),
  subjectID: text({ label: 'Subject', help: 'The ID or EUI of the device, gateway, integration or API key.' }),
  name: text({ label: 'Name', help: 'Of an integration: the name of its application.' }),
  integrationKind: text({ label: 'Integration' }),
  organizationID: int64({ label: 'Organization', help: '0: the installation.' }),
  organizationName: text({ label: 'Organization' }),
  applicationID: int64({ label: 'Application', help: '0: none.' }),
  since: timestamp({ label: 'Since' }),
  value: double({ label: 'Value', help: 'The number that counts. Durations in milliseconds, times since 1970.' }),
  text: text({ label: 'Reason' }),
  snoozedUntil: timestamp({ label: 'Snoozed until' }),
});
export type AttentionItem = ValueOf<typeof AttentionItem>;

/** How long a condition is not shown; `UNTIL_IT_ENDS`: until it is over. */
export const snoozes = ['NONE', 'DAY', 'WEEK', 'UNTIL_IT_ENDS'] as const;
export type Snooze = (typeof snoozes)[number];
const SnoozeTime = enumeration('hilltop.Snooze', snoozes);

const OverviewHour = message('hilltop.OverviewHour', {
  startsAt: timestamp(),
  uplinks: count({ label: 'Uplinks' }),
  downlinks: count({ label: 'Downlinks' }),
  errors: count({ label: 'Errors' }),
  joins: count({ label: 'Joins' }),
  lost: count({ label: 'Lost uplinks' }),
});

const inOrganization: Access = first(
  { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
  { on: 'global', allow: admins },
);
const organizationID = int64({ label: 'Organization', help: 'Global administrators may omit it: all organizations.' });

export const attention = ownOperationsOf('attention', {
  list: get('/api/attention', {
    summary: 'List what needs attention: the conditions that are true now, the worst first',
    request: message('hilltop.ListAttentionRequest', {
      organizationID,
      condition: text({
        label: 'Condition',
        help: 'Empty: all conditions, with the first rows of each.',
        values: conditionNames,
      }),
      subjectID: text({
        label: 'Subject',
        help: 'Only conditions of this DevEUI or gateway ID. The counts are of all.',
        maxLength: 64,
      }),
      includeSnoozed: bool({ label: 'Snoozed ones as well' }),
      limit: uint32({ label: 'Rows of each condition', clamp: 1000 }),
      offset: uint32({ label: 'Rows to skip of each condition' }),
    }),
    response: message('hilltop.ListAttentionResponse', {
      counts: listOf(AttentionCount, { help: 'The conditions that are true for something.' }),
      result: listOf(AttentionItem),
      evaluatedAt: timestamp({ label: 'As of', help: 'Conditions are evaluated once a minute. Null: not yet.' }),
      deviceCount: count({ label: 'Devices' }),
      gatewayCount: count({ label: 'Gateways' }),
    }),
    access: inOrganization,
  }),
  snooze: post('/api/attention/{id}/snooze', {
    summary: 'Hide a condition for some time, or show it again',
    request: message('hilltop.SnoozeAttentionRequest', {
      id: uuid({ label: 'ID', required: true }),
      time: oneOf(SnoozeTime, { label: 'Time' }),
    }),
    access: only('record', 'id', [...organizationAdmins, 'deviceAdmin', 'gatewayAdmin']),
  }),
});

export const overview = ownOperationsOf('overview', {
  get: get('/api/overview', {
    summary: 'How many things need attention, and the traffic of the last 8 days by hour',
    request: message('hilltop.GetOverviewRequest', { organizationID }),
    response: message('hilltop.Overview', {
      attentionCount: count({ label: 'Needs attention' }),
      hours: listOf(OverviewHour, { help: 'Oldest first. The last one is not over.' }),
    }),
    access: inOrganization,
  }),
});
