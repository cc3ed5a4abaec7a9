import { applicationReaders, deviceAdmins, first, listersOfOwn, only, organizationReaders } from './access.ts';
import { extended, get, including, operationsOf, page, post, put, remove, searchable, sortable } from './operation.ts';
import {
  networkServerOfProfile,
  noControlCharacters,
  ownerOrganization,
  payloadCodecs,
  pingSlotPeriods,
  plainName,
  radioList,
  script,
  tags,
  tagValue,
} from './rules.ts';
import {
  bool,
  duration,
  ifGiven,
  int64,
  list,
  listOf,
  map,
  message,
  needed,
  text,
  timestamp,
  uint32,
  uuid,
  type ValueOf,
} from './wire.ts';

const activationByPersonalization = { requiredWhen: { field: 'supportsJoin', is: false } } as const;
const classB = { requiredWhen: { field: 'supportsClassB', is: true } } as const;
const classC = { requiredWhen: { field: 'supportsClassC', is: true } } as const;
const dataRate = { max: 15 } as const;
const usual = '0 uses the default of the region.';

function same(...values: readonly string[]) {
  return values.map((value) => ({ value, label: value }));
}

export const DeviceProfile = message(
  'api.DeviceProfile',
  {
    id: uuid({ label: 'Device-profile ID' }),
    name: text({ ...plainName, label: 'Device-profile name', help: 'A name to identify the device-profile.' }),
    organizationID: int64(ownerOrganization),
    networkServerID: int64({
      ...networkServerOfProfile,
      help: 'The network-server on which this device-profile is used. It cannot be changed later.',
    }),
    supportsClassB: bool({ label: 'Device supports Class-B' }),
    classBTimeout: uint32({
      label: 'Class-B confirmed downlink timeout',
      help: 'How long to wait for the acknowledgement of a confirmed downlink. 0 uses the default of the network-server for the class.',
      unit: 's',
      form: classB,
    }),
    pingSlotPeriod: uint32({
      label: 'Class-B ping-slot periodicity',
      choices: pingSlotPeriods,
      max: 4096,
      form: classB,
    }),
    pingSlotDR: uint32({ label: 'Class-B ping-slot data-rate', ...dataRate, form: classB }),
    pingSlotFreq: uint32({ label: 'Class-B ping-slot frequency', help: usual, unit: 'Hz', form: classB }),
    supportsClassC: bool({
      label: 'Device supports Class-C',
      help: 'For devices that use Class-C from their activation on, not for devices that switch classes by MAC command.',
    }),
    classCTimeout: uint32({
      label: 'Class-C confirmed downlink timeout',
      help: 'How long to wait for the acknowledgement of a confirmed downlink. 0 uses the default of the network-server for the class.',
      unit: 's',
      form: classC,
    }),
    macVersion: text({
      ...noControlCharacters,
      label: 'LoRaWAN MAC version',
      help: 'The version of LoRaWAN the device implements.',
      maxLength: 10,
      choices: same('1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4', '1.1.0'),
      form: { required: true },
    }),
    regParamsRevision: text({
      ...noControlCharacters,
      label: 'LoRaWAN Regional Parameters revision',
      help: 'The revision of the Regional Parameters the device implements.',
      maxLength: 20,
      choices: same('A', 'B', 'RP002-1.0.0', 'RP002-1.0.1', 'RP002-1.0.2', 'RP002-1.0.3'),
      form: { required: true },
    }),
    rxDelay1: uint32({
      label: 'RX1 delay',
      help: '0 and 1 both mean one second.',
      unit: 's',
      max: 15,
      proto: 'rx_delay_1',
      form: activationByPersonalization,
    }),
    rxDROffset1: uint32({
      label: 'RX1 data-rate offset',
      max: 7,
      proto: 'rx_dr_offset_1',
      form: activationByPersonalization,
    }),
    rxDataRate2: uint32({
      label: 'RX2 data-rate',
      help: usual,
      ...dataRate,
      proto: 'rx_datarate_2',
      form: activationByPersonalization,
    }),
    rxFreq2: uint32({
      label: 'RX2 channel frequency',
      help: usual,
      unit: 'Hz',
      proto: 'rx_freq_2',
      form: activationByPersonalization,
    }),
    factoryPresetFreqs: list(uint32(), {
      ...radioList,
      label: 'Factory-preset frequencies',
      help: 'The factory-preset frequencies of the device, separated by commas.',
      unit: 'Hz',
      form: activationByPersonalization,
    }),
    maxEIRP: uint32({
      label: 'Max EIRP',
      help: 'The highest transmit power of the device. 0 uses the maximum of the region.',
      unit: 'dBm',
      form: { required: true },
    }),
    maxDutyCycle: uint32({ label: 'Max duty-cycle', unit: '%' }),
    supportsJoin: bool({
      label: 'Device supports OTAA',
      help: 'The device joins the network and derives its session keys.',
    }),
    rfRegion: text({ ...noControlCharacters, label: 'Region', help: 'Set by the network-server.', maxLength: 20 }),
    supports32BitFCnt: bool({ label: 'Device uses 32-bit frame-counters', proto: 'supports_32bit_f_cnt' }),
    payloadCodec: text({
      ...noControlCharacters,
      label: 'Payload codec',
      help: 'Decodes the bytes of the device into an object, and encodes objects into bytes.',
      maxLength: 100,
      choices: payloadCodecs,
    }),
    payloadEncoderScript: text({
      ...script,
      label: 'Encoder',
      help: 'Encode(fPort, obj, variables) returns an array of bytes; or encodeDownlink({ data, fPort, variables }) returns { bytes, fPort }.',
    }),
    payloadDecoderScript: text({
      ...script,
      label: 'Decoder',
      help: 'Decode(fPort, bytes, variables) returns an object; or decodeUplink({ bytes, fPort, recvTime, variables }) returns { data }.',
    }),
    geolocBufferTTL: uint32({ label: 'Geolocation buffer TTL', unit: 's' }),
    geolocMinBufferSize: uint32({ label: 'Geolocation minimum buffer size' }),
    tags: map('text', text(tagValue), tags),
    uplinkInterval: duration({
      label: 'Uplink interval',
      help: 'The expected interval between uplinks. A device that is silent for 1.5 intervals is inactive.',
      unit: 's',
      min: 0,
    }),
    adrAlgorithmID: text({
      ...noControlCharacters,
      label: 'ADR algorithm',
      help: 'How the network-server controls the data-rate of the device.',
      maxLength: 100,
      form: { required: true },
    }),
  },
  [1, 21, 22, 23, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 24, 25, 26, 27, 28, 29, 30, 31],
);
export type DeviceProfile = ValueOf<typeof DeviceProfile>;

