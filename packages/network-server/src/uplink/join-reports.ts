/** Reports join-requests and unknown DevAddrs for users who want to know why a device does not join. */
import { devAddrWithPrefix, type Frame, isDataFrame } from '@hilltop/lorawan';
import type { Network } from '../network/network.ts';
import type { JoinOutcome, JoinReception } from '../ports/join-reports.ts';
import type { Reception, Uplink } from '../radio/uplink.ts';
import type { Effect } from '../state/effect.ts';
import type { Decision, Dropped } from './decision.ts';
import { allowedReceptions } from './private-gateways.ts';

interface DecidedUplink {
  uplink: Uplink;
  frame: Frame | null;
}

/** The report of a join-request of a registered device. */
export async function joinRequestReport(
  network: Network,
  { uplink, frame }: DecidedUplink,
  decision: Decision,
): Promise<Effect[]> {
  const outcome = outcomeOf(decision);
  if (frame?.mType !== 'JoinRequest' || outcome === null) return [];
  const { devEUI, joinEUI, devNonce } = frame;
  const device = await network.state.get('device', devEUI);
  if (!device) return [];
  const receptions = await allowedReceptions(network, uplink.receptions, device.serviceProfileID);
  const { phyPayload } = uplink;
  return [
    network.joinReports.request({ devEUI, joinEUI, devNonce, outcome, phyPayload, receptions: reported(receptions) }),
  ];
}

/** Null: the request says nothing about its device, such as a late copy. */
function outcomeOf({ dropped, deviceFrame, joinAccept }: Decision): JoinOutcome | null {
  if (dropped === null) return joinAccept ? 'ACCEPTED' : null;
  if (dropped === 'private-gateways') return 'PRIVATE_GATEWAYS';
  if (dropped === 'unknown-channel') return 'UNKNOWN_CHANNEL';
  return deviceFrame?.refused?.reason ?? null;
}

/** Reports a frame that belongs to no registered device. Call it once for each frame. */
export function reportUnknownSender(
  network: Network,
  { uplink, frame }: { uplink: Uplink | Dropped; frame: Frame | null },
  { dropped, devEUI }: Decision,
): void {
  if (frame === null || 'dropped' in uplink) return;
  if (frame.mType === 'JoinRequest' && dropped === 'unknown-device') {
    const { devEUI, joinEUI, devNonce } = frame;
    network.joinReports.unknownDevice({ devEUI, joinEUI, devNonce, receptions: reported(uplink.receptions) });
  }
  if (!isDataFrame(frame) || !(dropped === 'wrong-mic' || (dropped === 'unknown-device' && !devEUI))) return;
  if (devAddrWithPrefix(network.netID, frame.devAddr) === frame.devAddr)
    network.joinReports.unknownDevAddr(frame.devAddr);
}

const reported = (receptions: readonly Reception[]): JoinReception[] =>
  receptions.map(({ gatewayID, rxInfo: { rssi, loRaSNR: snr } }) => ({ gatewayID, rssi, snr }));
