/** The uplinks and downlinks that a relay forwards for the devices behind it (TS011-1.0.1). */
import {
  cryptFRMPayload,
  type DataFrame,
  decodeForwardedUplink,
  type ForwardedUplink,
  FrameError,
  relayFPort,
} from '@hilltop/lorawan';
import { create, gw } from '@hilltop/protobuf';
import { effectOf } from '../network/effect-of.ts';
import type { Network } from '../network/network.ts';
import type { Uplink } from '../radio/uplink.ts';
import { dataCounterOf } from '../session/downlink-counter.ts';
import type { Effect } from '../state/effect.ts';
import type { DeviceSession } from '../state/session.ts';
import type { QueueItem } from '../state/state.ts';

/** The id of an item that is in no queue. */
const unqueued = '';

/**
 * The uplink inside the frame of a relay, as if the relay were a gateway whose ID is its DevEUI; null when there is
 * none. A relay behind a relay is not supported. A relay with the EUI of a gateway is refused, or it could send uplinks
 * in the name of that gateway; the effects inform its application.
 */
export async function forwardedUplink(
  network: Network,
  { session, fCnt }: { session: DeviceSession; fCnt: number },
  uplink: Uplink,
  frame: DataFrame,
): Promise<{ forwarded: gw.UplinkFrame | null; effects: Effect[] }> {
  const forwarded = unwrap(network, { session, fCnt }, uplink, frame);
  if (!forwarded) return { forwarded, effects: [] };
  const { devEUI } = session;
  if (!(await isGateway(network, devEUI))) {
    network.count('relayed_uplinks');
    return { forwarded, effects: [] };
  }
  network.count('relayed_uplinks_refused');
  const devEui = Uint8Array.fromHex(devEUI);
  const effect = network.applicationServer.handleError({ devEui, type: 'GENERIC', error: calledAsGateway, fCnt });
  return { forwarded: null, effects: await effectOf(network, effect, devEUI) };
}

const calledAsGateway =
  'A gateway has the EUI of this relay: what it forwards is not taken. Give it a DevEUI of its own.';

/** Whether a gateway with that EUI is registered here, or connected to any network server. */
async function isGateway({ state, gateways }: Network, devEUI: string): Promise<boolean> {
  const path = gateways.of(devEUI);
  if (path && path.link !== 'relay') return true;
  return (await state.get('gateway', devEUI)) !== null;
}

function unwrap(
  network: Network,
  { session, fCnt }: { session: DeviceSession; fCnt: number },
  uplink: Uplink,
  frame: DataFrame,
): gw.UplinkFrame | null {
  const [best] = uplink.receptions;
  if (frame.fPort !== relayFPort || !best || best.isRelay) return null;
  const cipher = { devAddr: session.devAddr, fCnt, direction: 'up' } as const;
  const forwarded = read(cryptFRMPayload(session.keys.nwkSEncKey, cipher, frame.frmPayload));
  const dataRate = forwarded && network.region.dataRates[forwarded.dataRate];
  if (!forwarded || !dataRate?.uplink || dataRate.modulation !== 'LORA') {
    network.count('relayed_uplinks_broken');
    return null;
  }
  const { frequency, rssi, snr, phyPayload } = forwarded;
  const { bandwidth, spreadingFactor } = dataRate;
  const { time, timeSinceGPSEpoch } = best.rxInfo;
  const context = new Uint8Array(4);
  new DataView(context.buffer).setUint32(0, fCnt);
  return {
    phyPayload,
    txInfo: create(gw.UplinkTXInfo, {
      frequency,
      modulation: 'LORA',
      loRaModulationInfo: { bandwidth, spreadingFactor, codeRate: '4/5' },
    }),
    rxInfo: create(gw.UplinkRXInfo, {
      gatewayID: Uint8Array.fromHex(session.devEUI),
      rssi,
      loRaSNR: snr,
      time,
      timeSinceGPSEpoch,
      context,
      crcStatus: 'CRC_OK',
    }),
  };
}

function read(bytes: Uint8Array): ForwardedUplink | null {
  try {
    return decodeForwardedUplink(bytes);
  } catch (error) {
    if (error instanceof FrameError) return null;
    throw error;
  }
}

/** A downlink that the relay should forward, as its next queue item: only the frame, for the first of its windows. */
export function toForward(session: DeviceSession, { items }: gw.DownlinkFrame): QueueItem {
  const { devEUI, devAddr, id: sessionID } = session;
  const fCnt = session[dataCounterOf(session)];
  const phyPayload = items[0]?.phyPayload ?? new Uint8Array();
  return {
    id: unqueued,
    devEUI,
    sessionID,
    fCnt,
    fPort: relayFPort,
    confirmed: false,
    frmPayload: cryptFRMPayload(session.keys.nwkSEncKey, { devAddr, fCnt, direction: 'down' }, phyPayload),
    isForNextSession: false,
    hasLeft: false,
    isPending: false,
    attempts: 0,
    timeoutAt: null,
    notBefore: null,
    pingSlotAt: null,
  };
}

export const isQueued = ({ id }: QueueItem) => id !== unqueued;
