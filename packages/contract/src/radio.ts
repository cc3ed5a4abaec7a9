/**
 * The radio settings of an embedded network server. Version 3 has them in the settings file of the network server.
 * Absent values mean the default of the region or of this server, so only decisions of users are stored.
 */
import { admins, globally, only } from './access.ts';
import { get, ownOperationsOf, post, put } from './operation.ts';
import { plainName } from './rules.ts';
import {
  bool,
  count,
  double,
  enumeration,
  ifGiven,
  int64,
  list,
  listOf,
  message,
  needed,
  oneOf,
  optional,
  text,
  uint32,
  type ValueOf,
} from './wire.ts';

export const RadioChannel = message('hilltop.RadioChannel', {
  frequency: uint32({ label: 'Frequency', unit: 'Hz', required: true }),
  minDR: uint32({ label: 'Lowest data-rate', max: 15 }),
  maxDR: uint32({ label: 'Highest data-rate', max: 15 }),
});
export type RadioChannel = ValueOf<typeof RadioChannel>;

const RejoinTimes = message('hilltop.RejoinTimes', {
  maxTimeN: uint32({
    label: 'Time exponent',
    help: 'A device asks again after 2^(n+10) seconds: 0 is 17 minutes, 15 about a year.',
    max: 15,
  }),
  maxCountN: uint32({
    label: 'Count exponent',
    help: 'Or after 2^(n+4) uplinks: 0 is 16 uplinks, 15 about half a million.',
    max: 15,
  }),
});

const ReceiveWindows = enumeration('hilltop.ReceiveWindows', ['BOTH', 'RX1', 'RX2']);

const DutyCycleMode = enumeration('hilltop.DutyCycleMode', ['WATCH', 'KEEP', 'OFF']);

const netID = {
  label: 'NetID',
  help: 'Six hexadecimal digits that define the prefix of DevAddrs. Devices receive it with their next join.',
  maxLength: 6,
  pattern: '^[0-9a-fA-F]{6}$',
  message: 'The NetID must be six hexadecimal digits.',
} as const;

/**
 * Every setting of an embedded network server: type, limits, label, help. The limits of its region are checked in
 * addition.
 */
