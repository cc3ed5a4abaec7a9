/** How a device can be reached. The recorded API returns queued downlinks, but not when they can be sent. */
import { applicationReaders, only } from './access.ts';
import { get, ownOperationsOf } from './operation.ts';
import { bool, enumeration, eui64, message, oneOf, timestamp, uint32, type ValueOf } from './wire.ts';

const DeviceClass = enumeration('hilltop.DeviceClass', ['UNKNOWN', 'CLASS_A', 'CLASS_B', 'CLASS_C']);

export const Listening = message('hilltop.Listening', {
  deviceClass: oneOf(DeviceClass, {
    label: 'Class',
    help: 'The current class; unknown without a session and on remote network-servers.',
  }),
  nextAt: timestamp({
    label: 'Next downlink',
    help: 'When the first queued downlink is sent (in Class-B its ping slot). Empty: after the next uplink.',
  }),
  awaitsAcknowledgement: bool({
    label: 'Waits for the device',
    help: 'A confirmed downlink was sent; until `nextAt` the device can acknowledge it.',
  }),
  mostBytes: uint32({
    label: 'Most bytes',
    help: 'The longest payload of a downlink at the data-rate of the last uplink; 0: unknown.',
  }),
  dr: uint32({ label: 'Data-rate', help: 'Of the receive window with space for that many bytes.' }),
});
export type Listening = ValueOf<typeof Listening>;

export const listening = ownOperationsOf('listening', {
  get: get('/api/devices/{dev_eui}/listening', {
    summary: 'Get the class of a device and when its next queued downlink leaves',
    request: message('hilltop.GetListeningRequest', { devEUI: eui64({ required: true }) }),
    response: Listening,
    access: only('device', 'devEUI', applicationReaders),
  }),
});
