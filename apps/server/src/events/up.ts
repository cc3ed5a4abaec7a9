import type { EventNote, Quantities } from '@hilltop/contract';
import { cryptFRMPayload } from '@hilltop/lorawan';
import type { UplinkRadio } from '@hilltop/network-server';
import { type as, bytesOf } from '@hilltop/protobuf';
import type { StoredNote } from '../event-log/event.ts';
import { CodecError, CodecPausedError } from '../payload-codecs/codec-error.ts';
import type { Counters } from '../statistics/counters.ts';
import { acceptActivation, joined } from './activation.ts';
import type { DeviceContext } from './device-context.ts';
import type { ServerEffect } from './effect.ts';
import { buildEvent, type PendingEvent } from './event.ts';
import { type EventDependencies, requireDevice } from './event-dependencies.ts';
import { noteOfFrame } from './frame.ts';
import { lossOf, stepFromLast } from './loss.ts';
import type { UplinkMarks } from './uplink-marks.ts';

/**
 * Decrypts and decodes an uplink and builds its events. Nothing is written yet: the effect stores the AppSKey and DevAddr of a
 * new activation, the events, last seen and the counters in one transaction with the frame counter.
 */
export async function onUplink(
  dependencies: EventDependencies,
  uplink: as.HandleUplinkDataRequest,
  radio?: UplinkRadio,
): Promise<ServerEffect> {
  const at = radio?.logged.publishedAt ?? dependencies.clock.now();
  const known = await requireDevice(dependencies, uplink.devEui, 'Internal');
  const activation = acceptActivation(dependencies, known, uplink, at, radio?.isJoinReported);
  const device = { ...known, ...activation.session };
  const received = await receivedNote(dependencies, device, uplink, { at, radio });
  const events = await eventsOfUplink(dependencies, device, uplink, decrypt(device, uplink), at, { received });
  return dependencies.recorder.record({
    about: `uplink ${uplink.fCnt} of ${device.devEUI}`,
    devEUI: device.devEUI,
    at,
    change: { last_seen_at: at, dr: uplink.dr, ...activation.change },
    marks: marksOfUplink(uplink, received, events),
    events: [...activation.events, ...events],
    counters: {
      ...countersOf(uplink),
      ...(received.lost && { lost_count: received.lost }),
      ...(activation.events.length > 0 && joined),
    },
  });
}

/**
 * The event of an uplink with the decrypted payload `data`, after the error of the codec, if any. With `objectJSON` the
 * codec does not run.
 */
export async function eventsOfUplink(
  dependencies: Pick<EventDependencies, 'codecs'>,
  device: DeviceContext,
  uplink: as.HandleUplinkDataRequest,
  data: Uint8Array,
  at: Date,
  { objectJSON: given, received }: { objectJSON?: string; received?: StoredNote } = {},
): Promise<PendingEvent[]> {
  const { objectJSON, errors, note }: Decoded =
    given === undefined ? await decode(dependencies, device, uplink, data, at) : { objectJSON: given, errors: [] };
  const up = buildEvent('up', device, at, {
    rxInfo: uplink.rxInfo,
    txInfo: uplink.txInfo,
    adr: uplink.adr,
    dr: uplink.dr,
    fCnt: uplink.fCnt,
    fPort: uplink.fPort,
    data,
    objectJSON,
    tags: { ...device.deviceProfileTags, ...device.tags },
    confirmedUplink: uplink.confirmedUplink,
    devAddr: bytesOf(device.devAddr),
    deviceProfileID: device.deviceProfileID,
    deviceProfileName: device.deviceProfileName,
  });
  const receivedBy = received ?? noteOfGateways(uplink);
  return [...errors, { ...up, note: note ? { ...note, ...receivedBy } : receivedBy }];
}

