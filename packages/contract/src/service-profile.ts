import { admins, first, globally, listersOfOwn, only, organizationReaders } from './access.ts';
import { extended, get, including, operationsOf, page, post, put, remove, searchable, sortable } from './operation.ts';
import { networkServerOfProfile, ownerOrganization, plainName } from './rules.ts';
import {
  bool,
  bytes,
  enumeration,
  ifGiven,
  int64,
  listOf,
  message,
  needed,
  oneOf,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

const noRoaming = 'Not available: the embedded network-server stores but ignores this value.';
const RatePolicy = enumeration('api.RatePolicy', ['DROP', 'MARK']);

export const ServiceProfile = message(
  'api.ServiceProfile',
  {
    id: uuid({ label: 'Service-profile ID' }),
    name: text({ ...plainName, label: 'Service-profile name', help: 'A name to identify the service-profile.' }),
    organizationID: int64(ownerOrganization),
    networkServerID: int64({
      ...networkServerOfProfile,
      help: 'The network-server on which this service-profile is used. It cannot be changed later.',
    }),
    ulRate: uint32({ label: 'Uplink rate' }),
    ulBucketSize: uint32({ label: 'Uplink burst size' }),
    ulRatePolicy: oneOf(RatePolicy, { label: 'Uplink rate policy' }),
    dlRate: uint32({ label: 'Downlink rate' }),
    dlBucketSize: uint32({ label: 'Downlink burst size' }),
    dlRatePolicy: oneOf(RatePolicy, { label: 'Downlink rate policy' }),
    addGWMetaData: bool({
      label: 'Add gateway meta-data',
      help: 'Uplinks contain the signal strength, signal-to-noise ratio and location of each gateway.',
      proto: 'add_gw_metadata',
    }),
    devStatusReqFreq: uint32({
      label: 'Device-status request frequency',
      help: 'How often the network-server requests the device-status. 0 disables it.',
      unit: 'requests / day',
    }),
    reportDevStatusBattery: bool({ label: 'Report device battery level to the application' }),
    reportDevStatusMargin: bool({ label: 'Report device link margin to the application' }),
    drMin: uint32({
      label: 'Minimum allowed data-rate',
      help: 'The lowest data-rate that adaptive data-rate uses.',
      max: 15,
      form: { required: true },
    }),
    drMax: uint32({
      label: 'Maximum allowed data-rate',
      help: 'The highest data-rate that adaptive data-rate uses.',
      max: 15,
      form: { required: true },
    }),
    channelMask: bytes({ label: 'Channel mask', maxBytes: 16 }),
    prAllowed: bool({ label: 'Passive roaming allowed', help: noRoaming }),
    hrAllowed: bool({ label: 'Handover roaming allowed', help: noRoaming }),
    raAllowed: bool({ label: 'Roaming activation allowed', help: noRoaming }),
    nwkGeoLoc: bool({
      label: 'Enable network geolocation',
      help: 'Locates devices that at least three gateways with a known position receive, by fine timestamps or signal strength.',
    }),
    targetPER: uint32({ label: 'Target packet error rate', unit: '%' }),
    minGWDiversity: uint32({ label: 'Minimum number of receiving gateways' }),
    gwsPrivate: bool({
      label: 'Private gateways',
      help: 'Gateways of this service-profile serve only devices of this service-profile.',
    }),
  },
  [1, 21, 22, 23, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 24],
);
export type ServiceProfile = ValueOf<typeof ServiceProfile>;

const RecordedListItem = message('api.ServiceProfileListItem', {
  id: text(),
  name: text(),
  organizationID: int64(),
  networkServerID: int64(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
  networkServerName: text(),
});
/** The counts are returned on request by `include=counts`. */
export const ServiceProfileListItem = extended(RecordedListItem, {
  applicationCount: [1000, ifGiven(uint32({ label: 'Applications' }))],
  deviceCount: [1001, ifGiven(uint32({ label: 'Devices' }))],
});
export type ServiceProfileListItem = ValueOf<typeof ServiceProfileListItem>;

const oneProfile = { id: uuid({ required: true }) } as const;

export const serviceProfile = operationsOf('serviceProfile', 'ServiceProfileService', {
  list: get('/api/service-profiles', {
    summary: 'List service-profiles by name',
    request: searchable(
      including(
        sortable(
          message('api.ListServiceProfileRequest', { ...page, organizationID: int64(), networkServerID: int64() }),
          ServiceProfileListItem,
          'name',
          'networkServerName',
          'createdAt',
        ),
        'counts',
      ),
    ),
    response: message('api.ListServiceProfileResponse', {
      totalCount: int64(),
      result: listOf(ServiceProfileListItem),
    }),
    access: first(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
  get: get('/api/service-profiles/{id}', {
    summary: 'Get a service-profile',
    request: message('api.GetServiceProfileRequest', oneProfile),
    response: message('api.GetServiceProfileResponse', {
      serviceProfile: needed(ServiceProfile),
      createdAt: timestamp(),
      updatedAt: timestamp(),
    }),
    access: only('record', 'id', organizationReaders),
  }),
  create: post('/api/service-profiles', {
    summary: 'Create a service-profile',
    request: message('api.CreateServiceProfileRequest', { serviceProfile: needed(ServiceProfile) }),
    response: message('api.CreateServiceProfileResponse', { id: text() }),
    access: globally(...admins),
  }),
  update: put('/api/service-profiles/{service_profile.id}', {
    summary: 'Update a service-profile; its organization and network-server do not change',
    request: message('api.UpdateServiceProfileRequest', { serviceProfile: needed(ServiceProfile) }),
    access: only('record', 'serviceProfile.id', admins),
  }),
  delete: remove('/api/service-profiles/{id}', {
    summary: 'Delete a service-profile that nothing uses',
    request: message('api.DeleteServiceProfileRequest', oneProfile),
    access: only('record', 'id', admins),
  }),
});