export const RadioSettings = message('hilltop.RadioSettings', {
  netID: ifGiven(text({ ...netID, proto: 'net_id' })),

  enabledChannels: list(uint32(), {
    label: 'Channels in use',
    help: 'Channel numbers; empty: all. Devices receive them by LinkADRReq or when they join.',
    maxEntries: 96,
  }),
  extraChannels: listOf(RadioChannel, {
    label: 'Extra channels',
    help: 'They are numbered after the channels of the region. Gateways must receive them too.',
    maxEntries: 16,
  }),
  uplinkDwellTime400ms: ifGiven(
    bool({ label: 'Uplinks last 400 ms at most', help: 'Required in some countries with AS923 and AU915.' }),
  ),
  downlinkDwellTime400ms: ifGiven(
    bool({ label: 'Downlinks last 400 ms at most', help: 'Required in some countries with AS923.' }),
  ),
  repeaterCompatible: ifGiven(
    bool({
      label: 'Leave room for repeaters',
      help: 'Limits payloads to the sizes that repeaters support.',
    }),
  ),

  rx1Delay: ifGiven(
    uint32({
      label: 'RX1 delay',
      help: 'Time from the end of an uplink to the first receive window. Increase it for gateways with slow backhaul.',
      unit: 's',
      min: 1,
      max: 15,
    }),
  ),
  rx1DROffset: ifGiven(
    uint32({ label: 'RX1 data-rate offset', help: 'Offset of the data-rate of RX1 to the uplink.', max: 7 }),
  ),
  rx2DataRate: ifGiven(uint32({ label: 'RX2 data-rate', max: 15 })),
  rx2Frequency: ifGiven(uint32({ label: 'RX2 frequency', unit: 'Hz' })),
  rxWindow: ifGiven(
    oneOf(ReceiveWindows, {
      label: 'Windows in use',
      choices: [
        { value: 'BOTH', label: 'RX1, then RX2' },
        { value: 'RX1', label: 'Only RX1' },
        { value: 'RX2', label: 'Only RX2' },
      ],
    }),
  ),
  rx2PreferOnRX1DRLt: ifGiven(
    uint32({
      label: 'RX2 first below data-rate',
      help: 'Use RX2 when RX1 would be slower than this data-rate; 0: never.',
      max: 15,
    }),
  ),
  rx2PreferOnLinkBudget: ifGiven(
    bool({
      label: 'RX2 first when it reaches further',
      help: 'Compares transmit power and sensitivity of both windows.',
    }),
  ),

  downlinkTxPower: ifGiven(
    uint32({ label: 'Power of downlinks', help: 'EIRP; empty: the maximum of the region.', unit: 'dBm', max: 36 }),
  ),
  gatewayPreferMinMargin: ifGiven(
    uint32({
      label: 'Margin of a good gateway',
      help: 'The downlink gateway is chosen at random among gateways whose SNR exceeds the required SNR by this margin.',
      unit: 'dB',
      max: 60,
    }),
  ),
  uplinkMaxEIRP: ifGiven(
    uint32({ label: 'Power of devices at most', help: 'EIRP, set by TXParamSetupReq.', unit: 'dBm', max: 36 }),
  ),

  installationMargin: ifGiven(
    uint32({
      label: 'Installation margin',
      help: 'The SNR margin of ADR: a larger margin is safer and slower.',
      unit: 'dB',
      max: 60,
    }),
  ),
  adrMinDR: ifGiven(
    uint32({
      label: 'Lowest data-rate',
      help: 'In addition to the limits of the service-profile.',
      max: 15,
      proto: 'adr_min_dr',
    }),
  ),
  adrMaxDR: ifGiven(
    uint32({
      label: 'Highest data-rate',
      help: 'In addition to the limits of the service-profile.',
      max: 15,
      proto: 'adr_max_dr',
    }),
  ),
  adrMinTxPower: ifGiven(
    uint32({
      label: 'Lowest power of devices',
      help: 'EIRP: ADR does not reduce the power below this value.',
      unit: 'dBm',
      max: 36,
    }),
  ),
  disableADR: ifGiven(bool({ label: 'Switch ADR off', help: 'Devices keep the data-rate they choose.' })),

  classBPingSlotDR: ifGiven(uint32({ label: 'Ping-slot data-rate', max: 15 })),
  classBPingSlotFrequency: ifGiven(
    uint32({ label: 'Ping-slot frequency', help: '0 uses the default of the region (some regions hop).', unit: 'Hz' }),
  ),
  classBBeaconFrequency: ifGiven(
    uint32({
      label: 'Beacon frequency',
      help: '0 uses the default of the region. Basics Station receives it; configure other gateways manually.',
      unit: 'Hz',
    }),
  ),

  classCDownlinkLockMs: ifGiven(
    uint32({
      label: 'Spacing of class C downlinks',
      help: 'Minimum time between downlinks to one device; after its uplinks the RX1 delay is added.',
      unit: 'ms',
      max: 60_000,
    }),
  ),
  multicastGatewayDelayMs: ifGiven(
    uint32({
      label: 'Spacing of multicast downlinks',
      help: 'Minimum time between Class-C multicast downlinks of one gateway. Several gateways of a group send shortly after each other.',
      unit: 'ms',
      max: 60_000,
    }),
  ),
  downlinkTimeoutMs: ifGiven(
    uint32({
      label: 'Waiting for a gateway',
      help: 'Class-B and Class-C: without a response of the gateway within this time, the downlink counts as not sent.',
      unit: 'ms',
      min: 100,
      max: 60_000,
    }),
  ),

  rejoinRequest: optional(RejoinTimes, {
    label: 'Ask for rejoin-requests',
    help: 'LoRaWAN 1.1 devices renew their session keys.',
  }),

  disableMACCommands: ifGiven(
    bool({
      label: 'Send no MAC commands',
      help: 'Disables MAC requests of the network; responses to devices are still sent.',
    }),
  ),
  maxMACCommandErrorCount: ifGiven(
    uint32({
      label: 'Refusals of a MAC command',
      help: 'The network-server stops after this number of refusals.',
      max: 100,
    }),
  ),
  deduplicationDelayMs: ifGiven(
    uint32({
      label: 'Collecting copies',
      help: 'The deduplication window: how long copies from other gateways are collected.',
      unit: 'ms',
      min: 20,
      max: 3000,
    }),
  ),
  getDownlinkDataDelayMs: ifGiven(
    uint32({
      label: 'Waiting for the application',
      help: 'How long the application can enqueue a downlink for the same receive window.',
      unit: 'ms',
      max: 3000,
    }),
  ),
  deviceSessionDays: ifGiven(
    uint32({
      label: 'End of silent sessions',
      help: 'Without traffic for this time, a session ends: the device must join or be activated again; 0: never.',
      unit: 'days',
      max: 3650,
    }),
  ),
  frameLogHistory: ifGiven(
    uint32({
      label: 'Stored frames',
      help: 'Stored frames per device and per gateway, for the frame logs.',
      min: 1,
      max: 100,
    }),
  ),
  allowUnknownGateways: ifGiven(
    bool({
      label: 'Accept unknown gateways',
      help: 'Accepts uplinks of unregistered gateways. Anybody can then send uplinks.',
    }),
  ),
  joinEventAtJoinAccept: ifGiven(
    bool({
      label: 'Join event with the join-accept',
      help: 'Reports a join as soon as the join-accept is sent, even if the device does not receive it. Otherwise the first uplink reports it.',
    }),
  ),
  gatewayClockToleranceMs: ifGiven(
    uint32({
      label: 'Tolerance of gateway clocks',
      help: 'The time of a gateway is used while it differs from the clock of the server by at most this value.',
      unit: 'ms',
      max: 60_000,
    }),
  ),
  dutyCycle: ifGiven(
    oneOf(DutyCycleMode, {
      label: 'Duty cycle of gateways',
      help: 'Where the region limits how long gateways send (EU868, EU433, RU864), another gateway or RX2 is used first. Watch: without another one the downlink is sent and counted. Keep: it waits.',
      choices: [
        { value: 'WATCH', label: 'Watch' },
        { value: 'KEEP', label: 'Keep to it' },
        { value: 'OFF', label: 'Off' },
      ],
    }),
  ),
});
export type RadioSettings = ValueOf<typeof RadioSettings>;

