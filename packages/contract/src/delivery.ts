/**
 * The state of deliveries: status and attempts of each integration, and actions of users. Not in the recorded API,
 * which drops a delivery after it has failed. Application 0 stands for global integrations, which only global
 * administrators see.
 */
import { administrators, admins, applicationReaders, first, only, organizationAdmins } from './access.ts';
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

const eventTypes = ['up', 'join', 'ack', 'txack', 'status', 'error', 'location', 'integration'] as const;

const applicationID = int64({ label: 'Application ID' });
const kind = text({ label: 'Kind', help: 'As the list of integrations names it, such as HTTP.', maxLength: 40 });
const eventID = text({ label: 'Event ID', maxLength: 100 });
const eventType = text({ label: 'Event', values: eventTypes });
const devEUI = eui64({ label: 'Device EUI' });
const inFlight = { label: 'Requests at once', min: 1, max: 32 } as const;

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
  reason: text({ label: 'Reason', help: 'Why it is not healthy, and what to do.' }),
  since: timestamp({ label: 'Since' }),
  behindEvents: count({
    label: 'Events waiting',
    help: 'Of the types it takes behind the position it has reached, and those set aside.',
  }),
  oldestAt: timestamp({ label: 'Oldest waiting event' }),
  parked: count({ label: 'Set aside', help: 'Events that are tried again by themselves while others pass.' }),
  dead: count({ label: 'Dead letters' }),
  inFlight: uint32({ label: 'Under way' }),
  nextTryAt: timestamp({ label: 'Next try' }),
  lastSuccessAt: timestamp({ label: 'Last delivered' }),
  keepOrder: bool({ label: 'Keep the order of each device' }),
  maxInFlight: uint32(inFlight),
  hours: listOf(DeliveryHour, { label: 'The last 24 hours, oldest first' }),
  organizationID: int64({ label: 'Organization ID', help: '0 for integrations of the whole installation.' }),
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
  line: count({ label: 'Line', help: 'Grows by one with each line of the integration.' }),
  at: timestamp({ label: 'Time' }),
  eventID,
  eventType,
  devEUI,
  outcome: oneOf(DeliveryOutcome, { label: 'Outcome' }),
  status: uint32({ label: 'HTTP status', help: '0 when nothing came back.' }),
  message: text({ label: 'What happened' }),
  milliseconds: uint32({ label: 'Took', unit: 'ms' }),
  attempt: uint32({ label: 'Try' }),
  bytes: uint32({ label: 'Sent', unit: 'B' }),
  excerpt: text({ label: 'Answer', help: 'The beginning of what came back, without secrets.' }),
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

const one = { applicationID, kind };
const tries = { ...one, outcome: text({ label: 'Outcome', values: DeliveryOutcome.names }), devEUI };
const loggedEventID = text({
  label: 'Event ID',
  required: true,
  maxLength: 64,
  pattern: '^[0-9a-f]{16}-\\d{1,15}-\\d{1,9}$',
  message: 'This is not the ID of an event: take it from the list of deliveries.',
});
const chosenEvents = { ...one, eventIDs: list(eventID, { maxEntries: 10_000, help: 'All when none are named.' }) };
const access = only('application', 'applicationID', administrators);
const path = '/api/applications/{application_id}/deliveries';

export const SetDeliveryOptionsRequest = message('hilltop.SetDeliveryOptionsRequest', {
  ...one,
  keepOrder: bool({
    label: 'Keep the order of each device',
    help: 'Without it, an event that is refused does not keep later ones of its device waiting.',
  }),
  maxInFlight: uint32({ ...inFlight, help: 'From 1 to 32: fewer spare an endpoint that is slow.', required: true }),
});

