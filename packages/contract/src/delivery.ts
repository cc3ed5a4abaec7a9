/**
 * The state of deliveries: status and attempts of each integration, and actions of users. Not in the recorded API,
 * which drops a delivery after it has failed. Application 0 stands for global integrations, which only global
 * administrators see, or with an organization for the integration of that organization.
 */
import { administrators, admins, applicationReaders, first, only, organizationAdmins } from './access.ts';
import { gatewayEventTypes } from './gateway-event.ts';
import { get, ownOperationsOf, page, post, put, remove, stream } from './operation.ts';
import {
  bool,
  count,
  enumeration,
  eui64,
  int64,
  list,
  listOf,
  message,
  oneOf,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

const eventTypes = [
  ...['up', 'join', 'ack', 'txack', 'status', 'error', 'location', 'integration'],
  ...gatewayEventTypes,
] as const;

const applicationID = int64({ label: 'Application ID' });
const kind = text({ label: 'Kind', help: 'As the list of integrations names it, such as HTTP.', maxLength: 40 });
const eventID = text({ label: 'Event ID', maxLength: 100 });
const eventType = text({ label: 'Event', values: eventTypes });
const devEUI = eui64({ label: 'Device EUI', help: 'Of the events of gateways, the ID of the gateway.' });
const inFlight = { label: 'Concurrent requests', min: 1, max: 32 } as const;

const DeliveryState = enumeration('hilltop.DeliveryState', ['HEALTHY', 'DEGRADED', 'SUSPENDED']);

export const DeliveryHour = message('hilltop.DeliveryHour', {
  startsAt: timestamp(),
  delivered: count({ label: 'Delivered' }),
  retried: count({ label: 'Tried again' }),
  dead: count({ label: 'Given up' }),
  expired: count({ label: 'Expired' }),
});
export type DeliveryHour = ValueOf<typeof DeliveryHour>;

export const DeliveryStatus = message('hilltop.DeliveryStatus', {
  applicationID,
  applicationName: text({ label: 'Application', help: 'Empty for integrations of the whole installation.' }),
  kind,
  state: oneOf(DeliveryState, { label: 'State' }),
  reason: text({ label: 'Reason', help: 'Why the integration is not healthy, and what to do.' }),
  since: timestamp({ label: 'Since' }),
  behindEvents: count({
    label: 'Events waiting',
    help: 'Undelivered events: those after its cursor and those in the retry queue.',
  }),
  oldestAt: timestamp({ label: 'Oldest waiting event' }),
  parked: count({ label: 'Retry queue', help: 'Events that wait for their next try.' }),
  dead: count({ label: 'Dead letters' }),
  inFlight: uint32({ label: 'Under way' }),
  nextTryAt: timestamp({ label: 'Next try' }),
  lastSuccessAt: timestamp({ label: 'Last delivered' }),
  keepOrder: bool({ label: 'Keep the order of each device' }),
  maxInFlight: uint32(inFlight),
  hours: listOf(DeliveryHour, { label: 'The last 24 hours, oldest first' }),
  organizationID: int64({ label: 'Organization ID', help: '0 for integrations of the whole installation.' }),
  lacksAddress: bool({ label: 'Lacks an address', help: 'Without an address the integration sends nothing.' }),
});
export type DeliveryStatus = ValueOf<typeof DeliveryStatus>;

const DeliveryOutcome = enumeration('hilltop.DeliveryOutcome', [
  'DELIVERED',
  'RETRIED',
  'PARKED',
  'DEAD',
  'EXPIRED',
  'TEST',
  'REPLAYED',
  /** The state changed. */
  'STATE',
  /** A downlink that this integration sent was refused. */
  'COMMAND',
]);

export const DeliveryAttempt = message('hilltop.DeliveryAttempt', {
  line: count({ label: 'Line', help: 'Increases by one with each entry of the integration.' }),
  at: timestamp({ label: 'Time' }),
  eventID,
  eventType,
  devEUI,
  outcome: oneOf(DeliveryOutcome, { label: 'Outcome' }),
  status: uint32({ label: 'HTTP status', help: '0 without a response.' }),
  message: text({ label: 'What happened' }),
  milliseconds: uint32({ label: 'Took', unit: 'ms' }),
  attempt: uint32({ label: 'Try' }),
  bytes: uint32({ label: 'Sent', unit: 'B' }),
  excerpt: text({ label: 'Answer', help: 'The beginning of the response, without secrets.' }),
});
export type DeliveryAttempt = ValueOf<typeof DeliveryAttempt>;

export const DeadLetter = message('hilltop.DeadLetter', {
  eventID,
  eventType,
  devEUI,
  at: timestamp({ label: 'Time of the event' }),
  deadAt: timestamp({ label: 'Given up' }),
  attempts: uint32({ label: 'Tries' }),
  status: uint32({ label: 'HTTP status' }),
  message: text({ label: 'Reason' }),
  payloadJSON: text({ label: 'Event' }),
});
export type DeadLetter = ValueOf<typeof DeadLetter>;

const ReplayState = enumeration('hilltop.ReplayState', ['RUNNING', 'DONE', 'CANCELLED']);

export const Replay = message('hilltop.Replay', {
  id: uuid(),
  from: timestamp({ label: 'From' }),
  to: timestamp({ label: 'To' }),
  devEUI,
  eventTypes: list(eventType),
  state: oneOf(ReplayState, { label: 'State' }),
  events: count({ label: 'Events' }),
  sent: count({ label: 'Sent' }),
  failed: count({ label: 'Failed' }),
  createdAt: timestamp({ label: 'Started' }),
});
export type Replay = ValueOf<typeof Replay>;

const EventPlace = enumeration('hilltop.EventPlace', ['DELIVERED', 'WAITING', 'DEAD']);

const EventDelivery = message('hilltop.EventDelivery', {
  kind,
  place: oneOf(EventPlace, { label: 'Where it is' }),
  message: text({ label: 'What happened' }),
});

export const DeliveredEvent = message('hilltop.DeliveredEvent', {
  eventID,
  eventType,
  at: timestamp({ label: 'Time' }),
  deliveries: listOf(EventDelivery),
});
export type DeliveredEvent = ValueOf<typeof DeliveredEvent>;

const owner = {
  applicationID,
  organizationID: int64({
    label: 'Organization ID',
    help: 'With application 0: the integration of this organization, which gets the events of its gateways.',
  }),
};
const one = { ...owner, kind };
const tries = { ...one, outcome: text({ label: 'Outcome', values: DeliveryOutcome.names }), devEUI };
const loggedEventID = text({
  label: 'Event ID',
  required: true,
  maxLength: 64,
  pattern: '^[0-9a-f]{16}-\\d{1,15}-\\d{1,9}$',
  message: 'Enter the ID of an event from the list of deliveries.',
});
const chosenEvents = { ...one, eventIDs: list(eventID, { maxEntries: 10_000, help: 'Empty: all.' }) };
const access = first(
  { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationAdmins },
  { on: 'application', of: 'applicationID', allow: administrators },
);
const path = '/api/applications/{application_id}/deliveries';

export const SetDeliveryOptionsRequest = message('hilltop.SetDeliveryOptionsRequest', {
  ...one,
  keepOrder: bool({
    label: 'Keep the order of each device',
    help: 'When off, a rejected event does not delay later events of its device.',
  }),
  maxInFlight: uint32({ ...inFlight, help: '1 to 32. Use fewer for a slow endpoint.', required: true }),
});

export const delivery = ownOperationsOf('delivery', {
  overview: get(path, {
    summary: 'Get the delivery state of the integrations of an application or organization',
    request: message('hilltop.DeliveryOverviewRequest', owner),
    response: message('hilltop.DeliveryOverviewResponse', { result: listOf(DeliveryStatus) }),
    access,
  }),
  log: get(`${path}/{kind}/log`, {
    summary: 'List delivery attempts, newest first',
    request: message('hilltop.DeliveryLogRequest', {
      ...page,
      ...tries,
    }),
    response: message('hilltop.DeliveryLogResponse', { totalCount: int64(), result: listOf(DeliveryAttempt) }),
    access,
  }),
  streamLog: stream(`${path}/{kind}/live`, {
    summary: 'Watch delivery attempts: first the stored ones, oldest first, then each new one',
    request: message('hilltop.StreamDeliveryLogRequest', tries),
    response: DeliveryAttempt,
    access,
  }),
  test: post(`${path}/{kind}/test`, {
    summary: 'Send one test event and return the response; nothing else changes',
    request: message('hilltop.TestDeliveryRequest', {
      ...one,
      eventType,
      devEUI,
      configJSON: text({
        label: 'Configuration',
        help: 'Unsaved settings to test. Empty: the stored settings.',
        maxLength: 65_536,
        secret: true,
      }),
    }),
    response: message('hilltop.TestDeliveryResponse', {
      delivered: bool({ label: 'Delivered' }),
      status: uint32({ label: 'HTTP status' }),
      message: text({ label: 'What happened' }),
      milliseconds: uint32({ label: 'Took', unit: 'ms' }),
      eventID,
      isMadeUp: bool({ label: 'Example event', help: 'The event is an example, because no such event is stored.' }),
      requests: count({ label: 'Requests', help: '0 when this kind of integration does not send this type of event.' }),
      sent: text({ label: 'Sent', help: 'The beginning of the last request, without secrets.' }),
      excerpt: text({ label: 'Answer', help: 'The beginning of the response, without secrets.' }),
    }),
    access,
  }),
  sendAgain: post(`${path}/{kind}/again`, {
    summary: 'Send one stored event now',
    request: message('hilltop.SendAgainRequest', {
      ...one,
      eventID: loggedEventID,
    }),
    response: message('hilltop.SendAgainResponse', {
      delivered: bool({ label: 'Delivered' }),
      status: uint32({ label: 'HTTP status' }),
      message: text({ label: 'What happened' }),
      milliseconds: uint32({ label: 'Took', unit: 'ms' }),
    }),
    access,
  }),
  event: get(`${path}/{kind}/events/{event_id}`, {
    summary: 'Get a stored event',
    request: message('hilltop.LoggedEventRequest', { ...one, eventID: loggedEventID }),
    response: message('hilltop.LoggedEvent', {
      eventType,
      devEUI,
      at: timestamp({ label: 'Time of the event' }),
      payloadJSON: text({ label: 'Event', help: 'The event before the integration encodes it.' }),
    }),
    access,
  }),
  suspend: post(`${path}/{kind}/suspend`, {
    summary: 'Suspend an integration; its events wait',
    request: message('hilltop.SuspendDeliveryRequest', one),
    access,
  }),
  resume: post(`${path}/{kind}/resume`, {
    summary: 'Resume an integration',
    request: message('hilltop.ResumeDeliveryRequest', {
      ...one,
      from: oneOf(enumeration('hilltop.ResumeFrom', ['WHERE_IT_STOPPED', 'NOW']), { label: 'From' }),
    }),
    access,
  }),
  setOptions: put(`${path}/{kind}/options`, {
    summary: 'Choose order or speed',
    request: SetDeliveryOptionsRequest,
    access,
  }),
  startReplay: post(`${path}/{kind}/replays`, {
    summary: 'Send stored events again',
    request: message('hilltop.StartReplayRequest', {
      ...one,
      from: timestamp({ label: 'From', required: true }),
      to: timestamp({ label: 'To', required: true, notBefore: 'from' }),
      devEUI,
      eventTypes: list(eventType, { maxEntries: 32, help: 'Empty: all.' }),
      countOnly: bool({ label: 'Only count', help: 'Returns the number of events and sends nothing.' }),
    }),
    response: message('hilltop.StartReplayResponse', {
      id: uuid(),
      events: count({ label: 'Events' }),
      storedFrom: timestamp({ label: 'Stored from', help: 'The time of the oldest stored event.' }),
    }),
    access,
  }),
  listReplays: get(`${path}/{kind}/replays`, {
    summary: 'List replays, newest first',
    request: message('hilltop.ListReplaysRequest', one),
    response: message('hilltop.ListReplaysResponse', { result: listOf(Replay) }),
    access,
  }),
  cancelReplay: remove(`${path}/{kind}/replays/{id}`, {
    summary: 'Cancel a replay',
    request: message('hilltop.CancelReplayRequest', { ...one, id: uuid({ required: true }) }),
    access,
  }),
  listDead: get(`${path}/{kind}/dead`, {
    summary: 'List dead letters, newest first',
    request: message('hilltop.ListDeadLettersRequest', { ...page, ...one }),
    response: message('hilltop.ListDeadLettersResponse', { totalCount: int64(), result: listOf(DeadLetter) }),
    access,
  }),
  retryDead: post(`${path}/{kind}/dead/retry`, {
    summary: 'Retry dead letters',
    request: message('hilltop.RetryDeadLettersRequest', chosenEvents),
    response: message('hilltop.RetryDeadLettersResponse', { events: count() }),
    access,
  }),
  deleteDead: remove(`${path}/{kind}/dead`, {
    summary: 'Delete dead letters',
    request: message('hilltop.DeleteDeadLettersRequest', chosenEvents),
    response: message('hilltop.DeleteDeadLettersResponse', { events: count() }),
    access,
  }),
  ofDevice: get('/api/devices/{dev_eui}/deliveries', {
    summary: 'List recent deliveries of a device, newest first',
    request: message('hilltop.DeviceDeliveriesRequest', { devEUI: eui64({ required: true }) }),
    response: message('hilltop.DeviceDeliveriesResponse', { result: listOf(DeliveredEvent) }),
    access: only('device', 'devEUI', applicationReaders),
  }),
  all: get('/api/internal/deliveries', {
    summary: 'List the delivery state of all integrations, the worst first',
    request: message('hilltop.AllDeliveriesRequest', {
      ...page,
      organizationID: int64({ label: 'Organization ID', help: '0: all organizations, for global administrators.' }),
      onlyTroubled: bool({ label: 'Only those that are degraded or suspended' }),
    }),
    response: message('hilltop.AllDeliveriesResponse', { totalCount: int64(), result: listOf(DeliveryStatus) }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationAdmins },
      { on: 'global', allow: admins },
    ),
  }),
});
