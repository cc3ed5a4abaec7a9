import { applicationReaders, deviceAdmins, every, limitedReaders, only, organizationReaders } from './access.ts';
import { StreamDeviceFrameLogsResponse } from './frame-log.ts';
import { deviceFilters } from './list-fields.ts';
import { Location } from './location.ts';
import {
  extended,
  filterable,
  get,
  including,
  includingSome,
  operationsOf,
  page,
  post,
  put,
  remove,
  sortable,
  stream,
} from './operation.ts';
import { description, shortText, statsInterval, strictName, tagLimits, tags, tagValue } from './rules.ts';
import {
  aes128Key,
  bool,
  devAddr,
  double,
  enumeration,
  eui64,
  float,
  ifGiven,
  int32,
  int64,
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

const devEUI = eui64({
  label: 'Device EUI',
  help: 'The EUI of the device: 8 bytes.',
  required: true,
  fixed: true,
});

/** The pattern of new or changed names. Older versions accepted any name; those stay valid until they change. */
export const deviceName = { pattern: strictName.pattern, message: strictName.message } as const;

export const Device = message('api.Device', {
  devEUI,
  name: text({
    label: 'Device name',
    help: 'Words, numbers and dashes.',
    maxLength: 100,
    form: { required: true, ...deviceName },
  }),
  applicationID: int64({ label: 'Application', required: true }),
  description: text({ ...description, label: 'Device description', form: { required: true } }),
  deviceProfileID: uuid({ label: 'Device-profile', required: true }),
  skipFCntCheck: bool({
    label: 'Disable frame-counter validation',
    help: 'Accepts devices that restart their frame-counters. It also allows anybody to replay recorded frames.',
  }),
  referenceAltitude: double({
    label: 'Reference altitude',
    help: 'The reference altitude for geolocation.',
    unit: 'm',
  }),
  variables: map('text', text({ maxLength: 4096 }), {
    maxEntries: 256,
    maxNameLength: 128,
    label: 'Variables',
    help: 'Names with values for the codec of the device-profile and for integrations.',
  }),
  tags: map('text', text(tagValue), tags),
  isDisabled: bool({
    label: 'Device is disabled',
    help: 'The network-server ignores uplinks of a disabled device.',
  }),
});
export type Device = ValueOf<typeof Device>;

const DeviceState = enumeration('hilltop.DeviceState', ['NEVER_SEEN', 'ACTIVE', 'INACTIVE', 'JOIN_REFUSED']);
/** Returned on request by `include=state`. */
const state = ifGiven(
  oneOf(DeviceState, {
    label: 'State',
    help: 'Active: received within 1.5 uplink intervals. Otherwise: whether its last join-request was refused.',
  }),
);
const RecordedListItem = message(
  'api.DeviceListItem',
  {
    devEUI: text(),
    name: text(),
    applicationID: int64(),
    description: text(),
    deviceProfileID: text(),
    deviceProfileName: text(),
    deviceStatusBattery: uint32(),
    /** 256 when unknown. */
    deviceStatusMargin: int32(),
    deviceStatusExternalPowerSource: bool(),
    deviceStatusBatteryLevelUnavailable: bool(),
    deviceStatusBatteryLevel: float({ unit: '%' }),
    lastSeenAt: timestamp(),
  },
  [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 9],
);

const DeviceHealth = message('hilltop.DeviceHealth', {
  uplinks: uint32({ label: 'Uplinks' }),
  rssi: ifGiven(float({ label: 'RSSI', help: 'Average of the best gateways.', unit: 'dBm' })),
  snr: ifGiven(float({ label: 'SNR', help: 'Average of the best gateways.', unit: 'dB' })),
  loss: ifGiven(
    float({ label: 'Loss', help: 'Missing uplinks of today and yesterday, by their frame-counters.', unit: '%' }),
  ),
  codecErrorAt: ifGiven(timestamp({ label: 'Last codec error', help: 'Of any time.' })),
});

/** Each is returned on request by `include`; one without a value is left out. */
export const DeviceListItem = extended(RecordedListItem, {
  state: [1000, state],
  isDisabled: [1001, ifGiven(bool({ label: 'Device is disabled', help: 'With include=state.' }))],
  tags: [1002, ifGiven(map('text', text(tagValue), tags))],
  devAddr: [1003, ifGiven(text({ label: 'Device address' }))],
  dr: [1004, ifGiven(uint32({ label: 'Data-rate of the last uplink' }))],
  health: [1005, ifGiven(needed(DeviceHealth, { label: 'Last 24 hours' }))],
  createdAt: [1006, ifGiven(timestamp({ label: 'Created' }))],
  applicationName: [1007, ifGiven(text({ label: 'Application' }))],
  lastValues: [1008, ifGiven(text({ label: 'Last values', help: 'JSON of the last decoded uplink, up to 4 kB.' }))],
  organizationID: [1009, ifGiven(int64({ label: 'ID of the organization', help: 'With include=organization.' }))],
  organizationName: [1010, ifGiven(text({ label: 'Organization', help: 'With include=organization.' }))],
});
export type DeviceListItem = ValueOf<typeof DeviceListItem>;

/** The additions of a list of devices, by `include`. */
export const deviceIncludes = [
  'state',
  'tags',
  'devAddr',
  'dr',
  'health',
  'createdAt',
  'applicationName',
  'lastValues',
  'organization',
] as const;
export type DeviceInclude = (typeof deviceIncludes)[number];

export const DeviceKeys = message('api.DeviceKeys', {
  devEUI,
  nwkKey: aes128Key({
    label: 'Network key',
    help: 'For LoRaWAN 1.0 devices this is the application key.',
    required: true,
    secret: true,
  }),
  appKey: aes128Key({
    label: 'Application key',
    help: 'Only LoRaWAN 1.1 devices have it.',
    secret: true,
  }),
  genAppKey: aes128Key({ label: 'Gen application key', secret: true }),
});
export type DeviceKeys = ValueOf<typeof DeviceKeys>;

export const DeviceActivation = message(
  'api.DeviceActivation',
  {
    devEUI,
    devAddr: devAddr({ label: 'Device address', required: true }),
    appSKey: aes128Key({ label: 'Application session key', required: true, secret: true }),
    nwkSEncKey: aes128Key({
      label: 'Network session encryption key',
      help: 'For LoRaWAN 1.0 devices this is the network session key.',
      required: true,
      secret: true,
    }),
    sNwkSIntKey: aes128Key({ label: 'Serving network session integrity key', required: true, secret: true }),
    fNwkSIntKey: aes128Key({ label: 'Forwarding network session integrity key', required: true, secret: true }),
    fCntUp: uint32({ label: 'Uplink frame-counter' }),
    nFCntDown: uint32({ label: 'Downlink frame-counter (network)' }),
    aFCntDown: uint32({ label: 'Downlink frame-counter (application)' }),
  },
  [1, 2, 3, 4, 8, 9, 5, 6, 10],
);
export type DeviceActivation = ValueOf<typeof DeviceActivation>;

export const DeviceStats = message('api.DeviceStats', {
  timestamp: timestamp(),
  rxPackets: uint32(),
  gwRssi: float({ unit: 'dBm' }),
  gwSnr: float({ unit: 'dB' }),
  rxPacketsPerFrequency: map('uint32', uint32()),
  rxPacketsPerDr: map('uint32', uint32()),
  errors: map('text', uint32()),
});
export type DeviceStats = ValueOf<typeof DeviceStats>;

export const StreamDeviceEventLogsResponse = message('api.StreamDeviceEventLogsResponse', {
  type: text(),
  payloadJSON: text(),
  publishedAt: timestamp(),
  streamID: text(),
});
export type DeviceEventItem = ValueOf<typeof StreamDeviceEventLogsResponse>;

const oneDevice = { devEUI: eui64({ required: true }) } as const;
const readDevice = only('device', 'devEUI', applicationReaders);
const changers = [...deviceAdmins, 'applicationKey'] as const;
const changeDevice = only('device', 'devEUI', changers);

export const device = operationsOf('device', 'DeviceService', {
  list: get('/api/devices', {
    summary: 'List devices by name; search by name or EUI',
    request: includingSome(
      extended(
        filterable(
          sortable(
            message('api.ListDeviceRequest', {
              ...page,
              applicationID: int64(),
              search: text(shortText),
              multicastGroupID: uuid(),
              serviceProfileID: uuid(),
              tags: map('text', text(tagValue), tagLimits),
            }),
            DeviceListItem,
            'devEUI',
            'name',
            'deviceProfileName',
            'deviceStatusMargin',
            'deviceStatusBatteryLevel',
            'lastSeenAt',
          ),
          deviceFilters,
        ),
        { organizationID: [1003, int64({ label: 'Organization', help: 'All devices of its applications.' })] },
      ),
      ...deviceIncludes,
    ),
    response: message('api.ListDeviceResponse', { totalCount: int64(), result: listOf(DeviceListItem) }),
    access: every(
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: limitedReaders },
      { when: 'applicationID', on: 'application', of: 'applicationID', allow: applicationReaders },
      { when: 'multicastGroupID', on: 'multicastGroup', of: 'multicastGroupID', allow: organizationReaders },
      { when: 'serviceProfileID', on: 'serviceProfile', of: 'serviceProfileID', allow: organizationReaders },
      { on: 'global', allow: ['globalAdmin'] },
    ),
  }),
  get: get('/api/devices/{dev_eui}', {
    summary: 'Get a device',
    request: including(message('api.GetDeviceRequest', oneDevice), 'state'),
    response: extended(
      message(
        'api.GetDeviceResponse',
        {
          device: needed(Device),
          lastSeenAt: timestamp(),
          /** 256 when unknown. */
          deviceStatusBattery: uint32(),
          deviceStatusMargin: int32(),
          location: optional(Location),
        },
        [1, 5, 6, 20, 21],
      ),
      { state: [1000, state] },
    ),
    access: readDevice,
  }),
  create: post('/api/devices', {
    summary: 'Create a device; the default name is its EUI',
    request: message('api.CreateDeviceRequest', { device: needed(Device) }),
    access: only('application', 'device.applicationID', changers),
  }),
  update: put('/api/devices/{device.dev_eui}', {
    summary: 'Update a device, or move it to another application with the same service-profile',
    request: message('api.UpdateDeviceRequest', { device: needed(Device) }),
    access: every(
      { when: 'device.devEUI', on: 'device', of: 'device.devEUI', allow: changers },
      // The device may move to another application.
      { when: 'device.applicationID', on: 'application', of: 'device.applicationID', allow: changers },
      { on: 'device', of: 'device.devEUI', allow: changers },
    ),
  }),
  delete: remove('/api/devices/{dev_eui}', {
    summary: 'Delete a device',
    request: message('api.DeleteDeviceRequest', oneDevice),
    access: changeDevice,
  }),
  getKeys: get('/api/devices/{dev_eui}/keys', {
    summary: 'Get the root keys of a device',
    request: message('api.GetDeviceKeysRequest', oneDevice),
    response: message('api.GetDeviceKeysResponse', { deviceKeys: needed(DeviceKeys) }),
    access: only('device', 'devEUI', changers, { needsFullAccess: true }),
  }),
  createKeys: post('/api/devices/{device_keys.dev_eui}/keys', {
    summary: 'Set the root keys of a device that has none',
    request: message('api.CreateDeviceKeysRequest', { deviceKeys: needed(DeviceKeys) }),
    access: only('device', 'deviceKeys.devEUI', changers),
  }),
  updateKeys: put('/api/devices/{device_keys.dev_eui}/keys', {
    summary: 'Replace the root keys of a device',
    request: message('api.UpdateDeviceKeysRequest', { deviceKeys: needed(DeviceKeys) }),
    access: only('device', 'deviceKeys.devEUI', changers),
  }),
  deleteKeys: remove('/api/devices/{dev_eui}/keys', {
    summary: 'Delete the root keys of a device',
    request: message('api.DeleteDeviceKeysRequest', oneDevice),
    access: changeDevice,
  }),
  activate: post('/api/devices/{device_activation.dev_eui}/activate', {
    summary: 'Activate a device by personalization, which replaces its session',
    request: message('api.ActivateDeviceRequest', { deviceActivation: needed(DeviceActivation) }),
    access: only('device', 'deviceActivation.devEUI', changers),
  }),
  deactivate: remove('/api/devices/{dev_eui}/activation', {
    summary: 'End the session of a device',
    request: message('api.DeactivateDeviceRequest', oneDevice),
    access: changeDevice,
  }),
  getActivation: get('/api/devices/{dev_eui}/activation', {
    summary: 'Get the session of a device',
    request: message('api.GetDeviceActivationRequest', oneDevice),
    response: message('api.GetDeviceActivationResponse', { deviceActivation: needed(DeviceActivation) }),
    access: readDevice,
  }),
  getRandomDevAddr: post('/api/devices/{dev_eui}/getRandomDevAddr', {
    summary: 'Get a random device address with the prefix of the network',
    request: message('api.GetRandomDevAddrRequest', oneDevice),
    response: message('api.GetRandomDevAddrResponse', { devAddr: text() }),
    effect: 'read',
    access: readDevice,
  }),
  clearDeviceNonces: remove('/api/devices/{dev_eui}/devnonce', {
    summary: 'Clear the stored DevNonces of a device, so that it can join again after a reset',
    request: message('api.ClearDeviceNoncesRequest', oneDevice),
    access: changeDevice,
  }),
  getStats: get('/api/devices/{dev_eui}/stats', {
    summary: 'Uplinks, signal and errors, one record for each interval from start to end',
    request: message('api.GetDeviceStatsRequest', {
      ...oneDevice,
      interval: text(statsInterval),
      startTimestamp: timestamp({ required: true }),
      endTimestamp: timestamp({ required: true }),
    }),
    response: message('api.GetDeviceStatsResponse', { result: listOf(DeviceStats) }),
    access: readDevice,
  }),
  streamFrameLogs: stream('/api/devices/{dev_eui}/frames', {
    summary: 'Watch the LoRaWAN frames of a device',
    request: message('api.StreamDeviceFrameLogsRequest', oneDevice),
    response: StreamDeviceFrameLogsResponse,
    access: readDevice,
  }),
  streamEventLogs: stream('/api/devices/{dev_eui}/events', {
    summary: 'Watch the events of a device, as integrations receive them',
    request: message('api.StreamDeviceEventLogsRequest', oneDevice),
    response: StreamDeviceEventLogsResponse,
    access: readDevice,
  }),
});
