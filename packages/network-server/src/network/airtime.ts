/** Reports the time on air of frames to the application, once for each gateway. */
import {
  dataRateOf,
  decodeFrame,
  devAddrWithPrefix,
  type Frame,
  FrameError,
  isDataFrame,
  limitedSubBandOf,
  netIDOf,
} from '@hilltop/lorawan';
import type { gw } from '@hilltop/protobuf';
import type { AirtimeSender } from '../ports/airtime.ts';
import { modulationOfUplink } from '../radio/modulation.ts';
import { airtimeOfItem, airtimeUsOf } from './frame-airtime.ts';
import type { Network } from './network.ts';

/** How many bytes were sent in which way. */
interface FrameOnAir {
  txInfo: gw.UplinkTXInfo;
  size: number;
}

export function countReceivedAirtime(
  { airtime: observer, region }: Network,
  { size, txInfo }: FrameOnAir,
  gatewayIDs: ReadonlySet<string>,
  sender: AirtimeSender,
): void {
  const modulation = modulationOfUplink(txInfo);
  const airtimeUs = airtimeUsOf(size, modulation, 'up');
  if (!modulation || airtimeUs === null) return;
  const { frequency } = txInfo;
  const dr = dataRateOf(region, modulation);
  for (const gatewayID of gatewayIDs) observer.received(gatewayID, { frequency, dr, airtimeUs, sender });
}

/** Frames that a link drops because their checksum is wrong. */
export function countUnreadable(network: Network, gatewayID: string, frames: readonly FrameOnAir[]): void {
  for (const frame of frames) countReceivedAirtime(network, frame, new Set([gatewayID]), { kind: 'unreadable' });
}

/** A copy that arrived when its uplink was processed already: only its bytes tell who sent it. */
export function countLateCopy(network: Network, { phyPayload, txInfo, rxInfo }: gw.UplinkFrame): void {
  if (!txInfo || !rxInfo) return;
  const isWhole = rxInfo.crcStatus === 'CRC_OK';
  const sender: AirtimeSender = isWhole ? senderByAddress(network, readFrame(phyPayload)) : { kind: 'unreadable' };
  countReceivedAirtime(network, { size: phyPayload.length, txInfo }, new Set([rxInfo.gatewayID.toHex()]), sender);
}

/** A frame of an unknown device, or of one that nobody looks up. */
export function senderByAddress({ netID }: Network, frame: Frame | null): AirtimeSender {
  if (!frame) return { kind: 'unreadable' };
  if (!isDataFrame(frame)) return { kind: 'foreign' };
  return devAddrWithPrefix(netID, frame.devAddr) === frame.devAddr ? { kind: 'own' } : foreignSender(frame.devAddr);
}

export function foreignSender(devAddr: string): AirtimeSender {
  const netID = netIDOf(devAddr);
  return netID === null ? { kind: 'foreign' } : { kind: 'foreign', netID };
}

/** Counts one item of a downlink that a gateway has sent. */
export function countSentAirtime(network: Network, gatewayID: string, item: gw.DownlinkFrameItem): void {
  const airtimeUs = airtimeOfItem(item);
  if (airtimeUs === null) return;
  const subBand = limitedSubBandOf(network.region, item.txInfo?.frequency ?? 0);
  network.airtime.sent(gatewayID, { subBand, airtimeUs });
}

function readFrame(phyPayload: Uint8Array): Frame | null {
  try {
    return decodeFrame(phyPayload);
  } catch (error) {
    if (error instanceof FrameError) return null;
    throw error;
  }
}