export const delivery = ownOperationsOf('delivery', {
  overview: get(path, {
    summary: 'Tell how the integrations of an application are doing',
    request: message('hilltop.DeliveryOverviewRequest', { applicationID }),
    response: message('hilltop.DeliveryOverviewResponse', { result: listOf(DeliveryStatus) }),
    access,
  }),
  log: get(`${path}/{kind}/log`, {
    summary: 'List what was tried, the newest first',
    request: message('hilltop.DeliveryLogRequest', {
      ...page,
      ...tries,
    }),
    response: message('hilltop.DeliveryLogResponse', { totalCount: int64(), result: listOf(DeliveryAttempt) }),
    access,
  }),
  streamLog: stream(`${path}/{kind}/live`, {
    summary:
      'Watch what is tried: what is kept of it first, the oldest at its beginning, then each try as it is written',
    request: message('hilltop.StreamDeliveryLogRequest', tries),
    response: DeliveryAttempt,
    access,
  }),
  test: post(`${path}/{kind}/test`, {
    summary: 'Send one event and tell what came back; nothing else changes',
    request: message('hilltop.TestDeliveryRequest', {
      ...one,
      eventType,
      devEUI,
      configJSON: text({
        label: 'Configuration',
        help: 'The integration as it would be saved. Empty: as it is saved.',
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
      isMadeUp: bool({ label: 'Made up', help: 'There was no such event yet, so one was made up.' }),
      requests: count({ label: 'Requests', help: '0 when this kind sends nothing for such an event.' }),
      sent: text({ label: 'Sent', help: 'The beginning of the last request, without secrets.' }),
      excerpt: text({ label: 'Answer', help: 'The beginning of what came back, without secrets.' }),
    }),
    access,
  }),
  sendAgain: post(`${path}/{kind}/again`, {
    summary: 'Send one event of the past at once, as far as it is kept',
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
    summary: 'Tell what an event of the past says, as far as it is kept',
    request: message('hilltop.LoggedEventRequest', { ...one, eventID: loggedEventID }),
    response: message('hilltop.LoggedEvent', {
      eventType,
      devEUI,
      at: timestamp({ label: 'Time of the event' }),
      payloadJSON: text({ label: 'Event', help: 'As it stands before the integration writes it in its own format.' }),
    }),
    access,
  }),
  suspend: post(`${path}/{kind}/suspend`, {
    summary: 'Suspend an integration; its events wait',
    request: message('hilltop.SuspendDeliveryRequest', one),
    access,
  }),
  resume: post(`${path}/{kind}/resume`, {
    summary: 'Let an integration go on',
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
    summary: 'Send events of the past again, as far as they are kept',
    request: message('hilltop.StartReplayRequest', {
      ...one,
      from: timestamp({ label: 'From', required: true }),
      to: timestamp({ label: 'To', required: true }),
      devEUI,
      eventTypes: list(eventType, { maxEntries: 32, help: 'All when none are named.' }),
      countOnly: bool({ label: 'Only count', help: 'Answers the number of events and sends nothing.' }),
    }),
    response: message('hilltop.StartReplayResponse', {
      id: uuid(),
      events: count({ label: 'Events' }),
      keptFrom: timestamp({ label: 'Kept from', help: 'The time of the oldest event that is kept.' }),
    }),
    access,
  }),
  listReplays: get(`${path}/{kind}/replays`, {
    summary: 'List replays, the newest first',
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
    summary: 'List the events that were given up, the newest first',
    request: message('hilltop.ListDeadLettersRequest', { ...page, ...one }),
    response: message('hilltop.ListDeadLettersResponse', { totalCount: int64(), result: listOf(DeadLetter) }),
    access,
  }),
  retryDead: post(`${path}/{kind}/dead/retry`, {
    summary: 'Try events again that were given up',
    request: message('hilltop.RetryDeadLettersRequest', chosenEvents),
    response: message('hilltop.RetryDeadLettersResponse', { events: count() }),
    access,
  }),
  deleteDead: remove(`${path}/{kind}/dead`, {
    summary: 'Forget events that were given up',
    request: message('hilltop.DeleteDeadLettersRequest', chosenEvents),
    response: message('hilltop.DeleteDeadLettersResponse', { events: count() }),
    access,
  }),
  ofDevice: get('/api/devices/{dev_eui}/deliveries', {
    summary: 'Tell where the recent events of a device went, the newest first',
    request: message('hilltop.DeviceDeliveriesRequest', { devEUI: eui64({ required: true }) }),
    response: message('hilltop.DeviceDeliveriesResponse', { result: listOf(DeliveredEvent) }),
    access: only('device', 'devEUI', applicationReaders),
  }),
  all: get('/api/internal/deliveries', {
    summary: 'Tell how all integrations are doing, the worst first',
    request: message('hilltop.AllDeliveriesRequest', {
      ...page,
      organizationID: int64({ label: 'Organization ID', help: '0: of all of them, for global administrators.' }),
      onlyTroubled: bool({ label: 'Only those that are degraded or suspended' }),
    }),
    response: message('hilltop.AllDeliveriesResponse', { totalCount: int64(), result: listOf(DeliveryStatus) }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationAdmins },
      { on: 'global', allow: admins },
    ),
  }),
});
