import type { Effect } from '../state/effect.ts';
import type { JoinRefusalReason } from './join-refusals.ts';

/**
 * What the network server reports of joins beside the calls of the `as` service, so that users can find out why a
 * device does not join. Remote network servers report none of it.
 */
export interface JoinReports {
  /** A join-request of a device that is registered. */
  request(request: JoinRequestReport): Effect;
  /** What a gateway answered when it should send a join-accept. */
  answer(answer: JoinAnswerReport): Effect;
  /** A join-request of a DevEUI that is not registered. Anybody can send any number of them. */
  unknownDevice(request: ReceivedJoinRequest): void;
  /** A data frame with a DevAddr of this network that no session has. Anybody can send any number of them. */
  unknownDevAddr(devAddr: string): void;
}

export interface ReceivedJoinRequest {
  devEUI: string;
  joinEUI: string;
  devNonce: number;
  /** Best first, without those that the device may not use. */
  receptions: readonly JoinReception[];
}

export interface JoinReception {
  gatewayID: string;
  /** dBm and dB. */
  rssi: number;
  snr: number;
}

export type JoinOutcome = 'ACCEPTED' | 'PRIVATE_GATEWAYS' | 'UNKNOWN_CHANNEL' | JoinRefusalReason;

export interface JoinRequestReport extends ReceivedJoinRequest {
  outcome: JoinOutcome;
  phyPayload: Uint8Array;
}

export interface JoinAnswerReport {
  devEUI: string;
  gatewayID: string;
  /** `OK`, or why the gateway refused. */
  status: string;
}