export const RadioPlanChannel = message('hilltop.RadioPlanChannel', {
  index: uint32(),
  frequency: uint32(),
  minDR: uint32(),
  maxDR: uint32(),
  bandwidth: uint32({ help: 'kHz' }),
});
export type RadioPlanChannel = ValueOf<typeof RadioPlanChannel>;

/** The properties and limits of a region: the choices for settings. */
export const RadioPlan = message('hilltop.RadioPlan', {
  region: text(),
  isFixed: bool({ help: 'Channels are switched on and off; none are added.' }),
  minFrequency: uint32(),
  maxFrequency: uint32(),
  channels: listOf(RadioPlanChannel),
  subBands: listOf(
    message('hilltop.RadioSubBand', {
      number: uint32(),
      channels: list(uint32()),
    }),
  ),
  limits: listOf(
    message('hilltop.RadioLimit', {
      minFrequency: uint32(),
      maxFrequency: uint32(),
      dutyCycle: double({ help: 'Maximum share of airtime; 1: no limit.' }),
    }),
    { help: 'Parts of the band with the legal duty cycle.' },
  ),
  dataRates: listOf(
    message('hilltop.RadioDataRate', {
      dataRate: uint32(),
      label: text({ help: 'Such as SF7 / 125 kHz.' }),
      uplink: bool(),
      downlink: bool(),
    }),
  ),
  mostExtraChannels: uint32(),
  recommendedChannels: listOf(RadioChannel),
  mostRX1DROffset: uint32(),
  mostDownlinkTxPower: uint32(),
  hasTXParamSetup: bool(),
});
export type RadioPlan = ValueOf<typeof RadioPlan>;

