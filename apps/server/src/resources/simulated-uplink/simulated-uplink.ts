import {
  ApiError,
  atField,
  notFound,
  refusal,
  type SendSimulatedUplinkRequest,
  simulatedGatewayID,
  simulatedTag,
} from '@hilltop/contract';
import { gpsTimeOf } from '@hilltop/lorawan';
import type { Clock, SimulatedDataRate, SimulatedRadio } from '@hilltop/network-server';
import { as, bytesOf, create, gw } from '@hilltop/protobuf';
import type { Database } from '../../database/database.ts';
import type { DeviceContext, DeviceContexts } from '../../events/device-context.ts';
import type { DeviceEvent } from '../../events/event.ts';
import type { EventRecorder } from '../../events/recorder.ts';
import { eventsOfUplink } from '../../events/up.ts';
import type { Networks } from '../../network/network-servers.ts';
import type { PayloadCodecs } from '../../payload-codecs/codec.ts';
import { loadDevice } from '../device/store.ts';

export interface SimulatedUplinkDependencies {
  database: Database;
  networks: Networks;
  devices: DeviceContexts;
  codecs: PayloadCodecs;
  recorder: EventRecorder;
  clock: Clock;
}

/** A device that can send now, with the radio parameters of its session. */
export interface SimulatedDevice {
  device: DeviceContext;
  radio: SimulatedRadio;
}

/** Refuses a device that could not send: remote, disabled, or without a session. */
export async function loadSimulatedDevice(
  { database, networks, devices }: SimulatedUplinkDependencies,
  devEUI: string,
): Promise<SimulatedDevice> {
  const { network_server_id } = await loadDevice(database, devEUI);
  const radio = await networks.embedded.simulatedRadioOf(network_server_id, devEUI);
  if (radio === undefined) throw refusal('REMOTE_DEVICE');
  if (radio === null) throw new ApiError('NOT_ACTIVATED', { devEUI }, { status: 'FailedPrecondition' });
  if (radio.isDisabled) throw refusal('DEVICE_DISABLED', { devEUI });
  const device = await devices.of(devEUI);
  if (!device) throw notFound('device', devEUI);
  return { device, radio };
}

/**
 * Writes the event of a simulated uplink, with the error of the codec, if any. Neither the session nor the state and
 * statistics of the device change (decision 0032). Resolves with the events after the commit.
 */
export async function sendSimulatedUplink(
  needs: SimulatedUplinkDependencies,
  { device, radio }: SimulatedDevice,
  request: SendSimulatedUplinkRequest,
): Promise<readonly DeviceEvent[]> {
  const { database, recorder, clock } = needs;
  const { devEUI, data, objectJSON } = request;
  const dataRate = checkPayload(radio, request);
  const at = clock.now();
  const marked: DeviceContext = {
    ...device,
    devAddr: radio.devAddr,
    tags: { ...device.tags, [simulatedTag.name]: simulatedTag.value },
  };
  const uplink = create(as.HandleUplinkDataRequest, {
    fCnt: radio.lastFCntUp,
    fPort: request.fPort,
    adr: radio.adr,
    dr: dataRate.dr,
    txInfo: dataRate.txInfo,
    rxInfo: radio.addGwMetadata ? [receptionOf(dataRate, request, at)] : [],
  });
  const given = objectJSON === '' ? undefined : { objectJSON };
  const events = await eventsOfUplink(needs, marked, uplink, bytesIn(data), at, given);
  const stored: DeviceEvent[] = [];
  const effect = recorder.record({
    about: `simulated uplink of ${devEUI}`,
    devEUI,
    at,
    events: events.map((event) => ({ ...event, note: { ...event.note, simulated: true } })),
    onStored: (event) => stored.push(event),
  });
  await database.transaction(effect.write);
  // The device was deleted meanwhile.
  if (stored.length === 0) throw notFound('device', devEUI);
  return stored;
}

function bytesIn(data: string | null): Uint8Array {
  return Uint8Array.fromBase64(data ?? '');
}

/** The data-rate of the request. Throws, at its field, for a payload that the device could not send. */
function checkPayload(
  { dataRates }: SimulatedRadio,
  { dr, data, objectJSON }: SendSimulatedUplinkRequest,
): SimulatedDataRate {
  const dataRate = dataRates.find((one) => one.dr === dr);
  if (!dataRate) {
    const possible = dataRates.map((one) => `DR${one.dr}`).join(', ');
    throw atField('dr', refusal('DATA_RATE_IMPOSSIBLE', { dr, possible }));
  }
  const bytes = bytesIn(data);
  if (bytes.length > dataRate.maxBytes) {
    const { maxBytes: most } = dataRate;
    throw atField('data', refusal('PAYLOAD_TOO_LONG', { bytes: bytes.length, dr, most }));
  }
  if (objectJSON !== '' && bytes.length > 0) throw atField('objectJSON', refusal('BYTES_AND_OBJECT'));
  if (objectJSON !== '') checkObject(objectJSON);
  return dataRate;
}

function checkObject(json: string): void {
  const refused = (problem: string) => atField('objectJSON', refusal('NOT_AN_OBJECT', { problem }));
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw refused((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refused('it has no braces');
}

/** The reception by the simulated gateway, with everything that a real one reports. */
function receptionOf(
  { channel }: SimulatedDataRate,
  { rssi, snr }: SendSimulatedUplinkRequest,
  at: Date,
): gw.UplinkRXInfo {
  return create(gw.UplinkRXInfo, {
    gatewayID: bytesOf(simulatedGatewayID),
    time: at,
    timeSinceGPSEpoch: gpsTimeOf(at),
    rssi,
    loRaSNR: snr,
    channel: channel % 8,
    rfChain: channel % 8 < 4 ? 0 : 1,
    location: {},
    context: new Uint8Array(4),
    uplinkID: crypto.getRandomValues(new Uint8Array(16)),
    crcStatus: 'CRC_OK',
  });
}
