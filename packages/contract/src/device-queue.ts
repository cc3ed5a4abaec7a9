import { applicationReaders, only } from './access.ts';
import { get, operationsOf, post, remove } from './operation.ts';
import { bool, bytes, eui64, listOf, message, needed, text, uint32, type ValueOf } from './wire.ts';

/** The longest payload of any region and data-rate. */
export const mostQueuedBytes = 242;

export const DeviceQueueItem = message(
  'api.DeviceQueueItem',
  {
    devEUI: eui64({ label: 'Device EUI', required: true }),
    confirmed: bool({ label: 'Confirmed downlink', help: 'The device is asked to acknowledge it.' }),
    fCnt: uint32({ label: 'Frame-counter', help: 'Set by the server when it queues the item.' }),
    fPort: uint32({
      label: 'Port',
      help: 'Applications use 1 to 223.',
      required: true,
      min: 1,
      max: 224,
      form: { max: 223 },
    }),
    data: bytes({
      label: 'Base64 encoded payload',
      help: 'The bytes to send, not encrypted.',
      maxBytes: mostQueuedBytes,
    }),
    jsonObject: text({
      label: 'JSON object',
      help: 'An object that the codec of the device-profile encodes. It has precedence over the bytes.',
      maxLength: 16_384,
    }),
  },
  [1, 2, 6, 3, 4, 5],
);
export type DeviceQueueItem = ValueOf<typeof DeviceQueueItem>;

const oneDevice = { devEUI: eui64({ required: true }) } as const;
const sendAndReceive = only('device', 'devEUI', applicationReaders);

export const deviceQueue = operationsOf('deviceQueue', 'DeviceQueueService', {
  list: get('/api/devices/{dev_eui}/queue', {
    summary: 'List or count the queued downlinks of a device',
    request: message('api.ListDeviceQueueItemsRequest', { ...oneDevice, countOnly: bool() }),
    response: message('api.ListDeviceQueueItemsResponse', {
      deviceQueueItems: listOf(DeviceQueueItem),
      totalCount: uint32(),
    }),
    access: sendAndReceive,
  }),
  enqueue: post('/api/devices/{device_queue_item.dev_eui}/queue', {
    summary: 'Queue a downlink for a device',
    request: message('api.EnqueueDeviceQueueItemRequest', { deviceQueueItem: needed(DeviceQueueItem) }),
    response: message('api.EnqueueDeviceQueueItemResponse', { fCnt: uint32() }),
    effect: 'send',
    access: only('device', 'deviceQueueItem.devEUI', applicationReaders),
  }),
  flush: remove('/api/devices/{dev_eui}/queue', {
    summary: 'Remove all queued downlinks of a device',
    request: message('api.FlushDeviceQueueRequest', oneDevice),
    effect: 'send',
    access: sendAndReceive,
  }),
});
