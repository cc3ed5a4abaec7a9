import { type Frame, isDataFrame } from '@hilltop/lorawan';
import { countReceivedAirtime, foreignSender } from '../network/airtime.ts';
import type { Network } from '../network/network.ts';
import type { AirtimeSender } from '../ports/airtime.ts';
import type { Uplink } from '../radio/uplink.ts';
import type { CollectedUplink } from './collector.ts';
import type { Decision, Dropped, DropReason } from './decision.ts';

/** What is known of an uplink before it is decided. `devEUI`: null when no registered device is known. */
interface IdentifiedFrame {
  collected: CollectedUplink;
  uplink: Uplink | Dropped;
  frame: Frame | null;
  devEUI: string | null;
}

/** Reasons that leave open whether the DevEUI in a join-request is that of a registered device. */
const unknownJoiner: ReadonlySet<DropReason> = new Set(['unknown-device', 'unknown-channel', 'too-late']);

/** Counts the time on air of an uplink at each gateway that received it, when it is decided. */
export function countUplinkAirtime(network: Network, identified: IdentifiedFrame, decision: Decision): void {
  const { collected, uplink } = identified;
  const gatewayIDs =
    'dropped' in uplink
      ? collected.rxInfo.map(({ gatewayID }) => gatewayID.toHex())
      : uplink.receptions.filter(({ isRelay }) => !isRelay).map(({ gatewayID }) => gatewayID);
  const { phyPayload, txInfo } = collected;
  const frame = { size: phyPayload.length, txInfo };
  countReceivedAirtime(network, frame, new Set(gatewayIDs), senderOf(identified, decision));
}

function senderOf({ uplink, frame, devEUI }: IdentifiedFrame, decision: Decision): AirtimeSender {
  if ('dropped' in uplink || !frame) return { kind: 'unreadable' };
  const { dropped } = decision;
  if (isDataFrame(frame)) {
    const sender = devEUI ?? (dropped ? null : decision.devEUI);
    return sender === null ? foreignSender(frame.devAddr) : { kind: 'own', devEUI: sender };
  }
  if (devEUI === null || (dropped && unknownJoiner.has(dropped))) return { kind: 'foreign' };
  return { kind: 'own', devEUI };
}
