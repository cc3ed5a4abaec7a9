import { first, gatewayAdmins, listersOfOwn, only, organizationReaders } from './access.ts';
import { GatewayLink } from './connecting.ts';
import { StreamGatewayFrameLogsResponse } from './frame-log.ts';
import { gatewayFilters } from './list-fields.ts';
import { Location } from './location.ts';
import {
  extended,
  filterable,
  get,
  including,
  includingSome,
  operationsOf,
  post,
  put,
  remove,
  smallPage,
  sortable,
  stream,
} from './operation.ts';
import {
  description,
  ownerOrganization,
  shortText,
  statsInterval,
  strictName,
  tagLimits,
  tags,
  tagValue,
} from './rules.ts';
import {
  aes128Key,
  bool,
  double,
  eui64,
  ifGiven,
  int32,
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

export const GatewayBoard = message('api.GatewayBoard', {
  fpgaID: eui64({ label: 'FPGA ID', help: 'Optional, 8 bytes.' }),
  fineTimestampKey: aes128Key({
    label: 'Fine-timestamp decryption key',
    help: 'Optional, 16 bytes. With it the network-server decrypts the fine timestamps of this board.',
    secret: true,
  }),
});
export type GatewayBoard = ValueOf<typeof GatewayBoard>;

export const Gateway = message('api.Gateway', {
  id: eui64({
    label: 'Gateway ID',
    help: 'The EUI of the gateway: 8 bytes.',
    required: true,
    fixed: true,
  }),
  name: text({ ...strictName, label: 'Gateway name' }),
  description: text({ ...description, label: 'Gateway description', form: { required: true } }),
  location: optional(Location, { label: 'Gateway location' }),
  organizationID: int64(ownerOrganization),
  discoveryEnabled: bool({
    label: 'Gateway discovery enabled',
    help: 'The gateway sends pings when its network-server has gateway discovery enabled.',
  }),
  networkServerID: int64({
    label: 'Network-server',
    help: 'The network-server the gateway connects to. It cannot be changed later.',
    fixed: true,
    form: { required: true },
  }),
  gatewayProfileID: uuid({ label: 'Gateway-profile', help: 'Optional: the channels the gateway is configured with.' }),
  boards: listOf(GatewayBoard, { maxEntries: 16, label: 'Boards' }),
  tags: map('text', text(tagValue), {
    ...tagLimits,
    label: 'Tags',
    help: 'Names with values, for search and grouping.',
  }),
  metadata: map('text', text({ maxLength: 65_536 }), {
    maxEntries: 1000,
    maxNameLength: 1024,
    label: 'Metadata',
    help: 'Reported by the gateway with its statistics.',
  }),
  serviceProfileID: uuid({
    label: 'Service-profile',
    help: 'Optional: the service-profile the gateway belongs to. It cannot be changed later.',
    fixed: true,
  }),
});
export type Gateway = ValueOf<typeof Gateway>;

const RecordedListItem = message(
  'api.GatewayListItem',
  {
    id: text(),
    name: text(),
    description: text(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    firstSeenAt: timestamp(),
    lastSeenAt: timestamp(),
    organizationID: int64(),
    networkServerID: int64(),
    location: optional(Location),
    networkServerName: text(),
  },
  [1, 2, 3, 4, 5, 8, 9, 6, 7, 10, 11],
);
const GatewayActivity = message('hilltop.GatewayActivity', {
  framesPerDay: list(uint32(), { label: 'Received and sent frames of each of the last 30 days, today last' }),
});
/** Each is returned on request by `include`. */
export const GatewayListItem = extended(RecordedListItem, {
  activity: [1000, ifGiven(needed(GatewayActivity))],
  tags: [1001, ifGiven(map('text', text(tagValue), tags))],
  organizationName: [1002, ifGiven(text({ label: 'Organization', help: 'With include=organization.' }))],
});
export type GatewayListItem = ValueOf<typeof GatewayListItem>;

/** Returned on request by `include=clock` and `include=connection`. */
const clockOffset = ifGiven(
  double({
    label: 'Clock offset',
    help: 'How far the clock of the gateway is ahead of the server; negative when it is behind. Present when it exceeds the tolerance in the radio settings of the network-server.',
    unit: 's',
  }),
);

export const GatewayConnection = message('hilltop.GatewayConnection', {
  link: oneOf(GatewayLink),
  address: text({ help: 'Where the gateway sends from; empty behind a broker.' }),
});
export type GatewayConnection = ValueOf<typeof GatewayConnection>;

/** Returned on request by `include=connection`, while a gateway is connected to an embedded network-server. */
const connection = ifGiven(optional(GatewayConnection, { label: 'Connection' }));

/** A gateway that was last seen longer ago is offline. */
export const gatewayOnlineMs = 5 * 60 * 1000;

const counters = map('uint32', uint32());

export const GatewayStats = message('api.GatewayStats', {
  timestamp: timestamp(),
  rxPacketsReceived: int32(),
  rxPacketsReceivedOK: int32(),
  txPacketsReceived: int32(),
  txPacketsEmitted: int32(),
  txPacketsPerFrequency: counters,
  rxPacketsPerFrequency: counters,
  txPacketsPerDr: counters,
  rxPacketsPerDr: counters,
  txPacketsPerStatus: map('text', uint32()),
});
export type GatewayStats = ValueOf<typeof GatewayStats>;

export const PingRX = message('api.PingRX', {
  gatewayID: text(),
  rssi: int32({ unit: 'dBm' }),
  loRaSNR: double({ unit: 'dB' }),
  latitude: double(),
  longitude: double(),
  altitude: double(),
});
export type PingRX = ValueOf<typeof PingRX>;

const byID = { id: eui64({ required: true }) } as const;
const byGatewayID = { gatewayID: eui64({ required: true }) } as const;

export const gateway = operationsOf('gateway', 'GatewayService', {
  list: get('/api/gateways', {
    summary: 'List gateways by name; search by name or ID',
    request: includingSome(
      filterable(
        sortable(
          message('api.ListGatewayRequest', { ...smallPage, organizationID: int64(), search: text(shortText) }),
          GatewayListItem,
          'id',
          'name',
          'networkServerName',
          'createdAt',
          'firstSeenAt',
          'lastSeenAt',
        ),
        gatewayFilters,
      ),
      'activity',
      'tags',
      'organization',
    ),
    response: message('api.ListGatewayResponse', { totalCount: int64(), result: listOf(GatewayListItem) }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
  get: get('/api/gateways/{id}', {
    summary: 'Get a gateway',
    request: including(message('api.GetGatewayRequest', byID), 'clock', 'connection'),
    response: extended(
      message('api.GetGatewayResponse', {
        gateway: needed(Gateway),
        createdAt: timestamp(),
        updatedAt: timestamp(),
        firstSeenAt: timestamp(),
        lastSeenAt: timestamp(),
      }),
      { clockOffset: [1000, clockOffset], connection: [1001, connection] },
    ),
    access: only('gateway', 'id', organizationReaders),
  }),
  create: post('/api/gateways', {
    summary: 'Create a gateway',
    request: message('api.CreateGatewayRequest', { gateway: needed(Gateway) }),
    access: only('organization', 'gateway.organizationID', gatewayAdmins, {
      needs: ['canHaveGateways', 'networkServerLink'],
      networkServer: 'gateway.networkServerID',
    }),
  }),
  update: put('/api/gateways/{gateway.id}', {
    summary: 'Update a gateway; its organization and network-server do not change',
    request: message('api.UpdateGatewayRequest', { gateway: needed(Gateway) }),
    access: only('gateway', 'gateway.id', gatewayAdmins),
  }),
  delete: remove('/api/gateways/{id}', {
    summary: 'Delete a gateway',
    request: message('api.DeleteGatewayRequest', byID),
    access: only('gateway', 'id', gatewayAdmins),
  }),
  getStats: get('/api/gateways/{gateway_id}/stats', {
    summary: 'Packets received and sent, one record for each interval from start to end',
    request: message('api.GetGatewayStatsRequest', {
      ...byGatewayID,
      interval: text(statsInterval),
      startTimestamp: timestamp({ required: true }),
      endTimestamp: timestamp({ required: true }),
    }),
    response: message('api.GetGatewayStatsResponse', { result: listOf(GatewayStats) }),
    access: only('gateway', 'gatewayID', organizationReaders),
  }),
  getLastPing: get('/api/gateways/{gateway_id}/pings/last', {
    summary: 'The last discovery ping of a gateway and who received it',
    request: message('api.GetLastPingRequest', byGatewayID),
    response: message('api.GetLastPingResponse', {
      createdAt: timestamp(),
      frequency: uint32({ unit: 'Hz' }),
      dr: uint32(),
      pingRX: listOf(PingRX),
    }),
    access: only('gateway', 'gatewayID', organizationReaders),
  }),
  generateGatewayClientCertificate: post('/api/gateways/{gateway_id}/generate-certificate', {
    summary: 'Issue a client certificate for a gateway; its private key is returned once',
    request: message('api.GenerateGatewayClientCertificateRequest', { gatewayId: eui64({ required: true }) }),
    response: message('api.GenerateGatewayClientCertificateResponse', {
      tlsCert: text(),
      tlsKey: text({ secret: true }),
      caCert: text(),
      expiresAt: timestamp(),
    }),
    access: only('gateway', 'gatewayId', gatewayAdmins),
  }),
  streamFrameLogs: stream('/api/gateways/{gateway_id}/frames', {
    summary: 'Watch the LoRaWAN frames a gateway receives and sends',
    request: message('api.StreamGatewayFrameLogsRequest', byGatewayID),
    response: StreamGatewayFrameLogsResponse,
    access: only('gateway', 'gatewayID', organizationReaders),
  }),
});
