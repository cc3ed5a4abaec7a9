/** The downlinks of a device with what happened to each. The recorded queue only has those that wait. */
import { applicationReaders, only } from './access.ts';
import { DeviceQueueItem, mostQueuedBytes } from './device-queue.ts';
import { get, ownOperationsOf, post, remove } from './operation.ts';
import { bool, bytes, count, eui64, listOf, message, needed, text, timestamp, uint32, type ValueOf } from './wire.ts';

/** The states of a downlink. In the last five, and in SENT when it is not confirmed, nothing more happens. */
export const downlinkStates = [
  'QUEUED',
  'SENDING',
  'SENT',
  'ACKNOWLEDGED',
  'UNACKNOWLEDGED',
  'DROPPED',
  'EXPIRED',
  'CANCELED',
] as const;
export type DownlinkState = (typeof downlinkStates)[number];

export const DownlinkStep = message('hilltop.DownlinkStep', {
  at: timestamp({ label: 'Time' }),
  step: text({
    label: 'Step',
    help: 'QUEUED, SENDING, SENT, GATEWAY_REFUSED, NO_GATEWAY, DUTY_CYCLE, or what ended it: a state, or the reason for DROPPED.',
  }),
  reason: text({ label: 'Reason', help: 'The status that a gateway reported.' }),
  fCnt: uint32({ label: 'Frame-counter' }),
  gatewayID: text({ label: 'Gateway' }),
  window: text({ label: 'Window', help: 'RX1, RX2, RXC or PING_SLOT; empty when it is not about a gateway.' }),
  frequency: uint32({ label: 'Frequency (Hz)' }),
  dr: uint32({ label: 'Data-rate' }),
  bytes: uint32({ label: 'Bytes', help: 'With TOO_LARGE.' }),
  limit: uint32({ label: 'Most bytes', help: 'With TOO_LARGE.' }),
  by: text({ label: 'By', help: 'Who queued, flushed or canceled it.' }),
});
export type DownlinkStep = ValueOf<typeof DownlinkStep>;

const reference = text({
  label: 'Reference',
  help: 'Your own name of the downlink, returned with it.',
  maxLength: 100,
});
const expiresAt = timestamp({ label: 'Expires', help: 'Dropped when it was not sent by then; empty: never.' });
const { confirmed } = DeviceQueueItem.fields;

export const Downlink = message('hilltop.Downlink', {
  id: text({ label: 'Downlink ID' }),
  createdAt: timestamp({ label: 'Queued' }),
  fPort: uint32({ label: 'Port' }),
  confirmed,
  data: bytes({ label: 'Payload' }),
  origin: text({ label: 'Origin', help: 'API or MQTT.' }),
  reference,
  state: text({ label: 'State', values: downlinkStates }),
  reason: text({
    label: 'Reason',
    help: 'Why it was dropped: TOO_LARGE, FLUSHED, REJOINED, SESSION_REPLACED; or why it still waits.',
  }),
  fCnt: uint32({ label: 'Frame-counter', help: 'The one of its last step, or the one it waits with.' }),
  attempts: uint32({ label: 'Attempts', help: 'How often it was passed to a gateway.' }),
  expiresAt,
  steps: listOf(DownlinkStep),
  stepsLeftOut: uint32({ label: 'Steps left out', help: 'Only the first 60 are stored, and the last.' }),
});
export type Downlink = ValueOf<typeof Downlink>;

const NewDownlink = message('hilltop.NewDownlink', {
  devEUI: eui64({ label: 'Device EUI', required: true }),
  fPort: uint32({ label: 'Port', help: '1 to 223; 0: the port that the codec returns.', min: 0, max: 223 }),
  confirmed,
  data: bytes({
    label: 'Payload',
    help: 'The bytes to send. Give one of data, hex and objectJSON.',
    maxBytes: mostQueuedBytes,
  }),
  hex: text({
    label: 'Payload (hex)',
    maxLength: 2 * mostQueuedBytes,
    pattern: '^([0-9a-fA-F]{2})*$',
    message: 'Must be pairs of hexadecimal digits.',
  }),
  objectJSON: text({ label: 'JSON object', help: 'Encoded by the codec of the device-profile.', maxLength: 16_384 }),
  expiresAt,
  reference,
});

const oneDevice = { devEUI: eui64({ required: true }) } as const;
const downlinkID = (facts: object = {}) =>
  text({ ...facts, maxLength: 32, pattern: '^[0-9a-f]{32}$', message: 'Must be the id of a downlink.' });

export const downlink = ownOperationsOf('downlink', {
  list: get('/api/devices/{dev_eui}/downlinks', {
    summary: 'List the downlinks of a device of the last 30 days, the newest first',
    request: message('hilltop.ListDownlinksRequest', {
      ...oneDevice,
      state: text({ label: 'State', help: 'Empty: all.', values: ['', ...downlinkStates] }),
      limit: count({ label: 'Rows', help: 'At most 100; 0 stands for 20.', min: 0, clamp: 100 }),
      before: downlinkID({ label: 'Cursor', help: 'Only downlinks before this one.' }),
    }),
    response: message('hilltop.ListDownlinksResponse', {
      result: listOf(Downlink),
      older: text({ label: 'Cursor of older downlinks', help: 'For before; empty: there are none.' }),
      isRemote: bool({
        label: 'Remote network-server',
        help: 'It reports no SENDING step, and can only flush the whole queue.',
      }),
    }),
    access: only('device', 'devEUI', applicationReaders),
  }),
  create: post('/api/devices/{downlink.dev_eui}/downlinks', {
    summary: 'Queue a downlink for a device',
    request: message('hilltop.CreateDownlinkRequest', { downlink: needed(NewDownlink) }),
    response: message('hilltop.CreateDownlinkResponse', {
      id: text({ label: 'Downlink ID' }),
      fCnt: uint32({ label: 'Frame-counter' }),
      fPort: uint32({ label: 'Port' }),
      data: bytes({ label: 'Payload' }),
    }),
    effect: 'send',
    access: only('device', 'downlink.devEUI', applicationReaders),
  }),
  cancel: remove('/api/devices/{dev_eui}/downlinks/{id}', {
    summary: 'Cancel a queued downlink',
    request: message('hilltop.CancelDownlinkRequest', { ...oneDevice, id: downlinkID({ required: true }) }),
    effect: 'send',
    access: only('device', 'devEUI', applicationReaders),
  }),
});
