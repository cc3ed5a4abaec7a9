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

const netID = {
  label: 'NetID',
  help: 'Six hexadecimal digits, which decide what DevAddrs begin with. Devices get it with their next join.',
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
    help: 'Their numbers; none given: all. Devices learn of it by LinkADRReq, or when they join.',
    maxEntries: 96,
  }),
  extraChannels: listOf(RadioChannel, {
    label: 'Extra channels',
    help: 'They take the numbers after those of the region. Gateways must listen to them as well.',
    maxEntries: 16,
  }),
  uplinkDwellTime400ms: ifGiven(
    bool({ label: 'Uplinks last 400 ms at most', help: 'What AS923 and AU915 ask for in some countries.' }),
  ),
  downlinkDwellTime400ms: ifGiven(
    bool({ label: 'Downlinks last 400 ms at most', help: 'What AS923 asks for in some countries.' }),
  ),
  repeaterCompatible: ifGiven(
    bool({
      label: 'Leave room for repeaters',
      help: 'Payloads are kept to the smaller sizes that repeaters can carry.',
    }),
  ),

  rx1Delay: ifGiven(
    uint32({
      label: 'RX1 delay',
      help: 'From the end of an uplink to the first window. Gateways on slow links need more.',
      unit: 's',
      min: 1,
      max: 15,
    }),
  ),
  rx1DROffset: ifGiven(
    uint32({ label: 'RX1 data-rate offset', help: 'How far the first window is below the uplink.', max: 7 }),
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
      help: 'When RX1 would be slower than this data-rate; 0: never.',
      max: 15,
    }),
  ),
  rx2PreferOnLinkBudget: ifGiven(
    bool({ label: 'RX2 first when it reaches further', help: 'Judged by power and sensitivity of both windows.' }),
  ),

  downlinkTxPower: ifGiven(
    uint32({ label: 'Power of downlinks', help: 'EIRP; without it what the region allows.', unit: 'dBm', max: 36 }),
  ),
  gatewayPreferMinMargin: ifGiven(
    uint32({
      label: 'Margin of a good gateway',
      help: 'Among gateways that heard a device so far above its need, one is taken at random.',
      unit: 'dB',
      max: 60,
    }),
  ),
  uplinkMaxEIRP: ifGiven(
    uint32({ label: 'Power of devices at most', help: 'EIRP, by TXParamSetupReq.', unit: 'dBm', max: 36 }),
  ),

  installationMargin: ifGiven(
    uint32({
      label: 'Installation margin',
      help: 'What ADR keeps in reserve: more is safer and slower.',
      unit: 'dB',
      max: 60,
    }),
  ),
  adrMinDR: ifGiven(
    uint32({
      label: 'Lowest data-rate',
      help: 'Beside the limits of the service-profile.',
      max: 15,
      proto: 'adr_min_dr',
    }),
  ),
  adrMaxDR: ifGiven(
    uint32({
      label: 'Highest data-rate',
      help: 'Beside the limits of the service-profile.',
      max: 15,
      proto: 'adr_max_dr',
    }),
  ),
  adrMinTxPower: ifGiven(
    uint32({
      label: 'Lowest power of devices',
      help: 'EIRP: ADR asks no device to send with less.',
      unit: 'dBm',
      max: 36,
    }),
  ),
  disableADR: ifGiven(bool({ label: 'Switch ADR off', help: 'Devices keep the data-rate they choose.' })),

  classBPingSlotDR: ifGiven(uint32({ label: 'Ping-slot data-rate', max: 15 })),
  classBPingSlotFrequency: ifGiven(
    uint32({ label: 'Ping-slot frequency', help: '0: as the region says, which in some hops.', unit: 'Hz' }),
  ),
  classBBeaconFrequency: ifGiven(
    uint32({
      label: 'Beacon frequency',
      help: '0: as the region says. Stations are told to send there; other gateways are set up by hand.',
      unit: 'Hz',
    }),
  ),

  classCDownlinkLockMs: ifGiven(
    uint32({
      label: 'Spacing of class C downlinks',
      help: 'To one device; after its uplinks the RX1 delay comes on top.',
      unit: 'ms',
      max: 60_000,
    }),
  ),
  multicastGatewayDelayMs: ifGiven(
    uint32({
      label: 'Spacing of multicast downlinks',
      help: 'In class C, of one gateway. Several gateways of a group send shortly after each other.',
      unit: 'ms',
      max: 60_000,
    }),
  ),
  downlinkTimeoutMs: ifGiven(
    uint32({
      label: 'Waiting for a gateway',
      help: 'Class B and C: without its answer in this time a downlink counts as not sent.',
      unit: 'ms',
      min: 100,
      max: 60_000,
    }),
  ),

  rejoinRequest: optional(RejoinTimes, {
    label: 'Ask for rejoin-requests',
    help: 'LoRaWAN 1.1 devices renew their keys by themselves.',
  }),

  disableMACCommands: ifGiven(
    bool({ label: 'Send no MAC commands', help: 'Requests of the network; answers to devices are sent all the same.' }),
  ),
  maxMACCommandErrorCount: ifGiven(
    uint32({
      label: 'Refusals of a MAC command',
      help: 'A device that refused one more often is not asked again.',
      max: 100,
    }),
  ),
  deduplicationDelayMs: ifGiven(
    uint32({
      label: 'Collecting copies',
      help: 'How long other gateways may deliver the same uplink.',
      unit: 'ms',
      min: 20,
      max: 3000,
    }),
  ),
  getDownlinkDataDelayMs: ifGiven(
    uint32({
      label: 'Waiting for the application',
      help: 'How long it has to enqueue what goes along with the answer.',
      unit: 'ms',
      max: 3000,
    }),
  ),
  deviceSessionDays: ifGiven(
    uint32({
      label: 'End of silent sessions',
      help: 'A device that nothing is heard from or sent to for so long must join or be activated again; 0: never.',
      unit: 'days',
      max: 3650,
    }),
  ),
  frameLogHistory: ifGiven(
    uint32({ label: 'Frames kept', help: 'Per device and per gateway, to show who looks later.', min: 1, max: 100 }),
  ),
  allowUnknownGateways: ifGiven(
    bool({
      label: 'Hear unknown gateways',
      help: 'Uplinks of gateways that nobody registered are used too. Anybody can send some then.',
    }),
  ),
  gatewayClockToleranceMs: ifGiven(
    uint32({
      label: 'Tolerance of gateway clocks',
      help: 'A time that a gateway names counts while it is at most so far from the clock of the server.',
      unit: 'ms',
      max: 60_000,
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
      dutyCycle: double({ help: 'Share of the time a sender may use; 1: no limit.' }),
    }),
    { help: 'Parts of the band with the share of time that the law allows.' },
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
  devices: count({ help: 'So many get it with their next downlink.' }),
  refusing: count({ help: 'Of these: refused it too often before, and are not asked again.' }),
});
export type RadioEffect = ValueOf<typeof RadioEffect>;