export const RadioEffect = message('hilltop.RadioEffect', {
  command: text({ help: 'Such as RXParamSetupReq.' }),
  devices: count({ help: 'Devices that receive it with their next downlink.' }),
  refusing: count({ help: 'Of these: devices that refused it too often and are not asked again.' }),
});
export type RadioEffect = ValueOf<typeof RadioEffect>;

export const CreateEmbeddedNetworkServerRequest = message('hilltop.CreateEmbeddedNetworkServerRequest', {
  name: text({ ...plainName, label: 'Network-server name', help: 'A name for the network-server.' }),
  region: text({ label: 'Region', help: 'It cannot be changed later.', required: true, maxLength: 20 }),
  subBand: uint32({
    label: 'Sub-band',
    help: 'The eight channels that the gateways receive. You can select all channels later.',
    max: 12,
  }),
  netID: text({
    ...netID,
    help: 'Six hexadecimal digits; blank: the value of the setting HILLTOP_NET_ID.',
    proto: 'net_id',
  }),
});
export type CreateEmbeddedNetworkServerRequest = ValueOf<typeof CreateEmbeddedNetworkServerRequest>;

const one = { networkServerID: int64({ required: true }) } as const;
const given = { ...one, settings: needed(RadioSettings) } as const;
const access = only('networkServer', 'networkServerID', admins);
const path = '/api/network-servers/{network_server_id}/radio';
const embedded = '/api/embedded-network-servers';

export const radio = ownOperationsOf('radio', {
  get: get(path, {
    summary: 'Get the radio settings of an embedded network-server and the options of its region',
    request: message('hilltop.GetRadioRequest', one),
    response: message('hilltop.GetRadioResponse', {
      settings: needed(RadioSettings),
      defaults: needed(RadioSettings, { help: 'The defaults of unset values.' }),
      plan: needed(RadioPlan),
    }),
    access,
  }),
  update: put(path, {
    summary: 'Update the radio settings of an embedded network-server; they apply from the next frame',
    request: message('hilltop.UpdateRadioRequest', given),
    access,
  }),
  preview: post(`${path}/preview`, {
    summary: 'Preview the effects of new radio settings without changing anything',
    request: message('hilltop.PreviewRadioRequest', given),
    response: message('hilltop.PreviewRadioResponse', {
      devices: count({ help: 'Checked devices with a session.' }),
      isPartial: bool({ help: 'The preview covers only the first devices.' }),
      effects: listOf(RadioEffect),
      endingSessions: count({ help: 'Devices that were silent for longer: their sessions end within hours.' }),
    }),
    effect: 'read',
    access,
  }),
  listRegions: get(`${embedded}/regions`, {
    summary: 'List the regions that an embedded network-server supports',
    response: message('hilltop.ListRegionsResponse', {
      result: listOf(
        message('hilltop.RadioRegion', { name: text(), subBands: uint32({ help: '0: none in this region.' }) }),
      ),
    }),
    access: globally(...admins),
  }),
  create: post(embedded, {
    summary: 'Add an embedded network-server; it starts immediately',
    request: CreateEmbeddedNetworkServerRequest,
    response: message('hilltop.CreateEmbeddedNetworkServerResponse', { id: int64() }),
    access: globally(...admins),
  }),
});