/** How the uplink was received, and what is missing before it. A remote network server reports only what the event has. */
async function receivedNote(
  { database, serverRuns }: EventDependencies,
  { devEUI, devAddr }: Pick<DeviceContext, 'devEUI' | 'devAddr'>,
  uplink: as.HandleUplinkDataRequest,
  { at, radio }: { at: Date; radio: UplinkRadio | undefined },
): Promise<StoredNote> {
  if (radio) {
    const { counter, mac, logged, isJoinReported: _, ...others } = radio;
    const loss = lossOf(counter, at.getTime(), serverRuns.stops);
    return { ...others, ...loss, ...noteOfFrame({ mac, logged }) };
  }
  const counter = await stepFromLast(database, { devEUI, devAddr, fCnt: uplink.fCnt, at });
  return { ...noteOfGateways(uplink), ...(counter && lossOf(counter, at.getTime(), serverRuns.stops)) };
}

/** Facts from the gateways of the event. */
function noteOfGateways({ rxInfo }: as.HandleUplinkDataRequest): EventNote | undefined {
  if (rxInfo.length === 0) return undefined;
  return {
    bestRSSI: Math.max(...rxInfo.map(({ rssi }) => rssi)),
    bestSNR: Math.max(...rxInfo.map(({ loRaSNR }) => loRaSNR)),
    gatewayCount: rxInfo.length,
  };
}

function decrypt({ appSKey, devAddr }: DeviceContext, { data, fCnt, fPort }: as.HandleUplinkDataRequest): Uint8Array {
  // Without a key the payload stays encrypted; the event still shows that the uplink was received.
  if (data.length === 0 || fPort === 0 || appSKey.length === 0) return data;
  return cryptFRMPayload(appSKey, { devAddr, fCnt, direction: 'up' }, data);
}

type Decoded = { objectJSON: string; errors: PendingEvent[]; note?: EventNote | undefined };

async function decode(
  { codecs }: Pick<EventDependencies, 'codecs'>,
  device: DeviceContext,
  { fPort, fCnt }: as.HandleUplinkDataRequest,
  bytes: Uint8Array,
  at: Date,
): Promise<Decoded> {
  if (device.codec.codec === '' || fPort === 0) return { objectJSON: '', errors: [] };
  try {
    const { objectJSON, warnings, quantities } = await codecs.decode(device.codec, {
      application: String(device.applicationID),
      fPort,
      bytes,
      variables: device.variables,
      receivedAt: at,
    });
    return { objectJSON, errors: [], note: codecNote(warnings, quantities) };
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    if (error instanceof CodecPausedError) return { objectJSON: '', errors: [] };
    const codecError = buildEvent('error', device, at, { type: 'UPLINK_CODEC', error: error.message, fCnt });
    return { objectJSON: '', errors: [codecError] };
  }
}

function codecNote(warnings: readonly string[] = [], quantities: Quantities = {}): EventNote | undefined {
  const hasQuantities = Object.keys(quantities).length > 0;
  if (warnings.length === 0 && !hasQuantities) return undefined;
  return { ...(warnings.length > 0 && { warnings }), ...(hasQuantities && { quantities }) };
}

function marksOfUplink(
  { rxInfo }: as.HandleUplinkDataRequest,
  { lost = 0, lostWhileStopped = 0 }: EventNote,
  events: readonly PendingEvent[],
): UplinkMarks {
  return {
    lost: lost - lostWhileStopped,
    isCodecFailing: events.some(({ type }) => type === 'error'),
    soleGateway: rxInfo.length === 1 ? rxInfo[0]!.gatewayID.toHex() : '',
  };
}

/** RSSI and SNR are the best of all gateways, and 0 without gateway metadata. */
function countersOf({ rxInfo, txInfo, dr }: as.HandleUplinkDataRequest): Counters {
  const best = (values: number[]) => (values.length > 0 ? Math.max(...values) : 0);
  return {
    rx_count: 1,
    gw_rssi_sum: best(rxInfo.map(({ rssi }) => rssi)),
    gw_snr_sum: best(rxInfo.map(({ loRaSNR }) => loRaSNR)),
    [`rx_freq_${txInfo?.frequency ?? 0}`]: 1,
    [`rx_dr_${dr}`]: 1,
  };
}
