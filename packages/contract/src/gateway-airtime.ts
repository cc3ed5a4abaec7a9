/** How long gateways receive and send. Ours: the recorded API counts packets only. */
import { first, listersOfOwn, only, organizationReaders } from './access.ts';
import { get, ownOperationsOf, smallPage } from './operation.ts';
import {
  bool,
  count,
  double,
  eui64,
  ifGiven,
  int64,
  listOf,
  message,
  text,
  timestamp,
  uint32,
  type ValueOf,
} from './wire.ts';

/** How long the airtime of an hour is kept, in days. */
export const airtimeKeptDays = 90;
/** The longest period of the list of gateways, in days. */
export const mostListedAirtimeDays = 8;

const ms = (label: string, help = '') => double({ label, unit: 'ms', ...(help && { help }) });

const received = {
  ownMs: ms('Own frames', 'Received from devices of this installation.'),
  foreignMs: ms('Foreign frames', 'Received from other devices.'),
  unreadableMs: ms('Unreadable frames', 'Received with a wrong checksum, or without a sender that can be read.'),
} as const;

export const AirtimeStep = message('hilltop.AirtimeStep', {
  startsAt: timestamp(),
  ...received,
  sentMs: ms('Sent'),
});
export type AirtimeStep = ValueOf<typeof AirtimeStep>;

export const AirtimeChannel = message('hilltop.AirtimeChannel', {
  frequency: uint32({ unit: 'Hz', help: '0: all frequencies beyond the 128 of an hour.' }),
  dr: ifGiven(uint32({ label: 'Data-rate', help: 'Absent where the region has no such data-rate.' })),
  ownMs: received.ownMs,
  foreignMs: received.foreignMs,
});
export type AirtimeChannel = ValueOf<typeof AirtimeChannel>;

export const AirtimeNetwork = message('hilltop.AirtimeNetwork', {
  netID: text({ label: 'NetID', help: 'Empty: frames without DevAddr, and the quietest networks of each hour.' }),
  ms: received.foreignMs,
});
export type AirtimeNetwork = ValueOf<typeof AirtimeNetwork>;

export const AirtimeDevice = message('hilltop.AirtimeDevice', {
  devEUI: eui64({ help: 'Empty for a device of an organization that the caller does not see.' }),
  name: text(),
  applicationID: int64(),
  organizationID: int64(),
  ms: received.ownMs,
});
export type AirtimeDevice = ValueOf<typeof AirtimeDevice>;

export const AirtimeSubBand = message('hilltop.AirtimeSubBand', {
  from: uint32({ unit: 'Hz' }),
  to: uint32({ unit: 'Hz' }),
  dutyCycle: double({ label: 'Limit', help: 'The share of an hour that a gateway may send: 0.01 is 1 %.' }),
  sentMs: ms('Sent'),
  fullestHourMs: ms('Fullest hour', 'The most that was sent in one hour.'),
});
export type AirtimeSubBand = ValueOf<typeof AirtimeSubBand>;

const period = {
  start: timestamp({ label: 'From', help: 'The hour in which it is counts.', required: true }),
  end: timestamp({ label: 'To', required: true, notBefore: 'start' }),
} as const;

const isReported = bool({
  label: 'Is reported',
  help: 'False for a gateway of a remote network-server, which does not report frames.',
});

export const ListedAirtime = message('hilltop.ListedAirtime', {
  gatewayID: eui64(),
  name: text(),
  isReported,
  ...received,
  sentMs: ms('Sent'),
  fullest: double({
    label: 'Fullest hour',
    help: 'The largest share of the limit of a sub-band that was sent in one hour: 1 is all of it.',
  }),
});
export type ListedAirtime = ValueOf<typeof ListedAirtime>;

export const gatewayAirtime = ownOperationsOf('gatewayAirtime', {
  get: get('/api/gateways/{gateway_id}/airtime', {
    summary: 'How long a gateway received and sent, by channel, network, device and sub-band',
    request: message('hilltop.GetGatewayAirtimeRequest', { gatewayID: eui64({ required: true }), ...period }),
    response: message('hilltop.GetGatewayAirtimeResponse', {
      isReported,
      region: text({ label: 'Region' }),
      ...received,
      sentMs: ms('Sent'),
      unreadableFrames: count({ label: 'Unreadable frames' }),
      stepMs: double({ label: 'Step', help: 'Milliseconds of a step: an hour, or a day in UTC.' }),
      steps: listOf(AirtimeStep, { help: 'Oldest first, without empty ones.' }),
      channels: listOf(AirtimeChannel, { help: 'By frequency and data-rate.' }),
      networks: listOf(AirtimeNetwork, { help: 'Foreign networks, the loudest first.' }),
      devices: listOf(AirtimeDevice, { help: 'The ten own devices with the most airtime.' }),
      subBands: listOf(AirtimeSubBand, { help: 'Empty where the region limits no duty cycle.' }),
    }),
    access: only('gateway', 'gatewayID', organizationReaders),
  }),
  list: get('/api/gateway-airtime', {
    summary: 'How long the gateways of an organization, or all that the caller sees, received and sent',
    request: message('hilltop.ListGatewayAirtimeRequest', {
      ...smallPage,
      organizationID: int64(),
      start: period.start,
      end: timestamp({
        label: 'To',
        help: `At most ${mostListedAirtimeDays} days later.`,
        required: true,
        notBefore: 'start',
      }),
    }),
    response: message('hilltop.ListGatewayAirtimeResponse', {
      totalCount: int64(),
      result: listOf(ListedAirtime, { help: 'Those that received the most first.' }),
    }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
});