export const CreateEmbeddedNetworkServerRequest = message('hilltop.CreateEmbeddedNetworkServerRequest', {
  name: text({ ...plainName, label: 'Network-server name', help: 'A name to remember the network-server by.' }),
  region: text({ label: 'Region', help: 'It cannot be changed later.', required: true, maxLength: 20 }),
  subBand: uint32({
    label: 'Sub-band',
    help: 'The eight channels that the gateways listen to. All channels can be chosen later.',
    max: 12,
  }),
  netID: text({
    ...netID,
    help: 'Six hexadecimal digits; blank: that of the setting HILLTOP_NET_ID.',
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
    summary: 'Get the radio settings of an embedded network-server, and what its region has to choose from',
    request: message('hilltop.GetRadioRequest', one),
    response: message('hilltop.GetRadioResponse', {
      settings: needed(RadioSettings),
      defaults: needed(RadioSettings, { help: 'What holds where nothing is set.' }),
      plan: needed(RadioPlan),
    }),
    access,
  }),
  update: put(path, {
    summary: 'Change the radio settings of an embedded network-server; they hold from the next frame on',
    request: message('hilltop.UpdateRadioRequest', given),
    access,
  }),
  preview: post(`${path}/preview`, {
    summary: 'Say what other radio settings would cause, without changing anything',
    request: message('hilltop.PreviewRadioRequest', given),
    response: message('hilltop.PreviewRadioResponse', {
      devices: count({ help: 'Devices with a session that were looked at.' }),
      isPartial: bool({ help: 'There are more: the numbers are of the first ones.' }),
      effects: listOf(RadioEffect),
      endingSessions: count({ help: 'Devices that were silent for longer: their sessions end within hours.' }),
    }),
    access,
  }),
  listRegions: get(`${embedded}/regions`, {
    summary: 'List the regions an embedded network-server can be for',
    response: message('hilltop.ListRegionsResponse', {
      result: listOf(
        message('hilltop.RadioRegion', { name: text(), subBands: uint32({ help: '0: the region has none.' }) }),
      ),
    }),
    access: globally(...admins),
  }),
  create: post(embedded, {
    summary: 'Add a network-server inside this server, which runs at once',
    request: CreateEmbeddedNetworkServerRequest,
    response: message('hilltop.CreateEmbeddedNetworkServerResponse', { id: int64() }),
    access: globally(...admins),
  }),
});
