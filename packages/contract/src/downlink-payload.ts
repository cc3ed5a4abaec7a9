/** The payload of a downlink as bytes and as object. Ours: the recorded API encodes an object only when it is queued. */
import { applicationReaders, only } from './access.ts';
import { DeviceQueueItem } from './device-queue.ts';
import { ownOperationsOf, post } from './operation.ts';
import { bytes, eui64, message, text } from './wire.ts';

const { fPort, data, jsonObject } = DeviceQueueItem.fields;

export const downlinkPayload = ownOperationsOf('downlinkPayload', {
  convert: post('/api/devices/{dev_eui}/downlink-payload', {
    summary: 'Convert the payload of a downlink by the codec of its device, without queueing it',
    request: message('hilltop.ConvertDownlinkPayloadRequest', {
      devEUI: eui64({ required: true }),
      fPort,
      data,
      jsonObject,
    }),
    response: message('hilltop.ConvertDownlinkPayloadResponse', {
      data: bytes({ help: 'The object encoded, or the bytes of the request.' }),
      jsonObject: text({ help: 'The bytes decoded, or the object of the request; empty without a codec.' }),
    }),
    effect: 'read',
    access: only('device', 'devEUI', applicationReaders),
  }),
});
