/** When a gateway was online, and why it was not. The recorded API has only when it was last seen. */
import { only, organizationReaders } from './access.ts';
import { enoughMargin } from './enough-margin.ts';
import { get, ownOperationsOf, smallPage } from './operation.ts';
import {
  bool,
  double,
  enumeration,
  eui64,
  ifGiven,
  int64,
  listOf,
  message,
  oneOf,
  text,
  timestamp,
  uint32,
  type ValueOf,
} from './wire.ts';

/** How long outages are kept, in days. */
export const outagesKeptDays = 400;
/** The longest period that is divided into hours, in days. */
export const mostAvailabilityHourDays = 31;

const seconds = (label: string, help = '') => uint32({ label, unit: 's', ...(help && { help }) });

const part = {
  start: timestamp(),
  online: seconds('Online'),
  offline: seconds('Offline'),
  stopped: seconds('Server stopped', 'No server was running. Whatever is left of the time is not known.'),
} as const;
const AvailabilityHour = message('hilltop.AvailabilityHour', part);
export type AvailabilityHour = ValueOf<typeof AvailabilityHour>;

export const AvailabilityDay = message('hilltop.AvailabilityDay', {
  ...part,
  hours: listOf(AvailabilityHour, { help: `Empty for a period of more than ${mostAvailabilityHourDays} days.` }),
});
export type AvailabilityDay = ValueOf<typeof AvailabilityDay>;

export const GatewayOutage = message('hilltop.GatewayOutage', {
  start: timestamp({ label: 'From' }),
  end: timestamp({ label: 'To', help: 'Null while it lasts.' }),
  reason: text({ label: 'Reason', help: 'In words, such as "no PULL_DATA for 90 s" or "server stopped".' }),
  isServerStop: bool({ help: 'No server was running; it does not count as offline.' }),
});
export type GatewayOutage = ValueOf<typeof GatewayOutage>;

/** OFFLINE: in an outage. NEVER: nothing was heard yet. */
const GatewayState = enumeration('hilltop.GatewayState', ['NEVER', 'ONLINE', 'OFFLINE']);

export const GatewayAvailability = message('hilltop.GetGatewayAvailabilityResponse', {
  state: oneOf(GatewayState),
  heardAt: timestamp({ label: 'Last sign of life', help: 'Of any kind; it is stored some seconds later.' }),
  knownFrom: timestamp({ label: 'Known from', help: 'When outages of the gateway began to be stored; null: not yet.' }),
  onlineWindow: seconds('Online window', 'A gateway is online when anything was received from it within this time.'),
  hasOnlyStatistics: bool({ help: 'Its network-server is remote and reports only statistics.' }),
  onlineShare: ifGiven(
    double({ label: 'Online', help: 'The share of the known time, from 0 to 1; absent when nothing is known.' }),
  ),
  days: listOf(AvailabilityDay),
  outageCount: uint32({ help: 'Of the period, also those beyond the list.' }),
  outages: listOf(GatewayOutage, { help: 'The latest first, at most 500.' }),
});
export type GatewayAvailability = ValueOf<typeof GatewayAvailability>;

export const DependentDevice = message('hilltop.DependentDevice', {
  devEUI: eui64(),
  name: text(),
  applicationID: int64(),
  organizationID: int64(),
  uplinks: uint32({ label: 'Uplinks', help: 'That this gateway received in the last 24 hours.' }),
  otherMargin: ifGiven(
    double({
      label: 'Other gateways',
      unit: 'dB',
      help: 'How far the best reception by another gateway was above the least SNR of its data-rate; absent when there was none.',
    }),
  ),
});
export type DependentDevice = ValueOf<typeof DependentDevice>;

const gatewayID = eui64({ required: true });

export const gatewayAvailability = ownOperationsOf('gatewayAvailability', {
  get: get('/api/gateways/{gateway_id}/availability', {
    summary: 'Get when a gateway was online from start to end, and its outages with their reasons',
    request: message('hilltop.GetGatewayAvailabilityRequest', {
      gatewayID,
      start: timestamp({ label: 'From', help: 'The day in which it is counts.', required: true }),
      end: timestamp({ label: 'To', required: true, notBefore: 'start' }),
    }),
    response: GatewayAvailability,
    access: only('gateway', 'gatewayID', organizationReaders),
  }),
  listDependents: get('/api/gateways/{gateway_id}/dependents', {
    summary: `List devices that in the last 24 hours only this gateway received, or other gateways with less than ${enoughMargin} dB of margin`,
    request: message('hilltop.ListGatewayDependentsRequest', { gatewayID, ...smallPage }),
    response: message('hilltop.ListGatewayDependentsResponse', {
      totalCount: int64(),
      soleCount: uint32({ help: 'Of them, devices that only this gateway received.' }),
      result: listOf(DependentDevice),
      examinedCount: uint32({ help: 'Devices with uplinks in the last 24 hours, as far as they were examined.' }),
      unknownCount: uint32({
        help: 'Of them, devices whose uplinks have no gateway metadata: the service-profile does not add it.',
      }),
      isPartial: bool({ help: 'There were more devices to examine.' }),
      computedAt: timestamp({ help: 'The list may be some minutes old.' }),
    }),
    access: only('gateway', 'gatewayID', organizationReaders),
  }),
});