const RecordedListItem = message('api.DeviceProfileListItem', {
  id: text(),
  name: text(),
  organizationID: int64(),
  networkServerID: int64(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
  networkServerName: text(),
});
/** The details are returned on request by `include=details`; those of the network-server only where they are known. */
export const DeviceProfileListItem = extended(RecordedListItem, {
  deviceCount: [1000, ifGiven(uint32({ label: 'Devices' }))],
  macVersion: [1001, ifGiven(text({ label: 'LoRaWAN MAC version' }))],
  supportsClassB: [1002, ifGiven(bool({ label: 'Device supports Class-B' }))],
  supportsClassC: [1003, ifGiven(bool({ label: 'Device supports Class-C' }))],
  payloadCodec: [1004, ifGiven(text({ label: 'Payload codec' }))],
  vendorID: [1005, ifGiven(text({ label: 'Vendor ID', help: 'Its tag `vendorID`, as codes on devices have it.' }))],
  profileID: [1006, ifGiven(text({ label: 'Profile ID', help: 'Its tag `profileID`, as codes on devices have it.' }))],
});
export type DeviceProfileListItem = ValueOf<typeof DeviceProfileListItem>;

const oneProfile = { id: uuid({ required: true }) } as const;

export const deviceProfile = operationsOf('deviceProfile', 'DeviceProfileService', {
  list: get('/api/device-profiles', {
    summary: 'List device-profiles by name: of an organization, or those an application can use',
    request: searchable(
      including(
        sortable(
          message('api.ListDeviceProfileRequest', { ...page, organizationID: int64(), applicationID: int64() }),
          DeviceProfileListItem,
          'name',
          'networkServerName',
          'createdAt',
        ),
        'details',
      ),
    ),
    response: message('api.ListDeviceProfileResponse', { totalCount: int64(), result: listOf(DeviceProfileListItem) }),
    access: first(
      { when: 'applicationID', on: 'application', of: 'applicationID', allow: applicationReaders },
      { when: 'organizationID', on: 'organization', of: 'organizationID', allow: organizationReaders },
      { on: 'global', allow: listersOfOwn },
    ),
  }),
  get: get('/api/device-profiles/{id}', {
    summary: 'Get a device-profile',
    request: message('api.GetDeviceProfileRequest', oneProfile),
    response: message('api.GetDeviceProfileResponse', {
      deviceProfile: needed(DeviceProfile),
      createdAt: timestamp(),
      updatedAt: timestamp(),
    }),
    access: only('record', 'id', applicationReaders),
  }),
  create: post('/api/device-profiles', {
    summary: 'Create a device-profile',
    request: message('api.CreateDeviceProfileRequest', { deviceProfile: needed(DeviceProfile) }),
    response: message('api.CreateDeviceProfileResponse', { id: text() }),
    access: only('organization', 'deviceProfile.organizationID', deviceAdmins),
  }),
  update: put('/api/device-profiles/{device_profile.id}', {
    summary: 'Update a device-profile; its organization and network-server do not change',
    request: message('api.UpdateDeviceProfileRequest', { deviceProfile: needed(DeviceProfile) }),
    access: only('record', 'deviceProfile.id', deviceAdmins),
  }),
  delete: remove('/api/device-profiles/{id}', {
    summary: 'Delete a device-profile that no device uses',
    request: message('api.DeleteDeviceProfileRequest', oneProfile),
    access: only('record', 'id', deviceAdmins),
  }),
});
