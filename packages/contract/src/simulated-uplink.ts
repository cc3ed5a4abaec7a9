/**
 * Uplinks that a user sends in the name of a device, to test integrations, dashboards and alerts without hardware. Not in
 * the recorded API.
 */
import { deviceAdmins, only } from './access.ts';
import { DeviceQueueItem } from './device-queue.ts';
import { get, ownOperationsOf, post } from './operation.ts';
import { bytes, eui64, int32, listOf, message, text, uint32, type ValueOf } from './wire.ts';

/** The ID of the simulated gateway in the metadata of these events. */
export const simulatedGatewayID = '0000000000000000';
/** The tag of their events: recorded events get no new members. */
export const simulatedTag = { name: 'simulated', value: 'true' } as const;
export const isSimulated = (tags: Readonly<Record<string, string | undefined>>): boolean =>
  tags[simulatedTag.name] === simulatedTag.value;

const devEUI = eui64({ label: 'Device EUI', required: true });
const access = only('device', 'devEUI', deviceAdmins);
const path = '/api/devices/{dev_eui}/simulated-uplinks';

const SimulatedUplinkDataRate = message('hilltop.SimulatedUplinkDataRate', {
  dr: uint32({ label: 'Data-rate' }),
  modulation: text({ label: 'Modulation', help: 'Such as SF7, 125 kHz.' }),
  maxBytes: uint32({ label: 'Longest payload', unit: 'B' }),
});

export const SimulatedUplinkOptions = message('hilltop.SimulatedUplinkOptions', {
  dataRates: listOf(SimulatedUplinkDataRate, { label: 'Data-rates with which the device may send now' }),
  dr: uint32({ label: 'Data-rate of the last uplink' }),
});
export type SimulatedUplinkOptions = ValueOf<typeof SimulatedUplinkOptions>;

export const SendSimulatedUplinkRequest = message('hilltop.SendSimulatedUplinkRequest', {
  devEUI,
  fPort: uint32({ label: 'Port', help: 'Applications use 1 to 223.', required: true, min: 1, max: 223 }),
  data: bytes({
    label: 'Payload',
    help: 'The bytes that the device would send, not encrypted. The codec decodes them.',
    maxBytes: 242,
  }),
  objectJSON: text({
    label: 'Decoded object',
    help: 'A JSON object in place of bytes. The event contains it as it is; the codec does not run.',
    maxLength: DeviceQueueItem.fields.jsonObject.facts.maxLength!,
  }),
  dr: uint32({ label: 'Data-rate', help: 'One with which the device may send now.', max: 15 }),
  rssi: int32({ label: 'RSSI', unit: 'dBm', min: -150, max: 0 }),
  snr: int32({ label: 'SNR', unit: 'dB', min: -30, max: 30 }),
});
export type SendSimulatedUplinkRequest = ValueOf<typeof SendSimulatedUplinkRequest>;

export const simulatedUplink = ownOperationsOf('simulatedUplink', {
  getOptions: get(path, {
    summary: 'Get the data-rates of simulated uplinks of a device',
    request: message('hilltop.GetSimulatedUplinkOptionsRequest', { devEUI }),
    response: SimulatedUplinkOptions,
    access,
  }),
  send: post(path, {
    summary: 'Send an uplink as this device, through a simulated gateway',
    request: SendSimulatedUplinkRequest,
    response: message('hilltop.SendSimulatedUplinkResponse', {
      eventID: text({ label: 'Event ID' }),
      payloadJSON: text({ label: 'Event', help: 'As the event stream shows it.' }),
      noteJSON: text({ label: 'Note', help: 'As the history shows it.' }),
      codecError: text({ label: 'Error of the codec' }),
    }),
    access,
  }),
});
